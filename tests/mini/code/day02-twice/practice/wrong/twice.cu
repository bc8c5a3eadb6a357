// fails: wrong-result
// It is not twice as much.
extern "C" __global__ void thrice(int n, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
