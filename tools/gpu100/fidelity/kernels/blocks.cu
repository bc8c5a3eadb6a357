// Blocks that work together through shared memory and barriers.

extern "C" __global__ void tree_interleaved(const int* in, int* out) {
    extern __shared__ int sums[];
    int t = threadIdx.x;
    sums[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
#pragma unroll 1
    for (int step = 1; step < blockDim.x; step *= 2) {
        int at = 2 * step * t;
        if (at < blockDim.x) sums[at] += sums[at + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = sums[0];
}

// Floats too have one right answer here: the tree fixes the order of every addition.
extern "C" __global__ void tree_sequential(const float* in, float* out) {
    extern __shared__ float parts[];
    int t = threadIdx.x;
    parts[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
#pragma unroll 1
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step) parts[t] += parts[t + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = parts[0];
}

extern "C" __global__ void block_scan(const int* in, int* out) {
    extern __shared__ int rows[];
    int t = threadIdx.x, n = blockDim.x;
    int from = 0;
    rows[t] = in[blockIdx.x * n + t];
    __syncthreads();
#pragma unroll 1
    for (int step = 1; step < n; step *= 2) {
        int to = n - from;
        rows[to + t] = rows[from + t] + (t >= step ? rows[from + t - step] : 0);
        from = to;
        __syncthreads();
    }
    out[blockIdx.x * n + t] = rows[from + t];
}

// The block that finishes last adds up what all have left in global memory.
extern "C" __global__ void last_block(const int* in, int* partial, unsigned* tickets, int* out) {
    __shared__ int sum;
    __shared__ bool last;
    int t = threadIdx.x;
    if (t == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * blockDim.x + t]);
    __syncthreads();
    if (t == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(tickets, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int total = 0;
        for (int i = 0; i < gridDim.x; ++i) total += reinterpret_cast<volatile int*>(partial)[i];
        *out = total;
    }
}

extern "C" __global__ void stencil_1d(const float* in, float* out) {
    __shared__ float cells[128 + 6];
    int t = threadIdx.x;
    int i = blockIdx.x * 128 + t;  // in has three more cells at either end
    cells[t + 3] = in[i + 3];
    if (t < 3) cells[t] = in[i];
    if (t >= 125) cells[t + 6] = in[i + 6];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 7; ++k) sum += cells[t + k];
    out[i] = sum;
}

// Tiles of 16 x 16 with one cell around them.
extern "C" __global__ void stencil_2d(const float* in, float* out, int width) {
    __shared__ float cells[18 * 18];
    int pitch = width + 2;
    int left = blockIdx.x * 16, top = blockIdx.y * 16;
    for (int i = threadIdx.y * 16 + threadIdx.x; i < 18 * 18; i += 256)
        cells[i] = in[(top + i / 18) * pitch + left + i % 18];
    __syncthreads();
    int at = (threadIdx.y + 1) * 18 + threadIdx.x + 1;
    float around = (cells[at - 18] + cells[at + 18]) + (cells[at - 1] + cells[at + 1]);
    out[(top + threadIdx.y) * width + left + threadIdx.x] = 0.5f * cells[at] + 0.125f * around;
}

extern "C" __global__ void matmul_naive(const float* a, const float* b, float* c, int n) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ void matmul_tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float left[16][16], right[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int column = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    float sum = 0.0f;
    for (int tile = 0; tile < n; tile += 16) {
        left[ty][tx] = a[row * n + tile + tx];
        right[ty][tx] = b[(tile + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += left[ty][k] * right[k][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
