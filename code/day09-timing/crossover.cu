// One vector add, timed in four ways: without waiting, waiting, by events, and queued.
//
//   nvcc -arch=native crossover.cu -o crossover && ./crossover
//
// The kernels stand first; the host's main is left out where NVRTC compiles this file.

// --8<-- [start:add]
// n elements from the one numbered first on, so that launches need not add the same.
__device__ void add_from(const float* a, const float* b, float* c, int first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[first + i] = a[first + i] + b[first + i];
}

extern "C" __global__ void add(const float* a, const float* b, float* c, int first,
                               int n) {
    add_from(a, b, c, first, n);
}
// --8<-- [end:add]

// One body under several names: a profiler adds up its counts by the kernel's name.
extern "C" __global__ void add_again(const float* a, const float* b, float* c, int first,
                                     int n) {
    add_from(a, b, c, first, n);
}

extern "C" __global__ void add_anew(const float* a, const float* b, float* c, int first,
                                    int n) {
    add_from(a, b, c, first, n);
}

// --8<-- [start:hold]
// Keeps its stream waiting, so that the host can queue what comes next in peace.
extern "C" __global__ void hold(unsigned long long nanoseconds) {
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begin < nanoseconds);
}
// --8<-- [end:hold]

#ifndef __CUDACC_RTC__
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
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

const int THREADS = 256, SMALL = 256, SAMPLES = 31, QUEUED = 16;
const std::size_t MOVED = 3 * sizeof(float);  // bytes of an element: 2 read, 1 written

// The arrays on the GPU, and the stretch that the next launch adds.
struct Arrays {
    float *a, *b, *c;
    int size, next;
};

static int blocks_of(int n) { return (n + THREADS - 1) / THREADS; }

static void launch_add(Arrays& on, int n) {
    if (on.next > on.size - n) on.next = 0;
    add<<<blocks_of(n), THREADS>>>(on.a, on.b, on.c, on.next, n);
    CHECK(cudaGetLastError());
    on.next += std::max(n, on.size / 4096);
}

// --8<-- [start:host_clock]
using Clock = std::chrono::steady_clock;

static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

static double without_waiting(Arrays& on, int n) {
    CHECK(cudaDeviceSynchronize());
    const auto begin = Clock::now();
    launch_add(on, n);
    const double seconds = seconds_since(begin);  // the launch is queued, and that is all
    CHECK(cudaDeviceSynchronize());
    return seconds;
}

static double waiting(Arrays& on, int n) {
    CHECK(cudaDeviceSynchronize());
    const auto begin = Clock::now();
    launch_add(on, n);
    CHECK(cudaDeviceSynchronize());
    return seconds_since(begin);
}
// --8<-- [end:host_clock]

// --8<-- [start:events]
static double between_events(Arrays& on, int n, int launches) {
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    for (int i = 0; i < launches; ++i) launch_add(on, n);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    return milliseconds / 1e3 / launches;
}

static double one(Arrays& on, int n) { return between_events(on, n, 1); }

static double queued(Arrays& on, int n) {
    hold<<<1, 1>>>(1000000);
    CHECK(cudaGetLastError());
    return between_events(on, n, QUEUED);
}
// --8<-- [end:events]

static double median(double (*way)(Arrays&, int), Arrays& on, int n) {
    std::vector<double> samples;
    for (int i = 0; i < SAMPLES; ++i) samples.push_back(way(on, n));
    std::nth_element(samples.begin(), samples.begin() + SAMPLES / 2, samples.end());
    return samples[SAMPLES / 2];
}

static void print_way(const char* name, double (*way)(Arrays&, int), Arrays& on) {
    std::printf("%-25s  %9.1f  %9.1f\n", name, median(way, on, SMALL) * 1e6,
                median(way, on, on.size) * 1e6);
}

static int choose_large(const cudaDeviceProp& gpu) {
    std::size_t free_bytes, total_bytes;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    int n = 1 << 26;
    while (MOVED * n < 4 * std::size_t(gpu.l2CacheSize)) n *= 2;
    while (n > SMALL && MOVED * n > free_bytes / 4) n /= 2;
    return n;
}

static std::vector<float> random_floats(int n, unsigned int seed) {
    std::mt19937 bits(seed);
    std::vector<float> values(n);
    for (float& value : values)
        value = static_cast<std::int32_t>(bits()) / 2147483648.0f;  // -1 to 1
    return values;
}

static int count_wrong(const std::vector<float>& a, const std::vector<float>& b,
                       const float* on_gpu) {
    std::vector<float> c(a.size());
    CHECK(cudaMemcpy(c.data(), on_gpu, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
        float sum = a[i] + b[i];
        if (std::memcmp(&sum, &c[i], sizeof sum) != 0) ++wrong;
    }
    return wrong;
}

int main() {
    cudaDeviceProp gpu;
    CHECK(cudaGetDeviceProperties(&gpu, 0));
    std::printf("%s, compute capability %d.%d\n", gpu.name, gpu.major, gpu.minor);
    const int large = choose_large(gpu);
    std::printf("small: %d floats, %d block of %d threads\n", SMALL, blocks_of(SMALL),
                THREADS);
    std::printf("large: %d floats, %d blocks of %d threads\n", large, blocks_of(large),
                THREADS);

    const std::size_t bytes = large * sizeof(float);
    const std::vector<float> host_a = random_floats(large, 1);
    const std::vector<float> host_b = random_floats(large, 2);
    Arrays on{nullptr, nullptr, nullptr, large, 0};
    CHECK(cudaMalloc(&on.a, bytes));
    CHECK(cudaMalloc(&on.b, bytes));
    CHECK(cudaMalloc(&on.c, bytes));
    CHECK(cudaMemcpy(on.a, host_a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(on.b, host_b.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(on.c, 0xFF, bytes));
    std::printf("before the launch: %d of %d sums are wrong\n",
                count_wrong(host_a, host_b, on.c), large);

    const double first = waiting(on, SMALL);  // of this process
    std::fprintf(stderr, "the very first launch: %.1f us\n", first * 1e6);
    on.next = 0;
    launch_add(on, large);
    const int wrong = count_wrong(host_a, host_b, on.c);
    std::printf("after it: %d of %d sums are wrong\n", wrong, large);

    // Whoever measures next finds the GPU awake.
    const auto warm = Clock::now();
    while (seconds_since(warm) < 0.5) waiting(on, large);

    std::printf("way                        small, us  large, us\n");
    print_way("host clock, nobody waits", without_waiting, on);
    print_way("host clock, waiting, warm", waiting, on);
    print_way("events around one launch", one, on);
    print_way("events, launches queued", queued, on);
    std::printf("bandwidth at the large size: %.1f GB/s\n",
                MOVED * large / median(queued, on, large) / 1e9);
    CHECK(cudaFree(on.a));
    CHECK(cudaFree(on.b));
    CHECK(cudaFree(on.c));
    return wrong == 0 ? 0 : 1;
}
#endif
