// fails: off-by-one
// The first element is there now; the last thread still reaches one too far.
extern "C" __global__ void differences(const int* in, int* out, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0 && n > 0) out[0] = in[0];
    if (i < n) out[i + 1] = in[i + 1] - in[i];
}
