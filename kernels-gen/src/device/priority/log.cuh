// The logs of a long transaction, and the phases of its commit: what does not depend on the procedure.
//
// The first log has one entry for each lock word, however many elements under it are read or written; the second has one entry for
// each element that is written.
//
// The logs lie in the memory of the block where they fit; otherwise in local memory if they are small, and in memory of the run if not.
// They consist of granules of 16 bytes. The granules of the lanes of a warp that run transactions alternate: where all lanes do the same,
// they access neighbouring granules, and where one lane runs, its log is compact. Local memory alternates among all 32 lanes, so that
// the log of a single lane would take 32 times as much of the cache; and the driver reserves it for every thread that the device can
// hold.
//
// Where one lane of a warp runs transactions, all lanes take part in its commits: the locks are held for a shorter time. In all cases
// the atomics of a phase are relaxed, and a fence between two phases orders all of them at once. A fence takes longer than an atomic,
// because it waits for everything that the thread has under way. `__syncwarp` orders the phases among the lanes.

struct alignas(16) stm_granule {
  u64 low, high;
};

// A part of the log of one thread.
struct stm_granules {
  stm_granule* at;
  u32 stride;
  STM_DEVICE stm_granule& operator[](u32 i) const { return at[(u64)i * stride]; }
  STM_DEVICE stm_granules from(u32 i) const { return {&(*this)[i], stride}; }
};

// An entry of the first log: a lock word that the attempt accessed, or a cell. In granules:
//   the address of the lock word; the lock word as it was read or locked
//   the value of a cell as it was read or locked; `own`
//   flags, and the newest write under the lock word; `touched`
//   the key of the history, in recording units only
// `own` of a lock word has a bit for each element that may be in the log of writes; of a cell, it is the value for this attempt.
// `touched` has a bit for each element that was accessed, where the user states a bound.
constexpr u32 STM_CELL = 64;  // flag: the entry is a cell
struct stm_lock_entry {
  static constexpr u32 GRANULES = STM_RECORDED ? 4 : 3;
  stm_granules at;

  STM_DEVICE u64* lock() const { return (u64*)at[0].low; }
  STM_DEVICE stm_pair found() const { return {at[0].high, at[1].low}; }
  STM_DEVICE void set_found(const stm_pair& pair) const {
    at[0].high = pair.word;
    at[1].low = pair.value;
  }
  STM_DEVICE u64& own() const { return at[1].high; }
  STM_DEVICE u32& flags() const { return *(u32*)&at[2].low; }
  // One more than the number of the newest write; 0 for none.
  STM_DEVICE u32& newest() const { return *((u32*)&at[2].low + 1); }
  STM_DEVICE u64& touched() const { return at[2].high; }
  STM_DEVICE u64& key() const { return at[STM_RECORDED ? 3 : 0].low; }

  // The lock word alone: no value is loaded through it.
  STM_DEVICE stm_ref ref() const { return {lock(), nullptr, flags() & STM_CELL ? 0u : 8u, 0}; }
};

// A written element: its address and its value; its size, and the write before it under the same lock word, counted as `newest`. With
// size 0, an element that was only read: it counts against a stated bound.
struct stm_buffered_write {
  static constexpr u32 GRANULES = 2;
  stm_granules at;

  STM_DEVICE u8* element() const { return (u8*)at[0].low; }
  STM_DEVICE u64& value() const { return at[0].high; }
  STM_DEVICE u32& width() const { return *(u32*)&at[1].low; }
  STM_DEVICE u32& older() const { return *((u32*)&at[1].low + 1); }
};

// A log as a commit sees it.
struct stm_log_view {
  stm_granules granules;
  u32 writes_at;  // the granule of the first write
  u32 count;      // of entries
  u32 written;    // of writes
  u32 owner;      // the thread whose log it is

  STM_DEVICE stm_lock_entry entry(u32 i) const { return {granules.from(i * stm_lock_entry::GRANULES)}; }
  STM_DEVICE stm_buffered_write write(u32 i) const { return {granules.from(writes_at + i * stm_buffered_write::GRANULES)}; }
  STM_DEVICE u64 mark() const { return (u64)owner << 1 | 1; }
};

// The cause of a conflict, if a phase found one.
constexpr u32 STM_NO_CAUSE = ~0u;

