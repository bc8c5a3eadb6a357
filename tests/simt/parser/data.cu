// Variables of every kind with a first content, and a few instructions that are seldom seen.
#pragma pack(push, 1)
struct Packed {
    char tag;
    const int* place;
    short number;
    void (*action)(int);
};
#pragma pack(pop)

struct Named {
    const char* name;
    int number;
};

union Either {
    float f;
    int* p;
};

struct Odd {
    char bytes[5];
};

__device__ __noinline__ void act(int x) { asm volatile("" ::"r"(x)); }

__device__ int numbers[4] = {1, 2, 3, 4};
__device__ Packed packed[2] = {{'a', numbers + 2, 5, act}, {'b', nullptr, -1, nullptr}};
__device__ Named named[2] = {{"one", 1}, {"two", 2}};
__managed__ int managed = 7;
__device__ float single = 1.5f;
__device__ double twice = -2.5;
__device__ short negative = -3;
__device__ long long minus_one = -1;
__device__ bool yes = true;
__constant__ const int* to_numbers = numbers;
__constant__ int three[3];
__device__ const int* to_three = three;
__device__ float4 four = {1, 2, 3, 4};
__device__ Either either = {2.0f};

template <int N>
__global__ void constant(int* x) {
    x[0] = N;
}
template __global__ void constant<3>(int*);

extern "C" __global__ void uses(int* out, int k, float* f) {
    out[0] = packed[k].number + *packed[k].place + named[k].number + managed + negative + minus_one + yes;
    packed[k].action(3);
    f[0] = single + twice + four.y + either.f + *to_numbers + *to_three + named[k].name[0];
}

__device__ __noinline__ Odd changed(Odd odd, int i) {
    odd.bytes[i] = 3;
    return odd;
}

extern "C" __global__ void passes(Odd* odd, const __grid_constant__ Named named, int* out) {
    odd[0] = changed(odd[1], 2);
    const Named* address = &named;
    out[0] = named.number + static_cast<int>(reinterpret_cast<size_t>(address));
}

extern "C" __global__ void __maxnreg__(64) repeats(float* x, int n) {
#pragma unroll 1
    for (int i = 0; i < n; i++) x[i] = sinf(x[i]);
    if (n > 7) __trap();
}

extern "C" __global__ void odd_operands(unsigned* o, unsigned shared, double* d) {
    float c[4] = {0, 0, 0, 0};
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]) : "r"(shared));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(o[0]), "r"(o[1]), "r"(o[2]), "r"(o[3]), "r"(o[4]), "r"(o[5]));
    o[9] = c[0] + c[3];
    unsigned long long policy;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.u32 {%0, _, _, %1}, [%2 + 16], %3;"
                 : "=r"(o[11]), "=r"(o[12]) : "l"(o), "l"(policy));
    asm volatile("{\n\t.reg .pred p, q;\n\tsetp.ne.b32 q, %1, 0;\n\tsetp.ne.and.b32 p|q, %1, 0, !q;\n\tselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(o[13]) : "r"(o[14]));
    asm("fma.rn.f64 %0, %0, 2.0, -1.0e3;" : "+d"(d[0]));
    asm volatile("/* nothing; { */ mov.u32 %0, 0b101; // and }\n mov.u32 %0, 017;" : "=r"(o[15]));
}
