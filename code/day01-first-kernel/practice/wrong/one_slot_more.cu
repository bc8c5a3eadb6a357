// fails: off-by-one
// Slot n is one past the last: slots are counted from 0.
extern "C" __global__ void sign(int* block, int* thread, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) {
        block[i] = blockIdx.x;
        thread[i] = threadIdx.x;
    }
}
