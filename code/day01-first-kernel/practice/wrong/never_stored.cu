// fails: unwritten
// What i names is worked out, and nothing is stored there.
extern "C" __global__ void sign(int* block, int* thread, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int mine = blockIdx.x;
        int own = threadIdx.x;
        block += mine, thread += own;
    }
}
