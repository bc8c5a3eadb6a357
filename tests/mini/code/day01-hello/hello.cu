// Every thread writes down its own number.
//
//   nvcc -arch=native hello.cu -o hello && ./hello

// --8<-- [start:kernel]
extern "C" __global__ void hello(unsigned int* number) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    number[i] = i;
}
// --8<-- [end:kernel]

#ifndef __CUDACC_RTC__
#include <cstdio>

int main() {
    unsigned int* number;
    cudaMallocManaged(&number, 8 * sizeof *number);
    hello<<<2, 4>>>(number);
    cudaDeviceSynchronize();
    for (int i = 0; i < 8; ++i) std::printf("thread %u says hello\n", number[i]);
    return 0;
}
#endif
