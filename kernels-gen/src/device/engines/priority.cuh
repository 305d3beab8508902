// priority: the default engine. Ours, on the priority rule of PR-STM (Shen, Sharp, Morgan, Guo: Euro-Par 2015, sections
// 2.2 to 2.4): a lower thread index has the right of way.
//
// What the compiler knows decides how a kind runs:
//   ahead  - every address depends on arguments alone, and there are few: lock what may be written in address order with
//            one exchange each, which also reads it; run the body on registers; each commit store also unlocks.
//   lazy   - otherwise: reads are invisible, writes are buffered, commit locks what is written.
// Elements that are only read are never locked; they are confirmed once all write locks are held.
//
// Invariants
//   - A lock word is held by at most one transaction; its version rises by one for each commit that wrote under it.
//   - A holder keeps the word and the value that it found, and puts both back when it aborts. Whoever finds a word held
//     may overwrite the owner's number in it (the exchange does): that number only tells who has the right of way.
//   - Two entries of one set under the same lock word share one lock; two for the same element share their value.
//   - Values change only while their lock is held, after everything read has been confirmed.
//
// Atomics: cells - load, exchange, confirm (compare-and-swap of a value with itself) and store of 16 bytes, relaxed;
// separate lock words - load acquire, exchange acquire, confirm acq_rel, store release; values under them relaxed.
// atomics.cuh says why that is enough.
//
// Causes of abort: locked (held by a transaction that does not let go in time), changed (a version moved on).
// Differences from PR-STM: no pre-lock and no stealing. A transaction that meets a lock of a lower priority waits for it
// a little and one that meets a higher priority gives up at once, so the highest priority never gives way for good; the
// stolen pre-lock cost a second atomic for each element. Versions are 63 bits and do not wrap.
// Limits: not opaque (a doomed attempt can see an inconsistent snapshot until it validates); the most kept in registers
// for locking ahead is STM_AHEAD_MOST elements; sets of loops are searched one by one.

constexpr u32 STM_AHEAD_MOST = 8;
constexpr u32 STM_PATIENCE = 24;  // looks at a lock that a lower priority holds

// Flags of an entry.
constexpr u32 STM_PRESENT = 1;   // `ref` says where; nothing is known of the value
constexpr u32 STM_SEEN = 2;      // `word`, `before` and `value` are set
constexpr u32 STM_HELD = 4;      // this entry took the lock and gives it back
constexpr u32 STM_OWNED = 8;     // the lock is held, by this entry or by another under the same word
constexpr u32 STM_DIRTY = 16;    // `value` is to be written
constexpr u32 STM_BLIND = 32;    // written without having been read: no version to keep

struct stm_entry {
  stm_ref ref;
  u64 word;    // the lock word as it was, free
  u64 before;  // the value as it was
  u64 value;   // as the transaction sees it
  u64 lock;    // region and index of the lock word, for the history
  u32 flags;
};

template <class F>
struct stm_tx : stm_tx_base {
  static constexpr u32 FIXED = F::FIXED, INDEXED = F::INDEXED;
  static constexpr bool AHEAD = F::ORDERABLE && !F::READ_ONLY && FIXED <= STM_AHEAD_MOST;
  // Without writes, and with room for every access, an element that is read twice may have two entries: if the versions
  // differ, confirming fails. That saves the search.
  static constexpr bool EACH_READ_APART = F::READ_ONLY && !F::STATED;

  stm_entry fixed[FIXED + 1];      // constant slots: registers
  stm_entry indexed[INDEXED + 1];  // accesses in loops: local memory
  u32 count;

  STM_DEVICE void begin() {
    count = 0;
#pragma unroll
    for (u32 i = 0; i <= FIXED; ++i) fixed[i].flags = 0;
  }

  // Calls `visit(entry)` for each entry until one returns false.
  template <class Visit>
  STM_DEVICE bool each(Visit visit) {
    if constexpr (FIXED != 0) {
#pragma unroll
      for (u32 i = 0; i < FIXED; ++i) {
        if (!visit(fixed[i])) return false;
      }
    }
    if constexpr (INDEXED != 0) {
      for (u32 i = 0; i < count; ++i) {
        if (!visit(indexed[i])) return false;
      }
    }
    return true;
  }

  template <class Region>
  STM_DEVICE static u64 history_lock(const Region& region, u64 index) {
    return (u64)Region::id << 48 | region.lock_index(index);
  }

  STM_DEVICE u64 mark() const { return (u64)worker->owner << 1 | 1; }

  // ---- one element -------------------------------------------------------------------------------------------------

  STM_DEVICE static stm_pair load(const stm_ref& ref) {
    if (ref.width == 0) return stm_cell_load(ref.lock);
    u64 word = stm_load_acquire(ref.lock);
    return {word, stm_value_load(ref.value, ref.width)};
  }

