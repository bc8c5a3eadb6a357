// Kernels of the kinds a course has, for the SIMT model's tests. Each test computes the same in NumPy.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

#define I (blockIdx.x * blockDim.x + threadIdx.x)

__constant__ float weights[5] = {1.0f, 2.0f, 4.0f, 2.0f, 1.0f};
__device__ unsigned int finished;

// Control flow

extern "C" __global__ void collatz(const unsigned* start, unsigned* steps, int n) {
    unsigned i = I;
    if (i >= n) return;
    unsigned v = start[i], count = 0;
    while (v != 1) {
        v = v % 2 ? 3 * v + 1 : v / 2;
        count++;
    }
    steps[i] = count;
}

extern "C" __global__ void odd_even(const int* in, int* out, int rounds) {
    int i = I, v = in[i];
    if (i % 2) for (int j = 0; j < rounds; j++) v = v * 3 + j;
    else for (int j = 0; j < rounds; j++) v = v * 5 - j;
    out[i] = v;
}

extern "C" __global__ void pick(const int* in, int* out) {
    int i = I, v = in[i];
    switch (v) {
        case 0: out[i] = 10; break;
        case 1: out[i] = v + 21; break;
        case 2: out[i] = v * v * 7; break;
        case 3: out[i] = ~v; break;
        case 4: out[i] = v << 9; break;
        case 5: out[i] = 77 / v; break;
        case 6: out[i] = v ^ 0x55; break;
        default: out[i] = -1;
    }
}

extern "C" __global__ void mandelbrot(int* iterations, int width, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float cr = -2.0f + 3.0f * x / width, ci = -1.5f + 3.0f * y / width, zr = 0, zi = 0;
    int k = 0;
    while (k < most && __fadd_rn(__fmul_rn(zr, zr), __fmul_rn(zi, zi)) <= 4.0f) {
        float t = __fadd_rn(__fsub_rn(__fmul_rn(zr, zr), __fmul_rn(zi, zi)), cr);
        zi = __fadd_rn(__fmul_rn(__fmul_rn(2.0f, zr), zi), ci);
        zr = t;
        k++;
    }
    iterations[y * width + x] = k;
}

// Calls

__device__ __noinline__ unsigned factorial(unsigned n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ __noinline__ int negate(int x) { return -x; }
typedef int (*Function)(int);
__device__ Function functions[3] = {twice, square, negate};

extern "C" __global__ void factorials(unsigned* out) { out[I] = factorial(I % 13); }
extern "C" __global__ void through_pointers(int* out) { out[I] = functions[I % 3]((int)I) + 1; }

struct Shape {
    __device__ virtual float area(float x) const = 0;
};
struct Square : Shape {
    __device__ float area(float x) const override { return x * x; }
};
struct Circle : Shape {
    __device__ float area(float x) const override { return 3.0f * x * x; }
};
extern "C" __global__ void virtual_calls(float* out) {
    Square square;
    Circle circle;
    Shape* shapes[2] = {&square, &circle};
    out[I] = shapes[I % 2]->area((float)I);
}

struct Pair { float a; int b; };
struct Big { double d; Pair p[3]; char c; };
__device__ __noinline__ Big shifted(Big big, int by) {
    big.d += by;
    for (int i = 0; i < 3; i++) big.p[i].b += by;
    big.c ^= 1;
    return big;
}
extern "C" __global__ void by_value(double* out) {
    Big big = {1.5, {{1, 2}, {3, 4}, {5, 6}}, 'a'};
    big = shifted(big, I);
    out[I] = big.d + big.p[0].b + big.p[2].b * 2 + big.c;
}

__device__ __noinline__ float reduce_in_function(float v, float* shared) {
    shared[threadIdx.x] = v;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) shared[threadIdx.x] += shared[threadIdx.x + s];
        __syncthreads();
    }
    return shared[0];
}
extern "C" __global__ void barrier_in_function(const float* in, float* out) {
    extern __shared__ float buffer[];
    float total = reduce_in_function(in[I], buffer);
    if (threadIdx.x == 0) out[blockIdx.x] = total;
}

