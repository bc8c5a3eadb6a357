// fails: uninitialized
// Column 0 takes column `width`, which is padding: the mirror of x is width - 1 - x.

extern "C" __global__ void mirror(int width, int height, const float* in, size_t in_pitch,
                                  float* out, size_t out_pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        const float* in_row = (const float*)((const char*)in + y * in_pitch);
        float* out_row = (float*)((char*)out + y * out_pitch);
        out_row[x] = in_row[width - x];
    }
}
