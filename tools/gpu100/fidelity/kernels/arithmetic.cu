// Numbers: what has to come out the same to the last bit, and what need not.
#include <cuda_fp16.h>

extern "C" __global__ void integers(const unsigned* in, unsigned* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = in[2 * i], b = in[2 * i + 1];
    unsigned mixed = __popc(a) + 37 * __clz(b) + 1009 * __ffs(a & b);
    mixed ^= __brev(a) + __umulhi(a, b);
    mixed += __funnelshift_l(a, b, a & 31) ^ __byte_perm(a, b, 0x3514);
    mixed ^= a / (b | 1) + b % (a | 1);
    mixed += (int)a >> (b & 31);
    out[i] = mixed + max((int)a, (int)b) - min(a, b);
}

extern "C" __global__ void wide_integers(const long long* in, long long* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long a = in[2 * i], b = in[2 * i + 1];
    long long mixed = a / (b | 1) + a % (b | 1);
    mixed ^= __mul64hi(a, b) + a * b;
    out[i] = mixed + (a >> (b & 63)) + ((unsigned long long)b >> 3) + __popcll(a);
}

// One rounding each: fused, and IEEE division and root.
extern "C" __global__ void rounded(const float* a, const float* b, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[4 * i] = __fmaf_rn(a[i], b[i], a[i]);
    out[4 * i + 1] = __fdiv_rn(a[i], b[i]);
    out[4 * i + 2] = __fsqrt_rn(fabsf(a[i]));
    out[4 * i + 3] = __fadd_rz(a[i], b[i]);
}

extern "C" __global__ void rounded_double(const double* a, const double* b, double* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[4 * i] = __fma_rn(a[i], b[i], a[i]);
    out[4 * i + 1] = __ddiv_rn(a[i], b[i]);
    out[4 * i + 2] = __dsqrt_rn(fabs(a[i]));
    out[4 * i + 3] = __dmul_rn(a[i], b[i]);
}

extern "C" __global__ void halves(const float* a, const float* b, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half x = __float2half_rn(a[i]), y = __float2half_rn(b[i]);
    out[4 * i] = __half2float(__hadd(x, y));
    out[4 * i + 1] = __half2float(__hmul(x, y));
    out[4 * i + 2] = __half2float(__hfma(x, y, x));
    out[4 * i + 3] = (float)__float2int_rn(64.0f * b[i]) + __half2float(__hmax(x, y));
}

extern "C" __global__ void functions(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    out[4 * i] = sinf(x);
    out[4 * i + 1] = expf(x);
    out[4 * i + 2] = logf(fabsf(x) + 1.0f);
    out[4 * i + 3] = rsqrtf(fabsf(x) + 1.0f);
}
