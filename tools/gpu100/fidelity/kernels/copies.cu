// One element in, one element out: what a warp's addresses make of a request.

extern "C" __global__ void copy_float(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

// The step is an argument, so that the compiler knows nothing of the addresses.
extern "C" __global__ void copy_stride(const float* in, float* out, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * step];
}

extern "C" __global__ void copy_to_stride(const float* in, float* out, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * step] = in[i];
}

extern "C" __global__ void copy_offset(const float* in, float* out, int shift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + shift];
}

extern "C" __global__ void copy_float2(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    reinterpret_cast<float2*>(out)[i] = reinterpret_cast<const float2*>(in)[i];
}

extern "C" __global__ void copy_float4(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];
}

extern "C" __global__ void copy_bytes(const unsigned char* in, unsigned char* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

extern "C" __global__ void copy_shorts(const short* in, short* out, int shift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + shift];
}

extern "C" __global__ void copy_double(const double* in, double* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

// Every lane of a warp reads one and the same word.
extern "C" __global__ void broadcast(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i / 32];
}

// The last warps are partly, then wholly, past the end.
extern "C" __global__ void ragged_tail(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * in[i];
}

// More elements than threads, and a count that no step divides.
extern "C" __global__ void grid_stride(const float* in, float* out, int n) {
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) out[i] = in[i] + 1.0f;
}

extern "C" __global__ void gather(const float* in, const int* from, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[from[i]];
}

extern "C" __global__ void scatter(const float* in, const int* to, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[to[i]] = in[i];
}

// A block of 10 x 5: rows of a picture whose width is no multiple of anything.
extern "C" __global__ void odd_blocks(const float* in, float* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[y * width + x] = in[y * width + x] * in[y * width + x];
}
