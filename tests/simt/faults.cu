// Kernels that are wrong, each in one way. Tests find the lines by the words in their comments.

#define I (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void off_by_one(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) {
        float sum = a[i] + b[i];  // reads past a
        c[i] = sum;
    }
}

extern "C" __global__ void no_barrier(const int* in, int* out) {
    __shared__ int s[256];
    s[threadIdx.x] = in[I];       // writes
    out[I] = s[255 - threadIdx.x];  // reads too early
}

extern "C" __global__ void reads_then_writes(const int* in, int* out) {
    __shared__ int s[64];
    s[threadIdx.x] = in[I];
    __syncthreads();
    int v = s[0];                      // all read
    if (threadIdx.x == 63) s[0] = v + 1;  // one writes
    __syncthreads();
    out[I] = v + s[0];
}

extern "C" __global__ void misaligned(const char* in, int* out) {
    out[I] = *(const int*)(in + I + 1);  // not a multiple
}

extern "C" __global__ void reads_garbage(const float* never_written, float* out) {
    out[I] = never_written[I];  // nobody wrote
}

extern "C" __global__ void reads_garbage_in_shared(int* out) {
    __shared__ int s[64];
    if (threadIdx.x != 7) s[threadIdx.x] = 1;
    __syncthreads();
    out[I] = s[threadIdx.x];  // nobody wrote
}

extern "C" __global__ void past_shared(int* out) {
    extern __shared__ int s[];
    s[threadIdx.x + 1] = 1;  // past
    __syncthreads();
    out[I] = s[threadIdx.x + 1];
}

extern "C" __global__ void early_return(const int* in, int* out, int n) {
    __shared__ int s[64];
    if (I >= n) return;
    s[threadIdx.x] = in[I];
    __syncthreads();  // not all come
    out[I] = s[threadIdx.x ^ 1];
}

extern "C" __global__ void two_barriers(int* out) {
    if (threadIdx.x < 32) {
        __syncthreads();  // one
        out[I] = 1;
    } else {
        __syncthreads();  // other
        out[I] = 2;
    }
}

extern "C" __global__ void waits_for_more(int* out) {
    asm volatile("bar.sync 1, 96;" ::: "memory");  // waits
    out[I] = 1;
}

extern "C" __global__ void half_a_warp(int* out) {
    int v = threadIdx.x;
    if (threadIdx.x < 16) v = __shfl_sync(0xFFFFFFFF, v, 0);  // waits
    else asm volatile("bar.sync 2, 64;" ::: "memory");
    out[I] = v;
}

extern "C" __global__ void never_ends(volatile int* flag, int* out) {
    while (*flag == 0) {}  // waits
    out[I] = 1;
}

__device__ __noinline__ int deep(int n) { return n == 0 ? 1 : 3 * deep(n - 1) + deep(n / 1000); }
extern "C" __global__ void too_deep(int* out, int n) { out[I] = deep(n); }

extern "C" __global__ void asserts(int n) {
    assert(I < n);  // asserts
}

extern "C" __global__ void traps(int n) {
    if (I >= n) __trap();  // traps
}

extern "C" __global__ void reads_clock(long long* out) {
    out[I] = clock64();  // clock
}

__constant__ int table[4] = {1, 2, 3, 4};
extern "C" __global__ void writes_constant(int* out) {
    int* p;
    asm volatile("{ .reg .u64 t; mov.u64 t, table; cvta.const.u64 %0, t; }" : "=l"(p));
    p[threadIdx.x & 3] = 5;  // read-only
    out[I] = p[0];
}

extern "C" __global__ void follows(int* const* pointer, int* out) {
    out[I] = (*pointer)[I];  // freed
}

extern "C" __global__ void texture(unsigned long long handle, float* out) {
    float4 v;
    asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"  // texture
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(handle), "f"(0.5f), "f"(0.5f));
    out[I] = v.x;
}

extern "C" __global__ void __launch_bounds__(128) bounded(int* out) { out[I] = I; }

extern "C" __global__ void fine(int* out) { out[I] = I; }
