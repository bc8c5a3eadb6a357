// fails: no-guard
// Only the last block is guarded, as if no launch had two blocks too many.
extern "C" __global__ void sign(int* block, int* thread, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x < gridDim.x - 1 || i < n) {
        block[i] = blockIdx.x;
        thread[i] = threadIdx.x;
    }
}
