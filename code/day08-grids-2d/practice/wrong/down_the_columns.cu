// fails: too-slow
// Right in every pixel, but neighboring threads have pixels of different rows.

extern "C" __global__ void mirror(int width, int height, const float* in, size_t in_pitch,
                                  float* out, size_t out_pitch) {
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    int number = block * blockDim.x * blockDim.y + thread;
    if (number < width * height) {
        int x = number / height;
        int y = number % height;
        const float* in_row = (const float*)((const char*)in + y * in_pitch);
        float* out_row = (float*)((char*)out + y * out_pitch);
        out_row[x] = in_row[width - 1 - x];
    }
}
