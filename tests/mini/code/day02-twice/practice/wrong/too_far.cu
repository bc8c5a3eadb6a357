// fails: off-by-one
// Element n is not there.
extern "C" __global__ void thrice(int n, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) y[i] = 3 * x[i];
}
