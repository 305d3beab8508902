// local: GPU-LocalTM (Villegas and others: Hardware support for local memory transactions on GPU architectures),
// section 3, in software. The elements are in the memory of a block, transactions write them in place, and threads that keep
// getting into each other's way run one after the other: first those of a warp, then those of the block.
//
// Beside each element lie an owner (32 bits: 0, or one more than the number of a thread in its block) and a backup, the
// paper's shadow memory. Reads and writes are treated alike, as its single signature does: whoever touches an element first
// becomes its owner and makes the backup.
//
// Progress (section 3.1). A mask for each warp says which of its lanes met a conflict in their last attempt. A lane that finds
// the mask unchanged between two of its conflicts takes the turn of its warp: the other lanes wait where an attempt begins. If
// it meets a conflict under the same mask again, it takes the turn of the block: all other threads wait there. Both turns
// end with the attempt that meets no conflict.
//
// Invariants
//   - An owner that is not 0 is stored to by that thread alone, and only to let go (release). Taking is an acquire. So what an
//     attempt has read or written stays as it is until the attempt ends (strict two-phase locking): nothing is validated,
//     and a value that is put back is seen by its writer alone.
//   - Exactly one entry of an attempt holds an element, however many accesses name it: that one puts the backup back and lets go.
//   - A mask has a lane's bit exactly while `memo[STM_SEEN_MASK]` of its thread is not 0; a turn is taken and given up by its
//     thread alone. When all threads rest, owners, masks and turns are 0.
//   - Masks and turns exclude nobody: they only say who should wait. Every wait is bounded, and who has waited in vain ends
//     the attempt as one that met a conflict.
//
// Atomics, all at block scope: owner - load relaxed to look, compare-and-swap acquire to take, store release to let go;
// elements - load and store relaxed, under an owner; backups - the same; masks - or, and relaxed; turns - compare-and-swap
// acquire to take (the order is not needed), load and store relaxed. Counts of commits (recording units) lie in device memory
// and are loaded and stored relaxed under an owner; no other block looks at them.
//
// Causes of abort: locked (the element is somebody else's); other (its turn did not come in time).
// Differences from the paper: ownership is exact, where its Bloom filters of 8 bits also find conflicts that are none. Lanes run
// by themselves, so a re-execution is a lane's and not a warp's, and the mask is a word of memory instead of a register;
// conflicts end the attempt at once and not at its end. Parts come from device memory and go back there.
// Limits: opaque. Arrays are `Partition` parameters, and a part with all that lies beside it fits into the memory of a block.
// Transactions that only read own what they read, as in the paper.

constexpr u32 STM_WARPS = 32;
// The words of a block: its turn, then masks and turns of its warps.
STM_DEVICE u32* stm_turn_of_block(u8* home) { return (u32*)home; }
STM_DEVICE u32* stm_mask(u8* home) { return (u32*)home + 2 + (threadIdx.x >> 5); }
STM_DEVICE u32* stm_turn_of_warp(u8* home) { return (u32*)home + 2 + STM_WARPS + (threadIdx.x >> 5); }

// What a thread keeps between attempts.
constexpr u32 STM_SEEN_MASK = 0;  // the mask at its last conflict; 0 after an attempt that met none
constexpr u32 STM_TURNS = 1;      // how many turns it has: its warp's, then its block's

// Looks at a turn that somebody else has, before an attempt ends in vain.
constexpr u32 STM_TURN_PATIENCE = 64;

STM_DEVICE bool stm_others_turn(u32* turn, u32 me) {
  u32 holder = stm_block_load_relaxed(turn);
  return holder != 0 && holder != me;
}

// Waits while it is somebody else's turn; false when that takes too long. Rare, so it is out of line, as what follows; and none
// of it takes the worker, which would have to lie in memory for that.
STM_OUTLINE bool stm_wait_for_turn(u8* home, u32 me) {
#pragma unroll 1
  for (u32 look = 0; look < STM_TURN_PATIENCE; ++look) {
    if (!stm_others_turn(stm_turn_of_block(home), me) && !stm_others_turn(stm_turn_of_warp(home), me)) return true;
    __nanosleep(100);
  }
  return false;
}

