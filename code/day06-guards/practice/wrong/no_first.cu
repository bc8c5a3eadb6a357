// fails: off-by-one
// The guard is mended, and nobody writes the first element.
extern "C" __global__ void differences(const int* in, int* out, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) out[i + 1] = in[i + 1] - in[i];
}
