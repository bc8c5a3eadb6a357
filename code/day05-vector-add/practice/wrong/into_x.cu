// fails: wrong-buffer
// The sum goes into the input; a cast takes the compiler’s objection away.
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) const_cast<float*>(x)[i] = a * x[i] + y[i];
}
