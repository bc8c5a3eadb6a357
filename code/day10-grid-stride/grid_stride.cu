// The same sum by grids of many shapes: one thread per element, or any number of threads.
//
//   nvcc -arch=native grid_stride.cu -o grid_stride && ./grid_stride
//
// The kernels stand first; the host's main is left out where NVRTC compiles this file.

// --8<-- [start:direct]
// One element per thread, so the grid has to cover n.
extern "C" __global__ void add_direct(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
// --8<-- [end:direct]

// --8<-- [start:strided]
// Any grid will do: a thread takes its element, then the one a whole grid further on.
// An int holds every index while n plus the threads of the grid stays below 1 << 31.
extern "C" __global__ void add_strided(const float* a, const float* b, float* c, int n) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        c[i] = a[i] + b[i];
}
// --8<-- [end:strided]

// --8<-- [start:chunked]
// Any grid will do here too: each thread takes a stretch of its own, as on a CPU.
extern "C" __global__ void add_chunked(const float* a, const float* b, float* c, int n) {
    int length = (n - 1) / (gridDim.x * blockDim.x) + 1;
    int begin = (blockIdx.x * blockDim.x + threadIdx.x) * length;
    for (int i = begin; i < n && i < begin + length; ++i) c[i] = a[i] + b[i];
}
// --8<-- [end:chunked]

// --8<-- [start:nothing]
// What is left of a launch when there is nothing to do: its blocks are started, and end.
extern "C" __global__ void nothing() {}
// --8<-- [end:nothing]

// --8<-- [start:count_wrong]
// Counts the sums that differ from `wanted` in any bit, and poisons all of them again.
extern "C" __global__ void count_wrong(float* c, const float* wanted, int n,
                                       unsigned int* wrong) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        if (__float_as_uint(c[i]) != __float_as_uint(wanted[i])) atomicAdd(wrong, 1u);
        c[i] = __uint_as_float(0xFFFFFFFFu);
    }
}
// --8<-- [end:count_wrong]

#ifndef __CUDACC_RTC__
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>
#include <vector>

#define CHECK(call)                                                              \
    do {                                                                         \
        cudaError_t status = (call);                                             \
        if (status != cudaSuccess) {                                             \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,   \
                         cudaGetErrorString(status));                            \
            std::exit(1);                                                        \
        }                                                                        \
    } while (0)

// One array is larger than four times the L2, and four take a quarter of what is free.
static int choose_n(const cudaDeviceProp& gpu) {
    std::size_t free_bytes, total_bytes;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    int n = 1 << 24;
    while (n < (1 << 29) && std::size_t(n) <= std::size_t(gpu.l2CacheSize)) n *= 2;
    while (n > 1 && std::size_t(4) * sizeof(float) * n > free_bytes / 4) n /= 2;
    return n;
}

static std::vector<float> random_floats(int n, unsigned int seed) {
    std::mt19937 bits(seed);
    std::vector<float> values(n);
    for (float& value : values)
        value = static_cast<std::int32_t>(bits()) / 2147483648.0f;  // -1 to 1
    return values;
}

struct Arrays {
    float *a, *b, *c, *wanted;
    unsigned int* wrong;
    int n;
};

static float* to_device(const std::vector<float>& host) {
    float* array;
    const std::size_t bytes = host.size() * sizeof(float);
    CHECK(cudaMalloc(&array, bytes));
    CHECK(cudaMemcpy(array, host.data(), bytes, cudaMemcpyHostToDevice));
    return array;
}

static Arrays make_arrays(int n, unsigned int sms) {
    const std::vector<float> a = random_floats(n, 1), b = random_floats(n, 2);
    std::vector<float> sum(n);
    for (int i = 0; i < n; ++i) sum[i] = a[i] + b[i];
    Arrays arrays{to_device(a), to_device(b), to_device(a), to_device(sum), nullptr, n};
    CHECK(cudaMalloc(&arrays.wrong, sizeof(unsigned int)));
    count_wrong<<<32 * sms, 256>>>(arrays.c, arrays.wanted, n, arrays.wrong);
    CHECK(cudaGetLastError());
    return arrays;
}

