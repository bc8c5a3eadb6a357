// The same data in another order: rows and columns, arrays of structs, transposes.

extern "C" __global__ void sum_rows(const float* in, float* out, int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int column = 0; column < width; ++column) sum += in[row * width + column];
    out[row] = sum;
}

extern "C" __global__ void sum_columns(const float* in, float* out, int width, int height) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int row = 0; row < height; ++row) sum += in[row * width + column];
    out[column] = sum;
}

struct Particle {
    float x, y, z;
};

extern "C" __global__ void move_structs(const float* in, float* out, float step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Particle p = reinterpret_cast<const Particle*>(in)[i];
    p.x += step;
    p.y += step;
    p.z += step;
    reinterpret_cast<Particle*>(out)[i] = p;
}

extern "C" __global__ void move_arrays(const float* x, const float* y, const float* z, float* to_x, float* to_y,
                                       float* to_z, float step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to_x[i] = x[i] + step;
    to_y[i] = y[i] + step;
    to_z[i] = z[i] + step;
}

extern "C" __global__ void transpose_naive(const float* in, float* out, int width) {
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    out[x * width + y] = in[y * width + x];
}

template <int PITCH>
__device__ void transpose(const float* in, float* out, int width) {
    __shared__ float tile[32 * PITCH];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y * PITCH + threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    out[y * width + x] = tile[threadIdx.x * PITCH + threadIdx.y];
}

extern "C" __global__ void transpose_tile(const float* in, float* out, int width) {
    transpose<32>(in, out, width);
}

extern "C" __global__ void transpose_padded(const float* in, float* out, int width) {
    transpose<33>(in, out, width);
}
