// A stage that runs transactions of a chunk in their turn, in rounds. A launch runs those from `first` on, below `end`.
// Needs the claims of the engine.

// One block of a grid, while it makes rounds.
struct stm_round_maker {
  stm_rounds* rounds;
  stm_round* round;
  stm_grid grid;
  u64 done;      // rounds, with those of earlier launches
  u32 slots;     // claims of a table
  bool is_exhausted;

  STM_DEVICE stm_round_maker(const stm_params& p, u8* memory) {
    rounds = (stm_rounds*)p.chunk;
    round = (stm_round*)memory;
    is_exhausted = false;
    grid = {&rounds->arrived, stm_blocks(), rounds->expected};
    done = rounds->done;
    // As many as the host has made room for.
    slots = STM_FEWEST_CLAIMS;
    while (slots < p.transactions && slots < STM_MOST_CLAIMS) slots *= 2;
  }

  // Lets both tables begin anew.
  STM_DEVICE void clear() const {
    u64* claims = (u64*)rounds->tables();
    u32 threads = stm_blocks() * blockDim.x;
#pragma unroll 1
    for (u32 at = stm_block() * blockDim.x + threadIdx.x; at < 2 * slots; at += threads) claims[at] = 0;
  }

  // Begins a round.
  STM_DEVICE void begin() {
    __syncthreads();
    if (done % STM_ROUNDS == 0 && done != 0) {
      grid.meet();
      clear();
      grid.meet();
    }
    if (threadIdx.x == 0) {
      round->table = rounds->tables() + (done & 1) * slots;
      round->mask = slots - 1;
      round->number = (u32)(done % STM_ROUNDS) + 1;
      round->needed = round->is_busy = 0;
    }
    __syncthreads();
  }

  // Returns the next transaction for each thread that needs one; those of the others mean nothing.
  STM_DEVICE u32 hand_out(const stm_params& p, bool needs) {
    u32 lacking = __ballot_sync(~0u, needs), lane = threadIdx.x & 31, before = 0;
    if (lane == 0 && lacking != 0) before = stm_block_fetch_add_relaxed(&round->needed, (u32)__popc(lacking));
    before = __shfl_sync(~0u, before, 0);
    __syncthreads();
    if (threadIdx.x == 0) {
      u32 needed = round->needed;
      if (needed != 0) {
        u64 next = is_exhausted ? p.end : p.first + stm_fetch_add_relaxed(&rounds->next, needed);
        is_exhausted = next >= p.end;
        round->first = (u32)next;
      }
    }
    __syncthreads();
    return round->first + before + (u32)__popc(lacking & ((1u << lane) - 1));
  }

  // Waits until all have claimed. Returns whether any thread of the grid is busy.
  STM_DEVICE bool all_have_claimed(bool is_busy) {
    if (is_busy) stm_block_store_relaxed(&round->is_busy, 1u);
    __syncthreads();
    if (threadIdx.x == 0 && round->is_busy != 0) stm_store_relaxed(&rounds->is_busy[done % 3], (u64)1);
    // Clears the word of the round before the last one: all threads have read it.
    if (threadIdx.x == 0 && stm_block() == 0) stm_store_relaxed(&rounds->is_busy[(done + 1) % 3], (u64)0);
    // mutation "all claim before one runs": __syncthreads();
    grid.meet();
    bool is_any = stm_load_relaxed(&rounds->is_busy[done % 3]) != 0;
    done += 1;
    return is_any;
  }

  // Leaves the memory of the chunk as the next launch needs it.
  STM_DEVICE void end() const {
    if (threadIdx.x != 0 || stm_block() != 0) return;
    rounds->next = 0;
    rounds->done = done;
    rounds->expected = grid.expected;
  }
};

// Gives the transactions that threads of a block hold to other threads, so that those of one specialization are neighbours: lanes that run
// different functions run one after the other.
STM_DEVICE void stm_regroup(u32 lanes, u32& held, u32& specialization) {
  STM_SHARED_ARRAY(u32, counts, STM_SPECIALIZATIONS);
  STM_SHARED_ARRAY(u32, regrouped, STM_BLOCK_WARPS * 32);
  u32 lane = threadIdx.x & 31, before = 0;
  if (threadIdx.x < STM_SPECIALIZATIONS) counts[threadIdx.x] = 0;
  regrouped[threadIdx.x] = STM_NO_TRANSACTION;
  __syncthreads();
  bool holds = held != STM_NO_TRANSACTION;
#pragma unroll 1
  for (u32 of = 0; of < STM_SPECIALIZATIONS; ++of) {
    u32 alike = __ballot_sync(~0u, holds && specialization == of), first = 0;
    if (lane == 0 && alike != 0) first = stm_block_fetch_add_relaxed(&counts[of], (u32)__popc(alike));
    first = __shfl_sync(~0u, first, 0);
    if (holds && specialization == of) before = first + (u32)__popc(alike & ((1u << lane) - 1));
  }
  __syncthreads();
  if (holds) {
    for (u32 of = 0; of < specialization; ++of) before += counts[of];
    regrouped[before / lanes * 32 + before % lanes] = held * STM_SPECIALIZATIONS + specialization;
  }
  __syncthreads();
  u32 both = regrouped[threadIdx.x];
  held = both == STM_NO_TRANSACTION ? both : both / STM_SPECIALIZATIONS;
  specialization = both % STM_SPECIALIZATIONS;
}

// `is_visited` says by the specialization which transactions run in their turn.
template <class IsVisited, class Claim, class Run>
STM_DEVICE void stm_make_rounds(const stm_params& p, IsVisited is_visited, Claim claim, Run run) {
  STM_BLOCK_MEMORY(memory);
  stm_round_maker maker(p, memory);
  u32 lane = threadIdx.x & 31, held = STM_NO_TRANSACTION, specialization = 0, committed = 0;
#pragma unroll 1
  for (;;) {
    maker.begin();
    bool needs = held == STM_NO_TRANSACTION && lane < (u32)p.lanes;
    u32 next = maker.hand_out(p, needs);
    bool is_there = needs && next < p.end;
    if (is_there) {
      specialization = stm_specialization_of(p, next);
      if (is_visited(specialization)) held = next;
    }
    if constexpr (STM_SPECIALIZATIONS > 1 && STM_PROCEDURE_PASSES > 1) stm_regroup((u32)p.lanes, held, specialization);
    bool holds = held != STM_NO_TRANSACTION;
    if (holds) claim(held, specialization);
    // After one that runs later there may be others.
    if (!maker.all_have_claimed(holds || is_there)) break;
    if (holds) {
      u32 end = run(held, specialization);
      committed += end == STM_COMMITS;
      // mutation "a transaction that does not run stays": held = STM_NO_TRANSACTION;
      if (end != STM_STAYS) held = STM_NO_TRANSACTION;
    }
  }
  maker.end();
  stm_add_visited(p, lane, committed);
}
