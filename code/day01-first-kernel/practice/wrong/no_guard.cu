// fails: no-guard
// Every thread signs, whether its slot is there or not.
extern "C" __global__ void sign(int* block, int* thread, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    block[i] = blockIdx.x;
    thread[i] = threadIdx.x;
}
