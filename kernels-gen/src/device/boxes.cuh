// Several versions of each element, for engines that read as of a moment: the box of an element, beside its array.
//
// A box holds the last STM_VERSIONS versions in a ring: version n, counted from 0, stands at n % STM_VERSIONS. Its first one
// is what the element was before anybody wrote it; an empty box stands for the value in the array. The value in the
// array is the newest one, for the host. Whoever puts a version into a box is the only one that does so at that time, and has
// passed a fence since it learned of the one before.
//
// Order: the value in the array is read before `count`, and the ring between two looks at it; it is stored with release behind
// the ring. Who writes rings and values stores relaxed behind a fence, and who reads them loads with acquire, which costs less
// than a fence: so whoever saw a word that is too new sees a count that tells.

struct stm_version {
  u64 time;
  u64 value;
};

struct stm_box {
  u64 count;  // versions so far
  stm_version ring[STM_VERSIONS];
};

// The value in the array is stored later, behind a fence.
STM_DEVICE void stm_put_version(stm_ref ref, u64 value, u64 time) {
  stm_box* box = (stm_box*)ref.lock;
  u64 count = stm_load_relaxed(&box->count);
  if (count == 0) {
    stm_store_relaxed(&box->ring[0].value, stm_value_load(ref.value, ref.width));
    count = 1;
  }
  // mutation "place of a version": stm_version* version = &box->ring[0];
  stm_version* version = &box->ring[count % STM_VERSIONS];
  stm_store_relaxed(&version->time, time);
  stm_store_relaxed(&version->value, value);
  stm_store_release(&box->count, count + 1);
}

// What an attempt keeps: reads as of a moment, and what it will write.
template <class F, class Engine>
struct stm_boxed : stm_buffer<F, stm_tx_base, Engine> {
  u64 snapshot;  // the moment; after a commit, the time of the commit

  // The box takes the place of the lock word, and names the element.
  template <class Array>
  STM_DEVICE void place(stm_entry& e, const Array& array, u64 index) {
    e.ref = array.ref(index);
    e.ref.lock = (u64*)(array.at.extra + index * sizeof(stm_box));
    if constexpr (STM_RECORDED) e.key = stm_history_key(array, index);
  }

  // What only reads keeps nothing: all of it is as of one moment, and a second look finds the same. A stated bound counts
  // elements, though, and a history names them.
  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    if constexpr (F::READ_ONLY && !F::STATED && !STM_RECORDED) {
      if (!array.holds(index)) return this->fault(STM_FAULT_INDEX, location);
      stm_entry e;
      place(e, array, index);
      STM_TRY(fetch(e, location));
      *out = stm_word<T>::to(e.value);
      return STM_OK;
    } else {
      return stm_buffer<F, stm_tx_base, Engine>::read(slot, location, array, index, out);
    }
  }

  // The version of the snapshot; its time stands where others have a lock word.
  STM_DEVICE stm_status fetch(stm_entry& e, u32 location) {
    stm_box* box = (stm_box*)e.ref.lock;
    // mutation "before the newest value": @ u64 count = stm_load_acquire(&box->count);
    e.found = {0, 0};
    e.value = stm_value_load_acquire(e.ref.value, e.ref.width);
    // mutation "count of versions":
    u64 count = stm_load_acquire(&box->count);
    if (count == 0) return STM_OK;
#pragma unroll 1
    for (u64 back = 1; back <= count && back < STM_VERSIONS; ++back) {
      stm_version* version = &box->ring[(count - back) % STM_VERSIONS];
      e.found.word = stm_load_relaxed(&version->time);
      // mutation "versions after the snapshot":
      if (e.found.word > snapshot) continue;
      e.value = stm_load_acquire(&version->value);
      // Its place is being written again as soon as the count is STM_VERSIONS higher.
      // mutation "version still stands: unchecked": return STM_OK;
      // mutation "version still stands: off by one":
      //| if (stm_load_relaxed(&box->count) <= count - back + STM_VERSIONS) return STM_OK;
      if (stm_load_relaxed(&box->count) < count - back + STM_VERSIONS) return STM_OK;
      break;
    }
    return this->conflict(STM_OVERWRITTEN, location);
  }

  STM_DEVICE bool wrote() {
    bool dirty = false;
    this->each([&](stm_entry& e) {
      dirty = e.flags & STM_DIRTY;
      return !dirty;
    });
    return dirty;
  }

  // Calls `visit(entry)` once for each element: the first entry speaks for all. Of entries of loops no two are for the same,
  // but in what only reads.
  template <class Visit>
  STM_DEVICE void each_element(Visit visit) {
#pragma unroll
    for (u32 i = 0; i <= F::FIXED; ++i) {  // the last one is never in use
      bool first = this->fixed[i].flags != 0;
#pragma unroll
      for (u32 j = 0; j < i; ++j) first = first && !stands_for(this->fixed[j], this->fixed[i].ref.value);
      if (first) visit(this->fixed[i]);
    }
    if constexpr (F::INDEXED != 0) {
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

  // The new versions, then the newest values. Behind a fence the caller makes them visible to later snapshots.
  STM_DEVICE void put(u64 time) {
    stm_fence_acq_rel();
    each_element([&](stm_entry& e) {
      if (e.flags & STM_DIRTY) stm_put_version(e.ref, e.value, time);
    });
    stm_fence_acq_rel();
    each_element([&](stm_entry& e) {
      if (e.flags & STM_DIRTY) stm_value_store(e.ref.value, e.ref.width, e.value);
    });
    this->snapshot = time;
  }

  STM_DEVICE void record(stm_log& log, bool committed) {
    each_element([&](stm_entry& e) {
      if (e.flags & STM_SEEN) stm_record(log, false, e.key, e.found.word);
      if (committed && (e.flags & STM_DIRTY)) stm_record(log, true, e.key, this->snapshot);
    });
  }
};
