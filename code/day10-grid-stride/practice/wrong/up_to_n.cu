// fails: wrong-index
// The loop ends at n, and the elements end at start + n: right as long as start is 0.

extern "C" __global__ void saxpy(long long start, int n, float a, const float* x,
                                 float* y) {
    long long stride = gridDim.x * blockDim.x;
    for (long long i = start + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] = a * x[i] + y[i];
}
