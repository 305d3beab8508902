// The access set of an attempt, for engines that keep one entry for each accessed element.

constexpr u32 STM_OPEN = 1;    // `ref` is set; an entry without it is not in use
constexpr u32 STM_LOADED = 2;  // `found` and `value` are set
constexpr u32 STM_HELD = 4;    // this entry acquired the lock and releases it
constexpr u32 STM_OWNED = 8;   // the lock is held, by this entry or by another under the same word
constexpr u32 STM_DIRTY = 16;  // `value` is to be written

// The place of the element of an access, with which the set is searched for an entry.
struct stm_probe {
  stm_ref ref;
  u64 key;       // recording units only
  u64* counter;  // recording units of engines whose lock words do not number the commits
};

struct stm_entry {
  stm_ref ref;
  stm_pair found;
  u64 value;
  u64 key;
  u32 flags;
  u32 location;  // of its first access, in profiled units of engines that buffer writes
};

// Entries of loops that are searched linearly; larger sets are searched through chains.
// mutation "short searches": constexpr u32 STM_LINEAR_SEARCH = 2;
constexpr u32 STM_LINEAR_SEARCH = 8;

// Finds entries by their lock words. A few entries are searched from the newest to the oldest. More of them form chains, of entries
// whose lock words share a bucket: a search visits few other entries however large the set is. Entries are numbered from 1, and 0
// ends a search. `buckets` is STM_LINEAR_SEARCH while there are no chains, and grows with the number of entries. `Links` stores the
// chains: `head(bucket)`, and `older(i)` for an entry, counted from 0.
template <bool CHAINED, class Links>
struct stm_chains {
  STM_DEVICE u32 first(const void*, u32, u32 count) { return count; }
  STM_DEVICE u32 next(u32 i, u32) { return i - 1; }
  template <class LockOf>
  STM_DEVICE void link_newest(u32, u32&, LockOf) {}
  STM_DEVICE void clear(u32 some, u32& buckets) { buckets = some; }
};
template <class Links>
struct stm_chains<true, Links> : Links {
  STM_DEVICE u32 first(const void* lock, u32 buckets, u32 count) {
    return buckets > STM_LINEAR_SEARCH ? this->head(bucket(lock, buckets)) : count;
  }
  STM_DEVICE u32 next(u32 i, u32 buckets) { return buckets > STM_LINEAR_SEARCH ? this->older(i - 1) : i - 1; }

  // mutation "bucket of a lock: signed overflow":
  //| STM_DEVICE static u32 bucket(const void* lock, u32 buckets) {
  //| return ((u32)((int)((u64)lock >> 2 | 1 << 20) * 1640531527) >> 8) & (buckets - 1);
  //| }
  // mutation "bucket of a lock: wide shift":
  //| STM_DEVICE static u32 bucket(const void* lock, u32 buckets) {
  //| return ((u32)((u64)lock >> 2) * 2654435769u >> 8 * buckets) & (buckets - 1);
  //| }
  STM_DEVICE static u32 bucket(const void* lock, u32 buckets) { return ((u32)((u64)lock >> 2) * 2654435769u >> 8) & (buckets - 1); }

  STM_DEVICE void link(u32 i, const void* lock, u32 buckets) {
    auto& head = this->head(bucket(lock, buckets));
    // mutation "link to the first": this->older(i - 1) = 0;
    this->older(i - 1) = head;
    head = i;
  }

  // Links the newest of `count` entries; `lock_of` returns the lock word of an entry, counted from 0.
  template <class LockOf>
  STM_DEVICE void link_newest(u32 count, u32& buckets, LockOf lock_of) {
    if (count > buckets) {
      clear(2 * buckets, buckets);
#pragma unroll 1
      // mutation "link every entry": for (u32 i = 1; i < count; ++i) link(i, lock_of(i - 1), buckets);
      for (u32 i = 1; i <= count; ++i) link(i, lock_of(i - 1), buckets);
    } else if (buckets > STM_LINEAR_SEARCH) {
      link(count, lock_of(count - 1), buckets);
    }
  }
  STM_DEVICE void clear(u32 some, u32& buckets) {
    buckets = some;
#pragma unroll 1
    for (u32 b = 0; b < buckets; ++b) this->head(b) = 0;
  }
};

