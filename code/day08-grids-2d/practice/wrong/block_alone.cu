// fails: local-index
// Only the place within the block is used, so every block does the first one's pixels.

extern "C" __global__ void mirror(int width, int height, const float* in, size_t in_pitch,
                                  float* out, size_t out_pitch) {
    int x = threadIdx.x;
    int y = threadIdx.y;
    if (x < width && y < height) {
        const float* in_row = (const float*)((const char*)in + y * in_pitch);
        float* out_row = (float*)((char*)out + y * out_pitch);
        out_row[x] = in_row[width - 1 - x];
    }
}
