// The common parts of the three strategies of `priority`: the priority rule, and validating reads that hold no locks.

// Returns whether an attempt needs no validation, because its transaction is executed again. A guard evaluated on an inconsistent
// snapshot only delays the transaction by one pass. Guards that never hold are reported after a launch without commits, in which
// every snapshot was consistent.
STM_DEVICE bool stm_skips_validation(stm_status status) { return status == STM_CONFLICT || status == STM_POSTPONED; }

// The base of the three strategies.
struct stm_priority_base : stm_versioned {
  STM_DEVICE u64 mark() const { return (u64)worker->owner << 1 | 1; }
  STM_DEVICE u64 word_after_wait(const stm_ref& ref) const { return stm_lock_word_after_wait(ref, worker->owner); }

  // Validates an element that was read and not locked.
  STM_DEVICE stm_status validate_read(stm_ref ref, stm_pair pair) {
    if (stm_lock_same(ref, pair)) return STM_OK;
    u64 word = word_after_wait(ref);
    if (!(word & 1) && stm_lock_same(ref, pair)) return STM_OK;
    // mutation "cause of a stale read": return (word & 1) ? STM_OK : conflict(STM_CHANGED, STM_INDEXED);
    return conflict((word & 1) ? STM_LOCKED : STM_CHANGED, STM_INDEXED, ref.lock);
  }
};

// The base of the two strategies that read without locks.
template <class F, class Set>
struct stm_invisible_reads : Set {
  // Elements of loops that are validated at a time: the device handles them in parallel, and one fence orders all of them.
  static constexpr u32 WIDTH = 8;

  // Validates everything that was read and is not locked.
  STM_DEVICE stm_status validate() {
    stm_status status = STM_OK;
    this->each_fixed([&](stm_entry& e) {
      status = validate_entry(e);
      return status == STM_OK;
    });
    if constexpr (Set::ROOM != 0) {
      stm_fence_acq_rel();
#pragma unroll 1
      for (u32 i = 0; i < this->count && status == STM_OK; i += WIDTH) {
        if (all_unchanged(i)) continue;
#pragma unroll 1
        for (u32 k = i; k < i + WIDTH && k < this->count && status == STM_OK; ++k) status = validate_entry(indexed_at(k));
      }
    }
    return status;
  }

  STM_CALLED stm_status validate_early() { return validate(); }

  STM_DEVICE bool all_unchanged(u32 from) {
    bool same = true;
#pragma unroll
    for (u32 k = 0; k < WIDTH; ++k) {
      if (from + k >= this->count) continue;
      stm_entry& e = indexed_at(from + k);
      same &= !needs_validation(e) || stm_lock_same_relaxed(e.ref, e.found);
    }
    return same;
  }

  STM_DEVICE stm_entry& indexed_at(u32 i) {
    stm_entry& e = this->indexed[i];
    if constexpr (F::ONE_WIDTH != ~0u) e.ref.width = F::ONE_WIDTH;
    return e;
  }
  STM_DEVICE bool needs_validation(const stm_entry& e) const { return (e.flags & (STM_LOADED | STM_OWNED)) == STM_LOADED; }
  STM_DEVICE stm_status validate_entry(const stm_entry& e) { return needs_validation(e) ? this->validate_read(e.ref, e.found) : STM_OK; }
};
