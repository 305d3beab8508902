// A barrier for blocks of a grid that all run at the same time.

// A barrier for the first blocks of the grid.
struct stm_grid {
  u64* arrived;
  u64 blocks, expected;
  STM_DEVICE void meet() {
    __syncthreads();
    expected += blocks;
    if (threadIdx.x == 0) {
      stm_add_release(arrived, 1);
#pragma unroll 1
      while (stm_load_acquire(arrived) < expected) __nanosleep(64);
    }
    __syncthreads();
  }
};
