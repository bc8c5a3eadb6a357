// Mistakes made on purpose: which call reports the error, what the runtime calls it, and
// whether the context is of any use afterward.
//
//   nvcc -arch=native error_timing.cu -o error_timing && ./error_timing
//
// The kernels stand first; the host's main is left out where NVRTC compiles this file.
#ifndef __CUDACC_RTC__
#include <cassert>  // nvcc wants it before a kernel may assert; NVRTC does not
#endif

// --8<-- [start:fill]
// Slot i gets i. Nothing is wrong with it, unless it is launched or called wrongly.
extern "C" __global__ void fill(int* slots, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) slots[i] = i;
}
// --8<-- [end:fill]

// --8<-- [start:many_values]
constexpr int VALUES = 96;

// Stirs 96 floats that are all needed until the end, so that each wants a register.
__device__ float stir(const float* in, int rounds) {
    float v[VALUES];
#pragma unroll
    for (int k = 0; k < VALUES; ++k) v[k] = in[k * blockDim.x + threadIdx.x];
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int k = 0; k < VALUES; ++k)
            v[k] += v[(k + 7) % VALUES] * v[(k + 31) % VALUES];
    }
    float sum = 0;
#pragma unroll
    for (int k = 0; k < VALUES; ++k) sum += v[k];
    return sum;
}

// The compiler takes as many registers as it likes, up to 255.
extern "C" __global__ void stir_freely(const float* in, float* out, int rounds) {
    out[threadIdx.x] = stir(in, rounds);
}

// It is told that a block has 1,024 threads, and may take 64.
extern "C" __global__ void __launch_bounds__(1024)
stir_bounded(const float* in, float* out, int rounds) {
    out[threadIdx.x] = stir(in, rounds);
}
// --8<-- [end:many_values]

// --8<-- [start:faults]
// Reads four floats at once from an address that is a multiple of 4, and should be of 16.
extern "C" __global__ void read_vector(const float* in, float* out) {
    float4 four = *reinterpret_cast<const float4*>(in + 1 + threadIdx.x);
    out[threadIdx.x] = four.x + four.y + four.z + four.w;
}

extern "C" __global__ void claim(const int* slots, int least) {
    assert(slots[threadIdx.x] >= least);
}

extern "C" __global__ void give_up(const int* slots, int least) {
    if (slots[threadIdx.x] < least) __trap();
}
// --8<-- [end:faults]

// --8<-- [start:descend]
// Calls itself `depth` times, and every call keeps something on the thread's stack.
__device__ __noinline__ int descend(const int* steps, int depth) {
    int kept[32];
    for (int k = 0; k < 32; ++k) kept[k] = steps[k] + depth;
    if (depth == 0) return kept[steps[0]];
    return descend(steps, depth - 1) + kept[(depth + steps[1]) % 32];
}

extern "C" __global__ void dig(const int* steps, int* out, int depth) {
    out[threadIdx.x] = descend(steps, depth);
}
// --8<-- [end:descend]

#ifndef __CUDACC_RTC__
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call)                                                              \
    do {                                                                         \
        cudaError_t status = (call);                                             \
        if (status != cudaSuccess) {                                             \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,   \
                         cudaGetErrorString(status));                            \
            std::exit(1);                                                        \
        }                                                                        \
    } while (0)

const int N = 2048;
static int *slots, *unset;  // unset is what an allocation that nobody made leaves behind
static float *floats, *sums;

// --8<-- [start:silent_host]
// The error that nobody asks for: launches, copies back, counts.
static void silent(int blocks, int threads) {
    std::vector<int> found(N);
    CHECK(cudaMemset(slots, 0xFF, N * sizeof(int)));
    fill<<<blocks, threads>>>(slots, N);  // no check
    CHECK(cudaMemcpy(found.data(), slots, N * sizeof(int), cudaMemcpyDeviceToHost));
    int right = 0;
    for (int i = 0; i < N; ++i) right += found[i] == i;
    std::printf("%d block%s of %d threads wrote %d of %d slots\n", blocks,
                blocks == 1 ? "" : "s", threads, right, N);
}
// --8<-- [end:silent_host]

// --8<-- [start:mistakes_host]
// A launch returns nothing, so its error is asked for; any other call returns its own.
struct Mistake {
    const char* name;
    bool alone;  // it may cost the context, so its process is its own
    cudaError_t (*make)();
};

static cudaError_t too_many_threads() {
    fill<<<1, 2048>>>(slots, N);
    return cudaGetLastError();
}
static cudaError_t no_blocks() {
    fill<<<0, 256>>>(slots, N);
    return cudaGetLastError();
}
static cudaError_t grid_too_high() {
    fill<<<dim3(1, 65536), 32>>>(slots, N);
    return cudaGetLastError();
}
static cudaError_t too_much_shared() {
    int most;
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    fill<<<1, 32, most + 1>>>(slots, N);
    return cudaGetLastError();
}
static cudaError_t too_many_registers() {
    stir_freely<<<1, 1024>>>(floats, sums, 2);
    return cudaGetLastError();
}
static cudaError_t too_many_at_once() {
    int n = N;
    void* args[] = {&slots, &n};
    return cudaLaunchCooperativeKernel(reinterpret_cast<void*>(fill), dim3(1 << 20),
                                       dim3(32), args, 0, nullptr);
}
static cudaError_t unset_pointer() {
    fill<<<1, 32>>>(unset, 32);
    return cudaGetLastError();
}
static cudaError_t misaligned_read() {
    read_vector<<<1, 32>>>(floats, sums);
    return cudaGetLastError();
}
static cudaError_t failed_assert() {
    claim<<<1, 1>>>(slots, 1);
    return cudaGetLastError();
}
static cudaError_t trap() {
    give_up<<<1, 1>>>(slots, 1);
    return cudaGetLastError();
}
static cudaError_t too_much_memory() {
    void* memory;
    return cudaMalloc(&memory, std::size_t(1) << 44);
}
static cudaError_t freed_twice() {
    void* memory;
    CHECK(cudaMalloc(&memory, 256));
    CHECK(cudaFree(memory));
    return cudaFree(memory);
}
static cudaError_t not_recorded() {
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    float milliseconds;
    return cudaEventElapsedTime(&milliseconds, begin, end);
}
static cudaError_t no_such_gpu() { return cudaSetDevice(1000); }

