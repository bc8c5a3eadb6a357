// fails: too-slow
// Every thread takes a stretch of its own, so neighbors touch elements far apart.
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
    int threads = gridDim.x * blockDim.x;
    int each = (n + threads - 1) / threads * 32;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    for (int i = first; i < first + each && i < n; ++i) y[i] = a * x[i] + y[i];
}
