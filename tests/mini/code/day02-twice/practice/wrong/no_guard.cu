// fails: no-guard
// Every thread writes.
extern "C" __global__ void thrice(int n, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 3 * x[i];
}
