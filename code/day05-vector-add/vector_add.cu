// A complete CUDA program: allocate, copy in, launch, check, copy out, free.
//
//   nvcc -arch=native vector_add.cu -o vector_add && ./vector_add
//
// The kernel stands first; the host's main is left out where NVRTC compiles this file.

// --8<-- [start:add]
// One thread per element. An int holds every index if it holds n plus one block.
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
// --8<-- [end:add]

#ifndef __CUDACC_RTC__
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

// --8<-- [start:check]
#define CHECK(call)                                                              \
    do {                                                                         \
        cudaError_t status = (call);                                             \
        if (status != cudaSuccess) {                                             \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,   \
                         cudaGetErrorString(status));                            \
            std::exit(1);                                                        \
        }                                                                        \
    } while (0)
// --8<-- [end:check]

// The largest power of two of floats, up to 1 << 26, of which three arrays fit.
static int choose_n() {
    std::size_t free_bytes, total_bytes;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    const std::size_t spare = std::size_t(64) << 20;
    const int wanted = 1 << 26;
    int n = wanted;
    while (n > 1 && 3 * sizeof(float) * n + spare > free_bytes) n /= 2;
    if (n < wanted)
        std::printf("too little free memory on the GPU for %d floats\n", wanted);
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
                       const std::vector<float>& c) {
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
    const int n = choose_n();
    const std::vector<float> host_a = random_floats(n, 1), host_b = random_floats(n, 2);
    std::vector<float> host_c(n);

    // --8<-- [start:allocate]
    const std::size_t bytes = n * sizeof(float);
    float *a, *b, *c;
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaMalloc(&c, bytes));
    CHECK(cudaMemset(c, 0xFF, bytes));
    // --8<-- [end:allocate]
    std::printf("3 arrays of %d floats: %zu bytes on the GPU\n", n, 3 * bytes);
    CHECK(cudaMemcpy(host_c.data(), c, bytes, cudaMemcpyDeviceToHost));
    std::printf("before the launch: %d of %d sums are wrong\n",
                count_wrong(host_a, host_b, host_c), n);

    // --8<-- [start:copy_in]
    CHECK(cudaMemcpy(a, host_a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, host_b.data(), bytes, cudaMemcpyHostToDevice));
    // --8<-- [end:copy_in]

    // --8<-- [start:launch]
    const int threads = 256;
    const int blocks = (n + threads - 1) / threads;
    add<<<blocks, threads>>>(a, b, c, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    // --8<-- [end:launch]
    std::printf("%d blocks of %d threads\n", blocks, threads);

    // --8<-- [start:copy_out]
    CHECK(cudaMemcpy(host_c.data(), c, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
    // --8<-- [end:copy_out]

    const int wrong = count_wrong(host_a, host_b, host_c);
    std::printf("after it: %d of %d sums are wrong\n", wrong, n);
    return wrong == 0 ? 0 : 1;
}
#endif
