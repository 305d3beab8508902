// estm: the eager STM of Holey and Zhai (Lightweight software transactions on GPUs, ICPP 2014), as the thesis (section 2.3.2) and a
// Russian port of PR-STM to CUDA (section 3.2) describe it. Several transactions may read an element or one may write it, and a
// conflict is detected at the access that causes it: read after write, write after write, write after read.
//
// A lock word (shadow entry) is 64 bits: the number of readers in the lower half, that of claims to write in the upper half.
//
// Invariants (in addition to those of undo_log.cuh)
//   - The lower half counts the attempts that hold the word for reading, and for moments those that try to; the upper half counts
//     the owner, and for moments those that try to become it. Every thread subtracts exactly what it has added.
//   - The thread that raises the upper half from 0 has the claim. It owns the word once no other reader is left: later threads find
//     the claim and withdraw.
//   - A reader whose addition found no claim keeps every writer out until it releases. So no element that was read changes before
//     the attempt ends (strict two-phase locking), nothing is validated, and only its writer sees a value that is restored.
//
// Atomics: lock word - add acquire to read or claim, compare-and-swap acquire to own at once, sub release to release, sub relaxed
// to withdraw where nothing was read or written, load relaxed to test, load acquire to wait for readers; elements and counts of
// commits - load and store relaxed, under a held word. All at device scope. Every change of the word is a read-modify-write, so
// an acquire that sees the last of them follows all their releases.
//
// Causes of abort: locked (the element is claimed; or it is claimed by this attempt and its readers do not leave in time).
// The lock-step problem: lanes of a warp that read one element and then all write it would each find the others reading, give
// up together, and come back together. The claim breaks that up: the first claimant stays and waits, a bounded time, while
// every other finds the claim and gives up at once, which releases its reading. Where lanes run in lockstep so that the
// others do not get to release, the claimant gives up as well, and random, doubling waits (the scheduler's back-off) part them.
// Differences from the paper: its word names the last thread with a bit for `shared`, which no reader can take back when
// others still read, so it has to validate versions in the end; counts can be taken back, and make versions, validation and
// the bit that locks the word itself unnecessary. A transaction is a thread's and not a warp's; a lock word may cover several
// elements.
// Limits: opaque. Read-only transactions are visible like all others (that is the algorithm: istm differs). 2^32 - 1 threads.

constexpr u64 STM_READER = 1;
constexpr u64 STM_CLAIM = 1ull << 32;

// Claims a word that others read, and waits a little for them to leave. Rare, so it is out of line.
STM_OUTLINE bool stm_claim_from_readers(u64* lock, u64 mine) {
  // mutation "first claim":
  //| bool is_first = true;
  //| stm_add_acquire(lock, STM_CLAIM);
  bool is_first = stm_add_acquire(lock, STM_CLAIM) < STM_CLAIM;
#pragma unroll 1
  for (u32 spin = 0; is_first && spin < STM_SPIN_LIMIT; ++spin) {
    // mutation "wait for readers": return true;
    if ((u32)stm_load_acquire(lock) == (u32)mine) return true;
    __nanosleep(20);
  }
  stm_sub_relaxed(lock, STM_CLAIM);
  return false;
}

template <class F>
struct stm_tx : stm_undo_log<F, stm_tx<F>, u64> {
  static constexpr bool VISIBLE = true;

  STM_DEVICE stm_status acquire_read(stm_undo_entry<u64>& e, u32 location) {
    if (e.flags & (STM_SHARED | STM_OWNED)) return STM_OK;
    // Tests first: readers that come and go would keep the claimant waiting.
    // mutation "reader sees an owner": stm_add_acquire(e.ref.lock, STM_READER);
    if (stm_load_relaxed(e.ref.lock) >= STM_CLAIM) return this->conflict(STM_LOCKED, location, e.ref.lock);
    // mutation "reader joins": if (false) {
    if (stm_add_acquire(e.ref.lock, STM_READER) >= STM_CLAIM) {
      stm_sub_relaxed(e.ref.lock, STM_READER);
      return this->conflict(STM_LOCKED, location, e.ref.lock);
    }
    // mutation "keep the read lock": stm_sub_release(e.ref.lock, STM_READER);
    this->note_acquired(e, STM_SHARED);
    return STM_OK;
  }

  STM_DEVICE stm_status acquire_write(stm_undo_entry<u64>& e, u32 location) {
    if (e.flags & STM_OWNED) return STM_OK;
    u64 mine = e.flags & STM_SHARED ? STM_READER : 0;
    u64 word = stm_swap_acquire(e.ref.lock, mine, mine + STM_CLAIM);
    // mutation "claim the lock":
    //| if (word != mine && (!stm_claim_from_readers(e.ref.lock, mine))) return this->conflict(STM_LOCKED, location);
    if (word != mine && (word >= STM_CLAIM || !stm_claim_from_readers(e.ref.lock, mine))) return this->conflict(STM_LOCKED, location, e.ref.lock);
    if (mine != 0) {
      this->worker->profile.hold(e.ref.lock);
      this->share_lock(e, STM_OWNED);  // the entry that came as a reader gives both back
    } else {
      this->note_acquired(e, STM_OWNED);
    }
    return STM_OK;
  }

  STM_DEVICE stm_status validate() { return STM_OK; }

  STM_DEVICE void release(stm_undo_entry<u64>& e, bool) {
    // mutation "release a lock":
    //| stm_sub_release(e.ref.lock, (e.flags & STM_SHARED && !(e.flags & STM_OWNED) ? STM_READER : 0) + (e.flags & STM_OWNED ?
    //| STM_CLAIM : 0));
    stm_sub_release(e.ref.lock, (e.flags & STM_SHARED ? STM_READER : 0) + (e.flags & STM_OWNED ? STM_CLAIM : 0));
  }
};
