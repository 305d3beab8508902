// The undo log of engines that write in place: the access set of an attempt, with the old values of the written elements.
//
// Memory changes before it is known whether the attempt commits. These rules make that safe, for all of these engines:
//   - An element is written only while its lock word is owned, and the word is released after the last store under it: that of
//     the commit, or that which restores the old value. Owning a word begins with an acquire, so an owner finds what is
//     committed.
//   - Exactly one entry for each element that was written keeps the old value, so the order of undoing does not matter, and a
//     second write, under any alias, does not spoil it.
//   - Exactly one entry under each lock word releases it, however many elements lie under it.
//   - No thread waits for an owner. A conflict ends the attempt, which releases everything: no attempt that holds one word
//     waits without bound for another, and one thread alone has no conflicts.
// Each engine decides how a reader avoids committing a value that is restored later.
//
// An engine is a `stm_tx<F>` with
//   Shadow                                    its lock word (Holey and Zhai's shadow entry)
//   static constexpr bool VISIBLE             readers hold something until the end, so memory shows what was read first
//   stm_status acquire_read(e, location)      before the element is read
//   stm_status acquire_write(e, location)     before it is written
//   stm_status validate()                     compares what was read; what is owned has not changed
//   void release(e, committed)                releases the lock word
//
// Recording units store commit numbers for each lock word next to the array: an engine's own word either has no version, or one
// that an abort raises too. A number is loaded and stored where the values under its word may be.

constexpr u32 STM_SHARED = 32;  // the lock word counts this attempt among its readers
constexpr u32 STM_UNDO = 64;    // `before` is restored if the attempt does not commit

// STM_DIRTY: the element has been written, and some entry for it keeps its previous value.
template <class Shadow>
struct stm_place {
  Shadow* lock;
  u8* value;
  u32 width;
  u32 group;
};
// The place of the element of an access, with which the set is searched for an entry.
template <class Shadow>
struct stm_undo_probe {
  stm_place<Shadow> ref;
  u64 key;       // recording units only
  u64* counter;  // the same
};
// Data of recording units for each element.
template <bool RECORDED>
struct stm_commit_counter {};
template <>
struct stm_commit_counter<true> {
  u64 key;
  u64* counter;  // of the commits under the lock word
  u64 commits;   // what it said when the element was first read or written
};
template <class Shadow>
struct stm_undo_entry : stm_commit_counter<STM_RECORDED> {
  stm_place<Shadow> ref;
  u32 flags;
  Shadow word;  // the lock word as it was found, if the engine uses it
  u64 before;   // the value as it was found
};

template <class F, class Engine, class Shadow>
struct stm_undo_log : stm_access_set<F, stm_tx_base, stm_undo_entry<Shadow>> {
  typedef stm_undo_entry<Shadow> entry;
  typedef stm_undo_probe<Shadow> probe;

