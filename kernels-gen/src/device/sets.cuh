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
};

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
};