  // Takes the lock: the pair as it was. If its word is odd, somebody else holds it and nothing was taken.
  STM_DEVICE stm_pair take(const stm_ref& ref) {
    if (ref.width == 0) return stm_cell_exchange(ref.lock, {mark(), 0});
    u64 word = stm_exchange_acquire(ref.lock, mark());
    return {word, (word & 1) ? 0 : stm_value_load(ref.value, ref.width)};
  }

  STM_DEVICE static void let_go(const stm_ref& ref, stm_pair pair) {
    if (ref.width == 0) {
      stm_cell_store(ref.lock, pair);
    } else {
      stm_store_release(ref.lock, pair.word);
    }
  }

  // Still free, at the same version?
  STM_DEVICE static bool same(const stm_ref& ref, stm_pair pair) {
    return ref.width == 0 ? stm_cell_same(ref.lock, pair) : stm_same_acq_rel(ref.lock, pair.word);
  }

  // The word of a lock, after waiting a little for a lower priority to let go of it.
  STM_DEVICE u64 settled(const stm_ref& ref) {
    u64 word = word_of(ref);
    for (u32 look = 0; (word & 1) && (u32)(word >> 1) > worker->owner && look < STM_PATIENCE; ++look) {
      __nanosleep(20);
      word = word_of(ref);
    }
    return word;
  }
  STM_DEVICE static u64 word_of(const stm_ref& ref) {
    return ref.width == 0 ? stm_cell_load(ref.lock).word : stm_load_acquire(ref.lock);
  }

  // ---- announcements: locking ahead ----------------------------------------------------------------------------------

  template <class Region>
  STM_DEVICE void announce(u32 slot, stm_intent intent, const Region& region, u64 index) {
    if constexpr (AHEAD) {
      if (intent == STM_READ || !region.holds(index)) return;
      fixed[slot].ref = region.ref(index);
      fixed[slot].lock = history_lock(region, index);
      fixed[slot].flags = STM_PRESENT | (intent == STM_WRITE ? STM_BLIND : 0);
    }
  }

  // Locks what was announced for writing, in address order: whoever holds the last lock of such a chain can go on, so
  // some transaction always commits. Nobody waits while holding a lock.
  STM_DEVICE stm_status acquire() {
    if constexpr (AHEAD) {
      u64* previous = nullptr;
      for (u32 step = 0; step < FIXED; ++step) {
        u64* next = nullptr;
#pragma unroll
        for (u32 i = 0; i < FIXED; ++i) {
          bool later = (fixed[i].flags & STM_PRESENT) && fixed[i].ref.lock > previous;
          if (later && (next == nullptr || fixed[i].ref.lock < next)) next = fixed[i].ref.lock;
        }
        if (next == nullptr) break;
        STM_TRY(acquire_lock(next));
        previous = next;
      }
    }
    return STM_OK;
  }

  // Takes one lock word for every announced entry under it; the first of them holds it.
  STM_DEVICE stm_status acquire_lock(u64* lock) {
    stm_pair pair = {0, 0};
    bool taken = false, held = false;
    u32 site = STM_INDEXED;
#pragma unroll
    for (u32 i = 0; i < FIXED; ++i) {
      stm_entry& entry = fixed[i];
      if (!(entry.flags & STM_PRESENT) || entry.ref.lock != lock) continue;
      if (!taken && !held) {
        pair = take(entry.ref);
        held = pair.word & 1;
        taken = !held;
        site = F::slot_site(i);
        if (taken) entry.flags |= STM_HELD;
      } else if (taken && entry.ref.width != 0) {
        pair.value = stm_value_load(entry.ref.value, entry.ref.width);
      }
      if (taken) {
        entry.word = pair.word;
        entry.before = entry.value = pair.value;
        entry.flags |= STM_SEEN | STM_OWNED;
      }
    }
    return held ? conflict(STM_LOCKED, site) : STM_OK;
  }

  // ---- verbs ---------------------------------------------------------------------------------------------------------

  template <class Region, class T>
  STM_DEVICE stm_status read(u32 slot, u32 site, const Region& region, u64 index, T* out) {
    if (!region.holds(index)) return fault(STM_FAULT_INDEX, site);
    u64 value;
    if (slot != STM_INDEXED) {
      STM_TRY(see(fixed[slot], site, region, index));
      value = fixed[slot].value;
    } else {
      stm_entry* entry = nullptr;
      STM_TRY(find(site, region, index, &entry));
      if (!(entry->flags & (STM_SEEN | STM_DIRTY))) STM_TRY(fetch(*entry, site));
      value = entry->value;
    }
    *out = stm_word<T>::to(value);
    return STM_OK;
  }

