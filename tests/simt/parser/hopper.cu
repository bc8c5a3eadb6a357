// What compute capability 9.0 added.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128) clusters(int* out) {
    __shared__ int mine[32];
    cg::cluster_group cluster = cg::this_cluster();
    mine[threadIdx.x & 31] = cluster.block_rank();
    cluster.sync();
    int* theirs = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
    out[blockIdx.x * blockDim.x + threadIdx.x] = theirs[threadIdx.x & 31];
    cluster.sync();
}

extern "C" __global__ void bulk_copy(const int* in, int* out) {
    __shared__ alignas(128) int stage[256];
    __shared__ unsigned long long arrived;
    unsigned bar = static_cast<unsigned>(__cvta_generic_to_shared(&arrived));
    unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(stage));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(bar) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];"
                     ::"r"(to), "l"(in), "r"(bar) : "memory");
    }
    __syncthreads();
    asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
                 "@done bra over;\nbra again;\nover:\n}" ::"r"(bar) : "memory");
    out[threadIdx.x] = stage[threadIdx.x];
}
