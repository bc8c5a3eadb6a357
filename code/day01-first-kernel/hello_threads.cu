// Every thread of a launch writes its own number into its own slot: first 8 threads, then
// more than a million. And what device printf does with a line.
//
//   nvcc -arch=native hello_threads.cu -o hello_threads && ./hello_threads
//
// The kernels stand first; the host's main is left out where NVRTC compiles this file.
#ifndef __CUDACC_RTC__
#include <cstdio>  // nvcc wants it before a kernel may print; NVRTC does not
#endif

// --8<-- [start:write_index]
// Slot i gets i, written by thread i of the whole launch.
extern "C" __global__ void write_index(int* slots, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) slots[i] = i;
}
// --8<-- [end:write_index]

// --8<-- [start:greet]
extern "C" __global__ void greet() {
    printf("hello from thread %u of block %u\n", threadIdx.x, blockIdx.x);
}
// --8<-- [end:greet]

// --8<-- [start:write_index_in_turn]
// The same, and each block draws a ticket: the number of its turn at one common counter.
extern "C" __global__ void write_index_in_turn(int* slots, int n,
                                               unsigned int* next_ticket,
                                               unsigned int* tickets) {
    if (threadIdx.x == 0) tickets[blockIdx.x] = atomicAdd(next_ticket, 1);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) slots[i] = i;
}
// --8<-- [end:write_index_in_turn]

#ifndef __CUDACC_RTC__
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t status = (call);                                                     \
        if (status != cudaSuccess) {                                                     \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,           \
                         cudaGetErrorString(status));                                    \
            std::exit(1);                                                                \
        }                                                                                \
    } while (0)

// --8<-- [start:host]
// Launches write_index over `count` poisoned slots and returns them.
static std::vector<int> run(int blocks, int threads, int n, int count) {
    std::vector<int> slots(count);
    size_t bytes = slots.size() * sizeof(int);
    int* on_device;
    CHECK(cudaMalloc(&on_device, bytes));
    CHECK(cudaMemset(on_device, 0xFF, bytes));  // poison: every slot reads -1
    write_index<<<blocks, threads>>>(on_device, n);
    CHECK(cudaGetLastError());       // was the launch accepted?
    CHECK(cudaDeviceSynchronize());  // wait until it has run: did that go well?
    CHECK(cudaMemcpy(slots.data(), on_device, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(on_device));
    return slots;
}
// --8<-- [end:host]

// The big launch, and how many blocks drew a ticket that no other has.
static std::vector<int> run_in_turn(int blocks, int threads, int& tickets_drawn) {
    std::vector<int> slots(blocks * threads);
    std::vector<unsigned int> tickets(blocks);
    const size_t slot_bytes = slots.size() * sizeof(int);
    const size_t ticket_bytes = tickets.size() * sizeof(unsigned int);
    int* slots_there;
    unsigned int *tickets_there, *next_ticket;
    CHECK(cudaMalloc(&slots_there, slot_bytes));
    CHECK(cudaMalloc(&tickets_there, ticket_bytes));
    CHECK(cudaMalloc(&next_ticket, sizeof(unsigned int)));
    CHECK(cudaMemset(slots_there, 0xFF, slot_bytes));
    CHECK(cudaMemset(tickets_there, 0xFF, ticket_bytes));
    CHECK(cudaMemset(next_ticket, 0, sizeof(unsigned int)));
    write_index_in_turn<<<blocks, threads>>>(slots_there, blocks * threads, next_ticket,
                                             tickets_there);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(slots.data(), slots_there, slot_bytes, cudaMemcpyDeviceToHost));
    CHECK(
        cudaMemcpy(tickets.data(), tickets_there, ticket_bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(slots_there));
    CHECK(cudaFree(tickets_there));
    CHECK(cudaFree(next_ticket));
    std::vector<bool> drawn(blocks);
    tickets_drawn = 0;
    for (unsigned int ticket : tickets) {
        if (ticket >= drawn.size() || drawn[ticket]) continue;
        drawn[ticket] = true;
        ++tickets_drawn;
    }
    return slots;
}

static void show(int blocks, int threads, int n) {
    std::printf("%d blocks of %d threads, n = %d:", blocks, threads, n);
    for (int slot : run(blocks, threads, n, 12)) std::printf(" %d", slot);
    std::printf("\n");
}

int main() {
    cudaDeviceProp gpu;
    CHECK(cudaGetDeviceProperties(&gpu, 0));
    std::printf("%s, compute capability %d.%d\n", gpu.name, gpu.major, gpu.minor);

    // --8<-- [start:greet_host]
    greet<<<2, 4>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());  // the lines appear here
    // --8<-- [end:greet_host]

    show(2, 4, 12);
    show(3, 4, 10);

    const int n = 1 << 20, threads = 256;
    int tickets_drawn;
    std::vector<int> slots = run_in_turn(n / threads, threads, tickets_drawn);
    int right = 0;
    for (int i = 0; i < n; ++i) right += slots[i] == i;
    std::printf("%d of %d slots hold their own index\n", right, n);
    std::printf("%d of %d blocks drew a ticket of their own\n", tickets_drawn,
                n / threads);

    size_t bytes;
    CHECK(cudaDeviceGetLimit(&bytes, cudaLimitPrintfFifoSize));
    std::printf("printf buffer: %zu bytes\n", bytes);
    return right == n && tickets_drawn == n / threads ? 0 : 1;
}
#endif