  template <class Region, class T>
  STM_DEVICE stm_status write(u32 slot, u32 site, const Region& region, u64 index, T value) {
    if (!region.holds(index)) return fault(STM_FAULT_INDEX, site);
    u64 word = stm_to_word(value);
    if (slot != STM_INDEXED) {
      stm_entry& entry = fixed[slot];
      if (!(entry.flags & (STM_SEEN | STM_DIRTY)) && !adopt(entry, region, index)) blind(entry, region, index);
      put(entry, word);
    } else {
      stm_entry* entry = nullptr;
      STM_TRY(find(site, region, index, &entry));
      put(*entry, word);
    }
    return STM_OK;
  }

  // Makes sure that a constant slot has its value.
  template <class Region>
  STM_DEVICE stm_status see(stm_entry& entry, u32 site, const Region& region, u64 index) {
    if (entry.flags & (STM_SEEN | STM_DIRTY)) return STM_OK;
    if (adopt(entry, region, index)) return STM_OK;
    blind(entry, region, index);
    return fetch(entry, site);
  }

  // Another entry already stands for this element, or holds the lock over it: use what it has.
  template <class Region>
  STM_DEVICE bool adopt(stm_entry& entry, const Region& region, u64 index) {
    stm_ref ref = region.ref(index);
    bool element = false, lock = false;
    stm_entry found = {};
    each([&](stm_entry& other) {
      if (&other == &entry || !(other.flags & (STM_SEEN | STM_DIRTY))) return true;
      if (other.ref.value == ref.value) {
        element = true;
        found = other;
      } else if (!element && other.ref.lock == ref.lock && (other.flags & STM_OWNED)) {
        lock = true;
        found = other;
      }
      return true;
    });
    if (!element && !lock) return false;
    entry.ref = ref;
    entry.lock = history_lock(region, index);
    entry.word = found.word;
    if (element) {
      entry.before = found.before;
      entry.value = found.value;
      entry.flags = found.flags & ~STM_HELD;
    } else {
      entry.before = entry.value = stm_value_load(ref.value, ref.width);
      entry.flags = STM_PRESENT | STM_SEEN | STM_OWNED;
    }
    return true;
  }

  // Stands for an element of which nothing is known yet.
  template <class Region>
  STM_DEVICE void blind(stm_entry& entry, const Region& region, u64 index) {
    entry.ref = region.ref(index);
    entry.lock = history_lock(region, index);
    entry.flags = STM_PRESENT | STM_BLIND;
  }

  // Reads without locking.
  STM_DEVICE stm_status fetch(stm_entry& entry, u32 site) {
    stm_pair pair = load(entry.ref);
    for (u32 look = 0; (pair.word & 1) && look < STM_PATIENCE && may_wait(pair.word); ++look) {
      __nanosleep(20);
      pair = load(entry.ref);
    }
    if (pair.word & 1) return conflict(STM_LOCKED, site);
    entry.word = pair.word;
    entry.before = entry.value = pair.value;
    entry.flags = STM_PRESENT | STM_SEEN;
    return STM_OK;
  }

  // A lazy transaction holds nothing while its body runs, so it may wait for anybody; one that locked ahead only for a
  // lower priority.
  STM_DEVICE bool may_wait(u64 word) const { return !AHEAD || (u32)(word >> 1) > worker->owner; }

  // The entry of an element that is accessed in a loop; a new one is blind.
  template <class Region>
  STM_DEVICE stm_status find(u32 site, const Region& region, u64 index, stm_entry** out) {
    stm_ref ref = region.ref(index);
    stm_entry* found = nullptr;
    if constexpr (!EACH_READ_APART) {
      each([&](stm_entry& entry) {
        if ((entry.flags & (STM_SEEN | STM_DIRTY)) && entry.ref.value == ref.value) found = &entry;
        return found == nullptr;
      });
    }
    if (found == nullptr) {
      if (count == INDEXED) return fault(STM_FAULT_CAPACITY, site);
      found = &indexed[count++];
      blind(*found, region, index);
    }
    *out = found;
    return STM_OK;
  }

  // Every entry for the element takes the value, so that any of them can answer a read.
  STM_DEVICE void put(stm_entry& target, u64 value) {
    u8* at = target.ref.value;
    target.flags |= STM_DIRTY;
    each([&](stm_entry& entry) {
      if ((entry.flags & (STM_SEEN | STM_DIRTY)) && entry.ref.value == at) {
        entry.value = value;
        entry.flags |= STM_DIRTY;
      }
      return true;
    });
  }

  // ---- commit --------------------------------------------------------------------------------------------------------

  // Everything that was read and is not locked is still as it was. With one element there is nothing to compare it with.
  STM_DEVICE stm_status confirm() {
    if constexpr (F::READ_ONLY && FIXED + INDEXED == 1) return STM_OK;
    stm_status status = STM_OK;
    each([&](stm_entry& entry) {
      if (!(entry.flags & STM_SEEN) || (entry.flags & STM_OWNED)) return true;
      if (same(entry.ref, {entry.word, entry.before})) return true;
      u64 word = settled(entry.ref);
      if (!(word & 1) && same(entry.ref, {entry.word, entry.before})) return true;
      status = conflict((word & 1) ? STM_LOCKED : STM_CHANGED, STM_INDEXED);
      return false;
    });
    return status;
  }

