// How many blocks and warps one SM holds at once, by block size, and whether a block ever
// spreads over two SMs.
//
//   nvcc -arch=native warp_slots.cu -o warp_slots && ./warp_slots
//
// The kernels stand first; the host's main is left out where NVRTC compiles this file.

// --8<-- [start:multiply_add]
// Small enough that neither registers nor shared memory limit how many blocks fit.
extern "C" __global__ void multiply_add(float* y, const float* x, float a, float b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i] + b;
}
// --8<-- [end:multiply_add]

// --8<-- [start:report_sm]
// The first lane of every warp writes down the SM that it runs on.
extern "C" __global__ void report_sm(unsigned int* sm_of_warp) {
    unsigned int sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    int warps_per_block = blockDim.x / warpSize;
    if (threadIdx.x % warpSize == 0)
        sm_of_warp[blockIdx.x * warps_per_block + threadIdx.x / warpSize] = sm;
}
// --8<-- [end:report_sm]

#ifndef __CUDACC_RTC__
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t status = (call);                                                     \
        if (status != cudaSuccess) {                                                     \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,           \
                         cudaGetErrorString(status));                                    \
            std::exit(1);                                                                \
        }                                                                                \
    } while (0)

static int warps_of(int threads, int warp_size) {
    return (threads + warp_size - 1) / warp_size;
}

// --8<-- [start:occupancy_host]
static void print_residency(const cudaDeviceProp& gpu) {
    int warps_per_sm = gpu.maxThreadsPerMultiProcessor / gpu.warpSize;
    std::printf("threads  warps/block  idle lanes  blocks/SM  warps/SM  occupancy %%\n");
    std::printf("-------  -----------  ----------  ---------  --------  -----------\n");
    for (int threads : {16, 32, 48, 64, 128, 256, 512, 1024}) {
        int blocks;
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, multiply_add,
                                                            threads, 0));
        int warps = warps_of(threads, gpu.warpSize);
        std::printf("%7d  %11d  %10d  %9d  %8d  %11.1f\n", threads, warps,
                    warps * gpu.warpSize - threads, blocks, blocks * warps,
                    100.0 * blocks * warps / warps_per_sm);
    }
}
// --8<-- [end:occupancy_host]

static void print_slots(int blocks, int threads, int warp_size) {
    int warps = blocks * warps_of(threads, warp_size);
    int lanes = warps * warp_size;
    std::printf("%d blocks of %d threads: %d warps, %d of %d lanes idle\n", blocks,
                threads, warps, lanes - blocks * threads, lanes);
}

int main() {
    cudaDeviceProp gpu;
    CHECK(cudaGetDeviceProperties(&gpu, 0));
    std::printf("%s, compute capability %d.%d: %d SMs, "
                "each with room for %d warps and %d blocks\n",
                gpu.name, gpu.major, gpu.minor, gpu.multiProcessorCount,
                gpu.maxThreadsPerMultiProcessor / gpu.warpSize,
                gpu.maxBlocksPerMultiProcessor);
    print_residency(gpu);
    print_slots(8, 16, gpu.warpSize);
    print_slots(4, 32, gpu.warpSize);

    const int threads = 256, warps = threads / gpu.warpSize;
    const int blocks = 64 * gpu.multiProcessorCount;
    std::vector<unsigned int> sm(blocks * warps);
    const size_t bytes = sm.size() * sizeof(unsigned int);
    unsigned int* on_device;
    CHECK(cudaMalloc(&on_device, bytes));
    report_sm<<<blocks, threads>>>(on_device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sm.data(), on_device, bytes, cudaMemcpyDeviceToHost));
    int split = 0;
    for (int block = 0; block < blocks; ++block)
        for (int warp = 1; warp < warps; ++warp)
            if (sm[block * warps + warp] != sm[block * warps]) { ++split; break; }
    std::printf("%d of %d blocks had warps on more than one SM\n", split, blocks);
    CHECK(cudaFree(on_device));
    return 0;
}
#endif
