// in-turns: first runs the transactions that declare all their accesses on one block, turn by turn, with the outcome of running them in the order
// of the batch; then the others as the default engine does.
//
// Source: ours. Turns: deterministic reservations (Blelloch, Fineman, Gibbons, Shun: Internally deterministic parallel algorithms can be
// fast, PPoPP 2012). To find them before anything runs: Calvin (Thomson, Diamond, Weng, Ren, Shao, Abadi, SIGMOD 2012).
//
// The batch is cut into windows. Each block finds the turns of some windows: all transactions of a window claim what they declare, and those
// that meet no earlier claim have the first turn. The others claim again for the next one. No values are needed for that, so the windows do not
// wait for each other. Then one block runs the turns one after the other, the transactions of one turn together. Small arrays are in its
// memory meanwhile.
//
// Invariants
//   - Of two transactions of a window that meet, and of which one writes there, the earlier one has an earlier turn: as long as it claims,
//     the other one finds its claim. All turns of a window come before those of the next one.
//   - A claim of an earlier turn is less than any of this one. Turns claim in two tables alternately, with one barrier each: the next
//     claims in this table come after the next barrier, and all looks at these claims before it.
//   - Elements under one lock word are claimed together. Two words may share a claim: then a transaction has a later turn without need.
//   - A transaction runs when all of earlier turns have ended. Each warp takes groups in order, so the first group that has not ended
//     is held by a warp, and waits for none.
//   - Values change in place, each by the one transaction of a turn that writes there, and within this block: before a transaction ends,
//     what it has written is visible to the block. Lock words change in recorded runs alone, to number versions.
//   - An array that the block keeps goes back to the memory of the device before the launch ends.
//
// Atomics: claims - maximum, relaxed, at block scope; transactions that have ended - add and load, relaxed, at block scope, with fences; the
// barrier of the grid - add, release, and load, acquire; values - plain.
// Causes of abort: none of its own; those of the default engine.
// Limits: a transaction with more than 16 elements, or that prints, runs later.

// The most transactions of a window.
constexpr u32 STM_WINDOW_BITS = 12;
static_assert(1u << STM_WINDOW_BITS == STM_LARGEST_WINDOW, "host and device agree");

// Returns how many transactions each window has: a power of two, and at most 32 for each thread. The larger they are, the fewer turns there
// are; but where there are few transactions, all blocks find turns only in small ones. Short batches of tests have several windows, too.
STM_DEVICE u32 stm_window_size(const stm_params& p) {
#if STM_EMULATED
  return STM_SMALLEST_WINDOW;
#else
  u32 size = STM_USUAL_WINDOW;
  while (size < STM_LARGEST_WINDOW && size <= 16 * blockDim.x && size * stm_blocks() < p.end - p.first) size *= 2;
  return size;
#endif
}

// In place of the number of a claim, and with one: the transaction writes there.
constexpr u16 STM_NO_CLAIM = 0xffff, STM_WRITES_THERE = 1u << 15;

// A claim is the turn, and below it how many transactions of the window at most come after the one that claims: the greatest is the earliest
// one of the last turn.
STM_DEVICE u32 stm_claim_by(u32 turn, u32 nth_of_window) {
  // mutation "the earliest one of a turn": return turn << STM_WINDOW_BITS | nth_of_window;
  return turn << STM_WINDOW_BITS | ((u32)STM_LARGEST_WINDOW - 1 - nth_of_window);
}

// What the device keeps for a chunk, zeroed before.
struct stm_turns_head {
  u64 arrived, expected;  // at the barrier of the grid
};
static_assert(sizeof(stm_turns_head) == STM_TURNS_BYTES, "host and device agree");

// Transactions of a turn with one function: `count` of the list of their window, from `first` on. Those before `turn` have earlier turns.
struct stm_turn_group {
  u16 first, turn, count, unused;
};
// How many groups a window has, and how many transactions.
struct stm_window {
  u32 groups, transactions;
};
static_assert(sizeof(stm_turn_group) == 8 && sizeof(stm_window) == 8, "host and device agree");

// After the head: the windows, their groups, and the transactions in the order of their turns.
struct stm_turn_lists {
  stm_turns_head* head;
  u64 transactions;
  u32 first, size;  // the first transaction of the launch, and the size of a window

  STM_DEVICE explicit stm_turn_lists(const stm_params& p)
      : head((stm_turns_head*)p.chunk), transactions(p.transactions), first((u32)p.first), size(stm_window_size(p)) {}
  STM_DEVICE stm_window* window(u32 number) const { return (stm_window*)(head + 1) + number; }
  STM_DEVICE stm_turn_group* groups(u32 window_number) const {
    return (stm_turn_group*)window((u32)(transactions / STM_SMALLEST_WINDOW) + 1) + (u64)window_number * size;
  }
  STM_DEVICE u32* order(u32 window_number) const { return (u32*)(groups(0) + transactions) + (u64)window_number * size; }
};