// Shared memory

extern "C" __global__ void transpose(const float* in, float* out, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void column_walk(const float* in, float* out) {
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void multiply_tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        as[y][x] = a[row * n + t + x];
        bs[y][x] = b[(t + y) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

extern "C" __global__ void reduce_tree(const int* in, int* out) {
    __shared__ int s[256];
    s[threadIdx.x] = in[I];
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, s[0]);
}

extern "C" __global__ void scan(const int* in, int* out) {
    __shared__ int s[2][256];
    int t = threadIdx.x, from = 0;
    s[0][t] = in[I];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        from = 1 - from;
        __syncthreads();
    }
    out[I] = s[from][t];
}

extern "C" __global__ void bytes_in_shared(const unsigned char* in, unsigned char* out) {
    __shared__ unsigned char s[256];
    s[threadIdx.x] = in[I];
    __syncthreads();
    out[I] = s[255 - threadIdx.x];
}

extern "C" __global__ void count_positive(const int* in, int* out) {
    int count = __syncthreads_count(in[I] > 0);
    int all = __syncthreads_and(in[I] > 0), any = __syncthreads_or(in[I] > 0);
    if (threadIdx.x == 0) {
        out[3 * blockIdx.x] = count;
        out[3 * blockIdx.x + 1] = all != 0;
        out[3 * blockIdx.x + 2] = any != 0;
    }
}

extern "C" __global__ void producer_consumer(const int* in, int* out) {
    __shared__ int buffer[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        buffer[lane] = in[blockIdx.x * 32 + lane] * 2;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[blockIdx.x * 32 + lane] = buffer[31 - lane];
    }
}

// Warps

extern "C" __global__ void reduce_shuffle(const float* in, float* out) {
    float v = in[I];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xFFFFFFFF, v, d);
    __shared__ float sums[32];
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
        for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xFFFFFFFF, v, d);
        if (threadIdx.x == 0) atomicAdd(out, v);
    }
}

extern "C" __global__ void warp_words(const int* in, unsigned* out) {
    int v = in[I];
    unsigned* o = out + 8 * I;
    o[0] = __ballot_sync(0xFFFFFFFF, v > 0);
    o[1] = __match_any_sync(0xFFFFFFFF, v);
    int same;
    o[2] = __match_all_sync(0xFFFFFFFF, v / 100, &same);
    o[3] = __any_sync(0xFFFFFFFF, v == 3);
    o[4] = __all_sync(0xFFFFFFFF, v >= 0);
    o[5] = v % 2 ? __activemask() : 0;
    o[6] = __shfl_up_sync(0xFFFFFFFF, v, 3, 8);
    o[7] = __shfl_sync(0xFFFFFFFF, v, 5, 16);
}

extern "C" __global__ void half_warps(const int* in, int* out) {
    int v = in[I];
    if (threadIdx.x % 32 < 16) {
        v += __shfl_xor_sync(0x0000FFFF, v, 1);
        __syncwarp(0x0000FFFF);
    } else {
        v -= __shfl_xor_sync(0xFFFF0000, v, 2);
    }
    out[I] = v;
}

extern "C" __global__ void tiles(const int* in, int* out) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int sum = cg::reduce(tile, in[I], cg::plus<int>()), first = tile.shfl(in[I], 0);
    out[I] = tile.thread_rank() == 0 ? sum : first - sum;
}

// The lanes that are asked have not come: what the others get is promised to no one.
extern "C" __global__ void asks_the_absent(const int* in, int* out) {
    int v = in[I];
    if (threadIdx.x % 32 < 8) v = __shfl_down_sync(0xFF, v, 4);
    out[I] = v;
}

