// The set of elements that one attempt has touched, for engines that keep one entry for each.

template <class Region>
STM_DEVICE u64 stm_history_key(const Region& region, u64 index) {
  return (u64)Region::id << 48 | region.lock_index(index);
}
STM_DEVICE void stm_record(stm_log& log, bool write, u64 key, u64 version) {
  log.put(write, (u32)(key >> 48), key & 0xffffffffffffull, version);
}

constexpr u32 STM_OPEN = 1;    // `ref` is set; an entry without it is not in use
constexpr u32 STM_SEEN = 2;    // `found` and `value` are set
constexpr u32 STM_HELD = 4;    // this entry took the lock and gives it back
constexpr u32 STM_OWNED = 8;   // the lock is held, by this entry or by another under the same word
constexpr u32 STM_DIRTY = 16;  // `value` is to be written

struct stm_entry {
  stm_ref ref;
  stm_pair found;
  u64 value;
  u64 key;
  u32 flags;
  u32 site;  // where it was met first, in profiled units of engines that buffer writes
};

// Keeps the first entry of each element; the number that is left. If a later one had another version, confirming the first
// one fails.
template <class Entry>
STM_OUTLINE u32 stm_merge_twins(Entry* entries, u32 count) {
  u32 kept = 0;
  for (u32 i = 0; i < count; ++i) {
    bool twin = false;
    for (u32 j = 0; j < kept; ++j) twin = twin || entries[j].ref.value == entries[i].ref.value;
    if (!twin) entries[kept++] = entries[i];
  }
  return kept;
}

// An entry has a `ref` with `value` and `width`, and `flags`.
template <class F, class Base, class Entry = stm_entry>
struct stm_set : Base {
  Entry fixed[F::FIXED + 1];      // constant slots: registers
  // Accesses in loops: local memory. One that meets an element of a constant slot takes an entry too, but it does not
  // count against the bound, which is on elements.
  static constexpr u32 ROOM = F::INDEXED + (F::INDEXED ? F::FIXED : 0);
  struct scratch {
    Entry indexed[ROOM + 1];
  };
  Entry* indexed;
  u32 count;
  u32 known;  // entries for elements of constant slots

  STM_DEVICE void begin(scratch& room) {
    indexed = room.indexed;
    count = known = 0;
#pragma unroll
    for (u32 i = 0; i <= F::FIXED; ++i) fixed[i].flags = 0;
  }

  template <class Region>
  STM_DEVICE void announce(u32, stm_intent, const Region&, u64) {}
  STM_DEVICE stm_status acquire() { return STM_OK; }

  // Calls `visit(entry)` for each entry in use until one returns false.
  template <class Visit>
  STM_DEVICE void each(Visit visit) {
    if constexpr (F::FIXED != 0) {
      bool more = true;
#pragma unroll
      for (u32 i = 0; i < F::FIXED; ++i) {
        fixed[i].ref.width = F::slot_width(i);  // a constant, which unfolds what depends on it
        more = more && (fixed[i].flags == 0 || visit(fixed[i]));
      }
      if (!more) return;
    }
    if constexpr (F::INDEXED != 0) {
#pragma unroll 1
      for (u32 i = 0; i < count; ++i) {
        if constexpr (F::ONE_WIDTH != ~0u) indexed[i].ref.width = F::ONE_WIDTH;
        if (!visit(indexed[i])) return;
      }
    }
  }

  STM_DEVICE Entry* search(u8* value) {
#pragma unroll 1
    for (u32 i = 0; i < count; ++i) {
      if (indexed[i].ref.value == value) return &indexed[i];
    }
    return nullptr;
  }

  // An entry for an access in a loop, not in use yet; null when there is no room.
  STM_DEVICE Entry* append(u8* value) {
    if constexpr (F::STATED) {
      bool is_known = false;
#pragma unroll
      for (u32 i = 0; i <= F::FIXED; ++i) is_known = is_known || (fixed[i].flags > STM_OPEN && fixed[i].ref.value == value);
      if (!is_known && count - known == F::INDEXED) return nullptr;
      known += is_known;
    }
    if (count == ROOM) return nullptr;
    Entry* e = &indexed[count++];
    e->flags = 0;
    return e;
  }

  // The same for what only reads, under engines that confirm every entry at the end: an element that is read twice may have
  // two, and if their versions differ, confirming fails. That saves searching the set, until there is no room. A
  // stated bound counts elements, so there each one is looked up.
  STM_DEVICE Entry* place_of_reader(u8* value) {
    if (F::STATED || count == ROOM) {
      Entry* known = search(value);
      if (known != nullptr) return known;
    }
    if (!F::STATED && count == ROOM) count = stm_merge_twins(indexed, count);
    return append(value);
  }
};

// A set for engines that keep what is written until they commit. A read gives the transaction's own write, else what it
// read first. `Engine` derives from this and says
//   stm_status lock(entry&)                    takes the lock of one that is to be written, for `lock_writes`
// and, where it is not as here under versioned locks (`Base` is a stm_versioned then),
//   stm_status fetch(entry&, site)             how an element is read: sets `found` and `value`
//   stm_status meet(entry&, site)              what is due when one that was not read is first written
//   void place(entry&, region, index)          where the element and its lock word are
//   void record(log, committed)                its history
template <class F, class Base, class Engine, class Entry = stm_entry>
struct stm_buffer : stm_set<F, Base, Entry> {
  typedef Entry entry;
  STM_DEVICE Engine& engine() { return *static_cast<Engine*>(this); }

