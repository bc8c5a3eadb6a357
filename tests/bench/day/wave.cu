// Day NUMBER of the synthetic course: a wave, sampled.
//
//   nvcc -arch=native wave_NUMBER.cu -o wave_NUMBER && ./wave_NUMBER

// --8<-- [start:wave]
extern "C" __global__ void wave_NUMBER(float* y, float phase, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = sinf(phase + i);
}
// --8<-- [end:wave]

// --8<-- [start:fold]
// Every block folds its samples into one sum.
extern "C" __global__ void fold_NUMBER(float* sums, const float* y, int n) {
    __shared__ float part[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? y[i] : 0.0f;
    __syncthreads();
    for (int width = blockDim.x / 2; width > 0; width /= 2) {
        if (threadIdx.x < width) part[threadIdx.x] += part[threadIdx.x + width];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
// --8<-- [end:fold]

#ifndef __CUDACC_RTC__
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t status = (call);                                                     \
        if (status != cudaSuccess) {                                                     \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,           \
                         cudaGetErrorString(status));                                    \
            std::exit(1);                                                                \
        }                                                                                \
    } while (0)

int main() {
    const int n = 1 << 20, threads = 256, blocks = (n + threads - 1) / threads;
    float *y, *sums;
    CHECK(cudaMallocManaged(&y, n * sizeof(float)));
    CHECK(cudaMallocManaged(&sums, blocks * sizeof(float)));
    wave_NUMBER<<<blocks, threads>>>(y, 0.5f, n);
    CHECK(cudaGetLastError());
    fold_NUMBER<<<blocks, threads>>>(sums, y, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    for (int block = 0; block < 8; ++block) std::printf("block %d: %.4f\n", block, sums[block]);
    CHECK(cudaFree(sums));
    CHECK(cudaFree(y));
    return 0;
}
#endif
