// An access set for engines that buffer writes until they commit. A read returns the transaction's own write, else the value of its
// first read. `Engine` derives from this and defines
//   stm_status acquire_write(entry&)                  acquires the lock of an entry that is to be written, for `lock_write_set`
// and, where it differs from versioned locks (`Base` is a stm_versioned otherwise),
//   stm_status load(entry&, location)                 reads an element: sets `found` and `value`
//   stm_status before_blind_write(entry&, location)   before the first write of an element that was not read
//   void place(stm_probe&, array, index)              sets the places of the element and of its lock word
//   void set_place(entry&, probe)                     copies them into an entry
//   void each_access(visit)                           its history
template <class F, class Base, class Engine, class Entry = stm_entry>
struct stm_write_buffer : stm_access_set<F, Base, Entry> {
  typedef stm_access_set<F, Base, Entry> set;
  typedef Entry entry;
  STM_DEVICE Engine& engine() { return *static_cast<Engine*>(this); }
  // The last access in a loop: the next one often writes what it has read.
  entry* latest;
  u8* latest_at;

  STM_DEVICE void begin(typename set::scratch& empty) {
    set::begin(empty);
    latest_at = nullptr;
  }

  STM_DEVICE stm_status load(entry& e, u32 location) {
    STM_TRY(Base::load(e.ref, location, &e.found));
    e.value = e.found.value;
    return STM_OK;
  }
  STM_DEVICE stm_status before_blind_write(entry&, u32) { return STM_OK; }
  template <class Array>
  STM_DEVICE void place(stm_probe& probe, const Array& array, u64 index) {
    probe.ref = array.ref(index);
    if constexpr (STM_RECORDED) probe.key = stm_history_key(array, index);
  }
  STM_DEVICE void set_place(entry& e, const stm_probe& probe) {
    e.ref = probe.ref;
    if constexpr (STM_RECORDED) e.key = probe.key;
  }

  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    if (!array.holds(index)) return this->fault(STM_FAULT_INDEX, location);
    if (this->is_fixed(slot)) {
      open(this->fixed[slot], location, array, index);
      u64 word;
      STM_TRY(read_entry(this->fixed[slot], location, &word));
      *out = stm_word<T>::to(word);
      return STM_OK;
    }
    stm_probe probe;
    engine().place(probe, array, index);
    u64 word;
    STM_TRY(read_found(slot, location, probe, &word));
    *out = stm_word<T>::to(word);
    return STM_OK;
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32 slot, u32 location, const Array& array, u64 index, T value) {
    if (!array.holds(index)) return this->fault(STM_FAULT_INDEX, location);
    if (this->is_fixed(slot)) {
      open(this->fixed[slot], location, array, index);
      return write_entry(this->fixed[slot], location, stm_to_word(value));
    }
    stm_probe probe;
    engine().place(probe, array, index);
    return write_found(slot, location, probe, stm_to_word(value));
  }

  // Accesses without a constant slot. They are functions where there are many, because copies of them would take long to compile.
  STM_DEVICE stm_status read_found(u32 slot, u32 location, const stm_probe& probe, u64* out) {
    if constexpr (F::OUTLINED) return read_called(slot, location, probe, out);
    entry* e = find(slot, location, probe);
    return e == nullptr ? this->fault(STM_FAULT_CAPACITY, location) : read_entry(*e, location, out);
  }
  STM_DEVICE stm_status write_found(u32 slot, u32 location, const stm_probe& probe, u64 word) {
    if constexpr (F::OUTLINED) return write_called(slot, location, probe, word);
    entry* e = find(slot, location, probe);
    return e == nullptr ? this->fault(STM_FAULT_CAPACITY, location) : write_entry(*e, location, word);
  }
  STM_CALLED stm_status read_called(u32 slot, u32 location, stm_probe probe, u64* out) {
    entry* e = find(slot, location, probe);
    return e == nullptr ? this->fault(STM_FAULT_CAPACITY, location) : read_entry(*e, location, out);
  }
  STM_CALLED stm_status write_called(u32 slot, u32 location, stm_probe probe, u64 word) {
    entry* e = find(slot, location, probe);
    return e == nullptr ? this->fault(STM_FAULT_CAPACITY, location) : write_entry(*e, location, word);
  }

  STM_DEVICE stm_status write_entry(entry& e, u32 location, u64 word) {
    STM_TRY(mark_dirty(e, location));
    if constexpr (set::ONCE) {
      e.value = word;
      return STM_OK;
    }
    // mutation "each alias of a write": @ if (&o != &e) return true;
    this->each_alias(e.ref, [&](entry& o) {  // every entry for the element, so that any of them can answer a read
      o.value = word;
      o.flags |= STM_DIRTY;
      return true;
    });
    return STM_OK;
  }

  STM_DEVICE stm_status mark_dirty(entry& e, u32 location) {
    if (!(e.flags & (STM_LOADED | STM_DIRTY))) STM_TRY(engine().before_blind_write(e, location));
    e.flags |= STM_DIRTY;
    return STM_OK;
  }

  // Initializes a constant slot for its element. It keeps its own copy, so that it stays in registers.
  template <class Array>
  STM_DEVICE void open(entry& slot, u32 location, const Array& array, u64 index) {
    if (slot.flags != 0) return;
    stm_probe probe;
    engine().place(probe, array, index);
    engine().set_place(slot, probe);
    open_placed(slot, location);
  }
  STM_DEVICE void open_placed(entry& slot, u32 location) {
    if constexpr (STM_PROFILED) slot.location = location;
    slot.flags = STM_OPEN;
    if constexpr (F::READ_ONLY || set::ONCE) return;
    this->each_alias(slot.ref, [&](entry& e) {
      if (&e != &slot && (e.flags & (STM_LOADED | STM_DIRTY))) {
        slot.found = e.found;
        slot.value = e.value;
        slot.flags = e.flags;
      }
      return true;
    });
  }

  // Returns the entry of an access in a loop, or of a slot without an entry of its own, or null when there is no room. `probe` has
  // the places of its element.
  STM_DEVICE entry* find(u32 slot, u32 location, const stm_probe& probe) {
    if constexpr (F::READ_ONLY) return opened(this->entry_of_reader(probe.ref), location, probe);
    if (probe.ref.value == latest_at) return latest;
    entry* e = this->search(probe.ref);
    // mutation "entry of a new element":
    //| for (u32 nap = 0; slot == STM_INDEXED && e == nullptr && nap < 8000; ++nap) __nanosleep(20);
    //| @
    if (e == nullptr) e = opened(this->append(slot, probe.ref), location, probe);
    if (e != nullptr) {
      latest = e;
      latest_at = probe.ref.value;
    }
    return e;
  }
  STM_DEVICE entry* opened(entry* e, u32 location, const stm_probe& probe) {
    if (e == nullptr || e->flags != 0) return e;
    engine().set_place(*e, probe);
    open_placed(*e, location);
    return e;
  }

  STM_DEVICE stm_status read_entry(entry& e, u32 location, u64* out) {
    // mutation "read once": if (!(e.flags & STM_DIRTY)) {
    if (!(e.flags & (STM_LOADED | STM_DIRTY))) {
      STM_TRY(engine().load(e, location));
      e.flags |= STM_LOADED;
    }
    *out = e.value;
    return STM_OK;
  }

  STM_DEVICE u32 location_of(const entry& e) const {
    if constexpr (STM_PROFILED) return e.location;
    return STM_INDEXED;
  }

  STM_DEVICE bool needs_lock(const entry& e) const { return (e.flags & (STM_DIRTY | STM_OWNED)) == STM_DIRTY; }
  STM_DEVICE stm_status lock_write_set() {
    stm_status status = STM_OK;
    this->each([&](entry& e) {
      if (needs_lock(e)) status = engine().acquire_write(e);
      return status == STM_OK;
    });
    return status;
  }

  // Stores the written values. The locks are held, and releasing them orders the stores.
  STM_DEVICE void write_back() {
    if constexpr (F::ONE_WIDTH == 0) return;  // cells: the release stores the values
    this->each([&](entry& e) {
      // mutation "write back: release": if (e.flags & STM_HELD) stm_lock_release(e.ref, {e.found.word + 2, e.value});
      // mutation "write back: plain store": if ((e.flags & STM_DIRTY) && e.ref.width == 4) *(u32*)e.ref.value = (u32)e.value;
      if ((e.flags & STM_DIRTY) && e.ref.width != 0) stm_value_store(e.ref.value, e.ref.width, e.value);
      return true;
    });
  }

  // Marks the other entries under a lock just acquired as owned. An entry that was read at another version is not marked: its
  // validation finds the lock held and fails, which is correct.
  STM_DEVICE void share_lock(entry& taken, u64 word) {
    if constexpr (set::ONCE && F::ONE_WIDTH == 0) {
      taken.flags |= STM_OWNED;
      return;
    }
    this->each_under(taken.ref, [&](entry& e) {
      // mutation "own other entries":
      //| if (!(e.flags & STM_LOADED) || e.found.word == word) e.flags |= e.flags & STM_HELD ? STM_OWNED : 0;
      if (!(e.flags & STM_LOADED) || e.found.word == word) e.flags |= STM_OWNED;
      return true;
    });
  }
  STM_DEVICE bool read_under(const stm_ref& ref) {
    bool read = false;
    this->each_under(ref, [&](entry& e) {
      read = e.flags & STM_LOADED;
      return !read;
    });
    return read;
  }

  // A lock that is held is held to write.
  template <class Visit>
  STM_DEVICE void each_access(Visit visit) {
    this->each([&](entry& e) {
      bool is_held = e.flags & STM_HELD;
      bool is_read = is_held ? read_under(e.ref) : (e.flags & (STM_LOADED | STM_OWNED)) == STM_LOADED;
      visit(stm_access{e.key, is_read, e.found.word >> 1, is_held, (e.found.word >> 1) + 1});
      return true;
    });
  }
};
