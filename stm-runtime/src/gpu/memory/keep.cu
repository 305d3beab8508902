// Copies the results of the transactions of a chunk that have committed to those of the batch.

typedef unsigned char u8;
typedef unsigned long long u64;

struct stm_params {
  u64 status;      // the address of the statuses; 0 if all have committed
  u64 committed;   // the status of one that has
  u64 from;        // the address of the results: components one after the other
  u64 stride;      // the words of a component there
  u64 components;  // how many
  u64 count;       // how many transactions
  u64 numbers;     // the address of their numbers in the batch; 0 if they follow each other
  u64 first;       // the number of the first one then
  u64 to;          // the address of the results of the batch
  u64 transactions;  // of the batch
};

extern "C" __global__ void stm_run(const __grid_constant__ stm_params p) {
  const u64 threads = (u64)gridDim.x * blockDim.x;
  for (u64 nth = (u64)blockIdx.x * blockDim.x + threadIdx.x; nth < p.count; nth += threads) {
    if (p.status && ((const u8*)p.status)[nth] != p.committed) continue;
    const u64 at = p.numbers ? ((const u64*)p.numbers)[nth] : p.first + nth;
    for (u64 component = 0; component < p.components; ++component)
      ((u64*)p.to)[component * p.transactions + at] = ((const u64*)p.from)[component * p.stride + nth];
  }
}
