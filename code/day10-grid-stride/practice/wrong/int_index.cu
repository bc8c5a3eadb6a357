// fails: overflow
// The index is an int, so it is cut to 32 bits as soon as start is near the end of them.

extern "C" __global__ void saxpy(long long start, int n, float a, const float* x,
                                 float* y) {
    int stride = gridDim.x * blockDim.x;
    int first = start + blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < start + n; i += stride)
        y[i] = a * x[i] + y[i];
}
