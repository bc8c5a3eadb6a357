// Three times as much: y[i] = 3 * x[i].

extern "C" __global__ void thrice(int n, const float* x, float* y) {
    // TODO: which element is yours?
}
