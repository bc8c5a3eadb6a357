// Guards that are wrong by one or missing: what each writes outside its array, in memory
// that is watched, behind an allocation, and into another array.
//
//   nvcc -arch=native -lineinfo off_by_one.cu -o off_by_one && ./off_by_one
//   compute-sanitizer ./off_by_one
//
// The kernels stand first; the host's main is left out where NVRTC compiles this file.

// Every kernel stores an index to each of n elements. They differ in which threads may.

// --8<-- [start:guarded]
extern "C" __global__ void guarded(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i;
}
// --8<-- [end:guarded]

// --8<-- [start:one_too_far]
extern "C" __global__ void one_too_far(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = i;
}
// --8<-- [end:one_too_far]

// --8<-- [start:unguarded]
extern "C" __global__ void unguarded(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i;
}
// --8<-- [end:unguarded]

// --8<-- [start:backward]
// The last element first: one thread too many leaves the array at its front.
extern "C" __global__ void backward(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[n - 1 - i] = i;
}
// --8<-- [end:backward]

// --8<-- [start:up_to_last]
// Right for every n but one: n is unsigned, and 0 - 1 is 4,294,967,295.
extern "C" __global__ void up_to_last(int* out, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n - 1) out[i] = i;
}
// --8<-- [end:up_to_last]

// --8<-- [start:read_beyond]
// Reads one word, so many bytes from the end of the page in which data ends.
extern "C" __global__ void read_beyond(const int* data, long long bytes, long long page,
                                       long long beyond, int* read) {
    long long end = (long long)data + bytes;
    long long page_end = (end + page - 1) / page * page;
    *read = *(const int*)(page_end + beyond);
}
// --8<-- [end:read_beyond]

#ifndef __CUDACC_RTC__
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t status = (call);                                                     \
        if (status != cudaSuccess) {                                                     \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,           \
                         cudaGetErrorString(status));                                    \
            std::exit(1);                                                                \
        }                                                                                \
    } while (0)

const int threads = 256, canaries = 256, poison = -1;

enum Kernel { GUARDED, ONE_TOO_FAR, UNGUARDED, BACKWARD, UP_TO_LAST };

static void launch(Kernel kernel, int* out, int n) {
    const int blocks = n > 0 ? (n + threads - 1) / threads : 1;
    switch (kernel) {
        case GUARDED:     guarded<<<blocks, threads>>>(out, n); break;
        case ONE_TOO_FAR: one_too_far<<<blocks, threads>>>(out, n); break;
        case UNGUARDED:   unguarded<<<blocks, threads>>>(out, n); break;
        case BACKWARD:    backward<<<blocks, threads>>>(out, n); break;
        case UP_TO_LAST:  up_to_last<<<blocks, threads>>>(out, n); break;
    }
}

// Indexes are far smaller than any canary, so whoever stores one changes it.
static std::vector<int> canary_values(int count) {
    static std::mt19937 bits(6);
    std::vector<int> values(count);
    for (int& value : values) value = (1 << 30) | (bits() >> 2);
    return values;
}