extern "C" __global__ void reduce_integer(const int* in, int* out) {
#if __CUDA_ARCH__ >= 800
    out[I] = __reduce_add_sync(0xFFFFFFFF, in[I]) + __reduce_max_sync(0xFFFFFFFF, in[I]);
#endif
}

// Atomics and waiting

extern "C" __global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
    __shared__ unsigned s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
    __syncthreads();
    for (int i = I; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[in[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], s[i]);
}

extern "C" __global__ void last_block(const int* in, int* partial, int* out, unsigned* ticket) {
    __shared__ bool last;
    int sum = 0;
    for (int i = 0; i < 4; i++) sum += in[I * 4 + i];
    atomicAdd(&partial[blockIdx.x], sum);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int total = 0;
        for (int i = 0; i < gridDim.x; i++) total += ((volatile int*)partial)[i];
        *out = total;
    }
}

extern "C" __global__ void spin_lock(int* lock, int* value) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile int*)value += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

extern "C" __global__ void look_back(const int* in, volatile int* state, int* out) {
    __shared__ int before;
    int sum = __syncthreads_count(in[I]);
    if (threadIdx.x == 0) {
        int prefix = 0;
        if (blockIdx.x > 0) {
            while ((prefix = state[blockIdx.x - 1]) < 0) {}
        }
        state[blockIdx.x] = prefix + sum;
        before = prefix;
    }
    __syncthreads();
    out[I] = before;
}

__device__ double add_by_cas(double* address, double value) {
    unsigned long long* bits = (unsigned long long*)address;
    unsigned long long old = *bits, seen;
    do {
        seen = old;
        old = atomicCAS(bits, seen, __double_as_longlong(value + __longlong_as_double(seen)));
    } while (seen != old);
    return __longlong_as_double(old);
}
extern "C" __global__ void cas_loop(double* sum) { add_by_cas(sum, (double)(I % 7)); }

extern "C" __global__ void many_atomics(int* s, unsigned* u, unsigned long long* l, float* f, double* d) {
    int i = I;
    atomicMin(&s[0], -i); atomicMax(&s[1], i); atomicAnd(&s[2], ~(1 << i % 30)); atomicOr(&s[3], 1 << i % 30);
    atomicXor(&s[4], i); atomicSub(&s[5], i);
    atomicInc(&u[0], 99); atomicDec(&u[1], 99);
    atomicAdd(&l[0], 1ull << 33); atomicMax(&l[1], (unsigned long long)i << 40);
    atomicAdd(&f[0], 0.5f); atomicAdd(&d[0], 0.25);
}

extern "C" __global__ void atomic_ref(int* value, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> counter(*value);
    out[I] = counter.fetch_add(1, cuda::memory_order_relaxed);
}

extern "C" __global__ void grid_barrier(const int* in, int* middle, int* out) {
    auto grid = cg::this_grid();
    middle[I] = in[I] * 2;
    grid.sync();
    out[I] = middle[(I + 12345) % grid.size()];
}

// Arithmetic and other memories

extern "C" __global__ void convolve(const float* in, float* out, int n) {
    int i = I;
    float sum = 0;
    for (int j = 0; j < 5; j++) {
        int k = i + j - 2;
        if (k >= 0 && k < n) sum += in[k] * weights[j];
    }
    if (i < n) out[i] = sum;
}

extern "C" __global__ void sort_locally(const int* in, int* out) {
    int v[8];
    for (int j = 0; j < 8; j++) v[j] = in[8 * I + j];
    for (int a = 1; a < 8; a++) {
        int x = v[a], b = a - 1;
        while (b >= 0 && v[b] > x) {
            v[b + 1] = v[b];
            b--;
        }
        v[b + 1] = x;
    }
    for (int j = 0; j < 8; j++) out[8 * I + j] = v[j];
}

