// Every element, twice as large.
//
//   nvcc -arch=native twice.cu -o twice && ./twice

#include "scale.cuh"

// --8<-- [start:kernel]
extern "C" __global__ void twice(float* y, const float* x, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = scaled(x[i]);
}
// --8<-- [end:kernel]

#ifndef __CUDACC_RTC__
#include <cstdio>

int main() {
    const unsigned int n = 300;
    float *x, *y;
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&y, n * sizeof *y);
    for (unsigned int i = 0; i < n; ++i) x[i] = i;
    twice<<<(n + 255) / 256, 256>>>(y, x, n);
    cudaDeviceSynchronize();
    std::printf("the last of %u elements is %.0f\n", n, y[n - 1]);
    return 0;
}
#endif