// The phases of a commit. Each handles every `step`-th entry from `lane` on, WIDTH of them at a time, because the device handles
// atomics in parallel. They return the cause of a conflict.
template <u32 WIDTH>
struct stm_log_phases : stm_log_view {
  u32 lane, step;

  STM_DEVICE u32 lock_write_set() const {
    u32 cause = STM_NO_CAUSE;
#pragma unroll 1
    for (u32 i = lane; i < count && cause == STM_NO_CAUSE; i += WIDTH * step) {
      if (acquire_several(i)) continue;
#pragma unroll 1
      for (u32 k = 0; k < WIDTH && cause == STM_NO_CAUSE; ++k) {
        if (is_dirty(i + k * step) && !(entry(i + k * step).flags() & STM_HELD)) cause = acquire_write(entry(i + k * step));
      }
    }
    return cause;
  }

  // Locks what is written. Returns whether all of it is locked now.
  STM_DEVICE bool acquire_several(u32 from) const {
    stm_pair found[WIDTH], was[WIDTH];
#pragma unroll
    for (u32 k = 0; k < WIDTH; ++k) {
      if (is_dirty(from + k * step)) found[k] = expected(entry(from + k * step));
    }
#pragma unroll
    for (u32 k = 0; k < WIDTH; ++k) {
      if (is_dirty(from + k * step)) was[k] = swap(entry(from + k * step), found[k]);
    }
    bool all = true;
#pragma unroll
    for (u32 k = 0; k < WIDTH; ++k) {
      if (is_dirty(from + k * step)) all &= keep_acquired(entry(from + k * step), found[k], was[k]);
    }
    return all;
  }
  STM_DEVICE bool is_dirty(u32 i) const { return i < count && (entry(i).flags() & STM_DIRTY); }

  // Returns what to find at a lock: what was read, or what is there now. A word that another thread holds stays as it is, because its
  // owner's number says who waits.
  STM_DEVICE static stm_pair expected(const stm_lock_entry& e) {
    // mutation "log: lock at the same version":
    if (e.flags() & STM_LOADED) return e.found();
    return e.flags() & STM_CELL ? stm_cell_load(e.lock()) : stm_pair{stm_load_relaxed(e.lock()), 0};
  }

  // Locks an entry if it is as expected, and free. Returns what was there.
  STM_DEVICE stm_pair swap(const stm_lock_entry& e, const stm_pair& found) const {
    // mutation "log: lock of another":
    if (found.word & 1) return found;
    if (e.flags() & STM_CELL) return stm_cell_swap(e.lock(), found, {mark(), 0});
    return {stm_swap_relaxed(e.lock(), found.word, mark()), 0};
  }

  STM_DEVICE static bool keep_acquired(const stm_lock_entry& e, const stm_pair& found, const stm_pair& was) {
    // mutation "log: lock of another is acquired": bool is_mine = was.word == found.word;
    bool is_mine = !(was.word & 1) && was.word == found.word;
    if (!is_mine) return false;
    e.set_found({found.word, was.value});
    e.flags() |= STM_HELD;
    return true;
  }

  // Locks one entry that another thread holds or has changed, if it waits for a lower priority and the version is the same.
  STM_DEVICE u32 acquire_write(const stm_lock_entry& e) const {
    u64 word = stm_lock_word_after_wait(e.ref(), owner);
    if (word & 1) return STM_LOCKED;
    stm_pair found = expected(e);
    if (keep_acquired(e, found, swap(e, found))) return STM_NO_CAUSE;
    return (e.flags() & STM_LOADED) && word != found.word ? STM_CHANGED : STM_LOCKED;
  }

  // Validates what was read and is not locked.
  STM_CALLED u32 validate() const {
    u32 cause = STM_NO_CAUSE;
#pragma unroll 1
    for (u32 i = lane; i < count && cause == STM_NO_CAUSE; i += WIDTH * step) {
      if (all_unchanged(i)) continue;
#pragma unroll 1
      for (u32 k = 0; k < WIDTH && cause == STM_NO_CAUSE; ++k) {
        if (needs_validation(i + k * step)) cause = validate_entry(entry(i + k * step));
      }
    }
    return cause;
  }
  STM_DEVICE bool needs_validation(u32 i) const { return i < count && (entry(i).flags() & (STM_LOADED | STM_HELD)) == STM_LOADED; }

