// gpu-stm: GPU-STM (Xu, Wang, Goswami, Li, Gao, Qian: CGO 2014), as Shen's thesis describes it in section 2.3.2. Reads are
// invisible and writes are buffered. The lock of each element that is read or written goes into an ordered log; a commit
// acquires the locks in that order. Validation is hierarchical: versions first, and where a version has moved, the values.
//
// Invariants
//   - The log has each lock word once, in ascending order of addresses, the same order for all threads: of the threads
//     that wait for a lock while they hold others, the one that holds the highest lock waits for none of them.
//   - A commit that writes holds all locks of its log, those of what it only read too, so that values compared then stay.
//   - A lock word keeps its version while it is locked; the version rises by one for each commit that wrote under it.
//   - A value that equals the one that was read is valid, whatever was written and written back in between: the transaction takes
//     effect when its locks are held, and the history has the version of that moment.
//
// Atomics, all of device scope
//   lock word   load                      acquire   reading; relaxed where a compare-and-swap follows
//   lock word   compare-and-swap          acq_rel   lock, and the check of a version without locking
//   lock word   store                     release   unlock
//   values      load, store               relaxed   between a load and a check, and under a lock
//
// Causes of abort: locked (a lock stayed held for long), changed (a value that had been read has changed).
//
// Differences from the paper
//   - Versions are counted for each lock word; no global clock.
//   - Waiting for a lock is bounded; a thread that waits for long releases its locks.
//   - A transaction that wrote nothing, or that ends without effect, validates its versions without locking. It acquires its
//     locks only if a version has moved, to compare the values.
//   - The logs of a warp are not merged by hand. Long ones lie in local memory, which the device lays out lane by lane: lanes at
//     the same entry share a line, which is what merging them is for.
// Limits: not opaque, as in the paper: a doomed attempt sees inconsistent values until it validates. A commit locks what
// it only read, so readers of one element hold each other up. Keeping the log in order takes time for each access: half of it
// moves on.

constexpr u32 STM_LOG_READ = 1, STM_LOG_WRITTEN = 2, STM_LOG_HELD = 4, STM_LOG_MOVED = 8;
constexpr u32 STM_LOG_FEW = 4;  // locks that stay in registers

struct stm_lock {
  u64* at;
  u64 word;  // as it was first read; as it was locked, once it is held
  u64 key;
  u32 flags;
  u32 location;  // of the first access
};

// The locks of one attempt in order. Few of them stay in registers, where a loop has to be unrolled.
template <u32 MOST>
struct stm_lock_log {
  static constexpr bool FEW = MOST <= STM_LOG_FEW;
  static constexpr u32 UNROLLED = FEW ? MOST : 1;
  stm_lock few[FEW ? MOST + 1 : 1];
  stm_lock* many;
  u32 count;

  STM_DEVICE stm_lock& at(u32 i) {
    if constexpr (FEW) return few[i];
    return many[i];
  }

  // Merges a lock that is in the log already; inserts another one at its place.
  STM_DEVICE void put(const stm_lock& lock) {
    if constexpr (FEW) {
      put_into_few(lock);
    } else {
      u32 place = place_of(lock.at);
      if (place < count && many[place].at == lock.at) return merge(many[place], lock);
#pragma unroll 1
      for (u32 i = count; i > place; --i) many[i] = many[i - 1];
      many[place] = lock;
      count += 1;
    }
  }

  // Returns the first of many locks that is not below this one.
  STM_DEVICE u32 place_of(const u64* lock) const {
    u32 low = 0, high = count;
#pragma unroll 1
    while (low < high) {
      u32 middle = (low + high) / 2;
      bool below = many[middle].at < lock;
      low = below ? middle + 1 : low;
      high = below ? high : middle;
    }
    return low;
  }

  STM_DEVICE void put_into_few(stm_lock lock) {
#pragma unroll
    for (u32 i = 0; i < MOST; ++i) {
      if (i == count) {
        at(i) = lock;
        count += 1;
        return;
      }
      stm_lock& here = at(i);
      // mutation "one entry for a lock":
      if (here.at == lock.at) return merge(here, lock);
      // mutation "order of locks": if (false) {
      if (lock.at < here.at) {
        stm_lock next = here;
        here = lock;
        lock = next;
      }
    }
  }

  // The first version that was read counts.
  STM_DEVICE void merge(stm_lock& here, const stm_lock& lock) {
    // mutation "version of the first read": here.word = lock.word;
    if (!(here.flags & STM_LOG_READ)) here.word = lock.word;
    here.flags |= lock.flags;
  }

  // Calls `visit(lock)` in order until one returns false.
  template <class Visit>
  STM_DEVICE void each(Visit visit) {
#pragma unroll UNROLLED
    for (u32 i = 0; i < MOST; ++i) {
      if (i == count || !visit(at(i))) return;
    }
  }

  // Calls `visit(lock)` for one that is in the log.
  template <class Visit>
  STM_DEVICE void with(const u64* lock, Visit visit) {
    if constexpr (FEW) {
      each([&](stm_lock& here) {
        if (here.at == lock) visit(here);
        return here.at != lock;
      });
    } else {
      visit(many[place_of(lock)]);
    }
  }

  STM_DEVICE bool moved(const u64* lock) {
    bool moved = false;
    with(lock, [&](stm_lock& here) { moved = here.flags & STM_LOG_MOVED; });
    return moved;
  }
};

template <class F>
struct stm_tx : stm_write_buffer<F, stm_versioned, stm_tx<F>> {
  typedef stm_write_buffer<F, stm_versioned, stm_tx<F>> buffer;
  static constexpr u32 ENTRIES = F::FIXED + buffer::ROOM;
  static constexpr u32 MOST = ENTRIES == 0 ? 1 : ENTRIES;  // locks
  stm_lock_log<MOST> locks;
  struct scratch : buffer::scratch {
    stm_lock locks[stm_lock_log<MOST>::FEW ? 1 : MOST];
  };

