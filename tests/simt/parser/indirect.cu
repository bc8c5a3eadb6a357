// Calls through addresses, printf and assert.
typedef int (*Operation)(int, int);

__device__ __noinline__ int plus(int a, int b) { return a + b; }
__device__ __noinline__ int times(int a, int b) { return a * b; }
__device__ Operation operations[2] = {plus, times};

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual float edge() const { return 1.0f; }
};

struct Square : Shape {
    float side;
    __device__ Square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
    __device__ float edge() const override { return 4 * side; }
};

struct Disc : Shape {
    float radius;
    __device__ Disc(float r) : radius(r) {}
    __device__ float area() const override { return 3.14f * radius * radius; }
};

extern "C" __global__ void pointers(int* out, int k) { out[threadIdx.x] = operations[k](out[0], 3); }

extern "C" __global__ void virtuals(float* out, int k) {
    Square square(out[0]);
    Disc disc(out[1]);
    const Shape* shape = k ? static_cast<const Shape*>(&square) : &disc;
    out[2] = shape->area() + shape->edge();
}

extern "C" __global__ void says(int n, float x) {
    printf("thread %d of %d: %f \"quoted\" {brace; // not a comment\n", threadIdx.x, n, x);
    assert(n > 3);
}

extern "C" __global__ void allocates(int** out, int n) {
    out[threadIdx.x] = new int[n];
    out[0][0] = n;
    delete[] out[threadIdx.x + 1];
}
