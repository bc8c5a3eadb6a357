// Mirror a picture left to right: out(x, y) = in(width - 1 - x, y).

// A pitch counts bytes, so the sum is made with a pointer to char.
__device__ const float* row_of(const float* image, size_t pitch, int y) {
    return (const float*)((const char*)image + y * pitch);
}

__device__ float* row_of(float* image, size_t pitch, int y) {
    return (float*)((char*)image + y * pitch);
}

extern "C" __global__ void mirror(int width, int height, const float* in, size_t in_pitch,
                                  float* out, size_t out_pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        row_of(out, out_pitch, y)[x] = row_of(in, in_pitch, y)[width - 1 - x];
}
