// fails: no-guard
// The pitch is added to a pointer to float, so a row is taken to lie four pitches on.

extern "C" __global__ void mirror(int width, int height, const float* in, size_t in_pitch,
                                  float* out, size_t out_pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        (out + y * out_pitch)[x] = (in + y * in_pitch)[width - 1 - x];
}
