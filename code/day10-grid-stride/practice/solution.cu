// Everything that is added to `start` is a long long, too: the index, the stride, and the
// place in the grid, which is a product of two numbers of 32 bits.

extern "C" __global__ void saxpy(long long start, int n, float a, const float* x,
                                 float* y) {
    long long end = start + n;
    long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
    long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (long long i = start + first; i < end; i += stride) y[i] = a * x[i] + y[i];
}
