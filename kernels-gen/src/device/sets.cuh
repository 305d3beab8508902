// The set of elements that one attempt has touched, for engines that keep one entry for each.

template <class Array>
STM_DEVICE u64 stm_history_key(const Array& array, u64 index) {
  return (u64)array.id << 48 | array.lock_index(index);
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
  u32 location;  // where it was met first, in profiled units of engines that buffer writes
};

// Entries of loops that are searched one by one; more are found through chains. Few in the emulator, so that its short
// batches come to chains too.
#ifdef STM_EMULATED
constexpr u32 STM_FEW = 2;
#else
constexpr u32 STM_FEW = 8;
#endif

// Chains of entries that share a bucket of lock words, so that whoever looks for an element, or for what lies under a lock
// word, meets few others however large the set is. A link is one more than the number of an entry; 0 ends a chain.
template <bool WIDE>
struct stm_link {
  typedef u16 type;
};
template <>
struct stm_link<true> {
  typedef u32 type;
};
template <u32 ROOM>
struct stm_chains {
  typedef typename stm_link<(ROOM >= 1u << 16)>::type link;
  link first[2 * ROOM];  // by bucket; `buckets` of them are in use
  link next[ROOM];       // by entry
};
template <bool CHAINED, u32 ROOM>
struct stm_chained {};
template <u32 ROOM>
struct stm_chained<true, ROOM> {
  stm_chains<ROOM> chains;
};

// An entry has a `ref` with `value` and `width`, and `flags`; where the set is searched, a `ref` with `lock`.
template <class F, class Base, class Entry = stm_entry>
struct stm_set : Base {
  Entry fixed[F::FIXED + 1];      // constant slots: registers
  // Accesses in loops: local memory. One that meets an element of a constant slot takes an entry too, but it does not
  // count against the bound, which is on elements.
  static constexpr u32 ROOM = F::INDEXED + (F::INDEXED ? F::FIXED : 0);
  static constexpr bool CHAINED = ROOM > STM_FEW;
  static constexpr bool ONCE = F::FIXED == 0;  // an element has one entry, unless all are only read
  struct scratch : stm_chained<CHAINED, ROOM> {
    Entry indexed[ROOM + 1];
  };
  scratch* room;
  Entry* indexed;
  u32 count;
  u32 known;    // entries for elements of constant slots
  u32 buckets;  // of chains; STM_FEW while there are none

  STM_DEVICE void begin(scratch& empty) {
    room = &empty;
    indexed = empty.indexed;
    count = known = 0;
    buckets = STM_FEW;
#pragma unroll
    for (u32 i = 0; i <= F::FIXED; ++i) fixed[i].flags = 0;
  }

  template <class Array>
  STM_DEVICE void announce(u32, stm_intent, const Array&, u64) {}
  STM_DEVICE stm_status acquire() { return STM_OK; }

  // Calls `visit(entry)` for each entry in use until one returns false.
  template <class Visit>
  STM_DEVICE void each(Visit visit) {
    if (!each_fixed(visit)) return;
    if constexpr (F::INDEXED != 0) {
#pragma unroll 1
      for (u32 i = 0; i < count; ++i) {
        if constexpr (F::ONE_WIDTH != ~0u) indexed[i].ref.width = F::ONE_WIDTH;
        if (!visit(indexed[i])) return;
      }
    }
  }

  template <class Visit>
  STM_DEVICE bool each_fixed(Visit visit) {
    bool more = true;
    if constexpr (F::FIXED != 0) {
#pragma unroll
      for (u32 i = 0; i < F::FIXED; ++i) {
        fixed[i].ref.width = F::slot_width(i);  // a constant, which unfolds what depends on it
        more = more && (fixed[i].flags == 0 || visit(fixed[i]));
      }
    }
    return more;
  }

  // The same for the entries that match. They lie under the lock word.
  template <class Match, class Visit>
  STM_DEVICE void each_match(const void* lock, Match match, Visit visit) {
    if constexpr (F::FIXED != 0) {
      bool more = true;
#pragma unroll
      for (u32 i = 0; i < F::FIXED; ++i) more = more && (fixed[i].flags == 0 || !match(fixed[i]) || visit(fixed[i]));
      if (!more) return;
    }
    if constexpr (F::INDEXED != 0) {
#pragma unroll 1
      for (u32 i = first(lock); i != 0; i = next(i)) {
        if (match(indexed[i - 1]) && !visit(indexed[i - 1])) return;
      }
    }
  }
  // For those of the element, the entry itself among them.
  template <class Ref, class Visit>
  STM_DEVICE void each_twin(const Ref& ref, Visit visit) {
    u8* value = ref.value;
    each_match(ref.lock, [&](const Entry& o) { return o.ref.value == value; }, visit);
  }
  template <class Visit>
  STM_DEVICE void each_under(const void* lock, Visit visit) {
    each_match(lock, [&](const Entry& o) { return (const void*)o.ref.lock == lock; }, visit);
  }

