// Threads that change one word together.

extern "C" __global__ void histogram_shared(const int* in, int* counts) {
    __shared__ int bins[64];
    int t = threadIdx.x;
    if (t < 64) bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * blockDim.x + t] & 63], 1);
    __syncthreads();
    if (t < 64) atomicAdd(&counts[t], bins[t]);
}

extern "C" __global__ void histogram_global(const int* in, int* counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&counts[in[i] & 63], 1);
}

// The old value is wanted, and every lane has a sector of its own.
extern "C" __global__ void atomic_apart(const int* in, int* counts, int* before, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    before[i] = atomicAdd(&counts[i * step], in[i]);
}

extern "C" __global__ void atomic_kinds(const int* in, int* words) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = in[i], at = value & 7;
    atomicMax(&words[at], value);
    atomicMin(&words[8 + at], value);
    atomicXor(&words[16 + at], value);
    atomicOr(&words[24 + at], 1 << (value & 31));
}

// The order of these additions is nobody's promise.
extern "C" __global__ void atomic_float(const float* in, const int* where, float* sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sums[where[i]], in[i]);
}

// A product by compare-and-swap: lanes that lose try again.
extern "C" __global__ void compare_and_swap(const int* in, unsigned* words) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned* word = &words[i & 63];
    unsigned factor = 2u * in[i] + 1u;
    unsigned seen = *word, assumed;
    do {
        assumed = seen;
        seen = atomicCAS(word, assumed, assumed * factor);
    } while (seen != assumed);
}
