// One element and the word that locks it: what engines with versioned locks do to it. Works on cells and on separate lock
// words alike; atomics.cuh says what their order rests on.

// mutation "patience": constexpr u32 STM_PATIENCE = ~0u;
constexpr u32 STM_PATIENCE = 24;  // looks at a lock before giving up

// The lock word and the value, without locking.
STM_DEVICE stm_pair stm_peek(const stm_ref& ref) {
  if (ref.width == 0) return stm_cell_load(ref.lock);
  // mutation "version before the value": u64 value = stm_value_load(ref.value, ref.width);
  u64 word = stm_load_acquire(ref.lock);
  // mutation "value after the version": return {stm_load_acquire(ref.lock), value};
  return {word, stm_value_load(ref.value, ref.width)};
}

STM_DEVICE u64 stm_word_of(const stm_ref& ref) {
  return ref.width == 0 ? stm_cell_load(ref.lock).word : stm_load_acquire(ref.lock);
}

// Takes the lock: what was there. If the word is odd, somebody else holds it and nothing was taken.
STM_DEVICE stm_pair stm_take(const stm_ref& ref, u64 mark) {
  if (ref.width == 0) return stm_cell_exchange(ref.lock, {mark, 0});
  u64 word = stm_exchange_acquire(ref.lock, mark);
  return {word, (word & 1) ? 0 : stm_value_load(ref.value, ref.width)};
}

// Takes the lock if nobody has it and it is at the same version still.
STM_DEVICE bool stm_take_same(const stm_ref& ref, stm_pair pair, u64 mark) {
  // mutation "lock at the same version":
  //| pair = stm_peek(ref);
  //| return !(pair.word & 1) && (ref.width == 0 ? stm_cell_replace(ref.lock, pair, {mark, 0}) : stm_replace_acquire(ref.lock,
  //| pair.word, mark));
  return ref.width == 0 ? stm_cell_replace(ref.lock, pair, {mark, 0}) : stm_replace_acquire(ref.lock, pair.word, mark);
}

STM_DEVICE void stm_let_go(const stm_ref& ref, stm_pair pair) {
  if (ref.width == 0) {
    stm_cell_store(ref.lock, pair);
  } else {
    stm_store_release(ref.lock, pair.word);
  }
}

// Still free, at the same version?
STM_DEVICE bool stm_same(const stm_ref& ref, stm_pair pair) {
  return ref.width == 0 ? stm_cell_same(ref.lock, pair) : stm_same_acq_rel(ref.lock, pair.word);
}

// Waiting is rare and out of line (STM_OUTLINE): inlined for each access it would double the code.
// The word of a lock, after waiting a little for a lower priority to let go of it.
STM_OUTLINE u64 stm_settled(stm_ref ref, u32 owner) {
#pragma unroll 1
  for (u32 look = 0;; ++look) {
    u64 word = stm_word_of(ref);
    if (!(word & 1) || (u32)(word >> 1) <= owner || look == STM_PATIENCE) return word;
    __nanosleep(20);
  }
}
// What a lock guards, after waiting a little for anybody to let go of it.
STM_OUTLINE stm_pair stm_peek_later(stm_ref ref) {
  stm_pair pair = {1, 0};
#pragma unroll 1
  for (u32 look = 0; (pair.word & 1) && look < STM_PATIENCE; ++look) {
    __nanosleep(20);
    pair = stm_peek(ref);
  }
  return pair;
}

// What engines with versioned locks begin with.
struct stm_versioned : stm_tx_base {
  // Reads one element that nobody holds. The reader holds nothing either, so it may wait for anybody.
  STM_DEVICE stm_status fetch(const stm_ref& ref, u32 location, stm_pair* out) {
    stm_pair pair = stm_peek(ref);
    if (pair.word & 1) pair = stm_peek_later(ref);
    // mutation "locked element":
    if (pair.word & 1) return conflict(STM_LOCKED, location);
    *out = pair;
    return STM_OK;
  }
};
