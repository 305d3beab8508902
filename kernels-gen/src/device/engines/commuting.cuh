// commuting: first runs the transactions whose order does not matter, all at once and without locks, then the others as the default
// engine does.
//
// Source: ours, on the escrow method (O'Neil: The Escrow Transactional Method, TODS 1986): an update that adds to an element needs no
// lock if every value that the element can have meanwhile satisfies the conditions of all transactions. A batch is known in full,
// so these values are known before.
//
// The analysis finds the procedures: each element changes by one operation that commutes with itself, by a value that follows from the
// arguments; what decides whether an attempt goes on are bounds of single elements that change by sums; and the result follows from
// the arguments. Their functions run as they are, on other values:
//   stm_sum_changes    on the values that the elements have. What they add to an element and take from it is summed up, in two sums
//   stm_apply_changes  on the least and on the greatest value that each element can have while others run. A transaction that
//                      commits on both commits on every value between them, because bounds are intervals. It is committed: its
//                      changes are added to a third sum of each element. Operations other than sums change the element itself
//   stm_settle_changes for each element: adds the third sum to its value
// Where many do not pass, because together they could take more than there is, the host runs the stages again on one slice of the
// transactions after the other.
// Where there are few elements, a block sums up in copies in its own memory, and adds these to the sums in the end.
//
// Invariants
//   - No element that changes by sums changes before all transactions of the chunk, or of the slice, have been tested.
//   - A transaction that is committed is in the sums of all its elements. So at every time, in whatever order, an element has
//     at least its first value without what all of them take, and at most its first value with what all of them add.
//   - Two slots of a transaction may be one element, as in a transfer from an account to itself, if the first one is not used any more when
//     the second one is read. The limits of both contain what the element can hold then.
//   - A transaction that does not pass, faults, is rejected, waits, or uses two slots of one element in turn changes nothing. It runs later,
//     under locks, and sees everything that was added.
//   - The host zeroes the sums when the transactions of a chunk arrive, and before each slice.
//   - Histories: each version of a lock word is installed by one commit, in some order. The host numbers them by transaction.
//
// Atomics: sums and elements - add, relaxed, or compare-and-swap, relaxed; copies in block memory - add, relaxed, at block scope;
// statuses - plain, each by the thread of its transaction. The ends of the kernels order the stages, and a barrier of the block
// the copies.
// Causes of abort: those of the default engine.
// Limits: 24 bytes for each element that changes by sums; changes below 2^31; at most 8 elements a transaction.

// What the transactions of a chunk do to an element.
struct stm_sums {
  u64 taken, added;  // by those that may commit
  u64 applied;       // by those that have
};
static_assert(sizeof(stm_sums) == STM_SUM_BYTES, "host and device agree");

// A larger sum could overflow: a chunk has at most 2^32 transactions.
constexpr u64 STM_CHANGE_LIMIT = 1ull << 31;

// A transaction whose changes are in the sums. The status is not final: what a run that ends early has not applied is not committed.
constexpr stm_status STM_IS_SUMMED = STM_POSTPONED;

// What a function finds in the elements, and what becomes of what it writes.
enum stm_assumption : u32 { STM_PRESENT, STM_LEAST, STM_GREATEST, STM_APPLIED };

// An element that a transaction accesses.
struct stm_changed {
  stm_ref ref;
  stm_sums* sums;  // null where no transaction changes an element of the array by a sum
  u64 key;         // in histories
  u64 start;       // the value that was found
  u64 now;
  u64 amount;  // of the change
  bool adds;
  bool is_used;
  bool is_over;  // another slot of the same element was read after it
};