  // The entry of a loop for an element.
  template <class Ref>
  STM_DEVICE Entry* search(const Ref& ref) {
#pragma unroll 1
    for (u32 i = first(ref.lock); i != 0; i = next(i)) {
      if (indexed[i - 1].ref.value == ref.value) return &indexed[i - 1];
    }
    return nullptr;
  }

  // The numbers, counted from 1, of entries of loops under a lock word, and of others.
  STM_DEVICE u32 first(const void* lock) {
    if constexpr (CHAINED) {
      if (buckets > STM_FEW) return room->chains.first[bucket(lock)];
    }
    return count;
  }
  STM_DEVICE u32 next(u32 i) {
    if constexpr (CHAINED) {
      if (buckets > STM_FEW) return room->chains.next[i - 1];
    }
    return i - 1;
  }
  // mutation "bucket of a lock: signed overflow":
  //| STM_DEVICE u32 bucket(const void* lock) const { return ((u32)((int)((u64)lock >> 2 | 1 << 20) * 1640531527) >> 8) & (buckets -
  //| 1); }
  // mutation "bucket of a lock: wide shift":
  //| STM_DEVICE u32 bucket(const void* lock) const { return ((u32)((u64)lock >> 2) * 2654435769u >> 8 * buckets) & (buckets - 1); }
  STM_DEVICE u32 bucket(const void* lock) const { return ((u32)((u64)lock >> 2) * 2654435769u >> 8) & (buckets - 1); }

  STM_DEVICE void link(u32 i) {
    auto& first = room->chains.first[bucket(indexed[i - 1].ref.lock)];
    // mutation "link to the first": room->chains.next[i - 1] = 0;
    room->chains.next[i - 1] = first;
    first = i;
  }

  STM_DEVICE void link_all() {
    clear_chains(2 * buckets);
#pragma unroll 1
    // mutation "link every entry": for (u32 i = 1; i < count; ++i) link(i);
    for (u32 i = 1; i <= count; ++i) link(i);
  }
  STM_DEVICE void clear_chains(u32 some) {
    buckets = some;
#pragma unroll 1
    for (u32 b = 0; b < buckets; ++b) room->chains.first[b] = 0;
  }

  // What a constant slot stands for too does not count against a stated bound.
  STM_DEVICE bool is_known(const u8* value) const {
    bool known = false;
    if constexpr (F::STATED) {
#pragma unroll
      for (u32 i = 0; i <= F::FIXED; ++i) known = known || (fixed[i].flags > STM_OPEN && fixed[i].ref.value == value);
    }
    return known;
  }
  // mutation "stated bound: grows": STM_DEVICE bool is_full(bool is_known) const { return count == ROOM; }
  // mutation "stated bound: no end": STM_DEVICE bool is_full(bool) const { return false; }
  STM_DEVICE bool is_full(bool is_known) const { return count == ROOM || (F::STATED && !is_known && count - known == F::INDEXED); }

  // An entry for an access in a loop, not in use yet; null when there is no room.
  STM_DEVICE Entry* add(u8* value) {
    bool too = is_known(value);
    if (is_full(too)) return nullptr;
    // mutation "known element":
    known += too;
    // mutation "new entry": Entry* e = (Entry*)((u8*)&indexed[count++] + 2);
    Entry* e = &indexed[count++];
    e->flags = 0;
    return e;
  }

  // The same, and it will be found.
  template <class Ref>
  STM_DEVICE Entry* append(const Ref& ref) {
    Entry* e = add(ref.value);
    if (e == nullptr) return nullptr;
    e->ref = ref;
    link_newest();
    return e;
  }
  STM_DEVICE void link_newest() {
    if constexpr (CHAINED) {
      if (count > buckets) {
        link_all();
      } else if (buckets > STM_FEW) {
        link(count);
      }
    }
  }

