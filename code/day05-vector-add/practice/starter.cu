// SAXPY, "a times x plus y": for every element, y[i] = a * x[i] + y[i].
//
// Launched as saxpy<<<(n + 255) / 256, 256>>>(n, a, x, y), with one block for n = 0.

extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
    // TODO: which element is this thread's, and does it exist?
}
