// local: GPU-LocalTM (Villegas and others: Hardware support for local memory transactions on GPU architectures),
// section 3, in software. The elements are in the memory of a block, transactions write them in place, and threads that keep
// conflicting run one after the other: first those of a warp, then those of the block.
//
// Each element has an owner (32 bits: 0, or one more than the number of a thread in its block) and a backup, the paper's shadow
// memory. Reads and writes are treated alike, as by its single signature: the first thread that accesses an element becomes its
// owner and makes the backup.
//
// Progress (section 3.1). A mask for each warp has the lanes that had a conflict in their last attempt. A lane that finds the mask
// unchanged between two of its conflicts acquires the serialization token of its warp: the other lanes wait where an attempt
// begins. After another conflict under the same mask it acquires the token of the block: all other threads wait there. An attempt
// without a conflict gives both tokens back.
//
// Invariants
//   - An owner that is not 0 is stored to by that thread alone, and only to release the element. Owning begins with an acquire. So
//     the elements that an attempt has read or written do not change until it ends (strict two-phase locking): nothing is
//     validated, and only its writer sees a value that is restored.
//   - Exactly one entry of an attempt holds an element, however many accesses name it: that one restores the backup and releases
//     it.
//   - A mask has a lane's bit exactly while `memo[STM_LAST_MASK]` of its thread is not 0; a token is acquired and given back
//     by its thread alone. When all threads have ended a partition, owners, masks and tokens are 0.
//   - Masks and tokens do not exclude other threads: they only make them wait. Every wait is bounded, and after it the attempt ends
//     with a conflict.
//
// Atomics, all at block scope: owner - load relaxed to test, compare-and-swap acquire to acquire, store release to release;
// elements - load and store relaxed, under an owner; backups - the same; masks - or, and relaxed; tokens - compare-and-swap
// acquire to acquire (the order is not needed), load and store relaxed. Counts of commits (recording units) lie in device memory
// and are loaded and stored relaxed under an owner; no other block reads them.
//
// Causes of abort: locked (another thread owns the element); other (a token was held for too long).
// Differences from the paper: ownership is exact, where its Bloom filters of 8 bits also report false conflicts. Lanes run
// by themselves, so a re-execution is a lane's and not a warp's, and the mask is a word of memory instead of a register;
// conflicts end the attempt at once and not at its end. Partitions come from device memory and go back there.
// Limits: opaque. Arrays are `Partition` parameters; a partition and its metadata must fit into the memory of a block.
// Read-only transactions own their elements too, as in the paper.

constexpr u32 STM_WARPS = 32;
// The words of a block: its token, then masks and tokens of its warps.
STM_DEVICE u32* stm_token_of_block(u8* memory) { return (u32*)memory; }
STM_DEVICE u32* stm_mask(u8* memory) { return (u32*)memory + 2 + (threadIdx.x >> 5); }
STM_DEVICE u32* stm_token_of_warp(u8* memory) { return (u32*)memory + 2 + STM_WARPS + (threadIdx.x >> 5); }

// The words of `worker.memo`, which a thread keeps between attempts.
constexpr u32 STM_LAST_MASK = 0;  // the mask at its last conflict; 0 after an attempt without one
constexpr u32 STM_TOKENS = 1;     // the number of its tokens: that of its warp, then that of its block

// Loads of a token that another thread holds, before an attempt ends.
constexpr u32 STM_TOKEN_SPIN_LIMIT = 64;

STM_DEVICE bool stm_token_is_taken(u32* token, u32 me) {
  u32 holder = stm_block_load_relaxed(token);
  return holder != 0 && holder != me;
}

// Waits while another thread holds a token; returns false when that takes too long. Rare, so it is out of line, like the functions
// below; none of them takes the worker, which would have to lie in memory for that.
STM_OUTLINE bool stm_wait_for_tokens(u8* memory, u32 me) {
#pragma unroll 1
  for (u32 spin = 0; spin < STM_TOKEN_SPIN_LIMIT; ++spin) {
    if (!stm_token_is_taken(stm_token_of_block(memory), me) && !stm_token_is_taken(stm_token_of_warp(memory), me)) return true;
    __nanosleep(100);
  }
  return false;
}