// What a block keeps while it finds the turns of a window. Of three turns, of which the first one is listed, the second one counted, and the
// third one claimed. The tables of claims follow.
struct stm_finding {
  u32 counts[3][STM_MOST_FUNCTIONS];  // the transactions with each function
  u32 firsts[3][STM_MOST_FUNCTIONS];  // where they begin in the list
  u32 is_busy[4];                     // whether some transaction claims
  u32 first, unused;                  // the first transaction of the window
  u16 ranks[STM_LARGEST_WINDOW];      // of the transactions, among those of one function
  u16 claims[STM_CLAIMED][STM_LARGEST_WINDOW];
};
static_assert(sizeof(stm_finding) == STM_FINDING_BYTES + 2 * STM_CLAIMED * STM_LARGEST_WINDOW, "host and device agree");

// Takes the place of `stm_tx` to list what a transaction claims.
struct stm_claimant {
  stm_finding* finding;
  u32 nth_of_window, mask;

  STM_DEVICE void put(u32 slot, u32 claim) const { finding->claims[slot][nth_of_window] = (u16)claim; }
  template <class Array>
  STM_DEVICE void declare(u32 slot, stm_intent intent, const Array& array, u64 index) const {
    if (!array.holds(index)) return put(slot, STM_NO_CLAIM);
    u32 claim = stm_claims_of(array, index, mask);
    // mutation "claim of a writer": put(slot, claim);
    put(slot, intent == STM_READ ? claim : claim | STM_WRITES_THERE);
  }
  STM_DEVICE void declare(u32 slot, stm_intent, const stm_no_array&, u64) const { put(slot, STM_NO_CLAIM); }
};

// Returns 1 if the transaction gets a turn.
template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_list_claims(const stm_params& p, u32 transaction, Arrays... arrays) {
  constexpr u32 DECLARED = Specialization::facts::FIXED;
  if (stm_was_at_rest<Specialization>(p, transaction)) return 0;
  STM_BLOCK_MEMORY(memory);
  stm_claimant claimant = {(stm_finding*)memory, transaction - ((stm_finding*)memory)->first, (u32)p.in_block - 1};
#pragma unroll
  for (u32 slot = DECLARED; slot < STM_CLAIMED; ++slot) claimant.put(slot, STM_NO_CLAIM);
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  Specialization::declare(claimant, p, args);
  return 1;
}

// The turn of a transaction is far off while that many have to end before.
constexpr u32 STM_FAR_OFF = 256;

// What the block that runs has first in its memory: how many transactions have ended, and by warp how many have to end before it goes on. The
// arrays that it keeps follow.
struct stm_turn_counts {
  stm_block_counts counts;
  u32 warp;

  STM_DEVICE explicit stm_turn_counts(u8* memory) : counts(memory), warp(threadIdx.x >> 5) {}
  STM_DEVICE void begin() const {
    if (threadIdx.x == 0) counts.store_relaxed(0, 0);
  }
  STM_DEVICE void set_needed(u32 needed) const { counts.store_relaxed(1 + warp, needed); }
  STM_DEVICE void wait() const {
    u32 needed = counts.load_relaxed(1 + warp);
    // mutation "earlier turns": needed = 0;
#pragma unroll 1
    for (;;) {
      u32 ended = counts.load_relaxed(0);
      if (ended >= needed) break;
      // Looks of warps whose turn is far off would slow down those that run.
      if (needed - ended > STM_FAR_OFF) __nanosleep(20);
    }
    stm_block_fence_acq_rel();
  }
  STM_DEVICE void end() const {
    stm_block_fence_acq_rel();
    counts.increment_relaxed(0);
  }
};
static_assert(4 * (1 + STM_TURN_WARPS) <= STM_KEPT_FROM, "host and device agree");

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_run_at_turn(const stm_params& p, u32 transaction, Arrays... arrays) {
  STM_BLOCK_MEMORY(memory);
  stm_turn_counts counts(memory);
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  stm_in_turn<typename Specialization::facts, true> tx;
  tx.iterations = 0;
  Specialization::declare(tx, p, args);
  counts.wait();
#pragma unroll
  for (u32 slot = 0; slot < tx.N; ++slot) tx.load(slot);
  return stm_take_turn<Specialization>(p, tx, args, transaction, [&] { counts.end(); });
}
