// fails: wrong-order
// In bounds now, and every difference stands one element too early.
extern "C" __global__ void differences(const int* in, int* out, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) out[i] = in[i + 1] - in[i];
    if (i + 1 == n) out[i] = in[0];
}
