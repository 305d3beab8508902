// priority: the default engine. Ours, on the priority rule of PR-STM (Shen, Sharp, Morgan, Guo: Euro-Par 2015, sections
// 2.2 to 2.4): a lower thread index has the right of way.
//
// What the compiler knows decides how a procedure runs:
//   stm_ahead  - every address depends on arguments alone, everything touched may be written, and it is not much: lock it
//                in address order, one exchange each, which also reads it; run the body on registers; each store of the
//                commit also unlocks. Where it is more than STM_AHEAD_FEW, read all of it at once first, and lock what the
//                body has used when it commits.
//   stm_reader - nothing is written: read without locking, confirm at the end.
//   stm_lazy   - otherwise: reads are invisible, writes are buffered, commit locks what is written and then confirms what
//                was only read.
//
// Invariants
//   - A lock word is held by at most one transaction; its version rises by one for each commit that wrote under it.
//   - A holder keeps the word and the value that it found, and puts both back when it aborts. Whoever finds a word held
//     may overwrite the owner's number in it (the exchange does): that number only tells who has the right of way.
//   - Two entries of one set under the same lock word share one lock; two for the same element share their value.
//   - Values change only while their lock is held, after everything that was read has been confirmed.
//
// Atomics: cells - load, exchange, compare-and-swap (to confirm, of a pair with itself) and store of 16 bytes, relaxed;
// separate lock words - load acquire, exchange and compare-and-swap acquire, confirm acq_rel, store release; values under
// them relaxed.
// atomics.cuh says why that is enough.
//
// Causes of abort: locked (held by a transaction that does not let go in time), changed (a version moved on).
// Differences from PR-STM: no pre-lock and no stealing. A transaction that meets a lock of a lower priority waits for it
// a little and one that meets a higher priority gives up at once, so the highest priority never gives way for good; a
// pre-lock that can be stolen costs a second atomic for each element. Versions are 63 bits and do not wrap.
// Limits: not opaque (a doomed attempt can see an inconsistent snapshot until it validates); at most STM_AHEAD_MOST
// elements are locked ahead.

// The code grows with the square of the most. Of more than a few, looking first costs a fifth to a third where no guard waits, and
// brings up to four times where many do (docs/results).
constexpr u32 STM_AHEAD_MOST = 16;
constexpr u32 STM_AHEAD_FEW = 5;

// Nothing to confirm: the transaction comes again. A guard that did not hold in a snapshot that never was costs it a pass; that it never holds
// is said after a launch in which nothing was committed, where every snapshot was one.
STM_DEVICE bool stm_looked_in_vain(stm_status status) { return status == STM_CONFLICT || status == STM_POSTPONED; }

// What the three ways of running share.
struct stm_party : stm_versioned {
  STM_DEVICE u64 mark() const { return (u64)worker->owner << 1 | 1; }
  STM_DEVICE u64 settled(const stm_ref& ref) const { return stm_settled(ref, worker->owner); }

  // Is an element that was read and not locked as it was?
  STM_DEVICE stm_status confirm_one(stm_ref ref, stm_pair pair) {
    if (stm_same(ref, pair)) return STM_OK;
    u64 word = settled(ref);
    if (!(word & 1) && stm_same(ref, pair)) return STM_OK;
    // mutation "cause of a stale read": return (word & 1) ? STM_OK : conflict(STM_CHANGED, STM_INDEXED);
    return (word & 1) ? conflict(STM_LOCKED, STM_INDEXED) : conflict(STM_CHANGED, STM_INDEXED);
  }
};

// ---- ahead ---------------------------------------------------------------------------------------------------------

template <class F>
struct stm_ahead : stm_party {
  static constexpr u32 N = F::FIXED;
  // Many are looked at first, and locked when the body has come to its end: locks that are taken one after the other would be
  // held for long.
  static constexpr bool LOOKS = N > STM_AHEAD_FEW;
  struct entry {
    stm_ref ref;     // no lock: the address is out of range, and the body will find that out
    stm_pair found;  // as it was when it was locked or looked at
    u64 value;       // as the transaction sees it
    u64 key;
    bool dirty;
  };
  entry entries[N];
  u64 held;  // the locks below this rank are held

