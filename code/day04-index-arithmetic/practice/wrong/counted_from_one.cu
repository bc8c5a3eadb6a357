// fails: off-by-one
// The last element of n is number n - 1; nobody writes element 0.
extern "C" __global__ void reverse(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[n - i] = in[i];
}