  STM_DEVICE stm_status validate() { return confirm(); }

  // Locks what is to be written and not locked yet.
  STM_DEVICE stm_status lock_writes() {
    stm_status status = STM_OK;
    each([&](stm_entry& entry) {
      if (!(entry.flags & STM_DIRTY) || (entry.flags & STM_OWNED)) return true;
      status = lock_one(entry);
      return status == STM_OK;
    });
    return status;
  }

  STM_DEVICE stm_status lock_one(stm_entry& entry) {
    u64 word = settled(entry.ref);
    bool fresh = !(entry.flags & STM_SEEN);
    if (word & 1) return conflict(STM_LOCKED, STM_INDEXED);
    if (!fresh && word != entry.word) return conflict(STM_CHANGED, STM_INDEXED);
    stm_pair pair = take(entry.ref);
    if (pair.word & 1) return conflict(STM_LOCKED, STM_INDEXED);
    if (!fresh && pair.word != entry.word) {
      let_go(entry.ref, pair);
      return conflict(STM_CHANGED, STM_INDEXED);
    }
    entry.word = pair.word;
    entry.before = pair.value;
    entry.flags |= STM_SEEN | STM_HELD | STM_OWNED;
    share(entry);
    return STM_OK;
  }

  // The other entries under a lock just taken are owned too. One that was read at another version is not: confirming it
  // fails, which is right.
  STM_DEVICE void share(stm_entry& holder) {
    u64* lock = holder.ref.lock;
    u64 word = holder.word;
    each([&](stm_entry& entry) {
      bool under = (entry.flags & STM_PRESENT) && entry.ref.lock == lock && !(entry.flags & STM_OWNED);
      if (under && (!(entry.flags & STM_SEEN) || entry.word == word)) {
        entry.word = word;
        entry.flags |= STM_OWNED;
      }
      return true;
    });
  }

  STM_DEVICE stm_status commit() {
    if constexpr (!F::READ_ONLY) {
      if constexpr (!AHEAD) STM_TRY(lock_writes());
    }
    STM_TRY(confirm());
    if constexpr (!F::READ_ONLY) publish();
    return STM_OK;
  }

  // Stores what was written and gives the locks back, one version later where something was written under them.
  STM_DEVICE void publish() {
    each([&](stm_entry& entry) {
      if ((entry.flags & STM_DIRTY) && entry.ref.width != 0) stm_value_store(entry.ref.value, entry.ref.width, entry.value);
      return true;
    });
    each([&](stm_entry& entry) {
      if (entry.flags & STM_HELD) let_go(entry.ref, {entry.word + (wrote_under(entry) ? 2 : 0), entry.value});
      return true;
    });
  }

  STM_DEVICE bool wrote_under(const stm_entry& holder) {
    u64* lock = holder.ref.lock;
    bool wrote = (holder.flags & STM_DIRTY) != 0;
    each([&](stm_entry& entry) {
      wrote = wrote || ((entry.flags & STM_DIRTY) && entry.ref.lock == lock);
      return !wrote;
    });
    return wrote;
  }

  STM_DEVICE void abort() {
    each([&](stm_entry& entry) {
      if (entry.flags & STM_HELD) let_go(entry.ref, {entry.word, entry.before});
      entry.flags &= ~(STM_HELD | STM_OWNED);
      return true;
    });
  }

  // ---- history -------------------------------------------------------------------------------------------------------

  // A committed transaction still knows what it held: one read and one write for each lock, and the reads it confirmed.
  STM_DEVICE void record(stm_log& log, bool committed) {
    each([&](stm_entry& entry) {
      if (!(entry.flags & STM_SEEN)) return true;
      bool holder = entry.flags & STM_HELD, owned = entry.flags & STM_OWNED;
      if (holder ? reads_under(entry) : !owned) log.put(false, (u32)(entry.lock >> 48), entry.lock & 0xffffffffffffull, entry.word >> 1);
      if (committed && holder && wrote_under(entry)) log.put(true, (u32)(entry.lock >> 48), entry.lock & 0xffffffffffffull, (entry.word >> 1) + 1);
      return true;
    });
  }

  STM_DEVICE bool reads_under(const stm_entry& holder) {
    u64* lock = holder.ref.lock;
    bool read = false;
    each([&](stm_entry& entry) {
      read = read || ((entry.flags & STM_SEEN) && !(entry.flags & STM_BLIND) && entry.ref.lock == lock);
      return !read;
    });
    return read;
  }
};
