// one-block: runs a batch as `commuting` does, but what that runs under locks, in one block, with all elements and lock words in the
// memory of that block.
//
// Source: ours. A thread that waits for a lock gets it after some 200 cycles there, and after some 4,000 in device memory. Where most
// transactions need the same few elements, that time decides, and not the number of threads.
//
// Invariants
//   - While the block runs transactions, elements and lock words in device memory are not accessed. They are copied into the memory of
//     the block before, and back after all of its threads have ended.
//   - In the memory of the block elements are packed and lock words lie apart, also where there are cells in device memory. So the
//     strategies of `priority` see arrays without cells.
//   - Arrays that no procedure writes stay in device memory.
//
// Atomics: those of `priority`, at block scope; the barriers before and after order the copies.
// Causes of abort: those of `priority`.
// Limits: all elements that some procedure of the batch may write, with 8 bytes for each lock word, have to fit into the memory of a
// block, and one multiprocessor does all the work.

// Returns the address of an array in the memory of the block.
STM_DEVICE stm_address stm_in_block(const stm_address& at) {
  STM_BLOCK_MEMORY(memory);
  return {memory + (u32)at.block, (u64*)(memory + (u32)(at.block >> 32)), at.len, at.extra, at.block};
}

// Returns an array where a transaction finds it. The stages before the execution find it in device memory.
template <class Tx, class Array>
STM_DEVICE const Array& stm_placed(const Tx&, const Array& array) { return array; }
template <class F, class T, u32 GROUP, bool CELLS, u32 COVERAGE_LOG2, u32 COMPONENT>
STM_DEVICE stm_array<T, GROUP, false, COVERAGE_LOG2, COMPONENT> stm_placed(
    const stm_tx<F>&, const stm_array<T, GROUP, CELLS, COVERAGE_LOG2, COMPONENT>& array) {
  return {stm_in_block(array.at)};
}
template <class F, class T, bool CELLS, u32 COVERAGE_LOG2>
STM_DEVICE stm_any_array<T, false, COVERAGE_LOG2> stm_placed(const stm_tx<F>&, const stm_any_array<T, CELLS, COVERAGE_LOG2>& array) {
  return {{stm_in_block(array.at)}, array.id};
}

// Moves an array into the memory of the block, or back; its lock words too, if it is the first that they belong to. Every thread moves
// elements of its own.
template <bool IN, class T, bool CELLS, u32 COVERAGE_LOG2, bool LEADS>
STM_DEVICE void stm_move_array(const stm_address& there) {
  stm_address here = stm_in_block(there);
  T* values = (T*)here.data;
  u32 locks = LEADS ? (u32)(there.len + (1ull << COVERAGE_LOG2) - 1 >> COVERAGE_LOG2) : 0;
#pragma unroll 1
  for (u32 i = threadIdx.x; i < (u32)there.len; i += blockDim.x) {
    u64* cell = (u64*)there.data + 2 * i + 1;
    if constexpr (IN) {
      values[i] = CELLS ? *(T*)cell : ((T*)there.data)[i];
    } else if constexpr (CELLS) {
      // mutation "elements go back: cells": if (i != 0) @
      *(T*)cell = values[i];
    } else {
      // mutation "elements go back":
      ((T*)there.data)[i] = values[i];
    }
  }
#pragma unroll 1
  for (u32 i = threadIdx.x; i < locks; i += blockDim.x) {
    u64* word = CELLS ? (u64*)there.data + 2 * i : there.locks + i;
    if constexpr (IN) {
      // mutation "lock words come too": here.locks[i] = 0;
      here.locks[i] = *word;
    } else {
      // mutation "lock words go back":
      *word = here.locks[i];
    }
  }
}
