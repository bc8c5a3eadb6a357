// Mirror a picture left to right: out(x, y) = in(width - 1 - x, y).
//
// The launch has 2-D blocks of several shapes, enough of them to cover the picture, and a
// few threads too many on the right and below. A pixel is a float. Row y of `in` begins
// y * in_pitch bytes after `in`, and row y of `out` y * out_pitch bytes after `out`. Both
// pitches are more than 4 * width, and they differ. Padding is not to be written.

extern "C" __global__ void mirror(int width, int height, const float* in, size_t in_pitch,
                                  float* out, size_t out_pitch) {
    // TODO: x and y of this thread, the guard, the two rows, the pixel.
}
