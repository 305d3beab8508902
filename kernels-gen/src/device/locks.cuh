// Operations on one element and the word that locks it, for engines with versioned locks. They work on cells and on separate lock
// words alike; atomics.cuh explains the memory order.

// mutation "spin limit": constexpr u32 STM_SPIN_LIMIT = ~0u;
constexpr u32 STM_SPIN_LIMIT = 24;  // loads of a lock word before giving up

// Loads the lock word and the value, without locking.
STM_DEVICE stm_pair stm_lock_load(const stm_ref& ref) {
  if (ref.width == 0) return stm_cell_load(ref.lock);
  // mutation "version before the value": u64 value = stm_value_load(ref.value, ref.width);
  u64 word = stm_load_acquire(ref.lock);
  // mutation "value after the version": return {stm_load_acquire(ref.lock), value};
  return {word, stm_value_load(ref.value, ref.width)};
}

STM_DEVICE u64 stm_lock_word(const stm_ref& ref) {
  return ref.width == 0 ? stm_cell_load(ref.lock).word : stm_load_acquire(ref.lock);
}

// Acquires the lock and returns its previous contents. If the word is odd, another thread holds the lock and nothing was acquired.
STM_DEVICE stm_pair stm_lock_acquire(const stm_ref& ref, u64 mark) {
  if (ref.width == 0) return stm_cell_exchange(ref.lock, {mark, 0});
  u64 word = stm_exchange_acquire(ref.lock, mark);
  return {word, (word & 1) ? 0 : stm_value_load(ref.value, ref.width)};
}

STM_DEVICE void stm_lock_release(const stm_ref& ref, stm_pair pair) {
  if (ref.width == 0) {
    stm_cell_store(ref.lock, pair);
  } else {
    stm_store_release(ref.lock, pair.word);
  }
}

// Returns whether the lock is still free and at the same version.
STM_DEVICE bool stm_lock_same(const stm_ref& ref, stm_pair pair) {
  return ref.width == 0 ? stm_cell_same(ref.lock, pair) : stm_same_acq_rel(ref.lock, pair.word);
}

// The same without any order: a fence orders several of them at once.
STM_DEVICE bool stm_lock_same_relaxed(const stm_ref& ref, stm_pair pair) {
  return ref.width == 0 ? stm_cell_same(ref.lock, pair) : stm_swap_relaxed(ref.lock, pair.word, pair.word) == pair.word;
}

// Waiting is rare and out of line (STM_OUTLINE): inlined for each access it would double the code.
// Returns the word of a lock, after waiting a little for a holder of lower priority.
STM_OUTLINE u64 stm_lock_word_after_wait(stm_ref ref, u32 owner) {
#pragma unroll 1
  for (u32 spin = 0;; ++spin) {
    u64 word = stm_lock_word(ref);
    if (!(word & 1) || (u32)(word >> 1) <= owner || spin == STM_SPIN_LIMIT) return word;
    __nanosleep(20);
  }
}
// Returns the lock word and the value, after waiting a little for any holder.
STM_OUTLINE stm_pair stm_lock_load_after_wait(stm_ref ref) {
  stm_pair pair = {1, 0};
#pragma unroll 1
  for (u32 spin = 0; (pair.word & 1) && spin < STM_SPIN_LIMIT; ++spin) {
    __nanosleep(20);
    pair = stm_lock_load(ref);
  }
  return pair;
}

// The base of engines with versioned locks.
struct stm_versioned : stm_tx_base {
  // Loads one element while it is not locked. The reader holds nothing here, so it may wait for any holder.
  STM_DEVICE stm_status load(const stm_ref& ref, u32 location, stm_pair* out) {
    stm_pair pair = stm_lock_load(ref);
    if (pair.word & 1) pair = stm_lock_load_after_wait(ref);
    // mutation "locked element":
    if (pair.word & 1) return conflict(STM_LOCKED, location, ref.lock);
    *out = pair;
    return STM_OK;
  }
};