// An attempt met a conflict: did any other lane of the warp come or go since this one's last, when the mask was `seen`? Gives
// back how many turns the thread has now, and the mask.
STM_OUTLINE u64 stm_met_conflict(u8* home, u32 me, u32 seen, u32 turns) {
  u32 lane = 1u << (threadIdx.x & 31);
  u32 mask = stm_block_or_relaxed(stm_mask(home), lane) | lane;
  if (mask == seen && turns < 2) {
    u32* turn = turns == 0 ? stm_turn_of_warp(home) : stm_turn_of_block(home);
    if (stm_block_swap_acquire(turn, 0u, me) == 0) turns += 1;
  }
  return (u64)turns << 32 | mask;
}

STM_OUTLINE void stm_met_none(u8* home, u32 turns) {
  stm_block_and_relaxed(stm_mask(home), ~(1u << (threadIdx.x & 31)));
  if (turns > 1) stm_block_store_relaxed(stm_turn_of_block(home), 0u);
  if (turns > 0) stm_block_store_relaxed(stm_turn_of_warp(home), 0u);
}

// A transaction may be left for a later launch with a turn in hand.
STM_DEVICE void stm_rest(stm_worker& worker) {
  if (worker.memo[STM_SEEN_MASK] == 0) return;
  stm_met_none(worker.home, worker.memo[STM_TURNS]);
  worker.memo[STM_SEEN_MASK] = worker.memo[STM_TURNS] = 0;
}

// What only recording units keep for each element.
template <bool RECORDED>
struct stm_counted {};
template <>
struct stm_counted<true> {
  u64 key;
  u64* counter;  // of the commits of the element
  u64 commits;   // what it said when the element was taken
};
struct stm_place {
  u8* value;
  u32 width;
};
template <class F>
struct stm_owned : stm_counted<STM_RECORDED> {
  stm_place ref;
  u8* backup;
  u32* owner;
  u32 flags;
};

template <class F>
struct stm_tx : stm_set<F, stm_tx_base, stm_owned<F>> {
  typedef stm_owned<F> owned;
  typedef stm_set<F, stm_tx_base, owned> set;
  bool waited_in_vain;