// The number of an entry in a chain of at most ROOM.
template <bool WIDE>
struct stm_link {
  typedef u16 type;
};
template <>
struct stm_link<true> {
  typedef u32 type;
};
template <u32 ROOM>
struct stm_links {
  typedef typename stm_link<(ROOM >= 1u << 16)>::type number;
  number heads[2 * ROOM];  // by bucket; `buckets` of them are in use
  number olders[ROOM];     // by entry
  STM_DEVICE number& head(u32 bucket) { return heads[bucket]; }
  STM_DEVICE number& older(u32 i) { return olders[i]; }
};

// An entry has a `ref` with `value` and `width`, and `flags`; where the set is searched, a `ref` with `lock`.
template <class F, class Base, class Entry = stm_entry>
struct stm_access_set : Base {
  Entry fixed[F::FIXED + 1];      // constant slots: registers
  // Other accesses, those in loops: local memory. An access to an element of a constant slot takes an entry too, but does not
  // count against the bound, which is on the elements of loops.
  static constexpr u32 ROOM = F::INDEXED + (F::INDEXED != 0 || F::FIXED != F::SLOTS ? F::SLOTS : 0);
  static constexpr bool CHAINED = ROOM > STM_LINEAR_SEARCH;
  static constexpr bool ONCE = F::FIXED == 0;  // an element has one entry, unless all are only read
  struct scratch {
    stm_chains<CHAINED, stm_links<ROOM>> chains;
    Entry indexed[ROOM + 1];
  };
  scratch* room;
  Entry* indexed;
  u32 count;
  u32 known;    // entries for elements of constant slots
  u32 buckets;  // of chains; STM_LINEAR_SEARCH while there are none

  STM_DEVICE void begin(scratch& empty) {
    room = &empty;
    indexed = empty.indexed;
    count = known = 0;
    buckets = STM_LINEAR_SEARCH;
#pragma unroll
    for (u32 i = 0; i <= F::FIXED; ++i) fixed[i].flags = 0;
  }

  template <class Array>
  STM_DEVICE void declare(u32, stm_intent, const Array&, u64) {}
  STM_DEVICE stm_status acquire() { return STM_OK; }