// Notes a conflict. Acquires a token if the mask is the same as at the last conflict of the thread (`seen`). Returns the number of
// tokens of the thread now, and the mask.
STM_OUTLINE u64 stm_note_conflict(u8* memory, u32 me, u32 seen, u32 tokens) {
  u32 lane = 1u << (threadIdx.x & 31);
  u32 mask = stm_block_or_relaxed(stm_mask(memory), lane) | lane;
  if (mask == seen && tokens < 2) {
    u32* token = tokens == 0 ? stm_token_of_warp(memory) : stm_token_of_block(memory);
    if (stm_block_swap_acquire(token, 0u, me) == 0) tokens += 1;
  }
  return (u64)tokens << 32 | mask;
}

STM_OUTLINE void stm_give_tokens_back(u8* memory, u32 tokens) {
  stm_block_and_relaxed(stm_mask(memory), ~(1u << (threadIdx.x & 31)));
  if (tokens > 1) stm_block_store_relaxed(stm_token_of_block(memory), 0u);
  if (tokens > 0) stm_block_store_relaxed(stm_token_of_warp(memory), 0u);
}

// Releases the tokens: a transaction may be left for a later launch while its thread holds some.
STM_DEVICE void stm_end_partition(stm_worker& worker) {
  if (worker.memo[STM_LAST_MASK] == 0) return;
  stm_give_tokens_back(worker.memory, worker.memo[STM_TOKENS]);
  worker.memo[STM_LAST_MASK] = worker.memo[STM_TOKENS] = 0;
}

// What only recording units keep for each element.
template <bool RECORDED>
struct stm_element_counter {};
template <>
struct stm_element_counter<true> {
  u64 key;
  u64* counter;  // of the commits of the element
  u64 commits;   // its value when the element was acquired
};
struct stm_place {
  u8* value;
  u32 width;
  u32 group;
};
template <class F>
struct stm_local_entry : stm_element_counter<STM_RECORDED> {
  stm_place ref;
  u8* backup;
  u32* owner;
  u32 flags;
};

template <class F>
struct stm_tx : stm_access_set<F, stm_tx_base, stm_local_entry<F>> {
  typedef stm_local_entry<F> local_entry;
  typedef stm_access_set<F, stm_tx_base, local_entry> set;
  bool wait_failed;

