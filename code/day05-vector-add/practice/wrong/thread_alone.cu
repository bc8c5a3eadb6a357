// fails: local-index
// The thread’s number in its block is taken for its number in the grid.
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
    int i = threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
