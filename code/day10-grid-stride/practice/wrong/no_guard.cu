// fails: no-guard
// The passes are rounded up, and nobody asks in the last one whether i is inside.

extern "C" __global__ void saxpy(long long start, int n, float a, const float* x,
                                 float* y) {
    int stride = gridDim.x * blockDim.x;
    int passes = (n + stride - 1) / stride;
    long long i = start + blockIdx.x * blockDim.x + threadIdx.x;
    for (int pass = 0; pass < passes; ++pass, i += stride) y[i] = a * x[i] + y[i];
}
