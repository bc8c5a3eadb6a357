// Three times as much: y[i] = 3 * x[i].
#include "three.cuh"

extern "C" __global__ void thrice(int n, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = three<float>() * x[i];
}
