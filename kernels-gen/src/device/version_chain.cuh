// Several versions of each element, for engines that read from a snapshot: the version chain of an element, stored next to its
// array.
//
// A chain holds the last STM_VERSIONS versions in a ring: version n, counted from 0, stands at n % STM_VERSIONS. Version 0 is
// the element's value before the first write; an empty chain stands for the value in the array. The value in the array is the
// newest one, for the host. One thread at a time appends to a chain, and it has passed a fence since it learned of the version
// before.
//
// Order: a reader loads the value in the array before `count`, and the ring between two loads of `count`. Writers store rings and
// values with relaxed order after a fence, and then `count` with release; readers load with acquire, which costs less than a
// fence. A reader that observes a too-new word therefore also observes the advanced count.

struct stm_version {
  u64 time;
  u64 value;
};

struct stm_version_chain {
  u64 count;  // versions so far
  stm_version ring[STM_VERSIONS];
};
static_assert(sizeof(stm_version_chain) == STM_ELEMENT_BYTES, "host and device agree");

// Appends a version. The value in the array is stored later, after a fence.
STM_DEVICE void stm_chain_append(stm_ref ref, u64 value, u64 time) {
  stm_version_chain* chain = (stm_version_chain*)ref.lock;
  u64 count = stm_load_relaxed(&chain->count);
  if (count == 0) {
    stm_store_relaxed(&chain->ring[0].value, stm_value_load(ref.value, ref.width));
    count = 1;
  }
  // mutation "place of a version": stm_version* version = &chain->ring[0];
  stm_version* version = &chain->ring[count % STM_VERSIONS];
  stm_store_relaxed(&version->time, time);
  stm_store_relaxed(&version->value, value);
  stm_store_release(&chain->count, count + 1);
}

// The access set of an attempt that reads from a snapshot and buffers its writes.
template <class F, class Engine>
struct stm_multiversion : stm_write_buffer<F, stm_tx_base, Engine> {
  u64 snapshot;  // its time; after a commit, the time of the commit

  // The chain takes the place of the lock word, and identifies the element.
  template <class Array>
  STM_DEVICE void place(stm_probe& probe, const Array& array, u64 index) {
    probe.ref = array.ref(index);
    probe.ref.lock = (u64*)(array.at.extra + index * sizeof(stm_version_chain));
    if constexpr (STM_RECORDED) probe.key = stm_history_key(array, index);
  }

  // A read-only transaction keeps no entries: a second load from the snapshot returns the same value. But a stated bound counts
  // elements, and a history names them.
  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    if constexpr (F::READ_ONLY && !F::STATED && !STM_RECORDED) {
      if (!array.holds(index)) return this->fault(STM_FAULT_INDEX, location);
      stm_probe probe;
      place(probe, array, index);
      stm_entry e;
      e.ref = probe.ref;
      STM_TRY(load(e, location));
      *out = stm_word<T>::to(e.value);
      return STM_OK;
    } else {
      return stm_write_buffer<F, stm_tx_base, Engine>::read(slot, location, array, index, out);
    }
  }

  // Loads the version of the snapshot; stores its time where other engines have a lock word.
  STM_DEVICE stm_status load(stm_entry& e, u32 location) {
    stm_version_chain* chain = (stm_version_chain*)e.ref.lock;
    // mutation "before the newest value": @ u64 count = stm_load_acquire(&chain->count);
    e.found = {0, 0};
    e.value = stm_value_load_acquire(e.ref.value, e.ref.width);
    // mutation "count of versions":
    u64 count = stm_load_acquire(&chain->count);
    if (count == 0) return STM_OK;
#pragma unroll 1
    for (u64 back = 1; back <= count && back < STM_VERSIONS; ++back) {
      stm_version* version = &chain->ring[(count - back) % STM_VERSIONS];
      e.found.word = stm_load_relaxed(&version->time);
      // mutation "versions after the snapshot":
      if (e.found.word > snapshot) continue;
      e.value = stm_load_acquire(&version->value);
      // Its place is overwritten as soon as the count is STM_VERSIONS higher.
      // mutation "version still stands: unchecked": return STM_OK;
      // mutation "version still stands: off by one":
      //| if (stm_load_relaxed(&chain->count) <= count - back + STM_VERSIONS) return STM_OK;
      if (stm_load_relaxed(&chain->count) < count - back + STM_VERSIONS) return STM_OK;
      break;
    }
    return this->conflict(STM_OVERWRITTEN, location, e.ref.lock);
  }

  STM_DEVICE bool has_writes() {
    bool dirty = false;
    this->each([&](stm_entry& e) {
      dirty = e.flags & STM_DIRTY;
      return !dirty;
    });
    return dirty;
  }

  // Calls `visit(entry)` once for each element, with its first entry. No two entries of loops are for the same element, except in
  // read-only transactions.
  template <class Visit>
  STM_DEVICE void each_element(Visit visit) {
#pragma unroll
    for (u32 i = 0; i <= F::FIXED; ++i) {  // the last one is never in use
      bool first = this->fixed[i].flags != 0;
#pragma unroll
      for (u32 j = 0; j < i; ++j) {
        if (F::slot_group(j) == F::slot_group(i)) first = first && !stands_for(this->fixed[j], this->fixed[i].ref.value);
      }
      if (first) visit(this->fixed[i]);
    }
    if constexpr (stm_multiversion::ROOM != 0) {
#pragma unroll 1
      for (u32 i = 0; i < this->count; ++i) {
        bool first = true;
#pragma unroll
        for (u32 j = 0; j <= F::FIXED; ++j) first = first && !stands_for(this->fixed[j], this->indexed[i].ref.value);
        if (first) visit(this->indexed[i]);
      }
    }
  }
  STM_DEVICE bool stands_for(const stm_entry& e, const u8* value) const { return e.flags != 0 && e.ref.value == value; }

  // Appends the new versions, then stores the newest values. The caller makes them visible to later snapshots after a fence.
  STM_DEVICE void write_back(u64 time) {
    stm_fence_acq_rel();
    each_element([&](stm_entry& e) {
      if (e.flags & STM_DIRTY) stm_chain_append(e.ref, e.value, time);
    });
    stm_fence_acq_rel();
    each_element([&](stm_entry& e) {
      if (e.flags & STM_DIRTY) stm_value_store(e.ref.value, e.ref.width, e.value);
    });
    this->snapshot = time;
  }

  // Notes what the commit has written, for the profile.
  STM_DEVICE void note_writes() {
    if constexpr (STM_PROFILED) {
      each_element([&](stm_entry& e) {
        if (e.flags & STM_DIRTY) this->worker->profile.hold(e.ref.lock);
      });
    }
  }

  template <class Visit>
  STM_DEVICE void each_access(Visit visit) {
    each_element([&](stm_entry& e) {
      visit(stm_access{e.key, (e.flags & STM_LOADED) != 0, e.found.word, (e.flags & STM_DIRTY) != 0, this->snapshot});
    });
  }
};
