// Makes cells of packed numbers. Each piece has some blocks.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

struct stm_params {
  u64 pieces; // the address of their descriptions
  u64 blocks; // of each
};

struct stm_piece {
  u64 from, to; // addresses
  u64 base;     // what is added to each number
  u64 cells;
  u64 wide, narrow; // bytes of a cell, and of its number
};

template <class Narrow, class Wide> __device__ void stm_widen(const stm_piece& piece, u64 first, u64 step) {
  const Narrow* from = (const Narrow*)piece.from;
  Wide* to = (Wide*)piece.to;
  for (u64 at = first; at < piece.cells; at += step) to[at] = (Wide)(piece.base + from[at]);
}

extern "C" __global__ void stm_run(const __grid_constant__ stm_params p) {
  const stm_piece piece = ((const stm_piece*)p.pieces)[blockIdx.x / p.blocks];
  const u64 first = blockIdx.x % p.blocks * blockDim.x + threadIdx.x, step = p.blocks * blockDim.x;
  if (piece.wide == 8) {
    if (piece.narrow == 1) stm_widen<u8, u64>(piece, first, step);
    if (piece.narrow == 2) stm_widen<u16, u64>(piece, first, step);
    if (piece.narrow == 4) stm_widen<u32, u64>(piece, first, step);
  } else {
    if (piece.narrow == 1) stm_widen<u8, u32>(piece, first, step);
    if (piece.narrow == 2) stm_widen<u16, u32>(piece, first, step);
  }
}
