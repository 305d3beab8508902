// Lists the transactions of a chunk whose status is another one than that of nearly all.

typedef unsigned char u8;
typedef unsigned long long u64;

struct stm_params {
  u64 status;       // the address, a multiple of 8
  u64 transactions; // how many
  u64 usual;        // the status of nearly all
  u64 list;         // the address of the list: how many there are, then each with its status in the lowest byte
  u64 room;         // for that many
};

__device__ void stm_add(const stm_params& p, u64 transaction, u8 status) {
  if (transaction >= p.transactions || status == p.usual) return;
  u64* list = (u64*)p.list;
  const u64 nth = atomicAdd(list, 1ull);
  if (nth < p.room) list[1 + nth] = transaction << 8 | status;
}

extern "C" __global__ void stm_run(const __grid_constant__ stm_params p) {
  // Eight at a time. The memory behind the last one belongs to the chunk.
  const u64* words = (const u64*)p.status;
  const u64 threads = (u64)gridDim.x * blockDim.x, all = p.usual * 0x0101010101010101ull;
  for (u64 nth = (u64)blockIdx.x * blockDim.x + threadIdx.x; 8 * nth < p.transactions; nth += threads) {
    const u64 word = words[nth];
    if (word == all) continue;
    for (u64 of = 0; of < 8; ++of) stm_add(p, 8 * nth + of, (u8)(word >> 8 * of));
  }
}
