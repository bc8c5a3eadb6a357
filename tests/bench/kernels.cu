// Kernels of the course's kinds, for timing the SIMT model.

extern "C" __global__ void vadd(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void grid_stride(const float* a, float* c, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        c[i] = 2.0f * a[i] + 1.0f;
}

extern "C" __global__ void stride8(const float* a, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[(i * 8) & (n - 1)];
}

extern "C" __global__ void odd_even(const float* a, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    if (i & 1) {
        for (int k = 0; k < 32; ++k) x = x * 1.0001f + 0.5f;
    } else {
        for (int k = 0; k < 32; ++k) x = x * 0.9999f - 0.5f;
    }
    c[i] = x;
}

template <int Pad>
__device__ void transposed(const float* in, float* out, int n) {
    __shared__ float tile[32][32 + Pad];
    int x = blockIdx.x * 32 + threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += blockDim.y) tile[k][threadIdx.x] = in[(blockIdx.y * 32 + k) * n + x];
    __syncthreads();
    int row = blockIdx.y * 32 + threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += blockDim.y) out[(blockIdx.x * 32 + k) * n + row] = tile[threadIdx.x][k];
}

extern "C" __global__ void transpose(const float* in, float* out, int n) { transposed<0>(in, out, n); }

extern "C" __global__ void transpose_padded(const float* in, float* out, int n) { transposed<1>(in, out, n); }

extern "C" __global__ void reduce_shuffle(const float* a, float* sum, int n) {
    float x = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x += a[i];
    for (int d = 16; d; d >>= 1) x += __shfl_down_sync(~0u, x, d);
    __shared__ float part[32];
    if (!(threadIdx.x & 31)) part[threadIdx.x >> 5] = x;
    __syncthreads();
    if (threadIdx.x < 32) {
        x = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0.0f;
        for (int d = 16; d; d >>= 1) x += __shfl_down_sync(~0u, x, d);
        if (!threadIdx.x) atomicAdd(sum, x);
    }
}

extern "C" __global__ void reduce_tree(const float* a, float* sums, int n) {
    __shared__ float part[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[t] = i < n ? a[i] : 0.0f;
    __syncthreads();
    for (int d = 128; d; d >>= 1) {
        if (t < d) part[t] += part[t + d];
        __syncthreads();
    }
    if (!t) sums[blockIdx.x] = part[0];
}

extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

extern "C" __global__ void matmul_tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    float sum = 0.0f;
    for (int m = 0; m < n; m += 16) {
        as[ty][tx] = a[y * n + m + tx];
        bs[ty][tx] = b[(m + ty) * n + x];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

extern "C" __global__ void histogram(const int* in, int* bins, int n) {
    __shared__ int own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[in[i] & 255], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

extern "C" __global__ void scan(const int* in, int* out, int n) {
    __shared__ int values[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    values[t] = in[i];
    __syncthreads();
    for (int d = 1; d < 256; d <<= 1) {
        int before = t >= d ? values[t - d] : 0;
        __syncthreads();
        values[t] += before;
        __syncthreads();
    }
    out[i] = values[t];
}

extern "C" __global__ void stencil(const float* in, float* out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] = 0.2f * (in[y * n + x] + in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] +
                                 in[(y + 1) * n + x]);
}

extern "C" __global__ void mandelbrot(int* out, int n, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float cr = -2.0f + 3.0f * x / n, ci = -1.5f + 3.0f * y / n, r = 0.0f, i = 0.0f;
    int k = 0;
    while (k < most && r * r + i * i < 4.0f) {
        float next = r * r - i * i + cr;
        i = 2.0f * r * i + ci;
        r = next;
        ++k;
    }
    out[y * n + x] = k;
}

extern "C" __global__ void horner(const double* x, double* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = x[i], p = 0.0;
    for (int k = 0; k < 16; ++k) p = p * v + 0.25;
    y[i] = p;
}

extern "C" __global__ void sort_local(const int* in, int* out, int n) {
    int own[8], i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 8; ++k) own[k] = in[i * 8 + k];
#pragma unroll 1
    for (int k = 1; k < 8; ++k) {
        int value = own[k], j = k;
        while (j > 0 && own[j - 1] > value) {
            own[j] = own[j - 1];
            --j;
        }
        own[j] = value;
    }
    for (int k = 0; k < 8; ++k) out[i * 8 + k] = own[k];
}
