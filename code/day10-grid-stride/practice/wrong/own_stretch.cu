// fails: too-slow
// Right, and slow: each thread takes a stretch, so that a warp's loads lie far apart.

extern "C" __global__ void saxpy(long long start, int n, float a, const float* x,
                                 float* y) {
    int threads = gridDim.x * blockDim.x;
    int length = (n + threads - 1) / threads;
    int begin = (blockIdx.x * blockDim.x + threadIdx.x) * length;
    for (int k = begin; k < begin + length && k < n; ++k)
        y[start + k] = a * x[start + k] + y[start + k];
}
