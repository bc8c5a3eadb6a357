// A color image to gray, one thread a pixel, by blocks of several shapes; and which
// threads of a block form a warp.
//
//   nvcc -arch=native image_grid.cu -o image_grid && ./image_grid
//
// The kernels stand first; the host's main is left out where NVRTC compiles this file.

// --8<-- [start:to_gray]
// One pixel. Rows lie a pitch apart, which is counted in bytes, whatever a pixel has.
__device__ void to_gray(const uchar4* color, size_t color_pitch, unsigned char* gray,
                        size_t gray_pitch, int width, int height, int x, int y) {
    if (x < width && y < height) {
        const char* color_row = (const char*)color + y * color_pitch;
        unsigned char* gray_row = gray + y * gray_pitch;
        uchar4 pixel = ((const uchar4*)color_row)[x];
        gray_row[x] = (77 * pixel.x + 150 * pixel.y + 29 * pixel.z + 128) / 256;
    }
}
// --8<-- [end:to_gray]

// --8<-- [start:across_and_down]
__device__ int across() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int down() { return blockIdx.y * blockDim.y + threadIdx.y; }
// --8<-- [end:across_and_down]

// One body under several names: a profiler adds up its counts by the kernel's name.
// --8<-- [start:gray_16x16]
extern "C" __global__ void gray_16x16(const uchar4* color, size_t color_pitch,
                                      unsigned char* gray, size_t gray_pitch,
                                      int width, int height) {
    to_gray(color, color_pitch, gray, gray_pitch, width, height, across(), down());
}
// --8<-- [end:gray_16x16]

extern "C" __global__ void gray_32x8(const uchar4* color, size_t color_pitch,
                                     unsigned char* gray, size_t gray_pitch,
                                     int width, int height) {
    to_gray(color, color_pitch, gray, gray_pitch, width, height, across(), down());
}

extern "C" __global__ void gray_8x32(const uchar4* color, size_t color_pitch,
                                     unsigned char* gray, size_t gray_pitch,
                                     int width, int height) {
    to_gray(color, color_pitch, gray, gray_pitch, width, height, across(), down());
}

extern "C" __global__ void gray_256x1(const uchar4* color, size_t color_pitch,
                                      unsigned char* gray, size_t gray_pitch,
                                      int width, int height) {
    to_gray(color, color_pitch, gray, gray_pitch, width, height, across(), down());
}

extern "C" __global__ void gray_1x256(const uchar4* color, size_t color_pitch,
                                      unsigned char* gray, size_t gray_pitch,
                                      int width, int height) {
    to_gray(color, color_pitch, gray, gray_pitch, width, height, across(), down());
}

// For an image whose rows have no padding: the same again, with other pitches.
extern "C" __global__ void gray_packed(const uchar4* color, size_t color_pitch,
                                       unsigned char* gray, size_t gray_pitch,
                                       int width, int height) {
    to_gray(color, color_pitch, gray, gray_pitch, width, height, across(), down());
}

// --8<-- [start:gray_swapped]
// x for the row, y for the column: as right as the others, and not as good.
extern "C" __global__ void gray_swapped(const uchar4* color, size_t color_pitch,
                                        unsigned char* gray, size_t gray_pitch,
                                        int width, int height) {
    to_gray(color, color_pitch, gray, gray_pitch, width, height, down(), across());
}
// --8<-- [end:gray_swapped]

// --8<-- [start:name_warps]
// Lane 0 of each warp draws a number, and __shfl_sync hands it to the other lanes. So
// threads with one number are one warp, whatever rule the hardware went by.
extern "C" __global__ void name_warps(int* warp_of_thread, int* next) {
    unsigned int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    int number = 0;
    if (lane == 0) number = atomicAdd(next, 1);
    number = __shfl_sync(0xFFFFFFFFu, number, 0);
    int slice = threadIdx.z * blockDim.y * blockDim.x;
    warp_of_thread[slice + threadIdx.y * blockDim.x + threadIdx.x] = number;
}
// --8<-- [end:name_warps]

#ifndef __CUDACC_RTC__
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#define CHECK(call)                                                              \
    do {                                                                         \
        cudaError_t status = (call);                                             \
        if (status != cudaSuccess) {                                             \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,   \
                         cudaGetErrorString(status));                            \
            std::exit(1);                                                        \
        }                                                                        \
    } while (0)

// The side of a square, in blocks of 256, whose color takes over four times the L2, or
// less where half of the free memory would not hold all copies of it.
static int choose_side(const cudaDeviceProp& gpu) {
    std::size_t free_bytes, total_bytes;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    int side = static_cast<int>(std::sqrt(double(gpu.l2CacheSize))) / 256 + 2;
    while (side > 1 && 10 * std::size_t(65536) * side * side > free_bytes / 2) --side;
    return side;
}

// Random, seeded, and even: no channel is 255, so no gray is, and 255 can be the poison.
static std::vector<uchar4> random_image(std::size_t pixels) {
    std::vector<uchar4> image(pixels);
    std::uint32_t bits = 8;
    for (uchar4& pixel : image) {
        bits ^= bits << 13;
        bits ^= bits >> 17;
        bits ^= bits << 5;
        pixel = {static_cast<unsigned char>(bits & 0xFE),
                 static_cast<unsigned char>(bits >> 8 & 0xFE),
                 static_cast<unsigned char>(bits >> 16 & 0xFE), 0};
    }
    return image;
}

