// Sign your slot: block[i] gets the number of your block, thread[i] your own number
// in it, where i is your number in the whole launch. Slots from n on are not there.
//
// Launched as sign<<<blocks, threads>>>(block, thread, n), with blocks * threads >= n.

extern "C" __global__ void sign(int* block, int* thread, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        block[i] = blockIdx.x;
        thread[i] = threadIdx.x;
    }
}
