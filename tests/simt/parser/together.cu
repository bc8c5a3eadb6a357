// Warps, groups, atomics and inline assembly.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;

extern "C" __global__ void shuffles(int* out) {
    int v = out[threadIdx.x];
    v += __shfl_down_sync(0xffffffff, v, 16);
    v += __shfl_xor_sync(0xffffffff, v, 8);
    unsigned voters = __ballot_sync(0xffffffff, v > 3);
    int all = 0;
    unsigned same = 0;
    same = __match_any_sync(0xffffffff, v);
    if (__any_sync(voters, v == 9)) v += __activemask();
    __syncwarp();
    out[threadIdx.x] = v + voters + all + same + __shfl_sync(0xffffffff, v, threadIdx.x + 1);
}

extern "C" __global__ void shuffle_with_predicate(int* out) {
    int v = out[threadIdx.x];
    asm volatile("{\n  .reg .pred %p;\n  .reg .s32 kept;\n  shfl.sync.down.b32 kept|%p, %0, 4, 31, -1;\n"
                 "  @%p add.s32 %0, %0, kept;\n}" : "+r"(v));
    asm volatile("{ .reg .pred p; .reg .pred q; setp.lt.s32 p|q, %0, 0; @!p add.s32 %0, %0, 1; @q neg.s32 %0, %0; }" : "+r"(v));
    out[threadIdx.x] = v;
}

extern "C" __global__ void nested_braces(unsigned* out) {
    unsigned v = out[0], w;
    asm("{ .reg .u32 t; mov.u32 t, %1; { .reg .u32 t; mul.lo.u32 t, %1, WARP_SZ; add.u32 %0, t, 0x10U; } add.u32 %0, %0, t; }"
        : "=r"(w) : "r"(v));
    asm("{ .reg .u32 t<3>; add.u32 t0, %1, 1; add.u32 t2, t0, %1; mov.b32 %0, t2; }" : "=r"(v) : "r"(w));
    out[1] = v;
}

extern "C" __global__ void specials(unsigned long long* out) {
    unsigned lane, warp, sm, mask;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    unsigned dynamic;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(dynamic));
    out[0] = lane + warp + sm + mask + time + dynamic + clock() + clock64() + gridDim.z + threadIdx.y;
}

extern "C" __global__ void grid_sync(int* out) {
    cg::grid_group grid = cg::this_grid();
    out[grid.thread_rank()] = 1;
    grid.sync();
    out[grid.thread_rank()] += out[0];
}

extern "C" __global__ void tiles(int* out) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int sum = cg::reduce(tile, out[threadIdx.x], cg::plus<int>());
    if (tile.thread_rank() == 0) atomicAdd(out + 99, sum);
    auto active = cg::coalesced_threads();
    out[0] = active.size() + tile.shfl_down(sum, 1);
}

extern "C" __global__ void atomics(int* i, float* f, double* d, unsigned long long* u) {
    atomicAdd(f, 1.0f);
    atomicAdd(d, 2.0);
    u[1] = atomicCAS(u, 5ull, 6ull);
    i[1] = atomicExch(i, 3) + atomicMin(i + 2, -4) + atomicOr(i + 3, 8);
    cuda::atomic_ref<int, cuda::thread_scope_device> shared_count(i[7]);
    shared_count.fetch_add(1, cuda::memory_order_relaxed);
    shared_count.store(4, cuda::memory_order_release);
    i[9] = shared_count.load(cuda::memory_order_acquire);
}
