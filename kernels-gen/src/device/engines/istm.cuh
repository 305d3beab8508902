// istm: the STM with invisible reads of Holey and Zhai (Lightweight software transactions on GPUs, ICPP 2014), as the thesis
// (section 2.3.2) and a Russian port of PR-STM to CUDA (section 3.2) describe it. Writes own their element at once and go to
// memory; reads are invisible and are validated at the end.
//
// A lock word (shadow entry) is a version lock: `version << 1` while it is free, `owner << 1 | 1` while it is owned.
//
// Invariants (in addition to those of undo_log.cuh)
//   - A word that is owned is stored to by its owner alone; releasing it raises the version, after a commit and after an
//     abort alike.
//   - An element that was read and then written is owned at the version at which it was read, or not at all.
//   - At the end, while it owns all elements that it wrote, an attempt validates that every word under which it read is free and at
//     the version that it found; or its own, acquired at that version.
//
// Why no committed transaction has used a value that was restored, or only half of another's writes: a reader loads word v, then
// the value, and in the end swaps v for v. Suppose that the value was stored by a thread that acquired the word after v. If the
// swap succeeds, the owner's compare-and-swap comes after it in the order of that word, so (the swap releases, the compare-and-swap
// acquires) the load of the value happened before the store, and cannot have seen it. After the compare-and-swap the word is odd,
// or has a higher version for good, because an abort raises it too, and the swap fails. In the paper only commits raise versions,
// and a transaction could commit a value that was there for a moment between two loads of the same version; loading the word once
// more after the value does not help either, if the abort came first. The price is a retry of the readers of the value before the
// abort.
// For the same reason a transaction that reads a single element must validate, which with buffered writes it need not.
//
// Atomics: lock word - load acquire, compare-and-swap acquire to acquire, swap with itself acq_rel to validate, store release
// to release; elements and counts of commits - load and store relaxed. All at device scope.
//
// Causes of abort: locked (another thread owns the word), changed (the version moved on).
// No thread waits for a word, so no lane waits for another of its warp. Two that each own what the other reads both give up;
// random, doubling waits (the scheduler's back-off) keep them from doing so in step for ever.
// Differences from the paper: the version rises at an abort too (see above); a transaction is a thread's and not a warp's; a lock
// word may cover several elements; 64 bits instead of 32, so that versions do not wrap.
// Limits: not opaque (an attempt can see half of another's writes, or values that will be restored, until it validates; faults,
// rejections and guards count only after that). Read-only transactions own nothing.

template <class F>
struct stm_tx : stm_undo_log<F, stm_tx<F>, u64> {
  static constexpr bool VISIBLE = false;

  STM_DEVICE stm_status acquire_read(stm_undo_entry<u64>& e, u32 location) {
    if (e.flags & (STM_LOADED | STM_OWNED)) return STM_OK;
    e.word = stm_load_acquire(e.ref.lock);
    // mutation "reader sees an owner":
    if (e.word & 1) return this->conflict(STM_LOCKED, location, e.ref.lock);
    e.before = stm_value_load(e.ref.value, e.ref.width);
    return STM_OK;
  }

  STM_DEVICE stm_status acquire_write(stm_undo_entry<u64>& e, u32 location) {
    if (e.flags & STM_OWNED) return STM_OK;
    // mutation "version of the first read": e.word = stm_load_relaxed(e.ref.lock);
    if (!(e.flags & STM_LOADED)) e.word = stm_load_relaxed(e.ref.lock);
    if (e.word & 1) return this->conflict(STM_LOCKED, location, e.ref.lock);
    u64 found = stm_swap_acquire(e.ref.lock, e.word, (u64)this->worker->owner << 1 | 1);
    if (found != e.word) return this->conflict((found & 1) ? STM_LOCKED : STM_CHANGED, location, e.ref.lock);
    this->note_acquired(e, STM_OWNED);
    return STM_OK;
  }

  STM_DEVICE stm_status validate() {
    stm_status status = STM_OK;
    this->each([&](stm_undo_entry<u64>& e) {
      if ((e.flags & (STM_LOADED | STM_OWNED)) == STM_LOADED && !stm_same_acq_rel(e.ref.lock, e.word)) {
        bool is_owned = stm_load_relaxed(e.ref.lock) & 1;
        status = this->conflict(is_owned ? STM_LOCKED : STM_CHANGED, STM_INDEXED, e.ref.lock);
      }
      return status == STM_OK;
    });
    return status;
  }

  STM_CALLED stm_status validate_early() { return validate(); }

  // mutation "release a lock: an abort keeps the version":
  //| STM_DEVICE void release(stm_undo_entry<u64>& e, bool committed) { stm_store_release(e.ref.lock, e.word + (committed ? 2 : 0)); }
  // mutation "release a lock: a commit keeps the version":
  //| STM_DEVICE void release(stm_undo_entry<u64>& e, bool committed) { stm_store_release(e.ref.lock, e.word + (committed ? 0 : 2)); }
  STM_DEVICE void release(stm_undo_entry<u64>& e, bool) { stm_store_release(e.ref.lock, e.word + 2); }
};