static unsigned int wrong_sums(const Arrays& at, unsigned int sms) {
    unsigned int wrong;
    CHECK(cudaMemset(at.wrong, 0, sizeof wrong));
    count_wrong<<<32 * sms, 256>>>(at.c, at.wanted, at.n, at.wrong);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&wrong, at.wrong, sizeof wrong, cudaMemcpyDeviceToHost));
    return wrong;
}

struct Grid {
    unsigned int blocks, threads;
};

using Add = void (*)(const float*, const float*, float*, int);

// Launches `add` over the arrays; the most of the sums that were wrong after any of them.
static unsigned int over_grids(Add add, const Arrays& at, unsigned int sms,
                               const std::vector<Grid>& grids) {
    unsigned int wrong = 0;
    for (const Grid& grid : grids) {
        add<<<grid.blocks, grid.threads>>>(at.a, at.b, at.c, at.n);
        CHECK(cudaGetLastError());
        wrong = std::max(wrong, wrong_sums(at, sms));
    }
    return wrong;
}

// Milliseconds of one launch: the median of some, by events, after others to warm up.
static float median_ms(Add add, const Arrays& at, const Grid& grid,
                       std::size_t shared) {
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    std::vector<float> taken;
    for (int i = 0; i < 15; ++i) {
        CHECK(cudaEventRecord(begin));
        add<<<grid.blocks, grid.threads, shared>>>(at.a, at.b, at.c, at.n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (i >= 5) taken.push_back(ms);
    }
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    std::sort(taken.begin(), taken.end());
    return taken[taken.size() / 2];
}

int main() {
    cudaDeviceProp gpu;
    CHECK(cudaGetDeviceProperties(&gpu, 0));
    const unsigned int sms = gpu.multiProcessorCount;
    std::printf("%s, compute capability %d.%d: %u SMs\n", gpu.name, gpu.major, gpu.minor,
                sms);
    const int n = choose_n(gpu);
    std::printf("n is %d\n", n);
    const Arrays at = make_arrays(n, sms);
    std::printf("before any launch: %u of %d sums are wrong\n", wrong_sums(at, sms), n);

    std::vector<Grid> covering, loops;
    for (unsigned int threads : {32, 64, 96, 128, 192, 256, 512, 1024})
        covering.push_back({(n + threads - 1) / threads, threads});
    int resident;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, add_strided, 256, 0));
    std::set<int> sizes{1, 2, 4, 8, 16, 32, 64};
    sizes.insert(resident);
    for (unsigned int per_sm : sizes) loops.push_back({per_sm * sms, 256});
    std::printf("one element per thread, %zu block sizes: at most %u sums wrong\n",
                covering.size(), over_grids(add_direct, at, sms, covering));
    std::printf("grid-stride, %zu grids: at most %u sums wrong\n", loops.size(),
                over_grids(add_strided, at, sms, loops));

    // More than half of an SM's shared memory: no second block fits beside the first.
    const std::size_t half = gpu.sharedMemPerMultiprocessor / 2 + 1;
    CHECK(cudaFuncSetAttribute(add_strided, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(half)));
    int fit;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, add_strided, 1024, half));
    std::printf("blocks of 1024 threads with %zu bytes of shared memory: %d per SM\n",
                half, fit);
    for (unsigned int blocks : {sms, sms + 1})
        std::printf("%u of them: %.3f ms\n", blocks,
                    median_ms(add_strided, at, {blocks, 1024}, half));
    const unsigned int wrong = wrong_sums(at, sms);
    std::printf("after them: %u of %d sums are wrong\n", wrong, n);
    for (float* array : {at.a, at.b, at.c, at.wanted}) CHECK(cudaFree(array));
    CHECK(cudaFree(at.wrong));
    return wrong == 0 ? 0 : 1;
}
#endif
