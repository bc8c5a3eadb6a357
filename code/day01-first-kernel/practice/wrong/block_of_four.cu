// fails: wrong-index
// Right as long as a block has 4 threads, as in the first launches of the page.
extern "C" __global__ void sign(int* block, int* thread, int n) {
    int i = blockIdx.x * 4 + threadIdx.x;
    if (i < n) {
        block[i] = blockIdx.x;
        thread[i] = threadIdx.x;
    }
}
