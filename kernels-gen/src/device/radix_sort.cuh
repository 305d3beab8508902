// A radix sort by the blocks of a grid that all run at the same time.

constexpr u32 STM_SORT_DIGITS = 256, STM_SORT_WARPS = 8, STM_SORT_ROUNDS = 16;
// The fewest places of a block that sorts.
constexpr u32 STM_SORT_SHARE = 4096;

// What a block keeps while it sorts: 42 KB of its memory.
struct stm_sort_memory {
  u32 counts[STM_SORT_WARPS][STM_SORT_DIGITS];
  u32 offsets[STM_SORT_DIGITS];  // where the block's next key of each digit goes
  u32 starts[STM_SORT_DIGITS];   // where the keys of each digit begin among those that it moves together
  u32 keys[32 * STM_SORT_WARPS * STM_SORT_ROUNDS];
  u32 places[32 * STM_SORT_WARPS * STM_SORT_ROUNDS];
  u32 all;
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
  u32 *keys, *places, *next_keys, *next_places;
  u32* later_keys;  // takes the place of the first ones, which stay as they came
  u32* totals;     // of each digit
  u32* histogram;  // of each block, digit by digit
  stm_grid grid;
  stm_sort_memory* own;
  u32 size, begin, end, shift;

  STM_DEVICE void share_out(u32 all) {
    u32 share = (u32)((all + grid.blocks - 1) / grid.blocks);
    size = all;
    begin = share * stm_block() < all ? share * stm_block() : all;
    end = all - begin < share ? all : begin + share;
  }

  STM_DEVICE u32 digit(u32 key) const { return key >> shift & (STM_SORT_DIGITS - 1); }

  STM_DEVICE void count() {
    for (u32 of = threadIdx.x; of < STM_SORT_DIGITS; of += blockDim.x) own->counts[0][of] = 0;
    __syncthreads();
    for (u32 part = begin; part < end; part += blockDim.x * STM_SORT_ROUNDS) {
      u32 found[STM_SORT_ROUNDS];
#pragma unroll
      for (u32 round = 0; round < STM_SORT_ROUNDS; ++round) {
        u32 at = part + round * blockDim.x + threadIdx.x;
        found[round] = at < end ? keys[at] : 0;
      }
#pragma unroll
      for (u32 round = 0; round < STM_SORT_ROUNDS; ++round) {
        if (found[round] != 0) stm_block_fetch_add_relaxed(&own->counts[0][digit(found[round])], 1u);
      }
    }
    __syncthreads();
    for (u32 of = threadIdx.x; of < STM_SORT_DIGITS; of += blockDim.x) {
      histogram[of * grid.blocks + stm_block()] = own->counts[0][of];
    }
  }

  // Replaces the counts of a digit by the sums of those before them.
  STM_DEVICE void sum_up(u32 of) {
    u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, before = 0;
    u32* row = histogram + of * grid.blocks;
    for (u32 first = 0; first < grid.blocks; first += blockDim.x) {
      u32 at = first + threadIdx.x;
      u32 count = at < grid.blocks ? row[at] : 0, up_to = stm_sum_up_to(count, lane);
      if (lane == 31) own->offsets[warp] = up_to;
      __syncthreads();
      u32 all = 0;
      for (u32 other = 0; other < blockDim.x >> 5; ++other) {
        if (other == warp) up_to += all;
        all += own->offsets[other];
      }
      if (at < grid.blocks) row[at] = before + up_to - count;
      before += all;
      __syncthreads();
    }
    if (threadIdx.x == 0) totals[of] = before;
  }

  // Replaces counts of the digits by the sums of those before them, and finds the sum of all. Every thread of the block calls it.
  STM_DEVICE void sum_digits(u32* counts) {
    if (threadIdx.x < 32) {
      u32 before = 0;
      for (u32 of = threadIdx.x; of < STM_SORT_DIGITS; of += 32) {
        u32 count = counts[of], up_to = stm_sum_up_to(count, threadIdx.x);
        counts[of] = before + up_to - count;
        before += __shfl_sync(~0u, up_to, 31);
      }
      if (threadIdx.x == 0) own->all = before;
    }
    __syncthreads();
  }

