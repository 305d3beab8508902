// pstm: the pessimistic STM of Holey and Zhai (Lightweight software transactions on GPUs, ICPP 2014), as the thesis (section 2.3.2)
// and a Russian port of PR-STM to CUDA (section 3.2) describe it. Reads and writes are treated alike: an element is owned by the
// one transaction that accesses it, until that transaction ends.
//
// A lock word (shadow entry) is 32 bits: 0, or one more than the number of the thread that owns it.
//
// Invariants (in addition to those of undo_log.cuh)
//   - An element that an attempt has read or written stays unchanged until the attempt ends: strict two-phase locking. So nothing
//     is validated, and only its writer sees a value that is restored.
//   - A word that is not 0 is stored to by its owner alone, and only to release it.
//
// Atomics: lock word - compare-and-swap acquire to acquire, store release to release; elements and counts of commits - load and
// store relaxed, under an owned word. All at device scope. Acquire and release order all operations of one owner before all
// operations of the next.
//
// Causes of abort: locked (another thread owns the element).
// Two lanes of a warp that acquire two words in opposite order both give up, and could do so in step for ever: each releases
// its words before it tries again, and after the second time they wait for a random, doubling time (the scheduler's back-off),
// which draws from another seed for each thread.
// Differences from the paper: a transaction is a thread's and not a warp's; a lock word may cover several elements; words are
// numbered by thread, with 0 for no owner, as there.
// Limits: opaque. Read-only transactions own what they read, so they conflict with each other: the price of one word for all.
// 2^32 - 1 threads. No versions, so none wraps.

template <class F>
struct stm_tx : stm_undo_log<F, stm_tx<F>, u32> {
  static constexpr bool VISIBLE = true;

  // mutation "acquire what is read: nothing": STM_DEVICE stm_status acquire_read(stm_undo_entry<u32>& e, u32) { return STM_OK; }
  // mutation "acquire what is read: only load":
  //| STM_DEVICE stm_status acquire_read(stm_undo_entry<u32>& e, u32 location) {
  //| if ((e.flags & STM_OWNED) || stm_load_acquire(e.ref.lock) == 0) return STM_OK;
  //| return this->conflict(STM_LOCKED, location);
  //| }
  STM_DEVICE stm_status acquire_read(stm_undo_entry<u32>& e, u32 location) { return acquire_write(e, location); }

  STM_DEVICE stm_status acquire_write(stm_undo_entry<u32>& e, u32 location) {
    if (e.flags & STM_OWNED) return STM_OK;
    if (stm_swap_acquire(e.ref.lock, 0u, this->worker->owner + 1) != 0) return this->conflict(STM_LOCKED, location, e.ref.lock);
    // mutation "keep the lock": e.flags |= STM_HELD | STM_OWNED;
    this->note_acquired(e, STM_OWNED);
    return STM_OK;
  }

  STM_DEVICE stm_status validate() { return STM_OK; }

  STM_DEVICE void release(stm_undo_entry<u32>& e, bool) { stm_store_release(e.ref.lock, 0u); }
};