// The limits of a type, sign-extended.
template <class T>
struct stm_limits {
  static constexpr bool IS_INT = true, IS_SIGNED = (T)~(T)0 < (T)0;
  static constexpr u32 BITS = 8 * sizeof(T);
  static constexpr u64 LEAST = IS_SIGNED ? ~0ull << (BITS - 1) : 0, GREATEST = IS_SIGNED ? ~LEAST : ~0ull >> (64 - BITS);
};
struct stm_no_int {
  static constexpr bool IS_INT = false;
  static constexpr u64 LEAST = 0, GREATEST = ~0ull;
};
template <>
struct stm_limits<bool> : stm_no_int {};
template <>
struct stm_limits<f32> : stm_no_int {};
template <>
struct stm_limits<f64> : stm_no_int {};

// The value that a change leaves as it is.
template <class T>
STM_DEVICE T stm_neutral(stm_change change) {
  switch (change) {
    // mutation "neutral for a minimum": case STM_CHANGE_MIN: return (T)0;
    case STM_CHANGE_MIN: return (T)stm_limits<T>::GREATEST;
    case STM_CHANGE_MAX: return (T)stm_limits<T>::LEAST;
    case STM_CHANGE_AND: return (T)stm_limits<T>::GREATEST | (T)stm_limits<T>::LEAST;
    default: return (T)0;
  }
}

// Returns what an element holds after a change other than a sum.
template <class T>
STM_DEVICE T stm_after(T value, stm_change change, T operand) {
  switch (change) {
    case STM_CHANGE_MIN: return value < operand ? value : operand;
    case STM_CHANGE_MAX: return value > operand ? value : operand;
    case STM_CHANGE_AND: return (T)(value & operand);
    case STM_CHANGE_OR: return (T)(value | operand);
    default: return (T)(value ^ operand);
  }
}

// The word of that size.
template <u32 BYTES>
struct stm_word_of {
  typedef u32 type;
};
template <>
struct stm_word_of<8> {
  typedef u64 type;
};

// Changes an element within a word, which is larger where the element has 1 or 2 bytes.
template <class T, class Word>
STM_DEVICE void stm_change_within(u8* at, stm_change change, T operand) {
  constexpr Word MASK = (Word)~(Word)0 >> (8 * (sizeof(Word) - sizeof(T)));
  u32 shift = 8 * (u32)((u64)at % sizeof(Word));
  Word* word = (Word*)(at - (u64)at % sizeof(Word));
  Word seen = stm_load_relaxed(word);
#pragma unroll 1
  for (;;) {
    T after = stm_after(stm_word<T>::to(seen >> shift & MASK), change, operand);
    // mutation "neighbours in a word": Word want = (Word)stm_to_word(after) << shift;
    Word want = (seen & ~(MASK << shift)) | (Word)stm_to_word(after) << shift;
    Word found = stm_swap_relaxed(word, seen, want);
    if (found == seen) return;
    seen = found;
  }
}

template <class T>
STM_DEVICE void stm_change_element(u8* at, stm_change change, T operand) {
  typedef typename stm_word_of<sizeof(T)>::type word;
  stm_change_within<T, word>(at, change, operand);
}

// Adds to a sum in block memory. The device has no 64-bit addition there, so the halves are added, with what the lower one carries.
STM_DEVICE void stm_block_add(u64* sum, u64 amount) {
  u32 *halves = (u32*)sum, low = (u32)amount, high = (u32)(amount >> 32);
  // mutation "carry of a copy": stm_block_fetch_add_relaxed(halves, low);
  high += (u32)(stm_block_fetch_add_relaxed(halves, low) + low < low);
  if (high != 0) stm_block_fetch_add_relaxed(halves + 1, high);
}

