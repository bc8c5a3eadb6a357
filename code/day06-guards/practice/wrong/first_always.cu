// fails: off-by-one
// Thread 0 runs in every launch; an empty array has no first element to write.
extern "C" __global__ void differences(const int* in, int* out, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) out[0] = in[0];
    if (i + 1 < n) out[i + 1] = in[i + 1] - in[i];
}
