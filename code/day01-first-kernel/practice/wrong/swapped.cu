// fails: wrong-result
// The two numbers stand in each other’s array.
extern "C" __global__ void sign(int* block, int* thread, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        block[i] = threadIdx.x;
        thread[i] = blockIdx.x;
    }
}
