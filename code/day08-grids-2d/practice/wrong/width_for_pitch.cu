// fails: no-guard
// The width is taken for the pitch of the result, as if its rows had no padding.

extern "C" __global__ void mirror(int width, int height, const float* in, size_t in_pitch,
                                  float* out, size_t out_pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        const float* in_row = (const float*)((const char*)in + y * in_pitch);
        out[y * width + x] = in_row[width - 1 - x];
    }
}
