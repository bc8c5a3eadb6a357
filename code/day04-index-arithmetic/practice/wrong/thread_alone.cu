// fails: local-index
// Every block takes the elements of the first one.
extern "C" __global__ void reverse(const int* in, int* out, int n) {
    int i = threadIdx.x;
    if (i < n) out[n - 1 - i] = in[i];
}
