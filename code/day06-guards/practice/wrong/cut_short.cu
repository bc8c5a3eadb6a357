// fails: off-by-one
// One guard too careful: the last element has a predecessor, and is left out.
extern "C" __global__ void differences(const int* in, int* out, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 >= n) return;
    out[i] = i > 0 ? in[i] - in[i - 1] : in[i];
}