  STM_DEVICE Engine& engine() { return *static_cast<Engine*>(this); }

  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    if (!array.holds(index)) return this->fault(STM_FAULT_INDEX, location);
    u64 word;
    if (this->is_fixed(slot)) {
      open(this->fixed[slot], array, index);
      STM_TRY(read_entry(this->fixed[slot], location, sizeof(T), &word));
    } else {
      STM_TRY(read_found(slot, location, probe_of(array, index), sizeof(T), &word));
    }
    *out = stm_word<T>::to(word);
    return STM_OK;
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32 slot, u32 location, const Array& array, u64 index, T value) {
    if (!array.holds(index)) return this->fault(STM_FAULT_INDEX, location);
    if (this->is_fixed(slot)) {
      open(this->fixed[slot], array, index);
      return write_entry(this->fixed[slot], location, sizeof(T), stm_to_word(value));
    }
    return write_found(slot, location, probe_of(array, index), sizeof(T), stm_to_word(value));
  }

  // Accesses without a constant slot. They are functions where there are many, because copies of them would take long to compile.
  STM_DEVICE stm_status read_found(u32 slot, u32 location, const probe& at, u32 width, u64* out) {
    if constexpr (F::OUTLINED) return read_called(slot, location, at, width, out);
    entry* e = find(slot, at);
    return e == nullptr ? this->fault(STM_FAULT_CAPACITY, location) : read_entry(*e, location, width, out);
  }
  STM_DEVICE stm_status write_found(u32 slot, u32 location, const probe& at, u32 width, u64 word) {
    if constexpr (F::OUTLINED) return write_called(slot, location, at, width, word);
    entry* e = find(slot, at);
    return e == nullptr ? this->fault(STM_FAULT_CAPACITY, location) : write_entry(*e, location, width, word);
  }
  STM_CALLED stm_status read_called(u32 slot, u32 location, probe at, u32 width, u64* out) {
    entry* e = find(slot, at);
    return e == nullptr ? this->fault(STM_FAULT_CAPACITY, location) : read_entry(*e, location, width, out);
  }
  STM_CALLED stm_status write_called(u32 slot, u32 location, probe at, u32 width, u64 word) {
    entry* e = find(slot, at);
    return e == nullptr ? this->fault(STM_FAULT_CAPACITY, location) : write_entry(*e, location, width, word);
  }

  STM_DEVICE stm_status read_entry(entry& e, u32 location, u32 width, u64* out) {
    STM_TRY(engine().acquire_read(e, location));
    if (!(e.flags & STM_LOADED)) load_commits(e);
    e.flags |= STM_LOADED;
    // mutation "own value in memory": bool in_memory = Engine::VISIBLE || !(e.flags & STM_LOADED);
    bool in_memory = Engine::VISIBLE || (e.flags & STM_OWNED);
    *out = in_memory ? stm_value_load(e.ref.value, width) : e.before;
    return STM_OK;
  }

  STM_DEVICE stm_status write_entry(entry& e, u32 location, u32 width, u64 word) {
    STM_TRY(engine().acquire_write(e, location));
    // mutation "old value of a second write": save_old(e, width);
    if (!(e.flags & STM_DIRTY)) save_old(e, width);
    stm_value_store(e.ref.value, width, word);
    return STM_OK;
  }

  template <class Array>
  STM_DEVICE static probe probe_of(const Array& array, u64 index) {
    stm_ref ref = array.ref(index);
    probe at;
    at.ref = {(Shadow*)array.at.locks + array.lock_index(index), ref.value, ref.width, ref.group};
    if constexpr (STM_RECORDED) {
      at.key = stm_history_key(array, index);
      at.counter = (u64*)array.at.extra + array.lock_index(index);
    }
    return at;
  }

  // Initializes an entry of a constant slot.
  template <class Array>
  STM_DEVICE void open(entry& e, const Array& array, u64 index) {
    if (e.flags == 0) open_at(e, probe_of(array, index));
  }

  // Initializes an entry for its element from its aliases.
  STM_DEVICE void open_at(entry& e, const probe& at) {
    e.ref = at.ref;
    e.word = 0;
    if constexpr (STM_RECORDED) {
      e.key = at.key;
      e.counter = at.counter;
    }
    u32 flags = STM_OPEN;
    this->each_under(e.ref, [&](entry& o) {
      if (&o == &e || o.flags == 0) return true;
      // mutation "aliases own the lock":
      flags |= o.flags & (STM_SHARED | STM_OWNED);
      if (o.ref.value != e.ref.value) return true;
      // mutation "aliases were read and written": flags |= o.flags & STM_LOADED;
      flags |= o.flags & (STM_LOADED | STM_DIRTY);
      e.word = o.word;
      e.before = o.before;
      if constexpr (STM_RECORDED) e.commits = o.commits;
      return true;
    });
    e.flags = flags;
  }

  // Returns the entry of an access in a loop, or of a slot without an entry of its own, or null when there is no room.
  STM_DEVICE entry* find(u32 slot, const probe& at) {
    entry* e = this->search(at.ref);
    if (e == nullptr) e = this->append(slot, at.ref);
    if (e != nullptr && e->flags == 0) open_at(*e, at);
    return e;
  }

  STM_DEVICE void load_commits(entry& e) {
    if constexpr (STM_RECORDED) e.commits = stm_load_relaxed(e.counter);
  }

  STM_DEVICE void save_old(entry& e, u32 width) {
    e.before = stm_value_load(e.ref.value, width);
    load_commits(e);
    e.flags |= STM_UNDO;
    // mutation "mark aliases written": mark(e, STM_DIRTY, [&](const entry& o) { return &o == &e; });
    mark(e, STM_DIRTY, [&](const entry& o) { return o.ref.value == e.ref.value; });
  }

  // The entry has acquired its lock word, as a reader or as the owner: it will release it, and the others under it are marked.
  // One that read the word at another time is left to fail.
  STM_DEVICE void note_acquired(entry& e, u32 how) {
    e.flags |= STM_HELD;
    this->worker->profile.hold(e.ref.lock);
    share_lock(e, how);
  }
  STM_DEVICE void share_lock(entry& e, u32 how) {
    mark(e, how, [&](const entry& o) {
      return !(o.flags & STM_LOADED) || o.word == e.word;
    });
  }

  // Sets flags of the entry and of all others under its lock word that match.
  template <class Match>
  STM_DEVICE void mark(entry& e, u32 flags, Match match) {
    this->each_under(e.ref, [&](entry& o) {
      if (o.flags != 0 && match(o)) o.flags |= flags;
      return true;
    });
    e.flags |= flags;
  }

  STM_DEVICE stm_status finish(stm_status status) {
    // mutation "validate":
    // mutation "validate: not a single element":
    //| if (status != STM_CONFLICT && !(F::READ_ONLY && F::FIXED + F::INDEXED == 1) && engine().validate() != STM_OK) status =
    //| STM_CONFLICT;
    // mutation "validate: only commits": if (status == STM_OK && engine().validate() != STM_OK) status = STM_CONFLICT;
    if (status != STM_CONFLICT && engine().validate() != STM_OK) status = STM_CONFLICT;
    if constexpr (!F::READ_ONLY) {
      // mutation "undo":
      // mutation "undo: only conflicts": if (status == STM_CONFLICT) undo();
      if (status != STM_OK) undo();
      if constexpr (STM_RECORDED) {
        if (status == STM_OK) count_commits();
      }
    }
    if constexpr (Engine::VISIBLE || !F::READ_ONLY) {
      // mutation "release each":
      //| @ if (status != STM_OK && (e.flags & STM_UNDO)) stm_value_store(e.ref.value, e.ref.width, e.before);
      this->each([&](entry& e) {
        // mutation "release": if (status != STM_POSTPONED) @
        if (e.flags & STM_HELD) engine().release(e, status == STM_OK);
        return true;
      // mutation "after the release": @ if (status != STM_OK) undo();
      });
    }
    return status;
  }

  STM_DEVICE void undo() {
    this->each([&](entry& e) {
      if (e.flags & STM_UNDO) stm_value_store(e.ref.value, e.ref.width, e.before);
      return true;
    });
  }

  // Numbers the commit while its lock words are still owned.
  STM_DEVICE void count_commits() {
    this->each([&](entry& e) {
      if ((e.flags & STM_HELD) && any_under(e.ref, STM_DIRTY)) stm_store_relaxed(e.counter, e.commits + 1);
      return true;
    });
  }

  STM_DEVICE bool any_under(const stm_place<Shadow>& ref, u32 flag) {
    bool any = false;
    this->each_under(ref, [&](entry& e) {
      any = e.flags & flag;
      return !any;
    });
    return any;
  }

  // One read and one write for each lock word. An own write that was read counts as a read of the version that it replaced, which
  // the attempt follows anyway.
  template <class Visit>
  STM_DEVICE void each_access(Visit visit) {
    this->each([&](entry& e) {
      bool is_read = e.flags & STM_LOADED;
      bool is_written = (e.flags & STM_HELD) && any_under(e.ref, STM_DIRTY);
      visit(stm_access{e.key, is_read, e.commits, is_written, e.commits + 1});
      if (!is_read) return true;
      this->each_under(e.ref, [&](entry& o) {
        o.flags &= ~STM_LOADED;
        return true;
      });
      return true;
    });
  }
};