  // The width is a constant of the slot.
  STM_DEVICE stm_ref ref(u32 slot) const { return {entries[slot].ref.lock, entries[slot].ref.value, F::slot_width(slot)}; }
  // What locks are ordered by: the address, and in its lowest bit whether a value lies beside the word.
  STM_DEVICE u64 rank(u32 slot) const {
    u64 lock = (u64)entries[slot].ref.lock;
    // mutation "rank of a lock": return lock == 0 ? 0 : lock | (slot & 3) << 1 | (F::slot_width(slot) != 0);
    return F::slot_width(slot) == 0 || lock == 0 ? lock : lock | 1;
  }

  struct scratch {};
  STM_DEVICE void begin(scratch&) { held = 0; }

  template <class Array>
  STM_DEVICE void announce(u32 slot, stm_intent, const Array& array, u64 index) {
    entry& e = entries[slot];
    e.dirty = false;
    e.ref = {nullptr, nullptr, 0};  // an address past the end could be that of another array's element
    if (array.holds(index)) e.ref = array.ref(index);
    e.key = stm_history_key(array, index);
  }

  STM_DEVICE stm_status acquire() {
    if constexpr (LOOKS) {
      return look();
    } else {
      STM_TRY(lock_all());
#pragma unroll
      for (u32 i = 0; i < N; ++i) {
        entry& e = entries[i];
        if (F::slot_width(i) != 0 && e.ref.lock != nullptr) e.value = stm_value_load(e.ref.value, F::slot_width(i));
      }
      return STM_OK;
    }
  }

