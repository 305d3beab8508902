// serial: one transaction at a time on one device thread, the baseline of GPU-LocalTM (section 5.1.4).
//
// Writes go to memory at once; the old values are kept and restored when the transaction is postponed, rejected or
// faults. There are no conflicts, so nothing is locked and every snapshot is valid.
//
// Invariants: the batch is run by a single thread (the engine's description says so). Lock words exist only in recording units,
// where they number the versions.
// Atomics: relaxed loads and stores of elements; a single thread needs no order. Causes of abort: none. Opaque.

// What only recording units keep for each element.
template <bool RECORDED>
struct stm_undo_version {};
template <>
struct stm_undo_version<true> {
  u64 key;
  u64 word;  // the lock word as it was found
};
template <class F>
struct stm_undo_entry : stm_undo_version<STM_RECORDED> {
  stm_ref ref;
  u64 before;
  bool read;   // before it was written
  bool dirty;
};

template <class F>
struct stm_tx : stm_tx_base {
  typedef stm_undo_entry<F> undo_entry;
  struct scratch {
    undo_entry entries[F::SLOTS + F::INDEXED + 1];
  };
  undo_entry* entries;
  u32 count;
  u32 looped;  // entries made by accesses in loops, which have a bound

  STM_DEVICE void begin(scratch& room) {
    entries = room.entries;
    count = looped = 0;
  }

  template <class Array>
  STM_DEVICE void declare(u32, stm_intent, const Array&, u64) {}
  STM_DEVICE stm_status acquire() { return STM_OK; }

  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    undo_entry* entry;
    STM_TRY(find(slot, location, array, index, &entry));
    entry->read = entry->read || !entry->dirty;
    *out = stm_word<T>::to(stm_value_load(entry->ref.value, sizeof(T)));
    return STM_OK;
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32 slot, u32 location, const Array& array, u64 index, T value) {
    undo_entry* entry;
    STM_TRY(find(slot, location, array, index, &entry));
    if (!entry->dirty) entry->before = stm_value_load(entry->ref.value, sizeof(T));
    entry->dirty = true;
    stm_value_store(entry->ref.value, sizeof(T), stm_to_word(value));
    return STM_OK;
  }

  template <class Array>
  STM_DEVICE stm_status find(u32 slot, u32 location, const Array& array, u64 index, undo_entry** out) {
    if (!array.holds(index)) return fault(STM_FAULT_INDEX, location);
    stm_ref ref = array.ref(index);
#pragma unroll 1
    for (u32 i = 0; i < count; ++i) {
      if (entries[i].ref.value == ref.value) {
        *out = &entries[i];
        return STM_OK;
      }
    }
    if (slot == STM_INDEXED && ++looped > F::INDEXED) return fault(STM_FAULT_CAPACITY, location);
    undo_entry* entry = &entries[count++];
    entry->ref = ref;
    if constexpr (STM_RECORDED) {
      entry->key = stm_history_key(array, index);
      entry->word = stm_load_relaxed(ref.lock);
    }
    entry->read = entry->dirty = false;
    *out = entry;
    return STM_OK;
  }

  STM_DEVICE stm_status finish(stm_status status) {
    if (status == STM_OK) {
      if constexpr (STM_RECORDED) count_commit();
      return STM_OK;
    }
    undo();
    return status;
  }

  STM_DEVICE void undo() {
#pragma unroll 1
    for (u32 i = 0; i < count; ++i) {
      if (entries[i].dirty) stm_value_store(entries[i].ref.value, entries[i].ref.width, entries[i].before);
    }
  }

  // Raises the version under each lock word that was written. All entries under it found the same version.
  STM_DEVICE void count_commit() {
#pragma unroll 1
    for (u32 i = 0; i < count; ++i) {
      if (entries[i].dirty) stm_store_relaxed(entries[i].ref.lock, entries[i].word + 2);
    }
  }

  // One read and one write for each lock word.
  template <class Visit>
  STM_DEVICE void each_access(Visit visit) {
#pragma unroll 1
    for (u32 i = 0; i < count; ++i) {
      bool first = true, read = false, dirty = false;
#pragma unroll 1
      for (u32 j = 0; j < count; ++j) {
        if (entries[j].ref.lock != entries[i].ref.lock) continue;
        first = first && j >= i;
        read = read || entries[j].read;
        dirty = dirty || entries[j].dirty;
      }
      u64 version = entries[i].word >> 1;
      if (first) visit(stm_access{entries[i].key, read, version, dirty, version + 1});
    }
  }
};
