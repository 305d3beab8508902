// thread-block: the blocking STM for thread blocks of Cederman, Tsigas and Chaudhry (EGPGV 2010), as Shen's thesis describes
// it in section 2.3.2: the first one for GPUs. A block runs one transaction at a time, so that the threads of a warp never
// wait for each other. Reads are invisible and go to a log, writes are buffered, and a commit locks what it writes,
// validates what it read, stores, and unlocks: as little machinery as a transaction can do with.
//
// Invariants
//   - A lock word is held by one transaction at most; it keeps its version while it is locked, and the version rises by one
//     for each commit that wrote under it.
//   - The read set is validated when all locks are held, and values change only after that.
//   - Two entries of one set under the same lock word share one lock.
//
// Atomics, all of device scope
//   lock word   load                      acquire   reading; relaxed where a compare-and-swap follows
//   lock word   compare-and-swap          acq_rel   lock, and the check of what was read
//   lock word   store                     release   unlock
//   values      load, store               relaxed   between a load and a check, and under a lock
//
// Causes of abort: locked (a lock stayed held for long), changed (a version moved on).
//
// Differences from the paper
//   - One lane of a block of one warp does the work. There the threads of a block share the work of copying objects, and
//     an object can be of any size; here it is an element, and there is nothing to share.
//   - Waiting for a lock is bounded: locks are acquired in the order of the writes, so that two transactions may wait for each
//     other. A transaction that aborts backs off, as in the paper.
//   - The paper's other variant, which is obstruction-free, is not implemented.
// Limits: as many transactions in flight as blocks fit on the device. Not opaque: a doomed attempt sees inconsistent values
// until it validates. No priorities: a later transaction may win each time.

template <class F>
struct stm_tx : stm_write_buffer<F, stm_versioned, stm_tx<F>> {
  // mutation "before the locks": @ if (status != STM_CONFLICT && validate() != STM_OK) status = STM_CONFLICT;
  STM_DEVICE stm_status finish(stm_status status) {
    if (status == STM_OK) status = this->lock_write_set();
    // mutation "validate":
    // mutation "validate: only commits": if (status == STM_OK && validate() != STM_OK) status = STM_CONFLICT;
    // mutation "validate: after the release": @ release(status == STM_OK);
    if (status != STM_CONFLICT && validate() != STM_OK) status = STM_CONFLICT;
    if (status == STM_OK) this->write_back();
    // mutation "release all":
    release(status == STM_OK);
    return status;
  }

  // Locks one element that is to be written; if it was read, at the version that was read.
  STM_DEVICE stm_status acquire_write(stm_entry& e) {
#pragma unroll 1
    for (u32 spin = 0; spin < STM_SPIN_LIMIT; ++spin) {
      u64 word = stm_load_relaxed(e.ref.lock);
      // mutation "version under the lock":
      if ((e.flags & STM_LOADED) && (word & ~1ull) != e.found.word) return this->conflict(STM_CHANGED, this->location_of(e), e.ref.lock);
      if (!(word & 1) && stm_replace_acq_rel(e.ref.lock, word, word | 1)) {
        e.found.word = word;
        e.flags |= STM_HELD;
        this->worker->profile.hold(e.ref.lock);
        // mutation "share the lock": e.flags |= STM_OWNED;
        this->share_lock(e, word);
        return STM_OK;
      }
      __nanosleep(20);
    }
    return this->conflict(STM_LOCKED, this->location_of(e), e.ref.lock);
  }

  STM_DEVICE stm_status validate() {
    stm_status status = STM_OK;
    this->each([&](stm_entry& e) {
      if ((e.flags & (STM_LOADED | STM_OWNED)) == STM_LOADED && !stm_same_acq_rel(e.ref.lock, e.found.word)) {
        bool locked = stm_load_relaxed(e.ref.lock) == (e.found.word | 1);
        status = this->conflict(locked ? STM_LOCKED : STM_CHANGED, this->location_of(e), e.ref.lock);
      }
      return status == STM_OK;
    });
    return status;
  }

  STM_CALLED stm_status validate_early() { return validate(); }

  STM_DEVICE void release(bool commits) {
    this->each([&](stm_entry& e) {
      // mutation "release a lock: same version": if (e.flags & STM_HELD) stm_store_release(e.ref.lock, e.found.word);
      // mutation "release a lock: only commits": if (commits) @
      if (e.flags & STM_HELD) stm_store_release(e.ref.lock, commits ? e.found.word + 2 : e.found.word);
      return true;
    });
  }
};
