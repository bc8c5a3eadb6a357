// fails: wrong-index
// x and y are swapped, but the grid counts its blocks of columns in x.

extern "C" __global__ void mirror(int width, int height, const float* in, size_t in_pitch,
                                  float* out, size_t out_pitch) {
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    int x = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        const float* in_row = (const float*)((const char*)in + y * in_pitch);
        float* out_row = (float*)((char*)out + y * out_pitch);
        out_row[x] = in_row[width - 1 - x];
    }
}
