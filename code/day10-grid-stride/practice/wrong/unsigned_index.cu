// fails: overflow
// Twice as far as an int reaches, and no farther: from 4,294,967,296 on it is wrong too.
extern "C" __global__ void saxpy(long long start, int n, float a, const float* x,
                                 float* y) {
    unsigned int stride = gridDim.x * blockDim.x;
    unsigned int end = start + n;
    for (unsigned int i = start + blockIdx.x * blockDim.x + threadIdx.x; i < end;
         i += stride)
        y[i] = a * x[i] + y[i];
}
