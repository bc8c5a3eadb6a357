// What this machine's driver, compiler and GPU are, and whether they fit: one kernel for
// one element, and then PTX of ever newer versions until the driver refuses it.
//
//   nvcc -arch=native device_report.cu -o device_report && ./device_report
//
// It takes a toolkit of 12.8 or newer, which brought cudaLibraryLoadData.
//
// The kernel stands first; the host's main is left out where NVRTC compiles this file.

// --8<-- [start:kernel]
// One element: nothing but the set-up can go wrong.
extern "C" __global__ void plus_one(int* y, int x) { *y = x + 1; }
// --8<-- [end:kernel]

#ifndef __CUDACC_RTC__
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

// --8<-- [start:check]
// Every call answers. This asks, and ends the program where the answer is an error.
#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t status = (call);                                                     \
        if (status != cudaSuccess) {                                                     \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,           \
                         cudaGetErrorString(status));                                    \
            std::exit(1);                                                                \
        }                                                                                \
    } while (0)
// --8<-- [end:check]

// --8<-- [start:ptx]
// plus_one once more, as PTX: the text that the driver compiles for the GPU it finds.
// The line that says its version is put in front of it.
static const char* const plus_one_ptx = R"(
.target sm_75
.address_size 64
.visible .entry plus_one(.param .u64 y, .param .u32 x) {
    .reg .b32 %r<3>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [y];
    ld.param.u32 %r1, [x];
    cvta.to.global.u64 %rd2, %rd1;
    add.s32 %r2, %r1, 1;
    st.global.u32 [%rd2], %r2;
    ret;
}
)";
// --8<-- [end:ptx]

struct Answer {
    const char* call;  // the last one made: the first that failed, where one did
    cudaError_t status;
};

// --8<-- [start:load]
// Loads the PTX as of `version` through the runtime. With lazy loading an error may come
// late, so the last call needs the compiled kernel.
static Answer load(const std::string& version) {
    const std::string ptx = ".version " + version + plus_one_ptx;
    cudaLibrary_t library;
    Answer answer{"cudaLibraryLoadData",
                  cudaLibraryLoadData(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr,
                                      nullptr, 0)};
    if (answer.status == cudaSuccess) {
        cudaKernel_t kernel;
        cudaFuncAttributes facts;
        answer = {"cudaLibraryGetKernel",
                  cudaLibraryGetKernel(&kernel, library, "plus_one")};
        if (answer.status == cudaSuccess)
            answer = {"cudaFuncGetAttributes",
                      cudaFuncGetAttributes(&facts, (const void*)kernel)};
        CHECK(cudaLibraryUnload(library));
    }
    cudaGetLastError();  // the runtime keeps the last error: no later check may find it
    return answer;
}
// --8<-- [end:load]

static bool one_element_is_right() {
    std::mt19937 random(3);
    const int x = static_cast<int>(random() >> 1) - 1;  // x + 1 does not overflow
    int result, *y;
    CHECK(cudaMalloc(&y, sizeof(int)));
    CHECK(cudaMemset(y, 0xFF, sizeof(int)));  // poison: what no kernel wrote reads -1
    plus_one<<<1, 1>>>(y, x);
    CHECK(cudaGetLastError());       // was the launch accepted?
    CHECK(cudaDeviceSynchronize());  // has the kernel run, and well?
    CHECK(cudaMemcpy(&result, y, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(y));
    return result == x + 1;
}

int main() {
    cudaDeviceProp gpu;
    CHECK(cudaGetDeviceProperties(&gpu, 0));
    std::printf("%s, compute capability %d.%d\n", gpu.name, gpu.major, gpu.minor);
    const bool right = one_element_is_right();
    std::printf("%d of 1 element right\n", right);
    if (!right) return 1;

    int serves, built, limit;
    CHECK(cudaDriverGetVersion(&serves));
    CHECK(cudaRuntimeGetVersion(&built));
    CHECK(cudaDeviceGetAttribute(&limit, cudaDevAttrKernelExecTimeout, 0));
    std::printf("the driver serves CUDA %d.%d\n", serves / 1000, serves % 1000 / 10);
    std::printf("time limit for a kernel: %s\n", limit ? "yes" : "none");
    std::fprintf(stderr, "this program was built with CUDA %d.%d\n", built / 1000,
                 built % 1000 / 10);

    std::string newest = "none";
    for (int major = 8; major <= 10; ++major)
        for (int minor = 0; minor <= (major == 8 ? 8 : 9); ++minor) {
            const std::string version =
                std::to_string(major) + "." + std::to_string(minor);
            const Answer answer = load(version);
            if (answer.status == cudaSuccess) {
                newest = version;
                continue;
            }
            std::printf("newest PTX that loads: version %s\n", newest.c_str());
            std::printf("PTX %s: %s from %s\n", version.c_str(),
                        cudaGetErrorName(answer.status), answer.call);
            return 0;
        }
    std::fprintf(stderr, "no version was refused: the driver knows all of them\n");
    return 1;
}
#endif
