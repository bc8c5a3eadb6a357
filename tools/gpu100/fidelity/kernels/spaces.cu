// Memory that is neither global nor shared: local arrays and constants.

__constant__ float weights[32] = {
    0.5f,  0.25f, -1.0f, 2.0f,  0.125f, -0.5f, 3.0f,  1.5f, -2.0f, 0.75f, 1.0f,   -0.25f, 4.0f,  -3.0f, 0.375f, 2.5f,
    -1.5f, 5.0f,  0.0f,  -4.0f, 1.25f,  6.0f,  -0.75f, 8.0f, 0.625f, -6.0f, 1.75f, -8.0f,  0.875f, 7.0f, -7.0f,  9.0f,
};

extern "C" __global__ void constant_uniform(const float* in, float* out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < count; ++k) sum = __fadd_rn(sum, __fmul_rn(weights[k], in[i]));
    out[i] = sum;
}

extern "C" __global__ void constant_by_lane(const float* in, float* out, int shift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * weights[(i + shift) & 31];
}

// An array whose index is known only at run time has to live in memory, though it is a thread's own.
extern "C" __global__ void local_lookup(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int table[64];
#pragma unroll 1
    for (int k = 0; k < 64; ++k) table[k] = in[i] * (k + 1) ^ k;
    out[i] = table[in[i] & 63] + table[(in[i] >> 6) & 63];
}

extern "C" __global__ void local_sort(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int values[8];
    for (int k = 0; k < 8; ++k) values[k] = in[8 * i + k];
#pragma unroll 1
    for (int k = 1; k < 8; ++k) {
        int value = values[k], at = k;
#pragma unroll 1
        for (; at > 0 && values[at - 1] > value; --at) values[at] = values[at - 1];
        values[at] = value;
    }
    for (int k = 0; k < 8; ++k) out[8 * i + k] = values[k];
}
