// fails: tail
// n / blockDim.x blocks are full; the elements behind them are left out.
extern "C" __global__ void reverse(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / blockDim.x * blockDim.x) out[n - 1 - i] = in[i];
}
