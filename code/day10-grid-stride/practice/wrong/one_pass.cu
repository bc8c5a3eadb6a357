// fails: one-pass
// A guard and no loop: a grid smaller than n does only its own number of elements.

extern "C" __global__ void saxpy(long long start, int n, float a, const float* x,
                                 float* y) {
    long long i = start + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < start + n) y[i] = a * x[i] + y[i];
}
