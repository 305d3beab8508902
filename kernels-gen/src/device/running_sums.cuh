// What writes that add something find, by a scan over the sorted places: each gets what the places before it add up to.
//
// Needs placed_versions.cuh and radix_sort.cuh. A part of the places is that of a block of a grid, all of which run at the same time.
//
// The value at a place is the value at the place before it, and what its own write adds. At the first place of an element that is what
// the array holds, and what the write adds. If the value at the place before is known only when its transaction runs, then so is this
// one. The same holds if both places are of one transaction that may have read the element before the first of its two writes.

// Places one after the other: what they add up to, after the state of the last one that does not add, or STM_ADDS_UP if all do.
struct stm_span {
  u64 value, state;

  STM_DEVICE stm_span then(stm_span next) const {
    return next.state == STM_ADDS_UP ? stm_span{value + next.value, state} : next;
  }
};

// The places of a thread that are under way together.
constexpr u32 STM_SUM_ROUNDS = 4;

// What a block keeps while it sums up.
struct stm_sum_memory {
  stm_span of_warps[STM_SORT_WARPS];
  stm_span before[32];  // by cell: what the places before add up to
  stm_span after[32];   // by cell: what the last places of the block add up to
};

template <bool LATE>
struct stm_running_sums {
  const stm_versions<LATE>* versions;
  stm_grid grid;
  stm_sum_memory* own;
  const u32 *keys, *places;  // sorted
  u32 begin, end;            // the block's

  // What each block's places add up to lies where the sort has counted.
  STM_DEVICE stm_span* of_blocks(u32 cell) const { return (stm_span*)(((u64)versions->totals + 15) & ~15ull) + cell * grid.blocks; }

  template <class Visit>
  STM_DEVICE void each_cell(Visit visit) const {
#pragma unroll 1
    for (u32 cell = 0; versions->ADDS >> cell != 0; ++cell) {
      if (versions->ADDS >> cell & 1) visit(cell);
    }
  }

  STM_DEVICE static bool adds(stm_pair version) { return version.word == STM_ADDS_UP || version.word == STM_ADDS_LATE; }

  // Returns the effect of the place at `at`, which has this version. It is to be resolved where it adds something.
  STM_DEVICE stm_span effect(u32 at, u32 place, stm_pair version) const {
    if (!adds(version)) return {version.value, version.word};
    if (at == 0 || keys[at - 1] != keys[at]) return {version.value, STM_ON_ELEMENT};
    bool is_second = version.word == STM_ADDS_LATE && places[at - 1] / versions->WRITES == place / versions->WRITES;
    // mutation "additions of one transaction": return {version.value, STM_ADDS_UP};
    return {version.value, is_second ? STM_EXPECTED : STM_ADDS_UP};
  }

  // Returns the span that ends before each thread's own, and makes `before` of the cell the one that ends with that of the last thread.
  STM_DEVICE stm_span up_to(stm_span span, u32 cell) const {
    u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
    for (u32 by = 1; by < 32; by *= 2) {
      stm_span other = {__shfl_up_sync(~0u, span.value, by), __shfl_up_sync(~0u, span.state, by)};
      if (lane >= by) span = other.then(span);
    }
    if (lane == 31) own->of_warps[warp] = span;
    stm_span earlier = {__shfl_up_sync(~0u, span.value, 1), __shfl_up_sync(~0u, span.state, 1)};
    if (lane == 0) earlier = {0, STM_ADDS_UP};
    stm_span all = own->before[cell];
    __syncthreads();
    for (u32 other = 0; other < blockDim.x >> 5; ++other) {
      if (other == warp) earlier = all.then(earlier);
      all = all.then(own->of_warps[other]);
    }
    if (threadIdx.x == 0) own->before[cell] = all;
    __syncthreads();
    return earlier;
  }

  STM_DEVICE static void clear(stm_span (&spans)[32]) {
    if (threadIdx.x < 32) spans[threadIdx.x] = {0, STM_ADDS_UP};
    __syncthreads();
  }

