// Sign your slot: block[i] gets the number of your block, thread[i] your own number
// in it, where i is your number in the whole launch. Slots from n on are not there.
//
// Launched as sign<<<blocks, threads>>>(block, thread, n), with blocks * threads >= n.

extern "C" __global__ void sign(int* block, int* thread, int n) {
    // TODO: work out i, see that its slot is there, and sign it.
}
