// SAXPY for part of two long arrays: for the n elements from number `start` on,
//
//     y[i] = a * x[i] + y[i]
//
// Any grid may be launched, with fewer threads than elements or with more, and `start`
// may be far beyond what an int holds. Elements before `start`, and from `start + n` on,
// belong to somebody else: they are neither read nor written.

extern "C" __global__ void saxpy(long long start, int n, float a, const float* x,
                                 float* y) {
    // TODO: let every thread take its elements, in a loop.
}
