// in-turns: first runs the transactions that declare all their accesses on one block, each when those before it that meet it have ended, with
// the outcome of running them in the order of the batch; then the others as the default engine does.
//
// Source: ours, on queues of lock requests in the order of the batch (Calvin: Thomson, Diamond, Weng, Ren, Shao, Abadi, SIGMOD 2012).
//
// Each element has a queue, which several may share. Before anything runs, each access gets a place in it: how many transactions of
// the queue have to end before. Then the threads of a block take the transactions in order, and each runs as soon as its queues have come
// that far. A hand-over takes a look at the memory of the block, where between blocks it takes one at that of the device.
//
// Invariants
//   - A queue contains its transactions in the order of the batch. One that writes there comes after all earlier ones. One that only
//     reads comes after the last earlier one that writes: so those that read run together.
//   - What counts is how many have ended. Of those that read together some may have ended, and the next one that writes
//     still waits for the others.
//   - A transaction has one place in a queue. If it reads and writes there, it writes.
//   - Each warp takes its transactions in order, and those of its lanes that wait do not keep the others from running: so the first
//     transaction that has not ended is held by a lane that looks, and its turn has come.
//   - Values change in place, each by the one transaction that runs there, and within this block: before a transaction ends in its queues,
//     what it has written is visible to the block. Lock words change in recorded runs alone, to number versions.
//
// Atomics: queues - or, add and load, relaxed, at block scope, with fences; the barrier of the grid - add, release, and load, acquire; values -
// plain.
// Causes of abort: none of its own; those of the default engine.
// Limits: a transaction with more than 16 elements, or that prints, runs later.

constexpr u32 STM_NO_QUEUE = ~0u;
// With the number of a queue: the transaction writes there; or no earlier one of its share does.
constexpr u32 STM_WRITES_THERE = 1u << 31, STM_FIRST_OF_SHARE = 1u << 30;

// The transactions of a queue: how many there are, and how many up to the last one that writes.
struct stm_queue {
  u32 length, written;
  STM_DEVICE stm_queue followed_by(stm_queue next) const {
    return {length + next.length, next.written == 0 ? written : length + next.written};
  }
};
static_assert(sizeof(stm_queue) == STM_QUEUE_BYTES, "host and device agree");

// The place of a transaction in a queue, and how many of the queue have to end before its turn.
struct stm_queue_place {
  u32 queue, turn;
};
static_assert(sizeof(stm_queue_place) == STM_QUEUE_BYTES, "host and device agree");

// What the device keeps for a chunk, zeroed before.
struct stm_queues_head {
  u64 arrived, expected;  // at the barrier of the grid
};
static_assert(sizeof(stm_queues_head) == STM_QUEUES_BYTES, "host and device agree");

// After the head: what the shares have in the queues, and the places of the transactions.
struct stm_queues {
  stm_queues_head* head;
  u64 transactions;
  u32 count;

  STM_DEVICE explicit stm_queues(const stm_params& p) : head((stm_queues_head*)p.chunk), transactions(p.transactions), count((u32)p.in_block) {}
  STM_DEVICE stm_queue* of_share(u32 share, u32 queue) const { return (stm_queue*)(head + 1) + (u64)share * count + queue; }
  STM_DEVICE stm_queue_place* place(u32 nth, u32 transaction) const {
    return (stm_queue_place*)of_share(STM_MOST_SHARES, 0) + nth * transactions + transaction;
  }
};

// Takes the place of `stm_tx` to enqueue what a transaction declares. Neighbouring elements have different queues.
struct stm_enqueuing {
  stm_queues queues;
  u32 transaction;

  STM_DEVICE void put(u32 slot, u32 queue) const { *queues.place(slot, transaction) = {queue, 0}; }
  template <class Array>
  STM_DEVICE void declare(u32 slot, stm_intent intent, const Array& array, u64 index) const {
    if (!array.holds(index)) return put(slot, STM_NO_QUEUE);
    u32 queue = (u32)((u64)array.ref(index).lock >> (Array::IS_CELLS ? 4 : 3)) & (queues.count - 1);
    put(slot, intent == STM_READ ? queue : queue | STM_WRITES_THERE);
  }
  STM_DEVICE void declare(u32 slot, stm_intent, const stm_no_array&, u64) const { put(slot, STM_NO_QUEUE); }
};

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_enqueue(const stm_params& p, u32 transaction, Arrays... arrays) {
  constexpr u32 DECLARED = Specialization::facts::FIXED;
  stm_enqueuing enqueuing = {stm_queues(p), transaction};
  bool was_at_rest = stm_was_at_rest<Specialization>(p, transaction);
#pragma unroll
  for (u32 slot = was_at_rest ? 0 : DECLARED; slot < STM_QUEUED; ++slot) enqueuing.put(slot, STM_NO_QUEUE);
  if (was_at_rest) return 0;
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  Specialization::declare(enqueuing, p, args);
  return 0;
}

// The turn of a transaction.
struct stm_turn {
  stm_block_counts ended;  // transactions, by queue
  stm_queue_place places[STM_QUEUED];

  STM_DEVICE stm_turn(const stm_params& p, u8* memory, u32 transaction) : ended(memory) {
    stm_queues queues(p);
#pragma unroll
    for (u32 nth = 0; nth < STM_QUEUED; ++nth) {
      places[nth] = *queues.place(nth, transaction);
      // An access without a queue gets an extra one. Its turn is 0, so it never waits.
      if (places[nth].queue == STM_NO_QUEUE) places[nth] = {queues.count, 0};
    }
  }
  STM_DEVICE bool has_come() const {
    bool has = true;
#pragma unroll
    for (u32 nth = 0; nth < STM_QUEUED; ++nth) {
      // mutation "look at the queues": if (nth == 0) @
      has &= ended.load_relaxed(places[nth].queue) >= places[nth].turn;
    }
    return has;
  }
  STM_DEVICE void pass() const {
#pragma unroll
    for (u32 nth = 0; nth < STM_QUEUED; ++nth) ended.increment_relaxed(places[nth].queue);
  }
};

// How often a lane looks before those with other functions do.
constexpr u32 STM_LOOKS = 1u << 5;

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_run_at_turn(const stm_params& p, u32 transaction, Arrays... arrays) {
  if (stm_was_at_rest<Specialization>(p, transaction)) return STM_ENDED;
  STM_BLOCK_MEMORY(memory);
  stm_turn turn(p, memory, transaction);
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  stm_in_turn<typename Specialization::facts, true> tx;
  tx.iterations = 0;
  Specialization::declare(tx, p, args);
  u32 end = STM_STAYS;
#pragma unroll 1
  for (u32 look = 0; end == STM_STAYS && look < STM_LOOKS; ++look) {
    if (turn.has_come()) {
      stm_block_fence_acq_rel();
#pragma unroll
      for (u32 slot = 0; slot < tx.N; ++slot) tx.load(slot);
      end = stm_take_turn<Specialization>(p, tx, args, transaction, [&] {
        stm_block_fence_acq_rel();
        turn.pass();
      });
    }
#if !STM_EMULATED
    // The lanes meet here. Those that have run would otherwise wait after the loop for those that wait for them.
    asm volatile("" : "+r"(end));
#endif
  }
  return end;
}