extern "C" __global__ void integers(const int* a, const int* b, int* out) {
    int i = I, x = a[i], y = b[i];
    int* o = out + 12 * i;
    o[0] = x / y; o[1] = x % y; o[2] = (unsigned)x / (unsigned)y; o[3] = (unsigned)x % 10u;
    o[4] = __mulhi(x, y); o[5] = x >> (y & 31); o[6] = (unsigned)x >> (y & 31); o[7] = __popc(x);
    o[8] = __clz(x); o[9] = __brev(x); o[10] = min(x, y) - max(x, y); o[11] = (short)x * (signed char)y;
}

extern "C" __global__ void long_integers(const long long* a, const long long* b, long long* out) {
    int i = I;
    long long x = a[i], y = b[i];
    long long* o = out + 6 * i;
    o[0] = x / y; o[1] = x % y; o[2] = x * y; o[3] = __mul64hi(x, y); o[4] = (unsigned long long)x / 7; o[5] = x >> (y & 63);
}

extern "C" __global__ void functions32(const float* in, float* out) {
    int i = I;
    float x = in[i];
    float* o = out + 12 * i;
    o[0] = sinf(x); o[1] = cosf(x); o[2] = expf(x * 0.1f); o[3] = logf(fabsf(x) + 0.5f);
    o[4] = sqrtf(fabsf(x)); o[5] = 1.0f / x; o[6] = powf(fabsf(x) + 0.1f, 1.7f); o[7] = tanhf(x);
    o[8] = rsqrtf(fabsf(x) + 1.0f); o[9] = fmodf(x, 3.0f); o[10] = roundf(x); o[11] = erff(x);
}

extern "C" __global__ void functions64(const double* in, double* out) {
    int i = I;
    double x = in[i];
    double* o = out + 6 * i;
    o[0] = sin(x); o[1] = exp(x * 0.1); o[2] = log(fabs(x) + 0.5); o[3] = 1.0 / x; o[4] = sqrt(fabs(x)); o[5] = pow(fabs(x), 0.3);
}

extern "C" __global__ void half_arithmetic(const __half* a, const __half* b, __half* out) {
    int i = I;
    __half2 x = __half2(a[2 * i], a[2 * i + 1]), y = __half2(b[2 * i], b[2 * i + 1]);
    __half2 z = __hfma2(x, y, __hadd2(x, y));
    out[2 * i] = __low2half(z);
    out[2 * i + 1] = __hmul(__high2half(z), __float2half(0.5f));
}

extern "C" __global__ void bfloat(const float* in, float* out) {
    __nv_bfloat16 x = __float2bfloat16(in[I]);
    out[I] = __bfloat162float(__hmul(x, x));
}

extern "C" __global__ void vectors(const float4* in, float4* out, double2* twice) {
    float4 v = in[I];
    out[I] = make_float4(v.w, v.z, v.y, v.x);
    twice[I] = make_double2(v.x, v.y);
}

extern "C" __global__ void structs(const Pair* in, Pair* out, Pair add) {
    Pair p = in[I];
    p.a += add.a;
    p.b += add.b;
    out[I] = p;
}

extern "C" __global__ void say(int n) {
    if (I < n) printf("thread %d of %u: %5.2f %s %c %lld %#x\n", I, blockDim.x, I / 4.0f, "text", 'a' + I, 1ll << 40, I);
}

extern "C" __global__ void heap(int* out) {
    int* mine = (int*)malloc(4 * (I % 3 + 1));
    for (int j = 0; j <= I % 3; j++) mine[j] = I + j;
    int sum = 0;
    for (int j = 0; j <= I % 3; j++) sum += mine[j];
    out[I] = sum;
    free(mine);
}

extern "C" __global__ void inline_assembly(const unsigned* in, unsigned* out) {
    unsigned r;
    asm("{ .reg .b32 t; add.u32 t, %1, 5; mul.lo.u32 %0, t, t; }" : "=r"(r) : "r"(in[I]));
    out[I] = r;
}
