// Ordered locking: every address depends on arguments alone, every element may be written, and there are few. Locks are acquired in
// address order, one exchange each, which also reads; the body runs on registers; each store of the commit also unlocks. With more
// than STM_ORDERED_FEW elements, all are read first, and locked at the commit.

// The code grows with the square of the maximum. For more than a few elements, loading first costs a fifth to a third if no guard
// waits, and is up to four times as fast if many do (docs/results).
constexpr u32 STM_ORDERED_MOST = 16;
constexpr u32 STM_ORDERED_FEW = 5;

template <class F>
struct stm_ordered_locking : stm_priority_base {
  static constexpr u32 N = F::FIXED;
  // Many elements are loaded first, and locked after the body: locks that are acquired one after the other would be held for long.
  static constexpr bool LOADS_FIRST = N > STM_ORDERED_FEW;
  struct entry {
    stm_ref ref;     // no lock: the address is out of range, and the body will fault
    stm_pair found;  // as it was when it was locked or loaded
    u64 value;       // as the transaction sees it
    u64 key;
    bool dirty;
  };
  entry entries[N];
  u64 held;  // the locks below this rank are held

  // The width is a constant of the slot.
  STM_DEVICE stm_ref ref(u32 slot) const { return {entries[slot].ref.lock, entries[slot].ref.value, F::slot_width(slot), F::slot_group(slot)}; }
  // Returns the rank of a lock: the address, with the lowest bit set if the word is separate from its value.
  STM_DEVICE u64 rank(u32 slot) const {
    u64 lock = (u64)entries[slot].ref.lock;
    // mutation "rank of a lock": return lock == 0 ? 0 : lock | (slot & 3) << 1 | (F::slot_width(slot) != 0);
    return F::slot_width(slot) == 0 || lock == 0 ? lock : lock | 1;
  }

  struct scratch {};
  STM_DEVICE void begin(scratch&) { held = 0; }

  template <class Array>
  STM_DEVICE void declare(u32 slot, stm_intent, const Array& array, u64 index) {
    entry& e = entries[slot];
    e.dirty = false;
    e.ref = {nullptr, nullptr, 0, 0};  // an address past the end could be that of another array's element
    if (array.holds(index)) e.ref = array.ref(index);
    e.key = stm_history_key(array, index);
  }

  STM_DEVICE stm_status acquire() {
    if constexpr (LOADS_FIRST) {
      return load_all();
    } else {
      STM_TRY(lock_write_set());
#pragma unroll
      for (u32 i = 0; i < N; ++i) {
        entry& e = entries[i];
        if (F::slot_width(i) != 0 && e.ref.lock != nullptr) e.value = stm_value_load(e.ref.value, F::slot_width(i));
      }
      return STM_OK;
    }
  }

