// fails: no-guard
// Threads without an element read past the end, and write before the start.
extern "C" __global__ void reverse(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[n - 1 - i] = in[i];
}
