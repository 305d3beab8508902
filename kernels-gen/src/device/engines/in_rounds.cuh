// in-rounds: first runs the transactions that declare all their accesses, as many at once as do not meet, with the outcome of running them
// in the order of the batch; then the others as the default engine does.
//
// Source: ours, on deterministic reservations (Blelloch, Fineman, Gibbons, Shun: Internally deterministic parallel algorithms can be fast,
// PPoPP 2012).
//
// Each thread holds one transaction. In a round, all that are held claim what they declare: a claim names the earliest transaction of the
// round that reads there, and the earliest that writes. Then those run that meet no earlier claim. The others stay for the next round,
// and the threads whose transactions have ended take the next ones of the batch.
//
// Invariants
//   - Transactions are handed out in the order of the batch, before the claims of a round. So when a transaction looks at the claims, each
//     earlier one has ended or is among them, and the first that is held runs in any case.
//   - Between the claims of a round and its runs lies a barrier of all threads. The next round claims in another table, and its barrier
//     comes after these runs: no claim is lost while someone looks at it, and no two transactions that meet run in one round.
//   - A claim of an earlier round is less than any of this one. After STM_ROUNDS rounds the tables begin anew.
//   - Elements under one lock word are claimed together. Two words may share a claim: then transactions wait without need.
//   - Values change in place, each by the one transaction that runs there. Lock words change in recorded runs alone, to number versions.
//
// Atomics: claims - maximum and load, relaxed; the barrier of the grid - add, release, and load, acquire; values - relaxed.
// Causes of abort: none of its own; those of the default engine.
// Limits: a transaction with more than 16 elements, or that prints, runs later.

constexpr u32 STM_NO_TRANSACTION = ~0u;

// A claim is the round, and below it how many transactions of the chunk at most come after the one that claims: the greatest is the earliest
// one of the last round.
constexpr u32 STM_CLAIM_BITS = 20, STM_ROUNDS = (1u << (32 - STM_CLAIM_BITS)) - 1;

// What a block keeps in its own memory.
struct stm_round {
  stm_claims* table;
  u32 mask;
  u32 number;  // of the round, from 1 on
  u32 needed;  // threads without a transaction
  u32 first;   // the first of the transactions that they take
  u32 is_busy; // whether some thread holds one
  u32 unused;
};
static_assert(sizeof(stm_round) == STM_ROUND_BYTES, "host and device agree");

// What the device keeps for a chunk, zeroed before. The tables follow.
struct stm_rounds {
  u64 arrived, expected;  // at the barrier of the grid
  u64 next;               // transactions that were handed out
  u64 done;               // rounds of earlier launches
  u64 is_busy[3];         // of the last rounds, by turns
  u64 unused;

  STM_DEVICE stm_claims* tables() { return (stm_claims*)(this + 1); }
};
static_assert(sizeof(stm_rounds) == STM_ROUNDS_BYTES, "host and device agree");

STM_DEVICE u32 stm_claim_by(const stm_round& round, u32 transaction) {
  // mutation "the earliest claims": return round.number << STM_CLAIM_BITS | transaction;
  // mutation "claims of a round": return (1u << STM_CLAIM_BITS) - 1 - transaction;
  return round.number << STM_CLAIM_BITS | ((1u << STM_CLAIM_BITS) - 1 - transaction);
}

// Takes the place of `stm_tx` to claim what a transaction declares.
struct stm_claimant {
  const stm_round* round;
  u32 claim;

  template <class Array>
  STM_DEVICE void declare(u32, stm_intent intent, const Array& array, u64 index) const {
    if (!array.holds(index)) return;
    stm_claims* claims = round->table + stm_claims_of(array, index, round->mask);
    // mutation "claims of readers": if (intent != STM_READ) stm_max_relaxed(&claims->writers, claim);
    stm_max_relaxed(intent == STM_READ ? &claims->readers : &claims->writers, claim);
  }
  STM_DEVICE void declare(u32, stm_intent, const stm_no_array&, u64) const {}
};

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_claim(const stm_params& p, u32 transaction, Arrays... arrays) {
  if (stm_was_at_rest<Specialization>(p, transaction)) return 0;
  STM_BLOCK_MEMORY(memory);
  const stm_round* round = (const stm_round*)memory;
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  stm_claimant claimant = {round, stm_claim_by(*round, transaction)};
  Specialization::declare(claimant, p, args);
  return 0;
}

// Takes the place of `stm_tx` to run, once no earlier transaction can change what it declares.
template <class F>
struct stm_in_round : stm_in_turn<F, false> {
  const stm_round* round;
  u32 claim;
  bool has_turn;

  template <class Array>
  STM_DEVICE void declare(u32 slot, stm_intent intent, const Array& array, u64 index) {
    stm_ordered_locking<F>::declare(slot, intent, array, index);
    if (this->entries[slot].ref.lock == nullptr) return;
    stm_claims* claims = round->table + stm_claims_of(array, index, round->mask);
    // mutation "look at the claims of writers": u32 first = 0;
    u32 first = stm_load_relaxed(&claims->writers);
    // mutation "look at the claims of readers": u32 readers = 0;
    u32 readers = intent == STM_READ ? 0 : stm_load_relaxed(&claims->readers);
    if (readers > first) first = readers;
    has_turn &= first <= claim;
    // Before it is known whether the turn has come, so that no load waits for another one.
    this->load(slot);
  }
  STM_DEVICE void declare(u32 slot, stm_intent intent, const stm_no_array& array, u64 index) {
    stm_ordered_locking<F>::declare(slot, intent, array, index);
  }
};

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_run_in_round(const stm_params& p, u32 transaction, Arrays... arrays) {
  if (stm_was_at_rest<Specialization>(p, transaction)) return STM_ENDED;
  STM_BLOCK_MEMORY(memory);
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  stm_in_round<typename Specialization::facts> tx;
  tx.round = (const stm_round*)memory;
  tx.claim = stm_claim_by(*tx.round, transaction);
  tx.has_turn = true;
  tx.iterations = 0;
  Specialization::declare(tx, p, args);
  return tx.has_turn ? stm_take_turn<Specialization>(p, tx, args, transaction, [] {}) : STM_STAYS;
}