  STM_DEVICE void begin(scratch& room) {
    buffer::begin(room);
    locks.many = room.locks;
    locks.count = 0;
  }

  // ---- while the body runs

  STM_DEVICE stm_status load(stm_entry& e, u32 location) {
    STM_TRY(buffer::load(e, location));
    log(e, e.found.word, STM_LOG_READ);
    return STM_OK;
  }

  STM_DEVICE stm_status before_blind_write(stm_entry& e, u32) {
    log(e, 0, 0);
    return STM_OK;
  }

  STM_DEVICE void log(const stm_entry& e, u64 word, u32 flags) {
    stm_lock lock = {e.ref.lock, word, 0, flags, this->location_of(e)};
    if constexpr (STM_RECORDED) lock.key = e.key;
    locks.put(lock);
  }

  // ---- its end

  STM_DEVICE stm_status finish(stm_status status) {
    if (status == STM_CONFLICT) return status;
    bool writes = !F::READ_ONLY && status == STM_OK && this->mark_written();
    // mutation "validate a read-only attempt": if (!writes) return status;
    if (!writes && validate_versions()) return status;
    // mutation "lock, then validate": if (validate_values() != STM_OK || lock_write_set() != STM_OK) {
    if (lock_write_set() != STM_OK || validate_values() != STM_OK) {
      // mutation "release after an abort":
      release(false);
      return STM_CONFLICT;
    }
    if (writes) this->write_back();
    release(writes);
    return status;
  }

  // Marks the locks of written elements. Returns whether there are any.
  STM_DEVICE bool mark_written() {
    bool any = false;
    this->each([&](stm_entry& e) {
      if (!(e.flags & STM_DIRTY)) return true;
      any = true;
      locks.with(e.ref.lock, [&](stm_lock& lock) { lock.flags |= STM_LOG_WRITTEN; });
      return true;
    });
    return any;
  }

  // Timestamp-based validation without locks.
  STM_DEVICE bool validate_versions() {
    bool valid = true;
    locks.each([&](stm_lock& lock) {
      valid = !(lock.flags & STM_LOG_READ) || stm_same_acq_rel(lock.at, lock.word);
      return valid;
    });
    return valid;
  }

  // Returns a lock word that has changed, for the profile.
  STM_DEVICE const u64* changed() {
    const u64* found = nullptr;
    if constexpr (STM_PROFILED) {
      locks.each([&](stm_lock& lock) {
        if ((lock.flags & STM_LOG_READ) && stm_load_relaxed(lock.at) != lock.word) found = lock.at;
        return found == nullptr;
      });
    }
    return found;
  }

  STM_CALLED stm_status validate_early() { return validate_versions() ? STM_OK : this->conflict(STM_CHANGED, STM_INDEXED, changed()); }

  // Acquires the locks in order, and marks those whose versions have moved.
  STM_DEVICE stm_status lock_write_set() {
    stm_status status = STM_OK;
    // mutation "lock each": @ if (!(lock.flags & STM_LOG_WRITTEN)) return true;
    locks.each([&](stm_lock& lock) {
      u64 word = acquire_lock(lock.at);
      if (word & 1) {
        status = this->conflict(STM_LOCKED, lock.location, lock.at);
        return false;
      }
      // mutation "version has moved": bool moved = false;
      bool moved = (lock.flags & STM_LOG_READ) && word != lock.word;
      this->worker->profile.hold(lock.at);
      lock.word = word;
      lock.flags |= moved ? STM_LOG_HELD | STM_LOG_MOVED : STM_LOG_HELD;
      return true;
    });
    return status;
  }

  // Acquires a lock, after waiting a little. Returns the word that was there, odd if it stays locked.
  STM_DEVICE u64 acquire_lock(u64* lock) {
    u64 word = 1;
#pragma unroll 1
    for (u32 spin = 0; spin < STM_SPIN_LIMIT; ++spin) {
      word = stm_load_relaxed(lock);
      if (!(word & 1) && stm_replace_acq_rel(lock, word, word | 1)) return word;
      __nanosleep(20);
    }
    return 1;
  }

  // Value-based validation, under the locks whose versions have moved.
  STM_DEVICE stm_status validate_values() {
    stm_status status = STM_OK;
    this->each([&](stm_entry& e) {
      // mutation "compare the value": if ((e.flags & STM_LOADED) && stm_value_load(e.ref.value, e.ref.width) != e.found.value) {
      if ((e.flags & STM_LOADED) && locks.moved(e.ref.lock) && stm_value_load(e.ref.value, e.ref.width) != e.found.value) {
        status = this->conflict(STM_CHANGED, this->location_of(e), e.ref.lock);
      }
      return status == STM_OK;
    });
    return status;
  }

  STM_DEVICE void release(bool commits) {
    locks.each([&](stm_lock& lock) {
      bool written = commits && (lock.flags & STM_LOG_WRITTEN);
      // mutation "release a lock": if (lock.flags & STM_LOG_HELD) stm_store_release(lock.at, lock.word);
      if (lock.flags & STM_LOG_HELD) stm_store_release(lock.at, written ? lock.word + 2 : lock.word);
      return true;
    });
  }

  template <class Visit>
  STM_DEVICE void each_access(Visit visit) {
    locks.each([&](stm_lock& lock) {
      u64 version = lock.word >> 1;
      visit(stm_access{lock.key, (lock.flags & STM_LOG_READ) != 0, version, (lock.flags & STM_LOG_WRITTEN) != 0, version + 1});
      return true;
    });
  }
};
