// pr-stm: PR-STM (Shen, Sharp, Morgan, Guo: Euro-Par 2015, sections 2.2 to 2.4; Shen's thesis, chapter 3). Reads are invisible and
// writes are buffered. A commit pre-locks its write set, and a lower thread index steals a pre-lock from a higher one; then it
// validates, turns its pre-locks into locks, and stores. Included for comparison: the word, the priority rule and the verbs are the
// paper's. The differences are listed below.
//
// The lock word, 32 bits:   version 11 | owner 19 | pre-locked 1 | locked 1
//
// Invariants
//   - Only its owner locks a pre-locked word, and only with the word that it pre-locked: nobody stole it in between.
//   - A locked word is changed by its owner alone. Values under it change only then, after the last check.
//   - The version rises by one, modulo 2^11, for each commit that wrote under the word; stealing leaves it.
//   - A thread owns a word once for all elements that it covers.
//
// Atomics, all of device scope
//   lock word   load                      acquire   reading; relaxed where a compare-and-swap follows
//   lock word   compare-and-swap          acq_rel   pre-lock, lock, give a pre-lock back, and the last check of a read
//   lock word   store                     release   unlock
//   values      load, store               relaxed   between a load and a check, and under a lock
//   numbers     load, store               relaxed   as values; recorded runs only
// The last check is a compare-and-swap that changes nothing, so that of two transactions of which each writes an element that the
// other reads, one observes the other's lock. The paper loads there.
//
// Causes of abort: locked (a lock, or the pre-lock of a lower index), stolen (a pre-lock was), changed (a version moved).
//
// Where it differs from the papers, whose algorithm is not serializable: an exhaustive search over two transactions finds
// lost updates, write skew and torn snapshots in it.
//   - A read loads the lock word before the value. In the paper it is the other way round, so that an old value can be
//     taken for one of a newer version: a lost update.
//   - The read set is checked once more when the locks are final, and what another thread has locked is refused then. In the
//     paper it is checked before: write skew, and torn snapshots. Pre-locks of others are let pass, as in the paper: their
//     owners have yet to lock and to check.
//   - An element that is read and not written is not pre-locked. The prose of the paper says that it is, its algorithm does not.
//   - A transaction pre-locks the version that it read; in the paper each write takes the newest.
//   - Waiting for a compare-and-swap to succeed is bounded.
// Limits
//   - 11 bits of version wrap. A transaction during which exactly 2,048 commits, or a multiple, went to one lock word takes
//     what it read there for unchanged: its update loses theirs. That is the paper's window; `priority` has none. Recorded
//     runs number commits with 64 bits next to the array, so that the proof detects such a loss.
//   - At most 2^19 threads. Not opaque: a doomed attempt sees inconsistent values until it validates. Read-only
//     transactions lock nothing, and can starve.

constexpr u32 STM_PR_LOCKED = 1, STM_PR_PRE_LOCKED = 2;
constexpr u32 STM_PR_OWNER_SHIFT = 2, STM_PR_OWNER_MASK = (1u << 19) - 1;
constexpr u32 STM_PR_VERSION_SHIFT = 21;
constexpr u32 STM_FINAL = 32;  // flag of an entry: its lock can no longer be stolen

STM_DEVICE u32 stm_pr_version(u32 word) { return word >> STM_PR_VERSION_SHIFT; }
STM_DEVICE u32 stm_pr_owner(u32 word) { return word >> STM_PR_OWNER_SHIFT & STM_PR_OWNER_MASK; }
STM_DEVICE u32 stm_pr_free(u32 version) { return version << STM_PR_VERSION_SHIFT; }
STM_DEVICE u32 stm_pr_pre_locked(u32 version, u32 owner) {
  return version << STM_PR_VERSION_SHIFT | owner << STM_PR_OWNER_SHIFT | STM_PR_PRE_LOCKED;
}

// `found` holds the version, and in recorded runs the number of the commit that installed it.
template <bool RECORDED>
struct stm_pr_entry : stm_entry {
  u64* number;    // where the commits under the lock word are counted
  u64 installed;  // by this commit
};
template <>
struct stm_pr_entry<false> : stm_entry {};

template <class F>
struct stm_tx : stm_write_buffer<F, stm_tx_base, stm_tx<F>, stm_pr_entry<STM_RECORDED>> {
  typedef stm_pr_entry<STM_RECORDED> entry;
  typedef stm_write_buffer<F, stm_tx_base, stm_tx<F>, entry> buffer;