  // Finds where the block's keys of each digit go. Returns the number of all keys.
  STM_DEVICE u32 find_offsets() {
    for (u32 of = threadIdx.x; of < STM_SORT_DIGITS; of += blockDim.x) own->offsets[of] = totals[of];
    __syncthreads();
    sum_digits(own->offsets);
    for (u32 of = threadIdx.x; of < STM_SORT_DIGITS; of += blockDim.x) {
      own->offsets[of] += histogram[of * grid.blocks + stm_block()];
    }
    u32 all = own->all;
    __syncthreads();
    return all;
  }

  // Moves the keys of a part of the block's share, so that those with the same digit keep their order. They change places in block memory
  // first: then neighbouring threads store neighbouring words.
  STM_DEVICE void move(u32 part) {
    u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    u32 first = part + warp * 32 * STM_SORT_ROUNDS + lane;
    u32 found[STM_SORT_ROUNDS], place[STM_SORT_ROUNDS], alike[STM_SORT_ROUNDS];
    for (u32 of = lane; of < STM_SORT_DIGITS; of += 32) own->counts[warp][of] = 0;
    __syncwarp();
    // All loads first, so that they are under way together.
#pragma unroll
    for (u32 round = 0; round < STM_SORT_ROUNDS; ++round) {
      u32 at = first + 32 * round;
      found[round] = at < end ? keys[at] : 0;
      place[round] = shift == 0 || at >= end ? at : places[at];
    }
#pragma unroll
    for (u32 round = 0; round < STM_SORT_ROUNDS; ++round) {
      alike[round] = __match_any_sync(~0u, found[round] == 0 ? STM_SORT_DIGITS : digit(found[round]));
      bool is_first = (alike[round] & ((1u << lane) - 1)) == 0;
      if (is_first && found[round] != 0) own->counts[warp][digit(found[round])] += (u32)__popc(alike[round]);
      __syncwarp();
    }
    __syncthreads();
    for (u32 of = threadIdx.x; of < STM_SORT_DIGITS; of += blockDim.x) {
      u32 count = 0;
      for (u32 other = 0; other < blockDim.x >> 5; ++other) count += own->counts[other][of];
      own->starts[of] = count;
    }
    __syncthreads();
    sum_digits(own->starts);
    for (u32 of = threadIdx.x; of < STM_SORT_DIGITS; of += blockDim.x) {
      u32 next = own->starts[of];
      for (u32 other = 0; other < blockDim.x >> 5; ++other) {
        u32 of_warp = own->counts[other][of];
        own->counts[other][of] = next;
        next += of_warp;
      }
    }
    __syncthreads();
#pragma unroll
    for (u32 round = 0; round < STM_SORT_ROUNDS; ++round) {
      u32 key = found[round], before = (u32)__popc(alike[round] & ((1u << lane) - 1));
      u32 next = key == 0 ? 0 : own->counts[warp][digit(key)];
      __syncwarp();
      if (key != 0) {
        // mutation "order of equal keys": u32 to = next + (u32)__popc(alike[round]) - 1 - before;
        u32 to = next + before;
        own->keys[to] = key;
        own->places[to] = place[round];
        if (before == 0) own->counts[warp][digit(key)] = next + (u32)__popc(alike[round]);
      }
      __syncwarp();
    }
    __syncthreads();
    for (u32 at = threadIdx.x; at < own->all; at += blockDim.x) {
      u32 key = own->keys[at], to = own->offsets[digit(key)] + at - own->starts[digit(key)];
      next_keys[to] = key;
      next_places[to] = own->places[at];
    }
    __syncthreads();
    for (u32 of = threadIdx.x; of < STM_SORT_DIGITS; of += blockDim.x) {
      u32 next = of + 1 < STM_SORT_DIGITS ? own->starts[of + 1] : own->all;
      own->offsets[of] += next - own->starts[of];
    }
    __syncthreads();
  }

  STM_DEVICE void pass() {
    count();
    grid.meet();
    for (u32 of = stm_block(); of < STM_SORT_DIGITS; of += (u32)grid.blocks) sum_up(of);
    grid.meet();
    u32 all = find_offsets();
    for (u32 part = begin; part < end; part += blockDim.x * STM_SORT_ROUNDS) move(part);
    grid.meet();
    share_out(all);
    u32 *old_keys = keys, *old_places = places;
    keys = next_keys, places = next_places;
    next_keys = shift == 0 ? later_keys : old_keys, next_places = old_places;
  }
};