// The copies of a block: `WORDS` for each element.
template <u32 WORDS>
struct stm_copies {
  // Every thread of the block calls this before the first addition.
  STM_DEVICE static void begin(const stm_params& p) {
    STM_BLOCK_MEMORY(memory);
    for (u64 at = threadIdx.x; at < WORDS * p.in_block; at += blockDim.x) ((u64*)memory)[at] = 0;
    __syncthreads();
  }
  // Adds to a word of an element: to its copy, or else to `sum`.
  STM_DEVICE static void add(const stm_params& p, const stm_sums* element, u32 word, u64* sum, u64 amount) {
    if (p.in_block == 0) return stm_add_relaxed(sum, amount);
    STM_BLOCK_MEMORY(memory);
    stm_block_add((u64*)memory + WORDS * (u64)(element - (const stm_sums*)p.sums) + word, amount);
  }
  // Every thread of the block calls this after the last addition. `first` is the word of `stm_sums` that the first copy is of.
  STM_DEVICE static void end(const stm_params& p, u32 first) {
    if (p.in_block == 0) return;
    STM_BLOCK_MEMORY(memory);
    __syncthreads();
    for (u64 at = threadIdx.x; at < WORDS * p.in_block; at += blockDim.x) {
      u64 sum = ((u64*)memory)[at];
      // mutation "copies of a block": if (sum != 0 && blockIdx.x == 0) stm_add_relaxed(p.sums + 3 * (at / WORDS) + first + at % WORDS, sum);
      if (sum != 0) stm_add_relaxed(p.sums + 3 * (at / WORDS) + first + at % WORDS, sum);
    }
  }
};

// Takes the place of `stm_tx`.
template <class F>
struct stm_change_set : stm_tx_base {
  stm_changed slots[F::SLOTS];
  stm_assumption assumption;
  bool overlaps;  // two slots of one element are used in turn

  STM_DEVICE void begin(stm_assumption assumed) {
    assumption = assumed;
    iterations = 0;
    overlaps = false;
#pragma unroll
    for (u32 slot = 0; slot < F::SLOTS; ++slot) slots[slot].is_used = slots[slot].is_over = false;
  }

