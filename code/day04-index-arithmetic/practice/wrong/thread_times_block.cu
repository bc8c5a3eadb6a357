// fails: wrong-index
// Neighboring threads land a whole block apart, and most of them past the end.
extern "C" __global__ void reverse(const int* in, int* out, int n) {
    int i = threadIdx.x * blockDim.x + blockIdx.x;
    if (i < n) out[n - 1 - i] = in[i];
}
