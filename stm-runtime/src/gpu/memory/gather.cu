// Copies rows of a column to a list: some, or the first ones.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

struct stm_params {
  u64 cells;  // the address of the column
  u64 width;  // the bytes of a cell: 1, 2, 4 or 8
  u64 apart;  // how many cells further the next row is
  u64 rows;   // the address of the numbers of the rows; 0 for the first ones
  u64 count;  // how many rows
  u64 list;   // the address of the list
};

template <typename T> __device__ void stm_gather(const stm_params& p) {
  const u64 threads = (u64)gridDim.x * blockDim.x;
  for (u64 nth = (u64)blockIdx.x * blockDim.x + threadIdx.x; nth < p.count; nth += threads)
    ((T*)p.list)[nth] = ((const T*)p.cells)[(p.rows ? ((const u64*)p.rows)[nth] : nth) * p.apart];
}

extern "C" __global__ void stm_run(const __grid_constant__ stm_params p) {
  if (p.width == 8) stm_gather<u64>(p);
  if (p.width == 4) stm_gather<u32>(p);
  if (p.width == 2) stm_gather<u16>(p);
  if (p.width == 1) stm_gather<u8>(p);
}