  // Notes the slots of the same element that were used before this one, which is read for the first time.
  STM_DEVICE void close_others(u32 slot) {
#pragma unroll
    for (u32 other = 0; other < F::SLOTS; ++other) {
      if (other == slot || !slots[other].is_used || slots[other].ref.value != slots[slot].ref.value) continue;
      // mutation "one element twice":
      slots[other].is_over = true;
    }
  }

  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    if (!array.holds(index)) return fault(STM_FAULT_INDEX, location);
    stm_changed& at = slots[slot];
    if (at.is_over) overlaps = true;
    if (!at.is_used) {
      at.is_used = true;
      at.ref = array.ref(index);
      if (assumption == STM_PRESENT) close_others(slot);
      at.sums = array.at.extra == nullptr ? nullptr : (stm_sums*)array.at.extra + index;
      if constexpr (STM_RECORDED) at.key = stm_history_key(array, index);
      T value;
      if (!assume(at, F::slot_change(slot), &value)) return STM_CONFLICT;
      at.start = at.now = stm_to_word(value);
    }
    *out = stm_word<T>::to(at.now);
    return STM_OK;
  }

  // Finds what an element is taken to hold; returns false if its type has no such value.
  template <class T>
  STM_DEVICE bool assume(const stm_changed& at, stm_change change, T* value) {
    if constexpr (stm_limits<T>::IS_INT || sizeof(T) == 1) {
      if (change > STM_CHANGE_ADD) {
        *value = stm_neutral<T>(change);
        return true;
      }
    }
    T found = stm_word<T>::to(stm_value_load(at.ref.value, at.ref.width));
    *value = found;
    if (assumption == STM_PRESENT || assumption == STM_APPLIED) return true;
    if constexpr (stm_limits<T>::IS_INT) {
      bool up = assumption == STM_GREATEST;
      u64 own = change == STM_CHANGE_ADD && at.adds == up ? at.amount : 0;
      // mutation "least value": u64 by = up && at.sums != nullptr ? at.sums->added - own : 0;
      // mutation "greatest value": u64 by = up || at.sums == nullptr ? 0 : at.sums->taken - own;
      u64 by = at.sums == nullptr ? 0 : (up ? at.sums->added : at.sums->taken) - own;
      *value = (T)(up ? (u64)found + by : (u64)found - by);
      return by <= (up ? stm_limits<T>::GREATEST - (u64)found : (u64)found - stm_limits<T>::LEAST);
    }
    return true;
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32 slot, u32 location, const Array& array, u64 index, T value) {
    if (!array.holds(index)) return fault(STM_FAULT_INDEX, location);
    stm_changed& at = slots[slot];
    stm_change change = F::slot_change(slot);
    if (at.is_over) overlaps = true;
    if constexpr (stm_limits<T>::IS_INT || sizeof(T) == 1) {
      if (assumption == STM_APPLIED && change > STM_CHANGE_ADD) {
        // What was applied already is in `now`. Only `^` would apply it again.
        // mutation "what was applied already": u64 operand = stm_to_word(value);
        u64 operand = change == STM_CHANGE_XOR ? stm_to_word(value) ^ at.now : stm_to_word(value);
        stm_change_element(at.ref.value, change, stm_word<T>::to(operand));
      }
    }
    at.now = stm_to_word(value);
    if constexpr (stm_limits<T>::IS_INT) {
      if (assumption == STM_PRESENT) {
        T start = stm_word<T>::to(at.start);
        at.adds = value >= start;
        at.amount = at.adds ? (u64)value - (u64)start : (u64)start - (u64)value;
      }
    }
    return STM_OK;
  }

  // Returns whether the sums can hold the changes, and no element is used through two slots in turn.
  STM_DEVICE bool is_simple() const {
    bool simple = !overlaps;
#pragma unroll
    for (u32 slot = 0; slot < F::SLOTS; ++slot) {
      const stm_changed& at = slots[slot];
      if (at.is_used && F::slot_change(slot) == STM_CHANGE_ADD && at.amount >= STM_CHANGE_LIMIT) simple = false;
    }
    return simple;
  }

  // Returns whether some element changes by another operation than a sum.
  STM_DEVICE static constexpr bool changes_otherwise() {
    for (u32 slot = 0; slot < F::SLOTS; ++slot) {
      if (F::slot_change(slot) > STM_CHANGE_ADD) return true;
    }
    return false;
  }

  // Visits each element that changes by a sum.
  template <class Visit>
  STM_DEVICE void each_sum(Visit visit) {
#pragma unroll
    for (u32 slot = 0; slot < F::SLOTS; ++slot) {
      if (F::slot_change(slot) == STM_CHANGE_ADD && slots[slot].is_used) visit(slots[slot]);
    }
  }

  // Visits each lock word: its first element, and whether an element under it changes.
  template <class Visit>
  STM_DEVICE void each_lock(Visit visit) {
#pragma unroll
    for (u32 slot = 0; slot < F::SLOTS; ++slot) {
      if (!slots[slot].is_used) continue;
      bool is_first = true, changes = false;
#pragma unroll
      for (u32 other = 0; other < F::SLOTS; ++other) {
        bool is_same = slots[other].is_used && slots[other].ref.lock == slots[slot].ref.lock;
        is_first &= !(is_same && other < slot);
        changes |= is_same && F::slot_change(other) != STM_CHANGE_NONE;
      }
      if (is_first) visit(slots[slot], changes);
    }
  }
};

// The words of a result; C++ has no empty arrays.
template <class Specialization>
struct stm_result {
  static constexpr u32 WORDS = Specialization::facts::RESULTS == 0 ? 1 : Specialization::facts::RESULTS;
};

// Runs the function on such values.
template <class Specialization, class Set, class Args>
STM_DEVICE stm_status stm_run_on(Set& set, stm_assumption assumption, const stm_params& p, const Args& args, u64* result) {
  set.begin(assumption);
  return Specialization::body(set, p, args, result);
}

