// Lanes of one warp that go different ways.

// Loops in both arms, whose length is an argument: too much for the compiler to predicate.
__device__ unsigned churn(unsigned value, int turns, unsigned factor) {
#pragma unroll 1
    for (int i = 0; i < turns; ++i) value = value * factor + (value >> 7);
    return value;
}

extern "C" __global__ void odd_even(const unsigned* in, unsigned* out, int turns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = in[i];
    if (threadIdx.x % 2 == 0)
        value = churn(value, turns, 1664525u);
    else
        value = churn(value ^ 0x5bd1e995u, turns, 22695477u);
    out[i] = value;
}

// The same work, but a warp's lanes agree.
extern "C" __global__ void by_warp(const unsigned* in, unsigned* out, int turns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = in[i];
    if (threadIdx.x / 32 % 2 == 0)
        value = churn(value, turns, 1664525u);
    else
        value = churn(value ^ 0x5bd1e995u, turns, 22695477u);
    out[i] = value;
}

extern "C" __global__ void ragged_loop(const unsigned* in, const int* turns, unsigned* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = churn(in[i], turns[i], 1664525u);
}

extern "C" __global__ void collatz(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = in[i];
    int steps = 0;
    while (value != 1) {
        value = value % 2 ? 3 * value + 1 : value / 2;
        ++steps;
    }
    out[i] = steps;
}

extern "C" __global__ void mandelbrot(int* out, int width, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    // Powers of two: the constants are exact. The products are not, so they are told not to fuse.
    float cr = -2.0f + x * 0.03125f;
    float ci = -1.5f + y * 0.03125f;
    float zr = 0.0f, zi = 0.0f;
    int turns = 0;
    while (turns < most) {
        float rr = __fmul_rn(zr, zr), ii = __fmul_rn(zi, zi);
        if (__fadd_rn(rr, ii) > 4.0f) break;
        zi = __fadd_rn(__fmul_rn(__fmul_rn(2.0f, zr), zi), ci);
        zr = __fadd_rn(__fsub_rn(rr, ii), cr);
        ++turns;
    }
    out[y * width + x] = turns;
}

extern "C" __global__ void four_ways(const int* in, int* out, int turns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = in[i];
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
        switch ((value >> turn) & 3) {
            case 0: value = value * 5 + 1; break;
            case 1: value = (value ^ 0x2f0b4c47) - turn; break;
            case 2: value = value / 3 + i; break;
            default: value = -value; break;
        }
    }
    out[i] = value;
}