  // The same for what only reads, under engines that confirm every entry at the end: an element that is read twice may have
  // two, and if their versions differ, confirming fails. That saves searching the set, until there is no room.
  template <class Ref>
  STM_DEVICE Entry* place_of_reader(const Ref& ref) {
    if (buckets == STM_FEW && is_full(is_known(ref.value))) settle();
    if (buckets != STM_FEW) {
      Entry* e = search(ref);
      return e != nullptr ? e : append(ref);
    }
    Entry* e = add(ref.value);
    e->ref = ref;
    return e;
  }

  // Components the first entry of each element, and from now on there is only one. A later one with another value stays: the attempt
  // has seen both, and who confirms values would find the first one good when it has come back. Versions do not come back.
  STM_DEVICE void settle() {
    u32 all = count;
    count = known = 0;
    if constexpr (CHAINED) {
      clear_chains(2 * STM_FEW);
    } else {
      buckets = 2 * STM_FEW;
    }
#pragma unroll 1
    for (u32 i = 0; i < all; ++i) {
      // mutation "search an older read": @ if (first != nullptr) *(Entry*)first = indexed[i];
      const Entry* first = search(indexed[i].ref);
      if (first != nullptr && first->found.value == indexed[i].found.value) continue;
      // mutation "known element that stays":
      known += is_known(indexed[i].ref.value);
      indexed[count++] = indexed[i];
      link_newest();
    }
  }
};

// A set for engines that keep what is written until they commit. A read gives the transaction's own write, else what it
// read first. `Engine` derives from this and says
//   stm_status lock(entry&)                    takes the lock of one that is to be written, for `lock_writes`
// and, where it is not as here under versioned locks (`Base` is a stm_versioned then),
//   stm_status fetch(entry&, location)             how an element is read: sets `found` and `value`
//   stm_status meet(entry&, location)              what is due when one that was not read is first written
//   void place(entry&, array, index)          where the element and its lock word are
//   void record(log, committed)                its history
template <class F, class Base, class Engine, class Entry = stm_entry>
struct stm_buffer : stm_set<F, Base, Entry> {
  typedef stm_set<F, Base, Entry> set;
  typedef Entry entry;
  STM_DEVICE Engine& engine() { return *static_cast<Engine*>(this); }
  // What a loop met last: it often writes what it has just read.
  entry* latest;
  u8* latest_at;

  STM_DEVICE void begin(typename set::scratch& empty) {
    set::begin(empty);
    latest_at = nullptr;
  }