static const Mistake mistakes[] = {
    {"too many threads", false, too_many_threads},
    {"no blocks", false, no_blocks},
    {"grid too high", false, grid_too_high},
    {"too much shared memory", false, too_much_shared},
    {"too many registers", false, too_many_registers},
    {"too many blocks at once", false, too_many_at_once},
    {"unset pointer", true, unset_pointer},
    {"misaligned read", true, misaligned_read},
    {"failed assert", true, failed_assert},
    {"trap", true, trap},
    {"16 TiB of memory", false, too_much_memory},
    {"memory freed twice", false, freed_twice},
    {"events not recorded", false, not_recorded},
    {"no such GPU", false, no_such_gpu},
};
// --8<-- [end:mistakes_host]
const int MISTAKES = sizeof mistakes / sizeof *mistakes;

// --8<-- [start:provoke_host]
// One mistake, and the calls after it: a wait, an innocent allocation, a good launch.
static void provoke(const Mistake& mistake) {
    const cudaError_t made = mistake.make();
    cudaGetLastError();  // forget it, or the good launch below is taken for the bad one
    const cudaError_t wait = cudaDeviceSynchronize();
    void* memory;
    const cudaError_t next = cudaMalloc(&memory, 256);
    fill<<<2, 1024>>>(slots, N);
    const cudaError_t launch = cudaGetLastError();
    const cudaError_t end = cudaDeviceSynchronize();

    const bool works =
        next == cudaSuccess && launch == cudaSuccess && end == cudaSuccess;
    const bool at_once = made != cudaSuccess, late = wait != cudaSuccess;
    const cudaError_t error = at_once ? made : late ? wait : next;
    const char* reporter =
        at_once ? "the call" : late ? "the wait" : "the next call";
    std::printf("%s %s %s %s\n", mistake.name, cudaGetErrorName(error), reporter,
                works ? "works" : "lost");
}
// --8<-- [end:provoke_host]

// --8<-- [start:stories_host]
static void tell(const char* story) {
    const cudaError_t first = cudaGetLastError(), again = cudaGetLastError();
    std::printf("%s: %s, asked again: %s\n", story, cudaGetErrorName(first),
                cudaGetErrorName(again));
}

// What the last error is after two launches of which the first is refused, and so on.
static void refused_then_good() {
    fill<<<1, 2048>>>(slots, N);
    fill<<<2, 1024>>>(slots, N);
    cudaDeviceSynchronize();
    tell("refused, then a good launch");
}
static void refused_then_too_much() {
    fill<<<1, 2048>>>(slots, N);
    void* memory;
    cudaMalloc(&memory, std::size_t(1) << 44);
    tell("refused, then 16 TiB");
}
static void unset_then_wait() {
    fill<<<1, 32>>>(unset, 32);
    cudaDeviceSynchronize();
    tell("unset pointer, then a wait");
}
// --8<-- [end:stories_host]

static void about_the_device() {
    cudaDeviceProp gpu;
    CHECK(cudaGetDeviceProperties(&gpu, 0));
    std::printf("%s, compute capability %d.%d\n", gpu.name, gpu.major, gpu.minor);
    silent(1, N);
    silent(2, N / 2);
    int limited;
    CHECK(cudaDeviceGetAttribute(&limited, cudaDevAttrKernelExecTimeout, 0));
    std::printf("kernels may run for a limited time only: %s\n", limited ? "yes" : "no");
    std::printf("mistake error reported by context\n");
}

// --8<-- [start:children]
// Part -1 is about the device, part i begins with mistake i, and two tell the stories.
// A mistake that does no harm shares the process of the one before it.
static bool shares(int part) {
    return part > 0 && part < MISTAKES && !mistakes[part].alone &&
           !mistakes[part - 1].alone;
}

static void run_part(int part) {
    CHECK(cudaMalloc(&slots, N * sizeof(int)));
    CHECK(cudaMemset(slots, 0, N * sizeof(int)));
    CHECK(cudaMalloc(&floats, 96 * 1024 * sizeof(float)));
    CHECK(cudaMemset(floats, 0, 96 * 1024 * sizeof(float)));
    CHECK(cudaMalloc(&sums, 1024 * sizeof(float)));
    if (part < 0) {
        about_the_device();
    } else if (part < MISTAKES) {
        do provoke(mistakes[part]);
        while (shares(++part));
    } else if (part == MISTAKES) {
        refused_then_good();
        refused_then_too_much();
    } else {
        unset_then_wait();
    }
}

// Without an argument, this program starts itself once for every part.
int main(int count, char** arguments) {
    if (count > 1) {
        run_part(std::atoi(arguments[1]));
        return 0;
    }
    const std::string self = "\"" + std::string(arguments[0]) + "\" ";
    for (int part = -1; part <= MISTAKES + 1; ++part) {
        if (shares(part)) continue;
        if (std::system((self + std::to_string(part)).c_str()) != 0) return 1;
    }
    return 0;
}
// --8<-- [end:children]
#endif
