// Read-only with many elements: the set lies in memory, as the logs of log.cuh do, and has no more than a validation needs.
//
// Each read is appended without a search. A second read of an element has an entry of its own: if the versions differ, the first one
// does not pass the validation, because versions do not come back. When the set is full, later entries of an element are removed,
// and from then on each read searches the set by chains.
//
// A bound that the user states is on elements, so entries then tell elements apart; otherwise it is enough to tell lock words apart.

// An entry, in a granule: the address of the lock word with two flags, and the lock word as it was read. Then, where the user states a
// bound, the addresses of all elements, and in recording units the keys of all entries in the history; then the links of the chains.
constexpr u64 STM_READ_CELL = 1;    // flag: the entry is a cell
constexpr u64 STM_READ_LOOPED = 2;  // flag: a loop made the first access

template <class F>
struct stm_read_log : stm_priority_base {
  static constexpr u32 ROOM = F::SLOTS + F::INDEXED;
  static constexpr u32 HALF = (ROOM + 1) / 2;
  static constexpr u32 ELEMENTS = ROOM, KEYS = ELEMENTS + (F::STATED ? HALF : 0), LINKS = KEYS + (STM_RECORDED ? HALF : 0);
  static_assert(16 * (LINKS + stm_log_links<ROOM>::GRANULES) == F::THREAD_BYTES, "host and device agree");
  // Entries that are validated at a time: the device handles them in parallel, and one fence orders all of them.
  static constexpr u32 WIDTH = 8;

  struct scratch {
    stm_granule local[F::THREAD_BYTES <= STM_LOCAL_BYTES ? F::THREAD_BYTES / 16 : 1];
  };
  stm_granules granules;
  stm_chains<true, stm_log_links<ROOM>> chains;
  u32 count;
  u32 looped;   // entries that loops made
  u32 buckets;  // of chains; STM_LINEAR_SEARCH while there are none

  STM_DEVICE void begin(scratch& room) {
    granules = {(stm_granule*)worker->memory_of_thread, worker->lanes};
    if (F::THREAD_BYTES <= STM_LOCAL_BYTES && worker->memory_of_thread == nullptr) granules = {room.local, 1};
    chains.links = granules.from(LINKS);
    count = looped = 0;
    buckets = STM_LINEAR_SEARCH;
  }

  STM_DEVICE u64& element(u32 i) const { return ((u64*)&granules[ELEMENTS + i / 2])[i % 2]; }
  STM_DEVICE u64& key(u32 i) const { return ((u64*)&granules[KEYS + i / 2])[i % 2]; }
  STM_DEVICE static u64* lock_of(const stm_granule& entry) { return (u64*)(entry.low & ~(STM_READ_CELL | STM_READ_LOOPED)); }

  STM_DEVICE bool is_full(bool is_looped) const { return count == ROOM || (F::STATED && is_looped && looped == F::INDEXED); }

  STM_DEVICE void put(const stm_granule& entry, u64 element_at, u64 history_key) {
    granules[count] = entry;
    if constexpr (F::STATED) element(count) = element_at;
    if constexpr (STM_RECORDED) key(count) = history_key;
    count += 1;
    looped += (entry.low & STM_READ_LOOPED) != 0;
  }

  // Adds a read. Returns false if there is no room for another element.
  STM_DEVICE bool append(const stm_granule& entry, u64 element_at, u64 history_key) {
    if (buckets != STM_LINEAR_SEARCH || is_full(entry.low & STM_READ_LOOPED)) return append_if_new(entry, element_at, history_key);
    put(entry, element_at, history_key);
    return true;
  }
  STM_CALLED bool append_if_new(stm_granule entry, u64 element_at, u64 history_key) {
    if (buckets == STM_LINEAR_SEARCH) remove_duplicates();
    if (holds(entry, element_at)) return true;
    // mutation "long reads: no end": if (count == ROOM) return false;
    if (is_full(entry.low & STM_READ_LOOPED)) return false;
    put_and_link(entry, element_at, history_key);
    return true;
  }

  STM_DEVICE void put_and_link(const stm_granule& entry, u64 element_at, u64 history_key) {
    put(entry, element_at, history_key);
    chains.link_newest(count, buckets, [&](u32 i) { return lock_of(granules[i]); });
  }

  // Returns whether there is an entry for the element; for its lock word, if no bound is stated.
  STM_DEVICE bool holds(const stm_granule& entry, u64 element_at) {
    u64* lock = lock_of(entry);
#pragma unroll 1
    for (u32 i = chains.first(lock, buckets, count); i != 0; i = chains.next(i, buckets)) {
      if (lock_of(granules[i - 1]) == lock && (!F::STATED || element(i - 1) == element_at)) return true;
    }
    return false;
  }