static std::size_t count_wrong(const std::vector<uchar4>& color,
                               const std::vector<unsigned char>& gray) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < color.size(); ++i) {
        int sum = 77 * color[i].x + 150 * color[i].y + 29 * color[i].z;
        if (gray[i] != (sum + 128) / 256) ++wrong;
    }
    return wrong;
}

// Rows that one warp of a block spans, at the most; a row is a pair of y and z.
static int rows_of_warp(dim3 block) {
    const int threads = block.x * block.y * block.z;
    int *warps, *next;
    CHECK(cudaMalloc(&warps, threads * sizeof(int)));
    CHECK(cudaMalloc(&next, sizeof(int)));
    CHECK(cudaMemset(next, 0, sizeof(int)));
    name_warps<<<1, block>>>(warps, next);
    CHECK(cudaGetLastError());
    std::vector<int> warp_of_thread(threads);
    CHECK(cudaMemcpy(warp_of_thread.data(), warps, threads * sizeof(int),
                     cudaMemcpyDeviceToHost));
    CHECK(cudaFree(warps));
    CHECK(cudaFree(next));
    std::vector<std::set<int>> rows(threads);
    std::size_t most = 0;
    for (int thread = 0; thread < threads; ++thread) {
        std::set<int>& own = rows[warp_of_thread[thread]];
        own.insert(thread / static_cast<int>(block.x));
        if (own.size() > most) most = own.size();
    }
    return static_cast<int>(most);
}

int main() {
    cudaDeviceProp gpu;
    CHECK(cudaGetDeviceProperties(&gpu, 0));
    std::printf("%s, compute capability %d.%d\n", gpu.name, gpu.major, gpu.minor);
    for (dim3 block : {dim3(16, 16), dim3(32, 8), dim3(8, 32), dim3(256, 1), dim3(1, 256),
                       dim3(8, 8, 4), dim3(4, 4, 16)})
        std::printf("block %u x %u x %u, rows of a warp: %d\n", block.x, block.y, block.z,
                    rows_of_warp(block));

    const int side = choose_side(gpu);
    const int width = 256 * side - 3, height = 256 * side - 5;
    const std::size_t pixels = std::size_t(width) * height;
    std::printf("%d x %d pixels: %zu bytes of color, %zu of gray\n", width, height,
                sizeof(uchar4) * pixels, pixels);
    const std::vector<uchar4> host_color = random_image(pixels);
    std::vector<unsigned char> host_gray(pixels);

    // --8<-- [start:allocate]
    uchar4* color;
    unsigned char* gray;
    std::size_t color_pitch, gray_pitch;
    CHECK(cudaMallocPitch(&color, &color_pitch, width * sizeof(uchar4), height));
    CHECK(cudaMallocPitch(&gray, &gray_pitch, width, height));
    CHECK(cudaMemcpy2D(color, color_pitch, host_color.data(), width * sizeof(uchar4),
                       width * sizeof(uchar4), height, cudaMemcpyHostToDevice));
    // --8<-- [end:allocate]

    struct Shape {
        const char* name;
        decltype(&gray_16x16) kernel;
        dim3 block;
        bool swapped;
    };
    const Shape shapes[] = {
        {"gray_16x16", gray_16x16, dim3(16, 16), false},
        {"gray_32x8", gray_32x8, dim3(32, 8), false},
        {"gray_8x32", gray_8x32, dim3(8, 32), false},
        {"gray_256x1", gray_256x1, dim3(256, 1), false},
        {"gray_1x256", gray_1x256, dim3(1, 256), false},
        {"gray_swapped", gray_swapped, dim3(32, 8), true},
    };
    std::size_t wrong_in_all = 0;
    for (const Shape& shape : shapes) {
        CHECK(cudaMemset2D(gray, gray_pitch, 0xFF, width, height));
        const dim3 block = shape.block;
        // --8<-- [start:launch]
        const int columns = shape.swapped ? height : width;
        const int rows = shape.swapped ? width : height;
        const dim3 grid((columns + block.x - 1) / block.x,
                        (rows + block.y - 1) / block.y);
        shape.kernel<<<grid, block>>>(color, color_pitch, gray, gray_pitch, width,
                                      height);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy2D(host_gray.data(), width, gray, gray_pitch, width, height,
                           cudaMemcpyDeviceToHost));
        // --8<-- [end:launch]
        const std::size_t wrong = count_wrong(host_color, host_gray);
        wrong_in_all += wrong;
        std::printf("%s, %u x %u blocks of %u x %u: %zu of %zu pixels are wrong\n",
                    shape.name, grid.x, grid.y, block.x, block.y, wrong, pixels);
    }
    std::printf("the driver's pitch: %zu bytes for %zu of color, %zu for %d of gray\n",
                color_pitch, width * sizeof(uchar4), gray_pitch, width);
    CHECK(cudaFree(color));
    CHECK(cudaFree(gray));
    return wrong_in_all == 0 ? 0 : 1;
}
#endif
