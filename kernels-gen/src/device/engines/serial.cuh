// serial: one transaction at a time on one device thread, the baseline of GPU-LocalTM (section 5.1.4).
//
// Writes go to memory at once; the old values are kept and put back when the transaction is postponed, rejected or
// faults. There is nobody to conflict with, so nothing is locked and every snapshot is valid.
//
// Invariants: the table is run by a single thread (the transaction of the table says so, and the host obeys). Lock words exist
// only in recording units, where they number the versions.
// Atomics: relaxed loads and stores of elements; a single thread needs no order. Causes of abort: none. Opaque.

struct stm_undo {
  stm_ref ref;
  u64 before;
  u64 lock;
  bool read;   // before it was written
  bool dirty;
};

template <class F>
struct stm_tx : stm_tx_base {
  struct scratch {
    stm_undo entries[F::FIXED + F::INDEXED + 1];
  };
  stm_undo* entries;
  u32 count;
  u32 looped;  // entries made by accesses in loops, which have a bound

  STM_DEVICE void begin(scratch& room) {
    entries = room.entries;
    count = looped = 0;
  }

  template <class Array>
  STM_DEVICE void announce(u32, stm_intent, const Array&, u64) {}
  STM_DEVICE stm_status acquire() { return STM_OK; }

  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    stm_undo* entry;
    STM_TRY(find(slot, location, array, index, &entry));
    entry->read = entry->read || !entry->dirty;
    *out = stm_word<T>::to(stm_value_load(entry->ref.value, sizeof(T)));
    return STM_OK;
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32 slot, u32 location, const Array& array, u64 index, T value) {
    stm_undo* entry;
    STM_TRY(find(slot, location, array, index, &entry));
    if (!entry->dirty) entry->before = stm_value_load(entry->ref.value, sizeof(T));
    entry->dirty = true;
    stm_value_store(entry->ref.value, sizeof(T), stm_to_word(value));
    return STM_OK;
  }

  template <class Array>
  STM_DEVICE stm_status find(u32 slot, u32 location, const Array& array, u64 index, stm_undo** out) {
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
    stm_undo* entry = &entries[count++];
    entry->ref = ref;
    entry->lock = (u64)array.id << 48 | array.lock_index(index);
    entry->read = entry->dirty = false;
    *out = entry;
    return STM_OK;
  }

  STM_DEVICE stm_status conclude(stm_status status) {
    if (status == STM_OK) return STM_OK;
#pragma unroll 1
    for (u32 i = 0; i < count; ++i) {
      if (entries[i].dirty) stm_value_store(entries[i].ref.value, entries[i].ref.width, entries[i].before);
    }
    return status;
  }

  // One read and one write for each lock word, numbered here.
  STM_DEVICE void record(stm_log& log, bool committed) {
#pragma unroll 1
    for (u32 i = 0; i < count; ++i) {
      u64* lock = entries[i].ref.lock;
      bool first = true, read = false, dirty = false;
#pragma unroll 1
      for (u32 j = 0; j < count; ++j) {
        if (entries[j].ref.lock != lock) continue;
        first = first && j >= i;
        read = read || entries[j].read;
        dirty = dirty || entries[j].dirty;
      }
      if (!first) continue;
      u64 word = stm_load_relaxed(lock);
      u32 array = (u32)(entries[i].lock >> 48);
      u64 index = entries[i].lock & 0xffffffffffffull;
      if (read) log.put(false, array, index, word >> 1);
      if (dirty && committed) {
        log.put(true, array, index, (word >> 1) + 1);
        stm_store_relaxed(lock, word + 2);
      }
    }
  }
};