  // Removes all but the first entry of each element, and makes the chains.
  STM_DEVICE void remove_duplicates() {
    u32 all = count;
    count = looped = 0;
    chains.clear(2 * STM_LINEAR_SEARCH, buckets);
#pragma unroll 1
    for (u32 i = 0; i < all; ++i) {
      stm_granule entry = granules[i];
      u64 element_at = F::STATED ? element(i) : 0;
      // mutation "long reads: duplicates stay": if (false) continue;
      if (holds(entry, element_at)) continue;
      put_and_link(entry, element_at, STM_RECORDED ? key(i) : 0);
    }
  }

  STM_CALLED stm_status validate() {
    stm_fence_acq_rel();
    stm_status status = STM_OK;
#pragma unroll 1
    for (u32 i = 0; i < count && status == STM_OK; i += WIDTH) {
      if (all_unchanged(i)) continue;
#pragma unroll 1
      for (u32 k = i; k < i + WIDTH && k < count && status == STM_OK; ++k) status = validate_entry(granules[k]);
    }
    return status;
  }

  STM_DEVICE bool all_unchanged(u32 from) const {
    stm_granule entries[WIDTH];
    stm_pair cells[WIDTH];
#pragma unroll
    for (u32 k = 0; k < WIDTH; ++k) {
      entries[k] = granules[from + k < count ? from + k : from];
    }
#pragma unroll
    for (u32 k = 0; k < WIDTH; ++k) {
      if (entries[k].low & STM_READ_CELL) cells[k] = stm_cell_load(lock_of(entries[k]));
    }
    bool same = true;
#pragma unroll
    for (u32 k = 0; k < WIDTH; ++k) {
      u64 *lock = lock_of(entries[k]), word = entries[k].high;
      if (entries[k].low & STM_READ_CELL) {
        same &= cells[k].word == word && stm_cell_same(lock, cells[k]);
      } else {
        same &= stm_swap_relaxed(lock, word, word) == word;
      }
    }
    return same;
  }

  STM_DEVICE stm_status validate_entry(const stm_granule& entry) {
    stm_ref ref = {lock_of(entry), nullptr, entry.low & STM_READ_CELL ? 0u : 8u, 0};
    u64 word = word_after_wait(ref);
    if (word & 1) return conflict(STM_LOCKED, STM_INDEXED, ref.lock);
    stm_pair now = {word, 0};
    if (ref.width == 0) now = stm_cell_load(ref.lock);
    // mutation "long reads: validate": return STM_OK;
    return now.word == entry.high && stm_lock_same(ref, now) ? STM_OK : conflict(STM_CHANGED, STM_INDEXED, ref.lock);
  }
};

template <class F>
struct stm_long_reads : stm_read_log<F> {
  // The lock word of the latest entry: the next read is often of the same record.
  u64* latest;

  STM_DEVICE void begin(typename stm_read_log<F>::scratch& room) {
    stm_read_log<F>::begin(room);
    latest = nullptr;
  }
  template <class Array>
  STM_DEVICE void declare(u32, stm_intent, const Array&, u64) {}
  STM_DEVICE stm_status acquire() { return STM_OK; }

  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    if (!array.holds(index)) return this->fault(STM_FAULT_INDEX, location);
    stm_ref ref = array.ref(index);
    if (!F::STATED && !Array::IS_CELLS && ref.lock == latest) {
      // If the value has changed since, so has the lock word.
      *out = stm_word<T>::to(stm_value_load(ref.value, sizeof(T)));
      return STM_OK;
    }
    stm_pair found;
    STM_TRY(this->load(ref, location, &found));
    u64 flags = (Array::IS_CELLS ? STM_READ_CELL : 0) | (slot == STM_INDEXED ? STM_READ_LOOPED : 0);
    u64 key = 0;
    if constexpr (STM_RECORDED) key = stm_history_key(array, index);
    if (!this->append({(u64)ref.lock | flags, found.word}, (u64)ref.value, key)) return this->fault(STM_FAULT_CAPACITY, location);
    latest = ref.lock;
    *out = stm_word<T>::to(found.value);
    return STM_OK;
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32, u32, const Array&, u64, T) = delete;

  STM_DEVICE stm_status validate_early() { return this->validate(); }
  STM_DEVICE stm_status finish(stm_status status) {
    return stm_skips_validation(status) || this->validate() == STM_OK ? status : STM_CONFLICT;
  }

  template <class Visit>
  STM_DEVICE void each_access(Visit visit) {
#pragma unroll 1
    for (u32 i = 0; i < this->count; ++i) visit(stm_access{this->key(i), true, this->granules[i].high >> 1, false, 0});
  }
};
