template <typename T>
__device__ T three() {
    return T(3);
}
