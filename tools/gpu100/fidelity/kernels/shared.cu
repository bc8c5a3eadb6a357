// One block fills shared memory in order and reads it back by a rule: which words share a bank.
// Steps are arguments, so that every access stays one instruction of its own.

extern "C" __global__ void shared_step(const float* in, float* out, int step) {
    extern __shared__ float words[];
    int t = threadIdx.x;
    for (int i = t; i < blockDim.x * step; i += blockDim.x) words[i] = in[i];
    __syncthreads();
    out[t] = words[t * step];
}

// The other way about: stores with a step, a load in order.
extern "C" __global__ void shared_store_step(const float* in, float* out, int step) {
    extern __shared__ float words[];
    int t = threadIdx.x;
    for (int i = t; i < blockDim.x * step; i += blockDim.x) words[i] = 0.0f;
    __syncthreads();
    words[t * step] = in[t];
    __syncthreads();
    for (int i = t; i < blockDim.x * step; i += blockDim.x) out[i] = words[i];
}

extern "C" __global__ void shared_broadcast(const float* in, float* out, int which) {
    extern __shared__ float words[];
    int t = threadIdx.x;
    words[t] = in[t];
    __syncthreads();
    out[t] = words[which + (t >> 5)];
}

// Lanes read in a mixed order: no two lanes one bank, or three of them one word.
extern "C" __global__ void shared_lookup(const float* in, const int* from, float* out) {
    extern __shared__ float words[];
    int t = threadIdx.x;
    words[t] = in[t];
    __syncthreads();
    out[t] = words[from[t]];
}

extern "C" __global__ void shared_double(const double* in, const int* from, double* out) {
    extern __shared__ double pairs[];
    int t = threadIdx.x;
    pairs[t] = in[t];
    __syncthreads();
    out[t] = pairs[from[t]];
}

// Only some lanes read; the others are off for that instruction.
extern "C" __global__ void shared_double_some(const double* in, const int* from, double* out) {
    extern __shared__ double pairs[];
    int t = threadIdx.x;
    pairs[t] = in[t];
    __syncthreads();
    double value = 0.0;
    int index = from[t];
    if (index >= 0) value = pairs[index];
    out[t] = value;
}

extern "C" __global__ void shared_double_scatter(const double* in, const int* to, double* out) {
    extern __shared__ double pairs[];
    int t = threadIdx.x;
    pairs[to[t]] = in[t];
    __syncthreads();
    out[t] = pairs[t];
}

extern "C" __global__ void shared_float4(const float* in, const int* from, float* out) {
    extern __shared__ float4 quads[];
    int t = threadIdx.x;
    quads[t] = reinterpret_cast<const float4*>(in)[t];
    __syncthreads();
    reinterpret_cast<float4*>(out)[t] = quads[from[t]];
}

extern "C" __global__ void shared_float4_scatter(const float* in, const int* to, float* out) {
    extern __shared__ float4 quads[];
    int t = threadIdx.x;
    quads[to[t]] = reinterpret_cast<const float4*>(in)[t];
    __syncthreads();
    reinterpret_cast<float4*>(out)[t] = quads[t];
}

extern "C" __global__ void shared_bytes(const unsigned char* in, const int* from, unsigned char* out) {
    extern __shared__ unsigned char bytes[];
    int t = threadIdx.x;
    bytes[t] = in[t];
    __syncthreads();
    out[t] = bytes[from[t]];
}

// Four neighbors by constant steps: the compiler makes one load of 16 bytes of them.
extern "C" __global__ void shared_merged(const float* in, float* out) {
    __shared__ __align__(16) float words[512];
    int t = threadIdx.x;
    for (int i = 0; i < 4; ++i) words[i * 128 + t] = in[i * 128 + t];
    __syncthreads();
    float sum = words[4 * t] + words[4 * t + 1];
    out[t] = sum + (words[4 * t + 2] + words[4 * t + 3]);
}
