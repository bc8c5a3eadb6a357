// fails: wrong-index
// gridDim.x is how many blocks there are; blockDim.x, how many threads a block has.
extern "C" __global__ void reverse(const int* in, int* out, int n) {
    int i = blockIdx.x * gridDim.x + threadIdx.x;
    if (i < n) out[n - 1 - i] = in[i];
}