  // Calls `visit(entry)` for each entry in use until one returns false.
  template <class Visit>
  STM_DEVICE void each(Visit visit) {
    if (!each_fixed(visit)) return;
    if constexpr (ROOM != 0) {
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
        fixed[i].ref.width = F::slot_width(i);  // constants, which unfold what depends on them
        fixed[i].ref.group = F::slot_group(i);
        more = more && (fixed[i].flags == 0 || visit(fixed[i]));
      }
    }
    return more;
  }

  // Calls `visit(entry)` for each matching entry under a lock word of an array of that group.
  template <class Match, class Visit>
  STM_DEVICE void each_match(const void* lock, u32 group, Match match, Visit visit) {
    if constexpr (F::FIXED != 0) {
      bool more = true;
#pragma unroll
      for (u32 i = 0; i < F::FIXED; ++i) {
        if (group == STM_ANY_GROUP || F::slot_group(i) == group) more = more && (fixed[i].flags == 0 || !match(fixed[i]) || visit(fixed[i]));
      }
      if (!more) return;
    }
    if constexpr (ROOM != 0) {
#pragma unroll 1
      for (u32 i = first(lock); i != 0; i = next(i)) {
        if (match(indexed[i - 1]) && !visit(indexed[i - 1])) return;
      }
    }
  }
  // Calls `visit(entry)` for each alias of an element: all entries for it, including the given one.
  template <class Ref, class Visit>
  STM_DEVICE void each_alias(const Ref& ref, Visit visit) {
    u8* value = ref.value;
    each_match(ref.lock, ref.group, [&](const Entry& o) { return o.ref.value == value; }, visit);
  }
  template <class Ref, class Visit>
  STM_DEVICE void each_under(const Ref& ref, Visit visit) {
    each_under_lock(ref.lock, ref.group, visit);
  }
  template <class Visit>
  STM_DEVICE void each_under_lock(const void* lock, u32 group, Visit visit) {
    each_match(lock, group, [&](const Entry& o) { return (const void*)o.ref.lock == lock; }, visit);
  }

  // Returns the entry of a loop for an element.
  template <class Ref>
  STM_DEVICE Entry* search(const Ref& ref) {
#pragma unroll 1
    for (u32 i = first(ref.lock); i != 0; i = next(i)) {
      if (indexed[i - 1].ref.value == ref.value) return &indexed[i - 1];
    }
    return nullptr;
  }

  // Return the numbers, counted from 1, of entries of loops under a lock word, and of others.
  STM_DEVICE u32 first(const void* lock) { return room->chains.first(lock, buckets, count); }
  STM_DEVICE u32 next(u32 i) { return room->chains.next(i, buckets); }

  // Returns whether a slot has an entry of its own. Otherwise its element has an entry like those of loops.
  STM_DEVICE static constexpr bool is_fixed(u32 slot) { return F::FIXED != 0 && slot != STM_INDEXED; }

  // Returns whether a constant slot stands for the element too: then it does not count against a stated bound.
  template <class Ref>
  STM_DEVICE bool is_known(u32 slot, const Ref& ref) const {
    bool known = slot != STM_INDEXED;
    if constexpr (F::STATED && F::FIXED != 0) {
#pragma unroll
      for (u32 i = 0; i < F::FIXED; ++i) {
        if (F::slot_group(i) == ref.group) known = known || (fixed[i].flags > STM_OPEN && fixed[i].ref.value == ref.value);
      }
    }
    return known;
  }
  // mutation "stated bound: grows": STM_DEVICE bool is_full(bool is_known) const { return count == ROOM; }
  // mutation "stated bound: no end": STM_DEVICE bool is_full(bool) const { return false; }
  STM_DEVICE bool is_full(bool is_known) const { return count == ROOM || (F::STATED && !is_known && count - known == F::INDEXED); }

  // Adds an entry for an access in a loop, not in use yet. Returns null when there is no room.
  template <class Ref>
  STM_DEVICE Entry* add(u32 slot, const Ref& ref) {
    bool too = is_known(slot, ref);
    if (is_full(too)) return nullptr;
    // mutation "known element":
    known += too;
    // mutation "new entry": Entry* e = (Entry*)((u8*)&indexed[count++] + 2);
    Entry* e = &indexed[count++];
    e->flags = 0;
    return e;
  }

  // Adds an entry that searches find.
  template <class Ref>
  STM_DEVICE Entry* append(u32 slot, const Ref& ref) {
    Entry* e = add(slot, ref);
    if (e == nullptr) return nullptr;
    e->ref = ref;
    link_newest();
    return e;
  }
  STM_DEVICE void link_newest() {
    room->chains.link_newest(count, buckets, [&](u32 i) { return indexed[i].ref.lock; });
  }

  // Returns an entry for a read-only transaction, under engines that validate every entry in the end. An element that is read
  // twice may have two entries, and if their versions differ, validation fails. That saves searching the set, until it is full.
  template <class Ref>
  STM_DEVICE Entry* entry_of_reader(const Ref& ref) {
    if (buckets == STM_LINEAR_SEARCH && is_full(is_known(STM_INDEXED, ref))) remove_duplicates();
    if (buckets != STM_LINEAR_SEARCH) {
      Entry* e = search(ref);
      return e != nullptr ? e : append(STM_INDEXED, ref);
    }
    Entry* e = add(STM_INDEXED, ref);
    e->ref = ref;
    return e;
  }

  // Removes all but the first entry of each element, and from now on there is only one. A later one with another value stays: the
  // attempt has used both, and validation by value would accept the first one if that value has come back. Versions do not come
  // back.
  STM_DEVICE void remove_duplicates() {
    u32 all = count;
    count = known = 0;
    room->chains.clear(2 * STM_LINEAR_SEARCH, buckets);
#pragma unroll 1
    for (u32 i = 0; i < all; ++i) {
      // mutation "search an older read": @ if (first != nullptr) *(Entry*)first = indexed[i];
      const Entry* first = search(indexed[i].ref);
      if (first != nullptr && first->found.value == indexed[i].found.value) continue;
      // mutation "known element that stays":
      known += is_known(STM_INDEXED, indexed[i].ref);
      indexed[count++] = indexed[i];
      link_newest();
    }
  }
};