  STM_DEVICE stm_status fetch(entry& e, u32 location) {
    STM_TRY(Base::fetch(e.ref, location, &e.found));
    e.value = e.found.value;
    return STM_OK;
  }
  STM_DEVICE stm_status meet(entry&, u32) { return STM_OK; }
  template <class Array>
  STM_DEVICE void place(entry& e, const Array& array, u64 index) {
    e.ref = array.ref(index);
    if constexpr (STM_RECORDED) e.key = stm_history_key(array, index);
  }

  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    if (!array.holds(index)) return this->fault(STM_FAULT_INDEX, location);
    if (slot != STM_INDEXED) {
      open(this->fixed[slot], location, array, index);
      return see(this->fixed[slot], location, out);
    }
    entry* e = find(location, array, index);
    if (e == nullptr) return this->fault(STM_FAULT_CAPACITY, location);
    return see(*e, location, out);
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32 slot, u32 location, const Array& array, u64 index, T value) {
    if (!array.holds(index)) return this->fault(STM_FAULT_INDEX, location);
    if (slot != STM_INDEXED) {
      open(this->fixed[slot], location, array, index);
      return put(this->fixed[slot], location, stm_to_word(value));
    }
    entry* e = find(location, array, index);
    if (e == nullptr) return this->fault(STM_FAULT_CAPACITY, location);
    return put(*e, location, stm_to_word(value));
  }

  STM_DEVICE stm_status put(entry& e, u32 location, u64 word) {
    STM_TRY(dirty(e, location));
    if constexpr (set::ONCE) {
      e.value = word;
      return STM_OK;
    }
    // mutation "each twin of a write": @ if (&o != &e) return true;
    this->each_twin(e.ref, [&](entry& o) {  // every entry for the element, so that any of them can answer a read
      o.value = word;
      o.flags |= STM_DIRTY;
      return true;
    });
    return STM_OK;
  }

  STM_DEVICE stm_status dirty(entry& e, u32 location) {
    if (!(e.flags & (STM_SEEN | STM_DIRTY))) STM_TRY(engine().meet(e, location));
    e.flags |= STM_DIRTY;
    return STM_OK;
  }

  // Makes a constant slot stand for its element. It keeps its own copy, so that it stays in registers.
  template <class Array>
  STM_DEVICE void open(entry& slot, u32 location, const Array& array, u64 index) {
    if (slot.flags != 0) return;
    if constexpr (STM_PROFILED) slot.location = location;
    engine().place(slot, array, index);
    slot.flags = STM_OPEN;
    if constexpr (F::READ_ONLY || set::ONCE) return;
    this->each_twin(slot.ref, [&](entry& e) {
      if (&e != &slot && (e.flags & (STM_SEEN | STM_DIRTY))) {
        slot.found = e.found;
        slot.value = e.value;
        slot.flags = e.flags;
      }
      return true;
    });
  }

  // The entry of an access in a loop; null when there is no room.
  template <class Array>
  STM_DEVICE entry* find(u32 location, const Array& array, u64 index) {
    entry probe;
    engine().place(probe, array, index);
    if constexpr (F::READ_ONLY) return opened(this->place_of_reader(probe.ref), location, array, index);
    if (probe.ref.value == latest_at) return latest;
    entry* e = this->search(probe.ref);
    // mutation "entry of a new element":
    //| for (u32 nap = 0; e == nullptr && nap < 8000; ++nap) __nanosleep(20);
    //| @
    if (e == nullptr) e = opened(this->append(probe.ref), location, array, index);
    if (e != nullptr) {
      latest = e;
      latest_at = probe.ref.value;
    }
    return e;
  }
  template <class Array>
  STM_DEVICE entry* opened(entry* e, u32 location, const Array& array, u64 index) {
    if (e != nullptr) open(*e, location, array, index);
    return e;
  }

  template <class T>
  STM_DEVICE stm_status see(entry& e, u32 location, T* out) {
    // mutation "read once": if (!(e.flags & STM_DIRTY)) {
    if (!(e.flags & (STM_SEEN | STM_DIRTY))) {
      STM_TRY(engine().fetch(e, location));
      e.flags |= STM_SEEN;
    }
    *out = stm_word<T>::to(e.value);
    return STM_OK;
  }

  STM_DEVICE u32 location_of(const entry& e) const {
    if constexpr (STM_PROFILED) return e.location;
    return STM_INDEXED;
  }

  STM_DEVICE bool is_to_lock(const entry& e) const { return (e.flags & (STM_DIRTY | STM_OWNED)) == STM_DIRTY; }
  STM_DEVICE stm_status lock_each() {
    stm_status status = STM_OK;
    this->each([&](entry& e) {
      if (is_to_lock(e)) status = engine().lock(e);
      return status == STM_OK;
    });
    return status;
  }

  // Stores what was written. The locks are held, and unlocking orders the stores.
  STM_DEVICE void publish() {
    if constexpr (F::ONE_WIDTH == 0) return;  // cells: unlocking stores
    this->each([&](entry& e) {
      // mutation "write back: release": if (e.flags & STM_HELD) stm_let_go(e.ref, {e.found.word + 2, e.value});
      // mutation "write back: plain store": if ((e.flags & STM_DIRTY) && e.ref.width == 4) *(u32*)e.ref.value = (u32)e.value;
      if ((e.flags & STM_DIRTY) && e.ref.width != 0) stm_value_store(e.ref.value, e.ref.width, e.value);
      return true;
    });
  }

  // The other entries under a lock just taken are owned too. One that was read at another version is not: confirming it
  // finds the lock held and fails, which is right.
  STM_DEVICE void share(entry& taken, u64 word) {
    if constexpr (set::ONCE && F::ONE_WIDTH == 0) {
      taken.flags |= STM_OWNED;
      return;
    }
    this->each_under(taken.ref.lock, [&](entry& e) {
      // mutation "own other entries":
      //| if (!(e.flags & STM_SEEN) || e.found.word == word) e.flags |= e.flags & STM_HELD ? STM_OWNED : 0;
      if (!(e.flags & STM_SEEN) || e.found.word == word) e.flags |= STM_OWNED;
      return true;
    });
  }
  STM_DEVICE bool read_under(u64* lock) {
    bool read = false;
    this->each_under(lock, [&](entry& e) {
      read = e.flags & STM_SEEN;
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