// --8<-- [start:arena]
// Canaries, the array, canaries, in one allocation; prints who was touched.
static void print_watched(const char* name, Kernel kernel, int n) {
    std::vector<int> before = canary_values(canaries + n + canaries);
    for (int i = 0; i < n; ++i) before[canaries + i] = poison;
    const size_t bytes = before.size() * sizeof(int);
    std::vector<int> after(before.size());
    int* arena;
    CHECK(cudaMalloc(&arena, bytes));
    CHECK(cudaMemcpy(arena, before.data(), bytes, cudaMemcpyHostToDevice));
    launch(kernel, arena + canaries, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(after.data(), arena, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(arena));
    // --8<-- [end:arena]
    int right = 0, in_front = 0, behind = 0;
    for (int i = 0; i < n; ++i)
        right += after[canaries + i] == (kernel == BACKWARD ? n - 1 - i : i);
    for (int i = 0; i < canaries; ++i) {
        in_front += after[i] != before[i];
        behind += after[canaries + n + i] != before[canaries + n + i];
    }
    std::printf("%-11s  %7d  %7d  %8d  %6d\n", name, n, right, in_front, behind);
}

static const char* name_of(cudaError_t status) {
    return status == cudaSuccess ? "SUCCESS" : cudaGetErrorName(status);
}

// --8<-- [start:exact]
// An allocation with not one byte more than the array has.
static void print_exact(int n) {
    int* out;
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    launch(ONE_TOO_FAR, out, n);
    const cudaError_t launched = cudaGetLastError();
    const cudaError_t waited = cudaDeviceSynchronize();
    std::printf("one_too_far on exactly %d bytes: launch %s, wait %s\n",
                int(n * sizeof(int)), name_of(launched), name_of(waited));
    if (waited == cudaSuccess) CHECK(cudaFree(out));  // a checker ends the context
}
// --8<-- [end:exact]

// --8<-- [start:neighbor]
// Of many arrays the two closest together; a kernel without a guard is given the first.
static void print_neighbor() {
    const int n = threads / 2, count = 64;
    const size_t bytes = n * sizeof(int);
    // As numbers: C++ orders and subtracts pointers only within one array.
    std::vector<std::uintptr_t> at;
    for (int i = 0; i < count; ++i) {
        int* array;
        CHECK(cudaMalloc(&array, bytes));
        at.push_back(reinterpret_cast<std::uintptr_t>(array));
    }
    std::sort(at.begin(), at.end());
    int closest = 0;
    for (int i = 1; i + 1 < count; ++i)
        if (at[i + 1] - at[i] < at[closest + 1] - at[closest]) closest = i;
    int* first = reinterpret_cast<int*>(at[closest]);
    int* second = reinterpret_cast<int*>(at[closest + 1]);

    const std::vector<int> before = canary_values(n);
    std::vector<int> itself(n), after(n);
    CHECK(cudaMemset(first, 0xFF, bytes));
    CHECK(cudaMemcpy(second, before.data(), bytes, cudaMemcpyHostToDevice));
    unguarded<<<1, threads>>>(first, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(itself.data(), first, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(after.data(), second, bytes, cudaMemcpyDeviceToHost));
    // --8<-- [end:neighbor]
    int right = 0, changed = 0;
    for (int i = 0; i < n; ++i) {
        right += itself[i] == i;
        changed += after[i] != before[i];
    }
    std::printf("bytes between two arrays of %d: %d\n", n,
                int(at[closest + 1] - at[closest] - bytes));
    std::printf("the array itself: %d of %d right\n", right, n);
    std::printf("the array behind it: %d of %d changed\n", changed, n);
    for (std::uintptr_t array : at) CHECK(cudaFree(reinterpret_cast<int*>(array)));
}

int main() {
    cudaDeviceProp gpu;
    CHECK(cudaGetDeviceProperties(&gpu, 0));
    std::printf("%s, compute capability %d.%d\n", gpu.name, gpu.major, gpu.minor);

    const int n = 1000000, whole = 1000192;
    const char* form = "%-11s  %7s  %7s  %8s  %6s\n";
    std::printf(form, "kernel", "n", "right", "in front", "behind");
    std::printf(form, "-----------", "-------", "-------", "--------", "------");
    print_watched("guarded", GUARDED, n);
    print_watched("one_too_far", ONE_TOO_FAR, n);
    print_watched("unguarded", UNGUARDED, n);
    print_watched("backward", BACKWARD, n);
    print_watched("one_too_far", ONE_TOO_FAR, whole);
    print_watched("unguarded", UNGUARDED, whole);
    print_watched("up_to_last", UP_TO_LAST, n);
    print_watched("up_to_last", UP_TO_LAST, 0);
    print_exact(n);
    print_neighbor();
    return 0;
}
#endif