  // All at once: the loads do not wait for each other, and the exchanges that follow find their elements near.
  STM_DEVICE stm_status look() {
    bool is_held = false;
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      entry& e = entries[i];
      if (e.ref.lock == nullptr) continue;
      e.found = stm_peek(ref(i));
      e.value = e.found.value;
      is_held |= e.found.word & 1;
    }
    return is_held ? conflict(STM_LOCKED, STM_INDEXED) : STM_OK;
  }

  STM_DEVICE stm_status confirm() {
    bool same = true;
#pragma unroll
    for (u32 i = 0; i < N; ++i) same &= entries[i].ref.lock == nullptr || stm_same(ref(i), entries[i].found);
    return same ? STM_OK : conflict(STM_CHANGED, STM_INDEXED);
  }

  // Locks in address order, so that the holder of the last lock of any chain can go on: some transaction always commits.
  // Nobody waits while holding a lock.
  // Unrolled: as a loop it compiles 3 % faster and runs up to 38 % slower (docs/results).
  STM_DEVICE stm_status lock_all() {
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
      stm_pair pair = take_ranked(previous);
      if (pair.word & 1) {
        held = previous;
        return conflict(STM_LOCKED, location_of(previous));
      }
      if (!note_taken(previous, pair)) {
        held = previous + 1;
        return conflict(STM_CHANGED, location_of(previous));
      }
    }
    held = ~0ull;
    return STM_OK;
  }

  // Who looked before has used what it saw, and it must still be so.
  STM_DEVICE bool note_taken(u64 which, stm_pair pair) {
    bool same = true;
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      if (rank(i) != which) continue;
      if constexpr (LOOKS) {
        // mutation "same version when locked": (void)same;
        same &= entries[i].found.word == pair.word;
      } else {
        entries[i].value = pair.value;
      }
      entries[i].found = pair;
    }
    return same;
  }

  // One exchange locks a cell and reads it; a separate lock word has no value to read.
  STM_DEVICE stm_pair take_ranked(u64 rank) {
    // mutation "lock of a rank": u64* lock = (u64*)(rank & ~7ull);
    u64* lock = (u64*)(rank & ~1ull);
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

  // The first entry under a lock gives it back.
  STM_DEVICE bool holder(u32 slot) const {
    bool first = entries[slot].ref.lock != nullptr;
#pragma unroll
    for (u32 i = 0; i < slot; ++i) first = first && entries[i].ref.lock != entries[slot].ref.lock;
    return first;
  }
  STM_DEVICE bool dirty_under(u32 slot) const {
    bool dirty = false;
#pragma unroll
    for (u32 i = 0; i < N; ++i) dirty = dirty || (entries[i].dirty && entries[i].ref.lock == entries[slot].ref.lock);
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
      // mutation "twins take the write": if (i != slot) continue;
      if (entries[i].ref.value != entries[slot].ref.value) continue;
      entries[i].value = stm_to_word(value);
      entries[i].dirty = true;
    }
    return STM_OK;
  }

  // What the body read is still true: it is locked, or is confirmed.
  STM_DEVICE stm_status conclude(stm_status status) {
    if constexpr (LOOKS) {
      if (status == STM_OK) {
        status = lock_all();
      } else if (!stm_looked_in_vain(status)) {
        // mutation "validate an unlocked read":
        status = confirm() == STM_OK ? status : STM_CONFLICT;
      }
    }
    bool commits = status == STM_OK;
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      const entry& e = entries[i];
      if (commits && e.dirty && F::slot_width(i) != 0) stm_value_store(e.ref.value, F::slot_width(i), e.value);
    }
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      // mutation "value after an abort": stm_pair left = {entries[i].found.word, entries[i].value};
      stm_pair left = entries[i].found;
      // mutation "new version of a slot: same version": if (commits && dirty_under(i)) left = {left.word, entries[i].value};
      // mutation "new version of a slot: version of 8 bits":
      //| if (commits && dirty_under(i)) left = {(left.word + 2) & 0x1ff, entries[i].value};
      if (commits && dirty_under(i)) left = {left.word + 2, entries[i].value};
      // mutation "release a slot": if (commits) @
      if (holder(i) && rank(i) < held) stm_let_go(ref(i), left);
    }
    return status;
  }

  STM_DEVICE void record(stm_log& log, bool committed) {
    for (u32 i = 0; i < N; ++i) {
      if (!holder(i)) continue;
      bool read = false;
      for (u32 j = 0; j < N; ++j) read = read || (F::slot_reads(j) && entries[j].ref.lock == entries[i].ref.lock);
      if (read) stm_record(log, false, entries[i].key, entries[i].found.word >> 1);
      if (committed && dirty_under(i)) stm_record(log, true, entries[i].key, (entries[i].found.word >> 1) + 1);
    }
  }
};

// What the two ways of reading without locks share.
template <class F, class Set>
struct stm_optimist : Set {
  // So many elements of loops are confirmed at a time, where there may be many: the device works on them side by side.
  static constexpr u32 ABREAST = F::INDEXED < 64 ? 1 : 4;

  // Everything that was read and is not locked is still as it was.
  STM_DEVICE stm_status confirm() {
    stm_status status = STM_OK;
    this->each_fixed([&](stm_entry& e) {
      status = confirm_entry(e);
      return status == STM_OK;
    });
    if constexpr (F::INDEXED != 0) {
#pragma unroll 1
      for (u32 i = 0; i < this->count && status == STM_OK; i += ABREAST) {
        if (ABREAST != 1 && all_same(i)) continue;
#pragma unroll 1
        for (u32 k = i; k < i + ABREAST && k < this->count && status == STM_OK; ++k) status = confirm_entry(indexed_at(k));
      }
    }
    return status;
  }

  STM_DEVICE bool all_same(u32 from) {
    bool same = true;
#pragma unroll
    for (u32 k = 0; k < ABREAST; ++k) {
      if (from + k >= this->count) continue;
      stm_entry& e = indexed_at(from + k);
      same &= !is_due(e) || stm_same(e.ref, e.found);
    }
    return same;
  }