  // Loads all at once: the loads do not wait for each other, and the exchanges that follow find their elements in the cache.
  STM_DEVICE stm_status load_all() {
    bool is_held = false;
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      entry& e = entries[i];
      if (e.ref.lock == nullptr) continue;
      e.found = stm_lock_load(ref(i));
      e.value = e.found.value;
      is_held |= e.found.word & 1;
    }
    return is_held ? conflict(STM_LOCKED, STM_INDEXED, lock_where([&](u32 i) { return entries[i].found.word & 1; })) : STM_OK;
  }

  STM_DEVICE stm_status validate() {
    bool same = true;
#pragma unroll
    for (u32 i = 0; i < N; ++i) same &= entries[i].ref.lock == nullptr || stm_lock_same(ref(i), entries[i].found);
    return same ? STM_OK : conflict(STM_CHANGED, STM_INDEXED, lock_where([&](u32 i) { return !stm_lock_same(ref(i), entries[i].found); }));
  }

  // Acquires locks in address order, so that the holder of the last lock of any chain can proceed: some transaction always commits.
  // No thread waits while it holds a lock.
  // Unrolled: as a loop it compiles 3 % faster and runs up to 38 % slower (docs/results).
  STM_DEVICE stm_status lock_write_set() {
    u64 order[N];
#pragma unroll
    for (u32 i = 0; i < N; ++i) order[i] = rank(i);
#pragma unroll
    for (u32 round = 0; round < N; ++round) {
#pragma unroll
      for (u32 i = round & 1; i + 1 < N; i += 2) {
        u64 low = order[i] < order[i + 1] ? order[i] : order[i + 1];
        order[i + 1] = order[i] < order[i + 1] ? order[i + 1] : order[i];
        order[i] = low;
      }
    }
    u64 previous = 0;
#pragma unroll
    for (u32 step = 0; step < N; ++step) {
      if (order[step] == previous) continue;  // under the same lock, or out of range
      previous = order[step];
      stm_pair pair = acquire_ranked(previous);
      if (pair.word & 1) {
        held = previous;
        return conflict(STM_LOCKED, location_of(previous), lock_of(previous));
      }
      worker->profile.hold(lock_of(previous));
      if (!keep_acquired(previous, pair)) {
        held = previous + 1;
        return conflict(STM_CHANGED, location_of(previous), lock_of(previous));
      }
    }
    held = ~0ull;
    return STM_OK;
  }

  // Records what an acquired lock contained. If the elements were loaded before, the version must still be the same.
  STM_DEVICE bool keep_acquired(u64 which, stm_pair pair) {
    bool same = true;
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      if (rank(i) != which) continue;
      if constexpr (LOADS_FIRST) {
        // mutation "same version when locked": (void)same;
        same &= entries[i].found.word == pair.word;
      } else {
        entries[i].value = pair.value;
      }
      entries[i].found = pair;
    }
    return same;
  }

  STM_DEVICE static u64* lock_of(u64 rank) { return (u64*)(rank & ~1ull); }

  // Returns a lock word that `is_in_the_way`, for the profile.
  template <class IsInTheWay>
  STM_DEVICE const u64* lock_where(IsInTheWay is_in_the_way) const {
    const u64* lock = nullptr;
    if constexpr (STM_PROFILED) {
      for (u32 i = 0; i < N; ++i) {
        if (entries[i].ref.lock != nullptr && is_in_the_way(i)) lock = entries[i].ref.lock;
      }
    }
    return lock;
  }

  // One exchange locks a cell and reads it; a separate lock word has no value to read.
  STM_DEVICE stm_pair acquire_ranked(u64 rank) {
    // mutation "lock of a rank": u64* lock = (u64*)(rank & ~7ull);
    u64* lock = lock_of(rank);
    if constexpr (F::ONE_WIDTH == 0) return stm_cell_exchange(lock, {mark(), 0});
    if (F::ONE_WIDTH == ~0u && (rank & 1) == 0) return stm_cell_exchange(lock, {mark(), 0});
    return {stm_exchange_acquire(lock, mark()), 0};
  }

  STM_DEVICE u32 location_of(u64 which) const {
    u32 location = STM_INDEXED;
    if constexpr (STM_PROFILED) {
      for (u32 i = 0; i < N; ++i) location = rank(i) == which && location == STM_INDEXED ? F::slot_location(i) : location;
    }
    return location;
  }

  STM_DEVICE bool shares_lock(u32 i, u32 slot) const {
    return F::slot_group(i) == F::slot_group(slot) && entries[i].ref.lock == entries[slot].ref.lock;
  }

  // Returns whether the slot is the first under its lock, which releases it.
  STM_DEVICE bool holder(u32 slot) const {
    bool first = entries[slot].ref.lock != nullptr;
#pragma unroll
    for (u32 i = 0; i < slot; ++i) first = first && !shares_lock(i, slot);
    return first;
  }
  STM_DEVICE bool dirty_under(u32 slot) const {
    bool dirty = false;
#pragma unroll
    for (u32 i = 0; i < N; ++i) dirty = dirty || (entries[i].dirty && shares_lock(i, slot));
    return dirty;
  }

  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    if (!array.holds(index)) return fault(STM_FAULT_INDEX, location);
    *out = stm_word<T>::to(entries[slot].value);
    return STM_OK;
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32 slot, u32 location, const Array& array, u64 index, T value) {
    if (!array.holds(index)) return fault(STM_FAULT_INDEX, location);
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      // mutation "aliases take the write": if (i != slot) continue;
      if (F::slot_group(i) != F::slot_group(slot) || entries[i].ref.value != entries[slot].ref.value) continue;
      entries[i].value = stm_to_word(value);
      entries[i].dirty = true;
    }
    return STM_OK;
  }

  // Ends an attempt. Everything that the body read is still current at that moment: it is locked, or is validated.
  STM_DEVICE stm_status finish(stm_status status) {
    if constexpr (LOADS_FIRST) {
      if (status == STM_OK) {
        status = lock_write_set();
      } else if (!stm_skips_validation(status)) {
        // mutation "validate an unlocked read":
        status = validate() == STM_OK ? status : STM_CONFLICT;
      }
    }
    bool commits = status == STM_OK;
    write_back(commits);
    release(commits);
    return status;
  }

  // Stores the values that do not lie in cells.
  STM_DEVICE void write_back(bool commits) {
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      const entry& e = entries[i];
      if (commits && e.dirty && F::slot_width(i) != 0) stm_value_store(e.ref.value, F::slot_width(i), e.value);
    }
  }

  // Each store unlocks. The store to a cell also writes its value back.
  STM_DEVICE void release(bool commits) {
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      // mutation "value after an abort": stm_pair left = {entries[i].found.word, entries[i].value};
      stm_pair left = entries[i].found;
      // mutation "new version of a slot: same version": if (commits && dirty_under(i)) left = {left.word, entries[i].value};
      // mutation "new version of a slot: version of 8 bits":
      //| if (commits && dirty_under(i)) left = {(left.word + 2) & 0x1ff, entries[i].value};
      if (commits && dirty_under(i)) left = {left.word + 2, entries[i].value};
      // mutation "release a slot": if (commits) @
      if (holder(i) && rank(i) < held) stm_lock_release(ref(i), left);
    }
  }

  template <class Visit>
  STM_DEVICE void each_access(Visit visit) {
    for (u32 i = 0; i < N; ++i) {
      if (!holder(i)) continue;
      bool is_read = false;
      for (u32 j = 0; j < N; ++j) is_read = is_read || (F::slot_reads(j) && shares_lock(j, i));
      u64 version = entries[i].found.word >> 1;
      visit(stm_access{entries[i].key, is_read, version, dirty_under(i), version + 1});
    }
  }
};
