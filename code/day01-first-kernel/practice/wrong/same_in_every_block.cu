// fails: local-index
// The number in the block is taken for the number in the launch.
extern "C" __global__ void sign(int* block, int* thread, int n) {
    int i = threadIdx.x;
    if (i < n) {
        block[i] = blockIdx.x;
        thread[i] = threadIdx.x;
    }
}
