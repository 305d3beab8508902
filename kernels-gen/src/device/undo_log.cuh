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

  STM_DEVICE Engine& engine() { return *static_cast<Engine*>(this); }

  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    if (!array.holds(index)) return this->fault(STM_FAULT_INDEX, location);
    if (this->is_fixed(slot)) return read_entry(this->fixed[slot], location, array, index, out);
    entry* e = find(slot, array, index);
    if (e == nullptr) return this->fault(STM_FAULT_CAPACITY, location);
    return read_entry(*e, location, array, index, out);
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32 slot, u32 location, const Array& array, u64 index, T value) {
    if (!array.holds(index)) return this->fault(STM_FAULT_INDEX, location);
    if (this->is_fixed(slot)) return write_entry(this->fixed[slot], location, array, index, value);
    entry* e = find(slot, array, index);
    if (e == nullptr) return this->fault(STM_FAULT_CAPACITY, location);
    return write_entry(*e, location, array, index, value);
  }

  template <class Array, class T>
  STM_DEVICE stm_status read_entry(entry& e, u32 location, const Array& array, u64 index, T* out) {
    open(e, array, index);
    STM_TRY(engine().acquire_read(e, location));
    if (!(e.flags & STM_LOADED)) load_commits(e);
    e.flags |= STM_LOADED;
    // mutation "own value in memory": bool in_memory = Engine::VISIBLE || !(e.flags & STM_LOADED);
    bool in_memory = Engine::VISIBLE || (e.flags & STM_OWNED);
    *out = stm_word<T>::to(in_memory ? stm_value_load(e.ref.value, sizeof(T)) : e.before);
    return STM_OK;
  }

  template <class Array, class T>
  STM_DEVICE stm_status write_entry(entry& e, u32 location, const Array& array, u64 index, T value) {
    open(e, array, index);
    STM_TRY(engine().acquire_write(e, location));
    // mutation "old value of a second write": save_old(e, sizeof(T));
    if (!(e.flags & STM_DIRTY)) save_old(e, sizeof(T));
    stm_value_store(e.ref.value, sizeof(T), stm_to_word(value));
    return STM_OK;
  }

  template <class Array>
  STM_DEVICE stm_place<Shadow> place(const Array& array, u64 index) {
    stm_ref ref = array.ref(index);
    return {(Shadow*)array.at.locks + array.lock_index(index), ref.value, ref.width, ref.group};
  }

  // Initializes an entry for its element from its aliases.
  template <class Array>
  STM_DEVICE void open(entry& e, const Array& array, u64 index) {
    if (e.flags != 0) return;
    e.ref = place(array, index);
    e.word = 0;
    if constexpr (STM_RECORDED) {
      e.key = stm_history_key(array, index);
      e.counter = (u64*)array.at.extra + array.lock_index(index);
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
  template <class Array>
  STM_DEVICE entry* find(u32 slot, const Array& array, u64 index) {
    stm_place<Shadow> ref = place(array, index);
    entry* e = this->search(ref);
    return e != nullptr ? e : this->append(slot, ref);
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
