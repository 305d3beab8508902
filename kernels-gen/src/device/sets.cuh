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

template <class F, class Base>
struct stm_set : Base {
  stm_entry fixed[F::FIXED + 1];      // constant slots: registers
  // Accesses in loops: local memory. One that meets an element of a constant slot takes an entry too, but it does not
  // count against the bound, which is on elements.
  static constexpr u32 ROOM = F::INDEXED + (F::INDEXED ? F::FIXED : 0);
  struct scratch {
    stm_entry indexed[ROOM + 1];
  };
  stm_entry* indexed;
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

  STM_DEVICE stm_entry* search(u8* value) {
#pragma unroll 1
    for (u32 i = 0; i < count; ++i) {
      if (indexed[i].ref.value == value) return &indexed[i];
    }
    return nullptr;
  }

  // An entry for an access in a loop, not in use yet; null when there is no room.
  STM_DEVICE stm_entry* append(u8* value) {
    if constexpr (F::STATED) {
      bool is_known = false;
#pragma unroll
      for (u32 i = 0; i <= F::FIXED; ++i) is_known = is_known || (fixed[i].flags > STM_OPEN && fixed[i].ref.value == value);
      if (!is_known && count - known == F::INDEXED) return nullptr;
      known += is_known;
    }
    if (count == ROOM) return nullptr;
    stm_entry* e = &indexed[count++];
    e->flags = 0;
    return e;
  }
};

// Writes wait in the set for the end. `Base` says where an element is (`ref_of`), how one is read that has not been touched
// (`fetch`), and whether entries carry their keys.
template <class F, class Base>
struct stm_buffer : stm_set<F, Base> {
  template <class Region, class T>
  STM_DEVICE stm_status read(u32 slot, u32 site, const Region& region, u64 index, T* out) {
    if (!region.holds(index)) return this->fault(STM_FAULT_INDEX, site);
    if (slot != STM_INDEXED) {
      open(this->fixed[slot], region, index);
      return see(this->fixed[slot], site, out);
    }
    stm_entry* e = find(region, index);
    if (e == nullptr) return this->fault(STM_FAULT_CAPACITY, site);
    return see(*e, site, out);
  }

  template <class Region, class T>
  STM_DEVICE stm_status write(u32 slot, u32 site, const Region& region, u64 index, T value) {
    if (!region.holds(index)) return this->fault(STM_FAULT_INDEX, site);
    if (slot != STM_INDEXED) {
      open(this->fixed[slot], region, index);
      this->fixed[slot].flags |= STM_DIRTY;
    } else {
      stm_entry* e = find(region, index);
      if (e == nullptr) return this->fault(STM_FAULT_CAPACITY, site);
      e->flags |= STM_DIRTY;
    }
    u8* at = this->ref_of(region, index).value;
    u64 word = stm_to_word(value);
    this->each([&](stm_entry& e) {  // every entry for the element, so that any of them can answer a read
      if (e.ref.value == at) {
        e.value = word;
        e.flags |= STM_DIRTY;
      }
      return true;
    });
    return STM_OK;
  }

  // Makes a constant slot stand for its element. It keeps its own copy, so that it stays in registers.
  template <class Region>
  STM_DEVICE void open(stm_entry& slot, const Region& region, u64 index) {
    if (slot.flags != 0) return;
    slot.ref = this->ref_of(region, index);
    if constexpr (Base::KEYED) slot.key = stm_history_key(region, index);
    slot.flags = STM_OPEN;
    this->each([&](stm_entry& e) {
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
  STM_DEVICE stm_entry* find(const Region& region, u64 index) {
    stm_ref ref = this->ref_of(region, index);
    stm_entry* e = this->search(ref.value);
    if (e != nullptr) return e;
    e = this->append(ref.value);
    if (e != nullptr) open(*e, region, index);
    return e;
  }

  template <class T>
  STM_DEVICE stm_status see(stm_entry& e, u32 site, T* out) {
    if (!(e.flags & (STM_SEEN | STM_DIRTY))) {
      STM_TRY(this->fetch(e.ref, site, &e.found));
      e.value = e.found.value;
      e.flags |= STM_SEEN;
    }
    *out = stm_word<T>::to(e.value);
    return STM_OK;
  }

  // The first entry of its element speaks for all of them.
  STM_DEVICE bool speaks(const stm_entry& entry) {
    bool first = false;
    this->each([&](stm_entry& e) {
      first = &e == &entry;
      return e.ref.value != entry.ref.value;
    });
    return first;
  }
};
