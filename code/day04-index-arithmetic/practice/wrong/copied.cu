// fails: wrong-order
// Every element is moved, to the place that it came from.
extern "C" __global__ void reverse(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
