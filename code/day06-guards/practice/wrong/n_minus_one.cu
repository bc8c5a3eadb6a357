// fails: no-guard
// n is unsigned: for an empty array, n - 1 is 4,294,967,295, and every thread passes.
extern "C" __global__ void differences(const int* in, int* out, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0 && n > 0) out[0] = in[0];
    if (i < n - 1) out[i + 1] = in[i + 1] - in[i];
}
