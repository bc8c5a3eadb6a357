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

// --8<-- [start:count_warps]
// The first lane of every warp, as the GPU numbers its lanes, adds one.
extern "C" __global__ void count_warps(unsigned int* count) {
    unsigned int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    if (lane == 0) atomicAdd(count, 1);
}
// --8<-- [end:count_warps]

// --8<-- [start:report_sm]
// The first lane of every warp writes down the SM that it runs on, and stays a while to
// look how many blocks are there. The first thread of a block signs it in and out.
extern "C" __global__ void report_sm(unsigned int* sm_of_warp, unsigned int* here,
                                     unsigned int* most, int looks) {
    unsigned int sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0) atomicAdd(&here[sm], 1);
    if (threadIdx.x % warpSize == 0) {
        int warps_per_block = (blockDim.x + warpSize - 1) / warpSize;
        sm_of_warp[blockIdx.x * warps_per_block + threadIdx.x / warpSize] = sm;
        for (int look = 0; look < looks; ++look)
            atomicMax(&most[sm], atomicAdd(&here[sm], 0));
    }
    if (threadIdx.x == 0) atomicSub(&here[sm], 1);
    __syncthreads();  // no warp leaves before the block is signed out
}
// --8<-- [end:report_sm]

#ifndef __CUDACC_RTC__
#include <algorithm>
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

static unsigned int* poisoned(size_t count, int byte) {
    unsigned int* on_device;
    CHECK(cudaMalloc(&on_device, count * sizeof(unsigned int)));
    CHECK(cudaMemset(on_device, byte, count * sizeof(unsigned int)));
    return on_device;
}

static std::vector<unsigned int> taken(unsigned int* on_device, size_t count) {
    std::vector<unsigned int> values(count);
    CHECK(cudaMemcpy(values.data(), on_device, count * sizeof(unsigned int),
                     cudaMemcpyDeviceToHost));
    CHECK(cudaFree(on_device));
    return values;
}

static void print_slots(int blocks, int threads, int warp_size) {
    unsigned int* count = poisoned(1, 0);
    count_warps<<<blocks, threads>>>(count);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    int warps = taken(count, 1)[0];
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

    const int threads = 336, warps = warps_of(threads, gpu.warpSize), looks = 20;
    const int blocks = 64 * gpu.multiProcessorCount;
    const int counters = 1024;  // SMs are numbered from 0, perhaps with gaps
    unsigned int* sm_of_warp = poisoned(blocks * warps, 0xFF);
    unsigned int *here = poisoned(counters, 0), *most = poisoned(counters, 0);
    report_sm<<<blocks, threads>>>(sm_of_warp, here, most, looks);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    const std::vector<unsigned int> sm = taken(sm_of_warp, blocks * warps);
    const std::vector<unsigned int> at_once = taken(most, counters);
    CHECK(cudaFree(here));
    int split = 0;
    bool complete = true;
    for (int block = 0; block < blocks; ++block) {
        bool one = true;
        for (int warp = 0; warp < warps; ++warp) {
            unsigned int at = sm[block * warps + warp];
            complete = complete && at != 0xFFFFFFFF;
            one = one && at == sm[block * warps];
        }
        split += !one;
    }
    std::printf("%d of %d blocks had warps on more than one SM\n", split, blocks);
    std::printf("blocks of %d threads on one SM at once: at most %u\n", threads,
                *std::max_element(at_once.begin(), at_once.end()));
    return complete ? 0 : 1;
}
#endif
