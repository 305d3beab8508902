// The elements that a transaction of any order changes, and what all of them do to an element.

// What some transactions of a chunk do to an element. Each has two: that of the transactions that may commit, or have, at the index of the
// element from `stm_address::extra` on; and before all of those, in the reverse order, that of those that have committed, or in the first
// stages of those that have not passed. So what the first stages need lies together.
struct alignas(16) stm_sums {
  u64 added, taken;
};
static_assert(2 * sizeof(stm_sums) == STM_SUM_BYTES, "host and device agree");

// How deep an element can get: it stays above zero, above half of the least value of its type, or does not.
enum stm_depth : u64 { STM_ABOVE_ZERO, STM_ABOVE_LOW, STM_NEAR_LIMITS };

// The depths of the 32 elements around one, after the sums of the array: the lower half of the word has a bit for those that can get below
// zero, the upper half for those near the limits.
STM_DEVICE u64* stm_depths(const stm_address& array, u64 index) {
  return (u64*)((stm_sums*)array.extra + array.len) + index / 32;
}

// The other sums of the same element.
STM_DEVICE stm_sums* stm_committed_sums(u64* all, const stm_sums* may) {
  return (stm_sums*)all - 1 - (may - (const stm_sums*)all);
}

// A larger sum could overflow: a chunk has at most 2^32 transactions.
constexpr u64 STM_CHANGE_LIMIT = 1ull << 31;

// What a function finds in the elements, and what becomes of what it writes.
enum stm_assumption : u32 {
  STM_ABUNDANT,  // half of the greatest value of their type; the changes are noted
  STM_PRESENT,   // what they hold; the changes are noted
  STM_CAUTIOUS,  // that, with what has been added, and without what may be taken; the changes are noted
  STM_SCANT,     // a floor, and what this transaction takes
  STM_LEAST,     // the least and the greatest value that they can have while others run
  STM_GREATEST,
  STM_APPLIED,   // the same as the last time; changes other than sums are made
};

// An element that a transaction accesses.
struct stm_changed {
  stm_ref ref;
  stm_sums* sums;  // of those that may commit; null where no transaction changes an element of the array by a sum
  const u64* depths;
  u32 index;       // in the depths
  u64 key;         // in histories
  u64 added;       // by others that had committed when it was first read
  u64 taken;
  u64 start;       // the value that was found
  u64 now;
  u64 amount;  // of the change
  bool adds;
  bool is_used;  // in the run that noted the changes
  bool is_found;  // in this run
  bool is_over;  // another slot of the same element was read after it
};

// The limits of a type, sign-extended.
template <class T>
struct stm_limits {
  static constexpr bool IS_INT = true, IS_SIGNED = (T)~(T)0 < (T)0;
  static constexpr u32 BITS = 8 * sizeof(T);
  static constexpr u64 LEAST = IS_SIGNED ? ~0ull << (BITS - 1) : 0, GREATEST = IS_SIGNED ? ~LEAST : ~0ull >> (64 - BITS);
  // Far from both limits.
  static constexpr u64 ABUNDANT = GREATEST >> 1, LOW = IS_SIGNED ? ~0ull << (BITS - 2) : 0;
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

// Takes the place of `stm_tx`.
template <class F>
struct stm_change_set : stm_tx_base {
  stm_changed slots[F::SLOTS];
  u64* all;  // sums of the elements
  stm_assumption assumption;
  bool others_commit;  // while this transaction is tested
  bool overlaps;  // two slots of one element are used in turn

  STM_DEVICE void begin(stm_assumption assumed) {
    assumption = assumed;
    if (notes_changes()) others_commit = assumed == STM_CAUTIOUS;
    iterations = 0;
    overlaps = false;
#pragma unroll
    for (u32 slot = 0; slot < F::SLOTS; ++slot) {
      slots[slot].is_found = slots[slot].is_over = false;
      // A run that does not pass has not found all elements.
      // mutation "elements that were noted": slots[slot].is_used = false;
      if (notes_changes()) slots[slot].is_used = false;
    }
  }

  STM_DEVICE bool notes_changes() const { return assumption <= STM_CAUTIOUS; }
  STM_DEVICE stm_sums* committed(const stm_changed& at) const { return stm_committed_sums(all, at.sums); }

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
    if (!at.is_found) {
      at.is_found = at.is_used = true;
      at.ref = array.ref(index);
      at.sums = array.at.extra == nullptr ? nullptr : (stm_sums*)array.at.extra + index;
      at.depths = stm_depths(array.at, index);
      at.index = index % 32 + (F::IS_BOUNDED ? 0 : 32);
      if (notes_changes()) {
        close_others(slot);
        at.adds = true;
        at.amount = 0;
        bool has_others = others_commit && at.sums != nullptr;
        at.added = has_others ? stm_load_relaxed(&committed(at)->added) : 0;
        at.taken = has_others ? stm_load_relaxed(&committed(at)->taken) : 0;
      }
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
    if (assumption == STM_APPLIED) {
      *value = stm_word<T>::to(at.start);
      return true;
    }
    if constexpr (stm_limits<T>::IS_INT) {
      if (at.sums != nullptr && assumption == STM_ABUNDANT) {
        *value = (T)stm_limits<T>::ABUNDANT;
        return true;
      }
      if (at.sums != nullptr && assumption == STM_SCANT) {
        // mutation "floor": u64 floor = stm_limits<T>::ABUNDANT;
        u64 floor = F::IS_BOUNDED ? 0 : stm_limits<T>::LOW;
        *value = (T)(floor + (change == STM_CHANGE_ADD && !at.adds ? at.amount : 0));
        return true;
      }
    }
    // What is read here changes only between the kernels: by `stm_settle_changes`.
    T found = stm_word<T>::to(stm_constant_load(at.ref.value, at.ref.width));
    *value = found;
    if (assumption == STM_PRESENT || at.sums == nullptr) return true;
    if constexpr (stm_limits<T>::IS_INT) {
      bool up = assumption == STM_GREATEST;
      u64 own = assumption != STM_CAUTIOUS && change == STM_CHANGE_ADD && at.adds == up ? at.amount : 0;
      u64* sum = up ? &at.sums->added : &at.sums->taken;
      u64 announced = (others_commit ? stm_load_relaxed(sum) : *sum) - own;
      // mutation "least value": u64 more = up ? announced : at.added, less = up ? at.taken : 0;
      // mutation "greatest value": u64 more = up ? 0 : at.added, less = up ? at.taken : announced;
      u64 more = up ? announced : at.added, less = up ? at.taken : announced;
      *value = (T)((u64)found + more - less);
      return more >= less ? more - less <= stm_limits<T>::GREATEST - (u64)found : less - more <= (u64)found - stm_limits<T>::LEAST;
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
      if (notes_changes()) {
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

  // Returns whether all elements stay between floor and half.
  STM_DEVICE bool is_far_from_limits() const {
    bool is_far = true;
#pragma unroll
    for (u32 slot = 0; slot < F::SLOTS; ++slot) {
      const stm_changed& at = slots[slot];
      // mutation "depth of an element":
      if (at.is_used && at.sums != nullptr && (__ldg(at.depths) >> at.index & 1)) is_far = false;
    }
    return is_far;
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