  STM_DEVICE u32* lock_of(const stm_entry& e) const { return (u32*)e.ref.lock; }
  // mutation "word of a pre-lock: owner beyond its bits":
  //| STM_DEVICE u32 mine(const stm_entry& e) const { return stm_pr_pre_locked((u32)e.found.word, this->worker->owner +
  //| STM_PR_OWNER_MASK - 8); }
  // mutation "word of a pre-lock: last owners":
  //| STM_DEVICE u32 mine(const stm_entry& e) const { return stm_pr_pre_locked((u32)e.found.word, STM_PR_OWNER_MASK -
  //| this->worker->owner); }
  STM_DEVICE u32 mine(const stm_entry& e) const { return stm_pr_pre_locked((u32)e.found.word, this->worker->owner); }

  template <class Array>
  STM_DEVICE void place(stm_probe& probe, const Array& array, u64 index) {
    probe.ref = array.ref(index);
    u64 lock = array.lock_index(index);
    probe.ref.lock = (u64*)((u32*)array.at.locks + lock);
    if constexpr (STM_RECORDED) {
      probe.key = stm_history_key(array, index);
      probe.counter = (u64*)array.at.extra + lock;
    }
  }
  STM_DEVICE void set_place(entry& e, const stm_probe& probe) {
    buffer::set_place(e, probe);
    if constexpr (STM_RECORDED) set_counter(e, probe.counter);
  }

  // ---- txRead and txWrite

  // mutation "before the version": @ e.value = stm_value_load(e.ref.value, e.ref.width);
  STM_DEVICE stm_status load(entry& e, u32 location) {
    STM_TRY(before_blind_write(e, location));
    // mutation "value of a read":
    e.value = stm_value_load(e.ref.value, e.ref.width);
    return STM_OK;
  }

  // The version, before the value.
  STM_DEVICE stm_status before_blind_write(entry& e, u32 location) {
    u32 word = stm_load_acquire(lock_of(e));
    if (word & STM_PR_LOCKED) return this->conflict(STM_LOCKED, location, e.ref.lock);
    e.found = {stm_pr_version(word), number(e)};
    return STM_OK;
  }

  // ---- txValidate and txCommit

  STM_DEVICE stm_status finish(stm_status status) {
    if (status == STM_OK) status = pre_lock_write_set();
    if (status == STM_OK && !F::READ_ONLY) status = validate_versions();
    if (status == STM_OK) status = lock_write_set();
    // mutation "validate": if (status > STM_OK && validate() != STM_OK) status = STM_CONFLICT;
    if (status != STM_CONFLICT && validate() != STM_OK) status = STM_CONFLICT;
    if (status == STM_OK) this->write_back();
    release(status == STM_OK);
    return status;
  }

  STM_DEVICE stm_status pre_lock_write_set() {
    stm_status status = STM_OK;
    this->each([&](entry& e) {
      if ((e.flags & STM_DIRTY) && !(e.flags & STM_OWNED)) status = pre_lock(e);
      return status == STM_OK;
    });
    return status;
  }

  STM_DEVICE stm_status pre_lock(entry& e) {
#pragma unroll 1
    for (u32 spin = 0; spin < STM_SPIN_LIMIT; ++spin) {
      u32 word = stm_load_relaxed(lock_of(e));
      if (stm_pr_version(word) != e.found.word) return this->conflict(STM_CHANGED, this->location_of(e), e.ref.lock);
      if (word & STM_PR_LOCKED) break;
      // mutation "a lower owner goes first":
      //| if ((word & STM_PR_PRE_LOCKED) && stm_pr_owner(word) < STM_PR_OWNER_MASK - this->worker->owner) break;
      if ((word & STM_PR_PRE_LOCKED) && stm_pr_owner(word) < this->worker->owner) break;
      if (!stm_replace_acq_rel(lock_of(e), word, mine(e))) continue;
      e.flags |= STM_HELD;
      // mutation "share the lock": e.flags |= STM_OWNED;
      this->share_lock(e, e.found.word);
      return STM_OK;
    }
    return this->conflict(STM_LOCKED, this->location_of(e), e.ref.lock);
  }

