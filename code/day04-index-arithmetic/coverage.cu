// Which thread takes which element, by the right index and by wrong ones: every element
// counts its threads. Then blocks that are refused, and numbers too large for 32 bits.
//
//   nvcc -arch=native coverage.cu -o coverage && ./coverage
//
// The kernels stand first; the host's main is left out where NVRTC compiles this file.

// --8<-- [start:element]
enum Index { RIGHT, GRID_FOR_BLOCK, NO_BLOCK, SWAPPED };

// The element that this thread takes, by the right index and by three that people write.
__device__ unsigned int element(int index) {
    switch (index) {
        case GRID_FOR_BLOCK: return blockIdx.x * gridDim.x + threadIdx.x;
        case NO_BLOCK:       return threadIdx.x;
        case SWAPPED:        return threadIdx.x * blockDim.x + blockIdx.x;
        default:             return blockIdx.x * blockDim.x + threadIdx.x;
    }
}
// --8<-- [end:element]

// --8<-- [start:count_touches]
// Counts for every element the threads that took it, and those that found none below n.
extern "C" __global__ void count_touches(int index, unsigned int* touches, unsigned int n,
                                         unsigned int* beyond) {
    unsigned int i = element(index);
    if (i < n)
        atomicAdd(&touches[i], 1);  // touches[i] += 1 would lose counts
    else
        atomicAdd(beyond, 1);
}
// --8<-- [end:count_touches]

// --8<-- [start:store_index]
// What most kernels do with their element: they store to it. A second store goes unseen.
extern "C" __global__ void store_index(int index, unsigned int* out, unsigned int n) {
    unsigned int i = element(index);
    if (i < n) out[i] = i;
}
// --8<-- [end:store_index]

// --8<-- [start:keep_number]
// The thread whose number is wanted[k] keeps it in four ways, from kept[4k] on. Blocks
// before first_block count as launched, so that a small launch can look far out.
extern "C" __global__ void keep_number(unsigned int first_block, const long long* wanted,
                                       int count, long long* kept) {
    unsigned int block = first_block + blockIdx.x;
    int in_int = block * blockDim.x + threadIdx.x;
    unsigned int in_unsigned = block * blockDim.x + threadIdx.x;
    long long widened_late = block * blockDim.x + threadIdx.x;
    long long widened_early = (long long)block * blockDim.x + threadIdx.x;
    for (int k = 0; k < count; ++k) {
        if (widened_early != wanted[k]) continue;
        kept[4 * k] = in_int;
        kept[4 * k + 1] = in_unsigned;
        kept[4 * k + 2] = widened_late;
        kept[4 * k + 3] = widened_early;
    }
}
// --8<-- [end:keep_number]

#ifndef __CUDACC_RTC__
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
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

const int n = 1000000, threads = 256;

