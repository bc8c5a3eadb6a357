// fails: wrong-order
// Rows are mirrored where columns should be: the picture is upside down.

extern "C" __global__ void mirror(int width, int height, const float* in, size_t in_pitch,
                                  float* out, size_t out_pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int from = height - 1 - y;
        const float* in_row = (const float*)((const char*)in + from * in_pitch);
        float* out_row = (float*)((char*)out + y * out_pitch);
        out_row[x] = in_row[x];
    }
}