// Both stages begin and end in each block with these.
STM_DEVICE void stm_begin_sum_changes(const stm_params& p) { stm_copies<2>::begin(p); }
STM_DEVICE void stm_end_sum_changes(const stm_params& p) { stm_copies<2>::end(p, 0); }
STM_DEVICE void stm_begin_apply_changes(const stm_params& p) { stm_copies<1>::begin(p); }
STM_DEVICE void stm_end_apply_changes(const stm_params& p) { stm_copies<1>::end(p, 2); }

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_sum_changes(const stm_params& p, u32 transaction, Arrays... arrays) {
  if (!p.fresh && p.status[transaction] == STM_OK) return 0;
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  stm_change_set<typename Specialization::facts> set;
  u64 result[stm_result<Specialization>::WORDS];
  if (stm_run_on<Specialization>(set, STM_PRESENT, p, args, result) == STM_OK && set.is_simple()) {
    set.each_sum([&](const stm_changed& at) {
      stm_copies<2>::add(p, at.sums, at.adds ? 1 : 0, at.adds ? &at.sums->added : &at.sums->taken, at.amount);
    });
    p.status[transaction] = STM_IS_SUMMED;
  }
  return 0;
}

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_apply_changes(const stm_params& p, u32 transaction, Arrays... arrays) {
  typedef typename Specialization::facts facts;
  if (p.status[transaction] != STM_IS_SUMMED) return 0;
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  stm_change_set<facts> set;
  u64 result[stm_result<Specialization>::WORDS] = {};
  bool passes = stm_run_on<Specialization>(set, STM_PRESENT, p, args, result) == STM_OK;
  // mutation "test on the least values":
  passes = passes && stm_run_on<Specialization>(set, STM_LEAST, p, args, result) == STM_OK;
  passes = passes && stm_run_on<Specialization>(set, STM_GREATEST, p, args, result) == STM_OK;
  // mutation "apply what has not passed": if (false) {
  if (!passes) {
    p.status[transaction] = STM_PENDING;
    return 0;
  }
  if constexpr (stm_change_set<facts>::changes_otherwise()) stm_run_on<Specialization>(set, STM_APPLIED, p, args, result);
  set.each_sum([&](const stm_changed& at) {
    // mutation "what is taken": stm_copies<1>::add(p, at.sums, 0, &at.sums->applied, at.amount);
    stm_copies<1>::add(p, at.sums, 0, &at.sums->applied, at.adds ? at.amount : 0 - at.amount);
  });
  p.status[transaction] = STM_OK;
  if constexpr (facts::RESULTS != 0) stm_store_result<facts::RESULTS>(p, transaction, result);
  if constexpr (STM_RECORDED) {
    stm_log log = {p.log + (u64)transaction * p.log_stride, 0};
    set.each_lock([&](const stm_changed& at, bool changes) {
      u64 version = (changes ? stm_fetch_add_relaxed(at.ref.lock, 2) : stm_load_relaxed(at.ref.lock)) >> 1;
      log.put(false, at.key, version);
      if (changes) log.put(true, at.key, version + 1);
    });
    log.at[0] = log.count | STM_HISTORY_UNORDERED;
  }
  return 1;
}

// Adds what was applied to the elements of an array.
template <class T, bool CELLS>
STM_DEVICE void stm_settle_changes(const stm_params&, const stm_address& array) {
  constexpr u32 WIDTH = CELLS ? 0 : (u32)sizeof(T);
  const stm_sums* sums = (const stm_sums*)array.extra;
  u64 threads = (u64)gridDim.x * blockDim.x;
#pragma unroll 1
  for (u64 index = (u64)blockIdx.x * blockDim.x + threadIdx.x; index < array.len; index += threads) {
    u64 by = sums[index].applied;
    if (by == 0) continue;
    u8* value = array.data + (CELLS ? (index << 4) + 8 : index * sizeof(T));
    // mutation "settle an element": stm_value_store(value, WIDTH, by);
    stm_value_store(value, WIDTH, stm_value_load(value, WIDTH) + by);
  }
}