// Counts by element, and behind them the threads that had none.
static std::vector<unsigned int> touches(Index index, int blocks) {
    std::vector<unsigned int> before(n + 1), after(n + 1);
    std::mt19937 bits(4);
    for (unsigned int& start : before) start = bits();
    const size_t bytes = before.size() * sizeof(unsigned int);
    unsigned int* counters;
    CHECK(cudaMalloc(&counters, bytes));
    CHECK(cudaMemcpy(counters, before.data(), bytes, cudaMemcpyHostToDevice));
    count_touches<<<blocks, threads>>>(index, counters, n, counters + n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(after.data(), counters, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(counters));
    for (int i = 0; i <= n; ++i) after[i] -= before[i];  // unsigned: wraps as it should
    return after;
}

static void print_coverage(const char* formula, Index index, int blocks) {
    int once = 0, more = 0, never = 0;
    const std::vector<unsigned int> counts = touches(index, blocks);
    for (int i = 0; i < n; ++i) {
        once += counts[i] == 1;
        more += counts[i] > 1;
        never += counts[i] == 0;
    }
    std::printf("%-37s  %6d  %7d  %5d  %6d  %6u\n", formula, blocks, once, more, never,
                counts[n]);
}

// --8<-- [start:refused]
// Launches one block of that shape, and prints how many of its threads ran. The runtime's
// name for a refusal goes to stderr: releases may differ in it.
static void print_block(dim3 block) {
    unsigned int ran, *on_device;
    CHECK(cudaMalloc(&on_device, sizeof ran));
    CHECK(cudaMemset(on_device, 0, sizeof ran));
    count_touches<<<1, block>>>(RIGHT, nullptr, 0, on_device);  // n = 0: all are beyond
    const cudaError_t answer = cudaGetLastError();
    CHECK(cudaMemcpy(&ran, on_device, sizeof ran, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(on_device));
    std::printf("block of %u x %u x %u: %u of %u threads ran\n", block.x, block.y,
                block.z, ran, block.x * block.y * block.z);
    if (answer != cudaSuccess)
        std::fprintf(stderr, "the runtime to %u x %u x %u: %s\n", block.x, block.y,
                     block.z, cudaGetErrorName(answer));
    if ((answer == cudaSuccess) != (ran > 0)) std::exit(1);  // nobody was told
}
// --8<-- [end:refused]

static void print_numbers() {
    const long long half = 1LL << 31, whole = 1LL << 32;
    const std::vector<long long> wanted = {half - 1, half, whole - 1, whole};
    std::vector<long long> kept(4 * wanted.size());
    const size_t bytes = wanted.size() * sizeof(long long);
    long long *wanted_on_device, *kept_on_device;
    CHECK(cudaMalloc(&wanted_on_device, bytes));
    CHECK(cudaMalloc(&kept_on_device, 4 * bytes));
    CHECK(cudaMemset(kept_on_device, 0xFF, 4 * bytes));
    CHECK(cudaMemcpy(wanted_on_device, wanted.data(), bytes, cudaMemcpyHostToDevice));
    keep_number<<<whole / 1024 + 1, 1024>>>(0, wanted_on_device, wanted.size(),
                                            kept_on_device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(kept.data(), kept_on_device, 4 * bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(wanted_on_device));
    CHECK(cudaFree(kept_on_device));
    const char* form = "%13s  %11s  %10s  %12s  %13s\n";
    std::printf(form, "thread number", "int", "unsigned", "widened late",
                "widened early");
    std::printf(form, "-------------", "-----------", "----------", "------------",
                "-------------");
    for (size_t k = 0; k < wanted.size(); ++k)
        std::printf("%13lld  %11lld  %10lld  %12lld  %13lld\n", wanted[k], kept[4 * k],
                    kept[4 * k + 1], kept[4 * k + 2], kept[4 * k + 3]);
}

int main() {
    cudaDeviceProp gpu;
    CHECK(cudaGetDeviceProperties(&gpu, 0));
    std::printf("%s, compute capability %d.%d\n", gpu.name, gpu.major, gpu.minor);

    // --8<-- [start:blocks]
    const int up = (n + threads - 1) / threads;
    const int down = n / threads;
    const int ceil_of_down = (int)std::ceil(n / threads);  // ceil comes too late
    // --8<-- [end:blocks]
    std::printf("%d elements in blocks of %d threads\n", n, threads);
    std::printf("(n + threads - 1) / threads: %d blocks\n", up);
    std::printf("n / threads: %d blocks\n", down);
    std::printf("ceil(n / threads): %d blocks\n", ceil_of_down);

    const char* form = "%-37s  %6s  %7s  %5s  %6s  %6s\n";
    std::printf(form, "index", "blocks", "once", "more", "never", "i >= n");
    std::printf(form, "-------------------------------------", "------", "-------",
                "-----", "------", "------");
    print_coverage("blockIdx.x * blockDim.x + threadIdx.x", RIGHT, up);
    print_coverage("blockIdx.x * blockDim.x + threadIdx.x", RIGHT, ceil_of_down);
    print_coverage("blockIdx.x * gridDim.x + threadIdx.x", GRID_FOR_BLOCK, up);
    print_coverage("threadIdx.x", NO_BLOCK, up);
    print_coverage("threadIdx.x * blockDim.x + blockIdx.x", SWAPPED, up);

    const dim3 blocks[] = {dim3(1024), dim3(32, 32), dim3(2048), dim3(32, 32, 2),
                           dim3(1, 1, 65)};
    for (dim3 block : blocks) print_block(block);
    print_numbers();

    const int many = (1 << 24) + 1;
    std::printf("%d elements, ceil((float)n / threads): %d blocks\n", many,
                (int)std::ceil((float)many / threads));
    return 0;
}
#endif
