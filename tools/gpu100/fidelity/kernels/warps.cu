// What the lanes of a warp tell each other without memory.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

static const unsigned ALL = 0xffffffffu;

extern "C" __global__ void shuffle_reduce(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = in[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(ALL, sum, step);
    if (threadIdx.x % 32 == 0) out[i / 32] = sum;
}

extern "C" __global__ void shuffle_scan(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int sum = in[i];
    for (int step = 1; step < 32; step *= 2) {
        int other = __shfl_up_sync(ALL, sum, step);
        if (lane >= step) sum += other;
    }
    out[i] = sum;
}

extern "C" __global__ void shuffle_kinds(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = in[i];
    int mixed = __shfl_xor_sync(ALL, value, 5);
    mixed = mixed * 31 + __shfl_sync(ALL, value, value & 31);
    mixed = mixed * 31 + __shfl_sync(ALL, value, 3, 8);
    mixed = mixed * 31 + __shfl_down_sync(ALL, value, 2, 4);
    out[i] = mixed;
}

extern "C" __global__ void votes(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = in[i];
    unsigned odd = __ballot_sync(ALL, value & 1);
    int word = odd;
    word ^= __any_sync(ALL, value > 900) << 1;
    word ^= __all_sync(ALL, value > 10) << 2;
    word += __popc(odd & ((1u << (threadIdx.x % 32)) - 1));
    out[i] = word;
}

extern "C" __global__ void matches(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int same;
    unsigned alike = __match_any_sync(ALL, in[i] % 7);
    unsigned whole = __match_all_sync(ALL, in[i] / 1000, &same);
    out[i] = alike ^ (whole >> 3) ^ same;
}

// Each half of a warp sums by itself.
extern "C" __global__ void tile_reduce(const int* in, int* out) {
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = in[i];
    for (int step = 8; step > 0; step /= 2) sum += tile.shfl_down(sum, step);
    if (tile.thread_rank() == 0) out[i / 16] = sum;
}