  STM_DEVICE stm_entry& indexed_at(u32 i) {
    stm_entry& e = this->indexed[i];
    if constexpr (F::ONE_WIDTH != ~0u) e.ref.width = F::ONE_WIDTH;
    return e;
  }
  STM_DEVICE bool is_due(const stm_entry& e) const { return (e.flags & (STM_SEEN | STM_OWNED)) == STM_SEEN; }
  STM_DEVICE stm_status confirm_entry(const stm_entry& e) { return is_due(e) ? this->confirm_one(e.ref, e.found) : STM_OK; }
};

// ---- reader --------------------------------------------------------------------------------------------------------

template <class F>
struct stm_reader : stm_optimist<F, stm_set<F, stm_party>> {
  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    if (!array.holds(index)) return this->fault(STM_FAULT_INDEX, location);
    if (slot != STM_INDEXED) return see(this->fixed[slot], location, array, index, out);
    stm_entry* e = this->place_of_reader(array.ref(index));
    if (e == nullptr) return this->fault(STM_FAULT_CAPACITY, location);
    return see(*e, location, array, index, out);
  }

  template <class Array, class T>
  STM_DEVICE stm_status see(stm_entry& e, u32 location, const Array& array, u64 index, T* out) {
    if (!(e.flags & STM_SEEN)) {
      stm_ref ref = array.ref(index);
      stm_pair found;
      STM_TRY(this->fetch(ref, location, &found));
      e.ref = ref;
      e.found = found;
      e.flags = STM_OPEN | STM_SEEN;
      if constexpr (STM_RECORDED) e.key = stm_history_key(array, index);
    }
    *out = stm_word<T>::to(e.found.value);
    return STM_OK;
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32, u32, const Array&, u64, T) = delete;

  // One element alone is always as it was at some moment. For the proof that is not enough: a value that is newer than the
  // version that was found before it would be taken for that version's.
  STM_DEVICE stm_status conclude(stm_status status) {
    // mutation "single reads need no validation": if (stm_looked_in_vain(status) || F::FIXED + F::INDEXED == 1) return status;
    if (stm_looked_in_vain(status) || (!STM_RECORDED && F::FIXED + F::INDEXED == 1)) return status;
    // mutation "validate a reader": return status;
    return this->confirm() == STM_OK ? status : STM_CONFLICT;
  }

  STM_DEVICE void record(stm_log& log, bool) {
    this->each([&](stm_entry& e) {
      stm_record(log, false, e.key, e.found.word >> 1);
      return true;
    });
  }
};

// ---- lazy ----------------------------------------------------------------------------------------------------------

template <class F>
struct stm_lazy : stm_optimist<F, stm_buffer<F, stm_party, stm_lazy<F>>> {
  // mutation "before the locks": @ if (!stm_looked_in_vain(status) && this->confirm() != STM_OK) status = STM_CONFLICT;
  STM_DEVICE stm_status conclude(stm_status status) {
    if (status == STM_OK) status = lock_writes();
    // mutation "validate":
    if (!stm_looked_in_vain(status) && this->confirm() != STM_OK) status = STM_CONFLICT;
    if (status == STM_OK) this->publish();
    let_go(status == STM_OK);
    return status;
  }

  // What loops have read and then written is locked at the version that was read, several at a time: they are not in each
  // other's way, so that the device works on them side by side. The others, and those that somebody holds, one by one.
  static constexpr u32 TAKEN_ABREAST = F::INDEXED < 8 ? 1 : 4;

