// fails: no-guard
// One guard for both axes: a thread beside the picture still has a small enough number.

extern "C" __global__ void mirror(int width, int height, const float* in, size_t in_pitch,
                                  float* out, size_t out_pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y * width + x < width * height) {
        const float* in_row = (const float*)((const char*)in + y * in_pitch);
        float* out_row = (float*)((char*)out + y * out_pitch);
        out_row[x] = in_row[width - 1 - x];
    }
}