  // The paper's validation, of versions alone: a transaction that fails here has locked nothing yet.
  STM_DEVICE stm_status validate_versions() {
    stm_status status = STM_OK;
    this->each([&](entry& e) {
      bool checks = (e.flags & (STM_LOADED | STM_OWNED)) == STM_LOADED;
      if (checks && stm_pr_version(stm_load_relaxed(lock_of(e))) != e.found.word) {
        status = this->conflict(STM_CHANGED, this->location_of(e), e.ref.lock);
      }
      return status == STM_OK;
    });
    return status;
  }

  STM_DEVICE stm_status lock_write_set() {
    stm_status status = STM_OK;
    this->each([&](entry& e) {
      if (!(e.flags & STM_HELD)) return true;
      if (stm_replace_acq_rel(lock_of(e), mine(e), mine(e) | STM_PR_LOCKED)) {
        e.flags |= STM_FINAL;
        this->worker->profile.hold(e.ref.lock);
      } else {
        // mutation "pre-lock was stolen": e.flags |= STM_FINAL;
        status = this->conflict(STM_STOLEN, this->location_of(e), e.ref.lock);
      }
      return status == STM_OK;
    });
    return status;
  }

  // Validates everything that was read, and that no other thread is about to change it.
  STM_DEVICE stm_status validate() {
    stm_status status = STM_OK;
    this->each([&](entry& e) {
      if ((e.flags & (STM_LOADED | STM_OWNED)) == STM_LOADED) status = validate_entry(e);
      return status == STM_OK;
    });
    return status;
  }

  STM_CALLED stm_status validate_early() { return validate(); }

  STM_DEVICE stm_status validate_entry(const entry& e) {
#pragma unroll 1
    for (u32 spin = 0; spin < STM_SPIN_LIMIT; ++spin) {
      u32 word = stm_load_relaxed(lock_of(e));
      if (stm_pr_version(word) != e.found.word) return this->conflict(STM_CHANGED, this->location_of(e), e.ref.lock);
      // mutation "final lock of another":
      if (word & STM_PR_LOCKED) break;
      if (stm_same_acq_rel(lock_of(e), word)) return STM_OK;
    }
    return this->conflict(STM_LOCKED, this->location_of(e), e.ref.lock);
  }

  // releaseLocks: a pre-lock may have been stolen, and then belongs to the thief.
  STM_DEVICE void release(bool commits) {
    this->each([&](entry& e) {
      if (!(e.flags & STM_HELD)) return true;
      u32 version = (u32)e.found.word;
      if (!(e.flags & STM_FINAL)) {
        // mutation "release a pre-lock": stm_store_release(lock_of(e), stm_pr_free(version));
        stm_replace_acq_rel(lock_of(e), mine(e), stm_pr_free(version));
      } else if (!commits) {
        // mutation "release after an abort":
        stm_store_release(lock_of(e), stm_pr_free(version));
      } else {
        count_commit(e);
        // mutation "release after a commit: same version": stm_store_release(lock_of(e), stm_pr_free(version));
        // mutation "release after a commit: version of one bit": stm_store_release(lock_of(e), stm_pr_free((version + 1) & 1));
        stm_store_release(lock_of(e), stm_pr_free(version + 1));
      }
      return true;
    });
  }

  // ---- recorded runs

  template <class Entry>
  STM_DEVICE void set_counter(Entry& e, u64* number) {
    e.number = number;
  }
  template <class Entry>
  STM_DEVICE u64 number(const Entry& e) const {
    if constexpr (STM_RECORDED) return stm_load_relaxed(e.number);
    return 0;
  }
  template <class Entry>
  STM_DEVICE void count_commit(Entry& e) {
    if constexpr (STM_RECORDED) {
      e.installed = stm_load_relaxed(e.number) + 1;
      stm_store_relaxed(e.number, e.installed);
    }
  }

  template <class Entry>
  STM_DEVICE u64 installed_by(const Entry& e) const {
    if constexpr (STM_RECORDED) return e.installed;
    return 0;
  }

  template <class Visit>
  STM_DEVICE void each_access(Visit visit) {
    this->each([&](entry& e) {
      bool is_held = e.flags & STM_HELD;
      bool is_read = is_held ? this->read_under(e.ref) : (e.flags & (STM_LOADED | STM_OWNED)) == STM_LOADED;
      visit(stm_access{e.key, is_read, e.found.value, is_held, installed_by(e)});
      return true;
    });
  }
};
