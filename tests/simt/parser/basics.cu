// The shapes an ordinary kernel's PTX has: parameters, memory spaces, initialisers, branches.
#include <cuda_fp16.h>

struct Particle {
    float4 position;
    double mass;
    char tag;
};

struct Node {
    int value;
    const Node* next;
};

__constant__ float weights[5] = {0.0625f, -0.25f, 1.0e30f};
__constant__ double halves[2] = {0.5, -1.5};
__constant__ short negatives[3] = {-1, -32768, 7};
__constant__ long long wide[2] = {-1, 0x123456789abcdef0};
__device__ int table[2][3] = {{1, 2, 3}, {4, -5, 6}};
__device__ Node last = {2, nullptr};
__device__ Node first = {1, &last};
__device__ int* middle = &table[1][0];
__device__ const char* greeting = "hello\n";
__device__ unsigned counter;

__device__ __noinline__ float scale(float x, Particle p) { return x * p.position.y + float(p.mass); }

__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

__device__ __forceinline__ int innermost(int* a, int i) {
    return a[i] * 3;
}

__device__ __forceinline__ int middlemost(int* a, int i) {
    return innermost(a, i) + 1;
}

extern "C" __global__ void inlined(int* a) {
    a[0] = middlemost(a, 1);
}

extern "C" __global__ void __launch_bounds__(256, 2) add(const float* __restrict__ a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i] * 1.5f;
}

extern "C" __global__ void structs(Particle p, float* out) { out[threadIdx.x] = scale(out[0], p) + p.position.z + p.tag; }

extern "C" __global__ void constants(double* out, int i) {
    out[0] = weights[i] + halves[i] + negatives[i] + wide[i] + first.next->value + middle[i] + greeting[i];
    out[1] = 3.141592653589793 * out[2] + float(table[i][1]);
    atomicInc(&counter, 99u);
}

extern "C" __global__ void recursion(int* out) { out[0] = fib(out[1]); }

extern "C" __global__ void choose(int* out, int k) {
    switch (k) {
        case 0: out[0] = out[7] * 2; break;
        case 1: out[1] = out[6] - 3; break;
        case 2: out[2] = __popc(out[5]); break;
        case 3: atomicAdd(out + 3, 4); break;
        case 4: out[4] = out[3] / 7; break;
        case 5: out[5] = __clz(out[2]); break;
        case 6: __threadfence(); out[6] = 1; break;
        default: out[9] = k;
    }
}

extern "C" __global__ void tile(float* out, int n) {
    __shared__ float square[32][33];
    extern __shared__ double dynamic[];
    square[threadIdx.y][threadIdx.x] = out[threadIdx.x];
    dynamic[threadIdx.x] = n;
    __syncthreads();
    out[threadIdx.x] = square[threadIdx.x][threadIdx.y] + dynamic[threadIdx.y];
}

extern "C" __global__ void own_array(int* out, int n) {
    int scratch[64];
    for (int i = 0; i < n; i++) scratch[i & 63] = out[i];
    int sum = 0;
    for (int i = 0; i < n; i++) sum += scratch[(i * 7) & 63];
    out[threadIdx.x] = sum;
}

extern "C" __global__ void packed(half2* h, float4* f, __half* one) {
    h[0] = __hfma2(h[1], h[2], __float2half2_rn(0.5f));
    float4 v = f[threadIdx.x];
    v.x = sqrtf(v.y) + __expf(v.z) - fminf(v.w, 1.0f);
    f[threadIdx.x] = v;
    one[0] = __hadd(one[1], one[2]);
}