  STM_DEVICE stm_status lock_writes() {
    if constexpr (TAKEN_ABREAST == 1) return this->lock_each();
    stm_status status = STM_OK;
    this->each_fixed([&](stm_entry& e) {
      if (this->is_to_lock(e)) status = lock(e);
      return status == STM_OK;
    });
#pragma unroll 1
    for (u32 i = 0; i < this->count && status == STM_OK; i += TAKEN_ABREAST) {
      if (take_abreast(i)) continue;
#pragma unroll 1
      for (u32 k = i; k < i + TAKEN_ABREAST && k < this->count && status == STM_OK; ++k) {
        stm_entry& e = this->indexed_at(k);
        if (this->is_to_lock(e)) status = lock(e);
      }
    }
    return status;
  }

  // Is everything locked that is to be?
  STM_DEVICE bool take_abreast(u32 from) {
    bool taken[TAKEN_ABREAST], all = true;
#pragma unroll
    for (u32 k = 0; k < TAKEN_ABREAST; ++k) {
      taken[k] = false;
      if (from + k >= this->count) continue;
      const stm_entry& e = this->indexed_at(from + k);
      if (!this->is_to_lock(e)) continue;
      taken[k] = (e.flags & STM_SEEN) && stm_take_same(e.ref, e.found, this->mark());
      all &= taken[k];
    }
#pragma unroll
    for (u32 k = 0; k < TAKEN_ABREAST; ++k) {
      if (!taken[k]) continue;
      stm_entry& e = this->indexed_at(from + k);
      e.flags |= STM_HELD;
      this->share(e, e.found.word);
    }
    return all;
  }

  STM_DEVICE void let_go(bool commits) {
    this->each([&](stm_entry& e) {
      // mutation "release: write back":
      //| if (commits && (e.flags & STM_DIRTY) && e.ref.width != 0) stm_value_store(e.ref.value, e.ref.width, e.value);
      //| if (!commits && (e.flags & STM_HELD)) stm_let_go(e.ref, e.found);
      // mutation "release: same version":
      //| if (e.flags & STM_HELD) stm_let_go(e.ref, commits ? stm_pair{e.found.word, e.value} : e.found);
      // mutation "release: version of 8 bits":
      //| if (e.flags & STM_HELD) stm_let_go(e.ref, commits ? stm_pair{(e.found.word + 2) & 0x1ff, e.value} : e.found);
      // mutation "release: only commits": if (commits) @
      if (e.flags & STM_HELD) stm_let_go(e.ref, commits ? stm_pair{e.found.word + 2, e.value} : e.found);
      return true;
    });
  }

  // Locks one element that is to be written; if it was read, at the version that was read.
  STM_DEVICE stm_status lock(stm_entry& e) {
    u64 word = this->settled(e.ref);
    bool read = e.flags & STM_SEEN;
    if (word & 1) return this->conflict(STM_LOCKED, STM_INDEXED);
    // mutation "version before the lock":
    if (read && word != e.found.word) return this->conflict(STM_CHANGED, STM_INDEXED);
    stm_pair pair = stm_take(e.ref, this->mark());
    // mutation "lock of another":
    if (pair.word & 1) return this->conflict(STM_LOCKED, STM_INDEXED);
    // mutation "version under the lock": if (false) {
    if (read && pair.word != e.found.word) {
      stm_let_go(e.ref, pair);
      return this->conflict(STM_CHANGED, STM_INDEXED);
    }
    e.found = pair;
    e.flags |= STM_HELD;
    this->share(e, pair.word);
    return STM_OK;
  }
};

// ---- the choice ----------------------------------------------------------------------------------------------------

template <class F, bool READ_ONLY, bool AHEAD>
struct stm_way {
  typedef stm_lazy<F> type;
};
template <class F, bool AHEAD>
struct stm_way<F, true, AHEAD> {
  typedef stm_reader<F> type;
};
template <class F>
struct stm_way<F, false, true> {
  typedef stm_ahead<F> type;
};

template <class F>
struct stm_tx : stm_way<F, F::READ_ONLY, F::ORDERABLE && F::ALL_WRITTEN && F::FIXED != 0 && F::FIXED <= STM_AHEAD_MOST>::type {};
