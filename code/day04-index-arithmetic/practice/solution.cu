// Reverse an array: the first element of out is the last of in, and so on. Both have n.
//
// Launched as reverse<<<blocks, threads>>>(in, out, n), with blocks * threads >= n.

extern "C" __global__ void reverse(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[n - 1 - i] = in[i];
}