  // Passes a tile of the block's places, and publishes those that add if `publishes`. The cells of a place lie together: the first look at
  // them brings all.
  STM_DEVICE void pass(u32 first, bool publishes) const {
    u32 from = first + threadIdx.x * STM_SUM_ROUNDS, of_thread[STM_SUM_ROUNDS];
#pragma unroll
    for (u32 nth = 0; nth < STM_SUM_ROUNDS; ++nth) {
      of_thread[nth] = from + nth < end ? places[from + nth] : 0;
      if (from + nth < end) each_cell([&](u32 cell) { versions->prefetch(of_thread[nth], cell); });
    }
    each_cell([&](u32 cell) { pass_cell(from, of_thread, cell, publishes); });
  }

  STM_DEVICE void pass_cell(u32 from, const u32 (&of_thread)[STM_SUM_ROUNDS], u32 cell, bool publishes) const {
    stm_pair found[STM_SUM_ROUNDS];
    stm_span effects[STM_SUM_ROUNDS], span = {0, STM_ADDS_UP};
#pragma unroll
    for (u32 nth = 0; nth < STM_SUM_ROUNDS; ++nth) found[nth] = from + nth < end ? versions->load(of_thread[nth], cell) : stm_pair{STM_VOID, 0};
#pragma unroll
    for (u32 nth = 0; nth < STM_SUM_ROUNDS; ++nth) {
      effects[nth] = from + nth < end ? effect(from + nth, of_thread[nth], found[nth]) : stm_span{0, STM_ADDS_UP};
      span = span.then(effects[nth]);
    }
    stm_span now = up_to(span, cell);
    if (!publishes) return;
#pragma unroll
    for (u32 nth = 0; nth < STM_SUM_ROUNDS; ++nth) {
      now = now.then(effects[nth]);
      // mutation "additions after an unknown value": if (adds(found[nth])) versions->store(of_thread[nth], cell, STM_PUBLISHED, now.value);
      if (adds(found[nth])) versions->store(of_thread[nth], cell, now.state, now.value);
    }
  }

  // Finds what the block's places add up to. Only those after the last one that does not add count, so it begins with the last tile.
  STM_DEVICE void find_own() const {
    u32 tile = blockDim.x * STM_SUM_ROUNDS;
    clear(own->after);
#pragma unroll 1
    for (u32 tiles = (end - begin + tile - 1) / tile; tiles > 0; --tiles) {
      clear(own->before);
      pass(begin + (tiles - 1) * tile, false);
      bool is_known = true;
      if (threadIdx.x < 32) own->after[threadIdx.x] = own->before[threadIdx.x].then(own->after[threadIdx.x]);
      __syncthreads();
      each_cell([&](u32 cell) { is_known = is_known && own->after[cell].state != STM_ADDS_UP; });
      // mutation "additions before the last tile": break;
      if (is_known) break;
      __syncthreads();
    }
    each_cell([&](u32 cell) {
      if (threadIdx.x == 0) of_blocks(cell)[stm_block()] = own->after[cell];
    });
  }

  STM_DEVICE void resolve() {
    find_own();
    grid.meet();
    clear(own->before);
    each_cell([&](u32 cell) {
#pragma unroll 1
      for (u32 first = 0; first < stm_block(); first += blockDim.x) {
        u32 block = first + threadIdx.x;
        // mutation "additions of other blocks": up_to({0, STM_ADDS_UP}, cell);
        up_to(block < stm_block() ? of_blocks(cell)[block] : stm_span{0, STM_ADDS_UP}, cell);
      }
    });
    for (u32 first = begin; first < end; first += blockDim.x * STM_SUM_ROUNDS) pass(first, true);
  }
};

template <bool LATE>
STM_DEVICE void stm_add_up(const stm_params& p) {
  STM_SHARED_ARRAY(stm_sum_memory, memory, 1);
  stm_versions<LATE> versions(p);
  u32 all = (u32)*versions.listed;
  u64 blocks = versions.size / STM_SORT_SHARE + 1;
  if (blocks > stm_blocks()) blocks = stm_blocks();
  if (versions.ADDS == 0 || stm_block() >= blocks) return;
  u64 share = (all + blocks - 1) / blocks, begin = share * stm_block();
  stm_running_sums<LATE> sums = {&versions, {versions.arrived_at_sums, blocks, 0}, memory, versions.sorted_keys(), versions.sorted()};
  sums.begin = (u32)(begin < all ? begin : all);
  sums.end = (u32)(begin + share < all ? begin + share : all);
  sums.resolve();
}