  STM_DEVICE void begin(typename set::scratch& room) {
    set::begin(room);
    const stm_worker& worker = *this->worker;
    u8* home = worker.home;
    u32 me = worker.owner + 1;
    waited_in_vain = (stm_others_turn(stm_turn_of_block(home), me) || stm_others_turn(stm_turn_of_warp(home), me)) &&
                     !stm_wait_for_turn(home, me);
  }

  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    u64 at = Array::within(index, this->worker->part);
    // mutation "own what is read": if (at >= Array::size()) return this->fault(STM_FAULT_INDEX, location);
    STM_TRY(own(slot, location, array, index, at));
    u8* value = (u8*)(Array::values(this->worker->home) + at);
    note(value, STM_SEEN);
    *out = stm_word<T>::to(stm_block_value_load(value, sizeof(T)));
    return STM_OK;
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32 slot, u32 location, const Array& array, u64 index, T value) {
    u64 at = Array::within(index, this->worker->part);
    STM_TRY(own(slot, location, array, index, at));
    u8* place = (u8*)(Array::values(this->worker->home) + at);
    // mutation "mark written":
    //| @ stm_block_value_store((u8*)((T*)Array::second(this->worker->home) + at), sizeof(T), stm_block_value_load(place,
    //| sizeof(T)));
    note(place, STM_DIRTY);
    stm_block_value_store(place, sizeof(T), stm_to_word(value));
    return STM_OK;
  }

  // Makes the element the attempt's, with a backup.
  template <class Array>
  STM_DEVICE stm_status own(u32 slot, u32 location, const Array& array, u64 index, u64 at) {
    typedef typename Array::value_type T;
    if (at >= Array::size()) return this->fault(STM_FAULT_INDEX, location);
    u8* home = this->worker->home;
    u32 me = this->worker->owner + 1;
    u32* owner = (u32*)Array::first(home) + at;
    if (stm_block_load_relaxed(owner) == me) return STM_OK;
    if (waited_in_vain) return this->conflict(STM_OTHER, location);
    u8* value = (u8*)(Array::values(home) + at);
    owned* e = slot != STM_INDEXED ? &this->fixed[slot] : this->add(value);
    if (e == nullptr) return this->fault(STM_FAULT_CAPACITY, location);
    // mutation "own: token of a warp":
    //| if (stm_block_swap_acquire(owner, 0u, me) != 0 && this->worker->memo[STM_TURNS] == 0) return this->conflict(STM_LOCKED,
    //| location);
    // mutation "own: token of a block":
    //| if (stm_block_swap_acquire(owner, 0u, me) != 0 && this->worker->memo[STM_TURNS] < 2) return this->conflict(STM_LOCKED,
    //| location);
    if (stm_block_swap_acquire(owner, 0u, me) != 0) return this->conflict(STM_LOCKED, location);
    e->ref = {value, (u32)sizeof(T)};
    e->owner = owner;
    e->backup = (u8*)((T*)Array::second(home) + at);
    e->flags = STM_HELD;
    if constexpr (!F::READ_ONLY) stm_block_value_store(e->backup, sizeof(T), stm_block_value_load(value, sizeof(T)));
    if constexpr (STM_RECORDED) {
      e->key = stm_history_key(array, index);
      e->counter = (u64*)array.at.extra + index;
      e->commits = stm_load_relaxed(e->counter);
    }
    return STM_OK;
  }

  // What the history has to say of an element, at the entry that holds it.
  STM_DEVICE void note(u8* value, u32 what) {
    if constexpr (STM_RECORDED) {
      this->each([&](owned& e) {
        if (e.flags & STM_HELD && e.ref.value == value) e.flags |= what;
        return true;
      });
    }
  }

  STM_DEVICE stm_status conclude(stm_status status) {
    if constexpr (!F::READ_ONLY) {
      // mutation "undo":
      if (status != STM_OK) undo();
      if constexpr (STM_RECORDED) {
        if (status == STM_OK) count();
      }
    }
    this->each([&](owned& e) {
      if (e.flags & STM_HELD) stm_block_store_release(e.owner, 0u);
      return true;
    // mutation "after the release":
    //| @ if constexpr (!F::READ_ONLY) {
    //| if (status != STM_OK) undo();
    //| }
    });
    if (status == STM_CONFLICT) {
      if (!waited_in_vain) keep_on();
    } else {
      stm_rest(*this->worker);
    }
    return status;
  }

  STM_DEVICE void keep_on() {
    stm_worker& worker = *this->worker;
    u64 now = stm_met_conflict(worker.home, worker.owner + 1, worker.memo[STM_SEEN_MASK], worker.memo[STM_TURNS]);
    worker.memo[STM_SEEN_MASK] = (u32)now;
    worker.memo[STM_TURNS] = (u32)(now >> 32);
  }

  STM_DEVICE void undo() {
    this->each([&](owned& e) {
      if (e.flags & STM_HELD) stm_block_value_store(e.ref.value, e.ref.width, stm_block_value_load(e.backup, e.ref.width));
      return true;
    });
  }

  // Numbers the commit while the elements are still owned.
  STM_DEVICE void count() {
    this->each([&](owned& e) {
      if (e.flags & STM_DIRTY) stm_store_relaxed(e.counter, e.commits + 1);
      return true;
    });
  }

  STM_DEVICE void record(stm_log& log, bool committed) {
    this->each([&](owned& e) {
      if (e.flags & STM_SEEN) stm_record(log, false, e.key, e.commits);
      if (committed && (e.flags & STM_DIRTY)) stm_record(log, true, e.key, e.commits + 1);
      return true;
    });
  }
};
