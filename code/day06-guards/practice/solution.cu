// Adjacent differences: out[0] = in[0], and out[i] = in[i] - in[i - 1] for all others.
// Both arrays have n elements, and n may be 0.
//
// Launched as differences<<<blocks, threads>>>(in, out, n), with blocks * threads >= n.

extern "C" __global__ void differences(const int* in, int* out, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = i > 0 ? in[i] - in[i - 1] : in[i];
}
