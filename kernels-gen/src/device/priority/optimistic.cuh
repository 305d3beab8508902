// Optimistic, for procedures with few accesses and no loops: reads are invisible and writes are buffered. A commit locks the write
// set, then validates the other reads.

template <class F>
struct stm_optimistic : stm_invisible_reads<F, stm_write_buffer<F, stm_priority_base, stm_optimistic<F>>> {
  // mutation "before the locks": @ if (!stm_skips_validation(status) && this->validate() != STM_OK) status = STM_CONFLICT;
  STM_DEVICE stm_status finish(stm_status status) {
    if (status == STM_OK) status = this->lock_write_set();
    // mutation "validate":
    if (!stm_skips_validation(status) && this->validate() != STM_OK) status = STM_CONFLICT;
    if (status == STM_OK) this->write_back();
    release(status == STM_OK);
    return status;
  }

  STM_DEVICE void release(bool commits) {
    this->each([&](stm_entry& e) {
      // mutation "release: write back":
      //| if (commits && (e.flags & STM_DIRTY) && e.ref.width != 0) stm_value_store(e.ref.value, e.ref.width, e.value);
      //| if (!commits && (e.flags & STM_HELD)) stm_lock_release(e.ref, e.found);
      // mutation "release: same version":
      //| if (e.flags & STM_HELD) stm_lock_release(e.ref, commits ? stm_pair{e.found.word, e.value} : e.found);
      // mutation "release: version of 8 bits":
      //| if (e.flags & STM_HELD) stm_lock_release(e.ref, commits ? stm_pair{(e.found.word + 2) & 0x1ff, e.value} : e.found);
      // mutation "release: only commits": if (commits) @
      if (e.flags & STM_HELD) stm_lock_release(e.ref, commits ? stm_pair{e.found.word + 2, e.value} : e.found);
      return true;
    });
  }

  // Locks one element that is to be written; if it was read, at the version that was read.
  STM_DEVICE stm_status acquire_write(stm_entry& e) {
    u64 word = this->word_after_wait(e.ref);
    bool read = e.flags & STM_LOADED;
    if (word & 1) return this->conflict(STM_LOCKED, STM_INDEXED, e.ref.lock);
    // mutation "version before the lock":
    if (read && word != e.found.word) return this->conflict(STM_CHANGED, STM_INDEXED, e.ref.lock);
    stm_pair pair = stm_lock_acquire(e.ref, this->mark());
    // mutation "lock of another":
    if (pair.word & 1) return this->conflict(STM_LOCKED, STM_INDEXED, e.ref.lock);
    this->worker->profile.hold(e.ref.lock);
    // mutation "version under the lock": if (false) {
    if (read && pair.word != e.found.word) {
      stm_lock_release(e.ref, pair);
      return this->conflict(STM_CHANGED, STM_INDEXED, e.ref.lock);
    }
    e.found = pair;
    e.flags |= STM_HELD;
    this->share_lock(e, pair.word);
    return STM_OK;
  }
};