  STM_DEVICE void begin(typename set::scratch& room) {
    set::begin(room);
    const stm_worker& worker = *this->worker;
    u8* memory = worker.memory;
    u32 me = worker.owner + 1;
    wait_failed = (stm_token_is_taken(stm_token_of_block(memory), me) || stm_token_is_taken(stm_token_of_warp(memory), me)) &&
                  !stm_wait_for_tokens(memory, me);
  }

  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    u64 at = Array::within(index, this->worker->partition);
    // mutation "acquire what is read": if (at >= Array::size()) return this->fault(STM_FAULT_INDEX, location);
    STM_TRY(acquire_element(slot, location, array, index, at));
    u8* value = (u8*)(Array::values(this->worker->memory) + at);
    mark_access(value, STM_LOADED);
    *out = stm_word<T>::to(stm_block_value_load(value, sizeof(T)));
    return STM_OK;
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32 slot, u32 location, const Array& array, u64 index, T value) {
    u64 at = Array::within(index, this->worker->partition);
    STM_TRY(acquire_element(slot, location, array, index, at));
    u8* place = (u8*)(Array::values(this->worker->memory) + at);
    // mutation "mark written":
    //| @ stm_block_value_store((u8*)((T*)Array::second(this->worker->memory) + at), sizeof(T), stm_block_value_load(place,
    //| sizeof(T)));
    mark_access(place, STM_DIRTY);
    stm_block_value_store(place, sizeof(T), stm_to_word(value));
    return STM_OK;
  }

  // Makes the attempt the owner of the element, with a backup.
  template <class Array>
  STM_DEVICE stm_status acquire_element(u32 slot, u32 location, const Array& array, u64 index, u64 at) {
    typedef typename Array::value_type T;
    if (at >= Array::size()) return this->fault(STM_FAULT_INDEX, location);
    u8* memory = this->worker->memory;
    u32 me = this->worker->owner + 1;
    u32* owner = (u32*)Array::first(memory) + at;
    if (stm_block_load_relaxed(owner) == me) return STM_OK;
    if (wait_failed) return this->conflict(STM_OTHER, location);
    u8* value = (u8*)(Array::values(memory) + at);
    stm_place ref = {value, (u32)sizeof(T), Array::GROUP};
    local_entry* e = this->is_fixed(slot) ? &this->fixed[slot] : this->add(slot, ref);
    if (e == nullptr) return this->fault(STM_FAULT_CAPACITY, location);
    // For the profile, in place of the owner, whose place in the block other partitions share.
    const T* lock = (const T*)array.at.data + index;
    // mutation "acquire: token of a warp":
    //| if (stm_block_swap_acquire(owner, 0u, me) != 0 && this->worker->memo[STM_TOKENS] == 0) return this->conflict(STM_LOCKED,
    //| location);
    // mutation "acquire: token of a block":
    //| if (stm_block_swap_acquire(owner, 0u, me) != 0 && this->worker->memo[STM_TOKENS] < 2) return this->conflict(STM_LOCKED,
    //| location);
    if (stm_block_swap_acquire(owner, 0u, me) != 0) return this->conflict(STM_LOCKED, location, lock);
    this->worker->profile.hold(lock);
    e->ref = ref;
    e->owner = owner;
    e->backup = (u8*)((T*)Array::second(memory) + at);
    e->flags = STM_HELD;
    if constexpr (!F::READ_ONLY) stm_block_value_store(e->backup, sizeof(T), stm_block_value_load(value, sizeof(T)));
    if constexpr (STM_RECORDED) {
      e->key = stm_history_key(array, index);
      e->counter = (u64*)array.at.extra + index;
      e->commits = stm_load_relaxed(e->counter);
    }
    return STM_OK;
  }

  // Marks a read or a write for the history, at the entry that holds the element.
  STM_DEVICE void mark_access(u8* value, u32 what) {
    if constexpr (STM_RECORDED) {
      this->each([&](local_entry& e) {
        if (e.flags & STM_HELD && e.ref.value == value) e.flags |= what;
        return true;
      });
    }
  }

  STM_DEVICE stm_status finish(stm_status status) {
    if constexpr (!F::READ_ONLY) {
      // mutation "undo":
      if (status != STM_OK) undo();
      if constexpr (STM_RECORDED) {
        if (status == STM_OK) count_commits();
      }
    }
    this->each([&](local_entry& e) {
      if (e.flags & STM_HELD) stm_block_store_release(e.owner, 0u);
      return true;
    // mutation "after the release":
    //| @ if constexpr (!F::READ_ONLY) {
    //| if (status != STM_OK) undo();
    //| }
    });
    if (status == STM_CONFLICT) {
      if (!wait_failed) note_conflict();
    } else {
      stm_end_partition(*this->worker);
    }
    return status;
  }

  STM_DEVICE void note_conflict() {
    stm_worker& worker = *this->worker;
    u64 now = stm_note_conflict(worker.memory, worker.owner + 1, worker.memo[STM_LAST_MASK], worker.memo[STM_TOKENS]);
    worker.memo[STM_LAST_MASK] = (u32)now;
    worker.memo[STM_TOKENS] = (u32)(now >> 32);
  }

  STM_DEVICE void undo() {
    this->each([&](local_entry& e) {
      if (e.flags & STM_HELD) stm_block_value_store(e.ref.value, e.ref.width, stm_block_value_load(e.backup, e.ref.width));
      return true;
    });
  }

  // Numbers the commit while the elements are still owned.
  STM_DEVICE void count_commits() {
    this->each([&](local_entry& e) {
      if (e.flags & STM_DIRTY) stm_store_relaxed(e.counter, e.commits + 1);
      return true;
    });
  }

  template <class Visit>
  STM_DEVICE void each_access(Visit visit) {
    this->each([&](local_entry& e) {
      visit(stm_access{e.key, (e.flags & STM_LOADED) != 0, e.commits, (e.flags & STM_DIRTY) != 0, e.commits + 1});
      return true;
    });
  }
};