  STM_DEVICE bool all_unchanged(u32 from) const {
    bool same = true;
#pragma unroll
    for (u32 k = 0; k < WIDTH; ++k) {
      if (!needs_validation(from + k * step)) continue;
      same &= stm_lock_same_relaxed(entry(from + k * step).ref(), entry(from + k * step).found());
    }
    return same;
  }

  STM_DEVICE u32 validate_entry(const stm_lock_entry& e) const {
    u64 word = stm_lock_word_after_wait(e.ref(), owner);
    if (!(word & 1) && stm_lock_same(e.ref(), e.found())) return STM_NO_CAUSE;
    // mutation "log: cause of a stale read": return (word & 1) ? STM_NO_CAUSE : STM_CHANGED;
    return (word & 1) ? STM_LOCKED : STM_CHANGED;
  }

  // Stores the written values. The locks are held.
  STM_DEVICE void write_back() const {
    const stm_granule* next = write(lane).at.at;
    u64 stride = granules.stride;
#pragma unroll 2
    for (u32 i = lane; i < written; i += step) {
      stm_granule what = next[0];
      u32 width = (u32)next[stride].low;
      next += stm_buffered_write::GRANULES * step * stride;
      if (width != 0) stm_value_store((u8*)what.low, width, what.high);
    }
  }

  // Unlocks; the store to a cell also writes its value back.
  STM_DEVICE void release(bool commits) const {
    // mutation "log: release: only commits": if (!commits) return;
#pragma unroll 1
    for (u32 i = lane; i < count; i += step) {
      stm_lock_entry e = entry(i);
      if (!(e.flags() & STM_HELD)) continue;
      stm_pair found = e.found();
      // mutation "log: release: same version": u64 word = found.word;
      u64 word = commits ? found.word + 2 : found.word;
      if (e.flags() & STM_CELL) {
        stm_cell_store(e.lock(), {word, commits ? e.own() : found.value});
      } else {
        stm_store_relaxed(e.lock(), word);
      }
    }
  }
};

// What the lanes of a warp do next, in the memory of the block.
enum stm_joint_phase : u32 { STM_JOINT_END, STM_JOINT_LOCK, STM_JOINT_VALIDATE, STM_JOINT_WRITE_BACK, STM_JOINT_COMMIT, STM_JOINT_ABORT };
struct stm_joint_commit {
  stm_log_view log;
  u32 phase;
  u32 cause;  // of a conflict that some lane found
};

// Runs a phase. Every lane of the warp calls it between two `__syncwarp`. Each fence after such a barrier makes what any lane did before
// visible before what this lane does next, and that of the locks makes what they protect visible to all lanes.
static STM_CALLED void stm_run_joint_phase(stm_joint_commit& joint, u32 lane) {
  stm_log_phases<1> log = {joint.log, lane, 32};
  u32 phase = joint.phase, cause = STM_NO_CAUSE;
  if (phase == STM_JOINT_LOCK) cause = log.lock_write_set();
  stm_fence_acq_rel();
  if (phase == STM_JOINT_VALIDATE) cause = log.validate();
  if (phase == STM_JOINT_WRITE_BACK) log.write_back();
  if (phase == STM_JOINT_COMMIT || phase == STM_JOINT_ABORT) log.release(phase == STM_JOINT_COMMIT);
  if (cause != STM_NO_CAUSE) stm_block_store_relaxed(&joint.cause, cause);
}

// The part of a lane that runs no transactions: it takes part in the commits of the first lane until that one ends.
STM_DEVICE void stm_join_commits(stm_joint_commit& joint, u32 lane) {
#pragma unroll 1
  for (;;) {
    __syncwarp();
    if (joint.phase == STM_JOINT_END) return;
    stm_run_joint_phase(joint, lane);
    __syncwarp();
  }
}
STM_DEVICE void stm_end_joint_commits(stm_joint_commit& joint) {
  joint.phase = STM_JOINT_END;
  __syncwarp();
}

// Returns the cause of a conflict.
STM_DEVICE u32 stm_joint_phase_of_first_lane(stm_joint_commit& joint, stm_joint_phase phase) {
  joint.phase = phase;
  joint.cause = STM_NO_CAUSE;
  __syncwarp();
  stm_run_joint_phase(joint, 0);
  __syncwarp();
  return stm_block_load_relaxed(&joint.cause);
}
