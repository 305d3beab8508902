// A radix sort by the blocks of a grid that all run at the same time, and the barrier that it needs.

constexpr u32 STM_SORT_DIGITS = 256, STM_SORT_WARPS = 8, STM_SORT_ROUNDS = 4;

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

// Returns the sum of the values of the lanes up to this one.
STM_DEVICE u32 stm_sum_up_to(u32 value, u32 lane) {
#pragma unroll
  for (u32 by = 1; by < 32; by *= 2) {
    u32 other = __shfl_up_sync(~0u, value, by);
    if (lane >= by) value += other;
  }
  return value;
}

// A stable radix sort of the keys with their places, by the blocks of a grid, each on one part of them. A pass is one digit of 8 bits: the
// blocks count their digits; then each row of counts is summed up; then each block moves its keys.
struct stm_sort {
  u32* keys[2];
  u32* places[2];
  u32* totals;     // of each digit
  u32* histogram;  // of each block, digit by digit
  stm_grid grid;
  u32 (*counts)[STM_SORT_DIGITS];  // of each warp, in block memory
  u32* offsets;                    // of each digit, in block memory
  u32 size, begin, end, shift, from;

  STM_DEVICE void share_out(u32 all) {
    u32 share = (u32)((all + grid.blocks - 1) / grid.blocks);
    size = all;
    begin = share * blockIdx.x < all ? share * blockIdx.x : all;
    end = all - begin < share ? all : begin + share;
  }

  STM_DEVICE u32 digit(u32 key) const { return key >> shift & (STM_SORT_DIGITS - 1); }

  STM_DEVICE void count() {
    for (u32 of = threadIdx.x; of < STM_SORT_DIGITS; of += blockDim.x) counts[0][of] = 0;
    __syncthreads();
    for (u32 part = begin; part < end; part += blockDim.x * STM_SORT_ROUNDS) {
      u32 own[STM_SORT_ROUNDS];
#pragma unroll
      for (u32 round = 0; round < STM_SORT_ROUNDS; ++round) {
        u32 at = part + round * blockDim.x + threadIdx.x;
        own[round] = at < end ? keys[from][at] : 0;
      }
#pragma unroll
      for (u32 round = 0; round < STM_SORT_ROUNDS; ++round) {
        if (own[round] != 0) stm_block_fetch_add_relaxed(&counts[0][digit(own[round])], 1u);
      }
    }
    __syncthreads();
    for (u32 of = threadIdx.x; of < STM_SORT_DIGITS; of += blockDim.x) {
      histogram[of * grid.blocks + blockIdx.x] = counts[0][of];
    }
  }

  // Replaces the counts of a digit by the sums of those before them.
  STM_DEVICE void sum_up(u32 of) {
    u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, before = 0;
    u32* row = histogram + of * grid.blocks;
    for (u32 first = 0; first < grid.blocks; first += blockDim.x) {
      u32 at = first + threadIdx.x;
      u32 own = at < grid.blocks ? row[at] : 0, up_to = stm_sum_up_to(own, lane);
      if (lane == 31) offsets[warp] = up_to;
      __syncthreads();
      u32 all = 0;
      for (u32 other = 0; other < blockDim.x >> 5; ++other) {
        if (other == warp) up_to += all;
        all += offsets[other];
      }
      if (at < grid.blocks) row[at] = before + up_to - own;
      before += all;
      __syncthreads();
    }
    if (threadIdx.x == 0) totals[of] = before;
  }

  // Finds where the block's keys of each digit go. Returns the number of all keys.
  STM_DEVICE u32 find_offsets() {
    u32 before = 0;
    if (threadIdx.x < 32) {
      for (u32 of = threadIdx.x; of < STM_SORT_DIGITS; of += 32) {
        u32 own = totals[of], up_to = stm_sum_up_to(own, threadIdx.x);
        offsets[of] = before + up_to - own + histogram[of * grid.blocks + blockIdx.x];
        before += __shfl_sync(~0u, up_to, 31);
      }
      if (threadIdx.x == 0) counts[0][0] = before;
    }
    __syncthreads();
    u32 all = counts[0][0];
    __syncthreads();
    return all;
  }

  // Moves the keys of a part of the block's share, so that those with the same digit keep their order.
  STM_DEVICE void move(u32 part) {
    u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    u32 first = part + warp * 32 * STM_SORT_ROUNDS + lane;
    u32 own[STM_SORT_ROUNDS], place[STM_SORT_ROUNDS], alike[STM_SORT_ROUNDS];
    for (u32 of = lane; of < STM_SORT_DIGITS; of += 32) counts[warp][of] = 0;
    __syncwarp();
// All loads first, so that they are under way together.
#pragma unroll
    for (u32 round = 0; round < STM_SORT_ROUNDS; ++round) {
      u32 at = first + 32 * round;
      own[round] = at < end ? keys[from][at] : 0;
      place[round] = shift == 0 || at >= end ? at : places[from][at];
    }
#pragma unroll
    for (u32 round = 0; round < STM_SORT_ROUNDS; ++round) {
      alike[round] = __match_any_sync(~0u, own[round] == 0 ? STM_SORT_DIGITS : digit(own[round]));
      bool is_first = (alike[round] & ((1u << lane) - 1)) == 0;
      if (is_first && own[round] != 0) counts[warp][digit(own[round])] += (u32)__popc(alike[round]);
      __syncwarp();
    }
    __syncthreads();
    for (u32 of = threadIdx.x; of < STM_SORT_DIGITS; of += blockDim.x) {
      u32 next = offsets[of];
      for (u32 other = 0; other < blockDim.x >> 5; ++other) {
        u32 of_warp = counts[other][of];
        counts[other][of] = next;
        next += of_warp;
      }
      offsets[of] = next;
    }
    __syncthreads();
#pragma unroll
    for (u32 round = 0; round < STM_SORT_ROUNDS; ++round) {
      u32 key = own[round], before = (u32)__popc(alike[round] & ((1u << lane) - 1));
      u32 next = key == 0 ? 0 : counts[warp][digit(key)];
      __syncwarp();
      if (key != 0) {
        // mutation "order of equal keys": u32 to = next + (u32)__popc(alike[round]) - 1 - before;
        u32 to = next + before;
        keys[1 - from][to] = key;
        places[1 - from][to] = place[round];
        if (before == 0) counts[warp][digit(key)] = next + (u32)__popc(alike[round]);
      }
      __syncwarp();
    }
    __syncthreads();
  }

  STM_DEVICE void pass() {
    count();
    grid.meet();
    for (u32 of = blockIdx.x; of < STM_SORT_DIGITS; of += (u32)grid.blocks) sum_up(of);
    grid.meet();
    u32 all = find_offsets();
    for (u32 part = begin; part < end; part += blockDim.x * STM_SORT_ROUNDS) move(part);
    grid.meet();
    share_out(all);
    from = 1 - from;
  }
};