  STM_DEVICE stm_status fetch(entry& e, u32 site) {
    STM_TRY(Base::fetch(e.ref, site, &e.found));
    e.value = e.found.value;
    return STM_OK;
  }
  STM_DEVICE stm_status meet(entry&, u32) { return STM_OK; }
  template <class Region>
  STM_DEVICE void place(entry& e, const Region& region, u64 index) {
    e.ref = region.ref(index);
    if constexpr (STM_RECORDED) e.key = stm_history_key(region, index);
  }

  template <class Region, class T>
  STM_DEVICE stm_status read(u32 slot, u32 site, const Region& region, u64 index, T* out) {
    if (!region.holds(index)) return this->fault(STM_FAULT_INDEX, site);
    if (slot != STM_INDEXED) {
      open(this->fixed[slot], site, region, index);
      return see(this->fixed[slot], site, out);
    }
    entry* e = find(site, region, index);
    if (e == nullptr) return this->fault(STM_FAULT_CAPACITY, site);
    return see(*e, site, out);
  }

  template <class Region, class T>
  STM_DEVICE stm_status write(u32 slot, u32 site, const Region& region, u64 index, T value) {
    if (!region.holds(index)) return this->fault(STM_FAULT_INDEX, site);
    if (slot != STM_INDEXED) {
      open(this->fixed[slot], site, region, index);
      STM_TRY(dirty(this->fixed[slot], site));
    } else {
      entry* e = find(site, region, index);
      if (e == nullptr) return this->fault(STM_FAULT_CAPACITY, site);
      STM_TRY(dirty(*e, site));
    }
    u8* at = region.ref(index).value;
    u64 word = stm_to_word(value);
    this->each([&](entry& e) {  // every entry for the element, so that any of them can answer a read
      if (e.ref.value == at) {
        e.value = word;
        e.flags |= STM_DIRTY;
      }
      return true;
    });
    return STM_OK;
  }

  STM_DEVICE stm_status dirty(entry& e, u32 site) {
    if (!(e.flags & (STM_SEEN | STM_DIRTY))) STM_TRY(engine().meet(e, site));
    e.flags |= STM_DIRTY;
    return STM_OK;
  }

  // Makes a constant slot stand for its element. It keeps its own copy, so that it stays in registers.
  template <class Region>
  STM_DEVICE void open(entry& slot, u32 site, const Region& region, u64 index) {
    if (slot.flags != 0) return;
    if constexpr (STM_PROFILED) slot.site = site;
    engine().place(slot, region, index);
    slot.flags = STM_OPEN;
    if constexpr (F::READ_ONLY) return;
    this->each([&](entry& e) {
      if (&e != &slot && e.ref.value == slot.ref.value && (e.flags & (STM_SEEN | STM_DIRTY))) {
        slot.found = e.found;
        slot.value = e.value;
        slot.flags = e.flags;
      }
      return true;
    });
  }

  // The entry of an access in a loop; null when there is no room.
  template <class Region>
  STM_DEVICE entry* find(u32 site, const Region& region, u64 index) {
    u8* value = region.ref(index).value;
    entry* e = F::READ_ONLY ? this->place_of_reader(value) : this->search(value);
    if (e == nullptr && !F::READ_ONLY) e = this->append(value);
    if (e != nullptr) open(*e, site, region, index);
    return e;
  }

  template <class T>
  STM_DEVICE stm_status see(entry& e, u32 site, T* out) {
    if (!(e.flags & (STM_SEEN | STM_DIRTY))) {
      STM_TRY(engine().fetch(e, site));
      e.flags |= STM_SEEN;
    }
    *out = stm_word<T>::to(e.value);
    return STM_OK;
  }

  STM_DEVICE u32 site_of(const entry& e) const {
    if constexpr (STM_PROFILED) return e.site;
    return STM_INDEXED;
  }

  STM_DEVICE stm_status lock_writes() {
    stm_status status = STM_OK;
    this->each([&](entry& e) {
      if ((e.flags & STM_DIRTY) && !(e.flags & STM_OWNED)) status = engine().lock(e);
      return status == STM_OK;
    });
    return status;
  }

  // Stores what was written. The locks are held, and unlocking orders the stores.
  STM_DEVICE void publish() {
    this->each([&](entry& e) {
      if ((e.flags & STM_DIRTY) && e.ref.width != 0) stm_value_store(e.ref.value, e.ref.width, e.value);
      return true;
    });
  }

  // The other entries under a lock just taken are owned too. One that was read at another version is not: confirming it
  // finds the lock held and fails, which is right.
  STM_DEVICE void share(u64* lock, u64 word) {
    this->each([&](entry& e) {
      if (e.ref.lock == lock && (!(e.flags & STM_SEEN) || e.found.word == word)) e.flags |= STM_OWNED;
      return true;
    });
  }
  STM_DEVICE bool read_under(u64* lock) {
    bool read = false;
    this->each([&](entry& e) {
      read = read || ((e.flags & STM_SEEN) && e.ref.lock == lock);
      return !read;
    });
    return read;
  }

  // A lock that was taken was taken to write.
  STM_DEVICE void record(stm_log& log, bool committed) {
    this->each([&](entry& e) {
      bool held = e.flags & STM_HELD;
      bool read = held ? read_under(e.ref.lock) : (e.flags & (STM_SEEN | STM_OWNED)) == STM_SEEN;
      if (read) stm_record(log, false, e.key, e.found.word >> 1);
      if (committed && held) stm_record(log, true, e.key, (e.found.word >> 1) + 1);
      return true;
    });
  }
};
