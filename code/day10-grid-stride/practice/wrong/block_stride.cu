// fails: overlap
// The stride is a block and not the grid: blocks do each other's elements again.

extern "C" __global__ void saxpy(long long start, int n, float a, const float* x,
                                 float* y) {
    long long first = start + blockIdx.x * blockDim.x + threadIdx.x;
    for (long long i = first; i < start + n; i += blockDim.x) y[i] = a * x[i] + y[i];
}
