// How often each digit occurs in a block's keys: the first half of a radix sort's pass.
//
//   nvcc -arch=native radix_sort.cu -o radix_sort && ./radix_sort
//
// The kernel stands first; the host's main is left out where NVRTC compiles this file.

// --8<-- [start:kernel]
// Counts of the 8-bit digit at `shift`, one table of 256 a block.
extern "C" __global__ void count_digits(unsigned int* counts, const unsigned int* keys,
                                        int shift, int n) {
    __shared__ unsigned int mine[256];
    for (int digit = threadIdx.x; digit < 256; digit += blockDim.x) mine[digit] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&mine[(keys[i] >> shift) & 255], 1u);
    __syncthreads();
    for (int digit = threadIdx.x; digit < 256; digit += blockDim.x)
        counts[blockIdx.x * 256 + digit] = mine[digit];
}
// --8<-- [end:kernel]

#ifndef __CUDACC_RTC__
#include <cstdio>
#include <cstdlib>
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

int main() {
    const int n = 100003, threads = 256, blocks = (n + threads - 1) / threads;
    std::mt19937 bits(37);
    std::vector<unsigned int> host_keys(n), host_counts(blocks * 256);
    for (unsigned int& key : host_keys) key = bits();
    unsigned int *keys, *counts;
    CHECK(cudaMalloc(&keys, n * sizeof *keys));
    CHECK(cudaMalloc(&counts, host_counts.size() * sizeof *counts));
    CHECK(cudaMemset(counts, 0xFF, host_counts.size() * sizeof *counts));
    CHECK(cudaMemcpy(keys, host_keys.data(), n * sizeof *keys, cudaMemcpyHostToDevice));
    count_digits<<<blocks, threads>>>(counts, keys, 0, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host_counts.data(), counts, host_counts.size() * sizeof *counts,
                     cudaMemcpyDeviceToHost));
    std::vector<unsigned int> wanted(blocks * 256, 0);
    for (int i = 0; i < n; ++i) ++wanted[i / threads * 256 + (host_keys[i] & 255)];
    std::printf("the counts are %s\n", host_counts == wanted ? "right" : "wrong");
    CHECK(cudaFree(keys));
    CHECK(cudaFree(counts));
    return host_counts == wanted ? 0 : 1;
}
#endif
