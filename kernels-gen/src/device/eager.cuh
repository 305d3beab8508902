// What engines share that write in place: the set of what an attempt has touched, with the old values of what it has written.
//
// Memory changes before it is known whether the attempt commits. What makes that safe, for all of these engines:
//   - An element is written only while its lock word is owned, and the word is let go (release) after the last store under
//     it: that of the commit, or that which puts the old value back. Taking a word is an acquire, so that an owner finds what
//     is committed.
//   - Exactly one entry for each element that was written keeps the old value, so the order of undoing does not matter, and a
//     second write, by whatever name, does not spoil it.
//   - Exactly one entry under each lock word gives it back, however many elements lie under it.
//   - Nobody waits for an owner. A conflict ends the attempt, which gives back everything: no attempt that holds one word
//     waits without bound for another, and one thread alone meets nobody.
// What a reader must do, to commit nothing that rests on a value that is put back, is the engine's own matter.
//
// An engine is a `stm_tx<F>` with
//   typedef shadow                        its lock word (Holey and Zhai's shadow entry)
//   static constexpr bool VISIBLE         who reads holds something until the end, so memory shows what was read first
//   stm_status admit(e, location)             before the element is read
//   stm_status own(e, location)               before it is written
//   stm_status confirm()                  is everything that was read as it was? What is owned is
//   void let_go(e, committed)             gives the lock word back
//
// Recording units number the commits under each lock word beside the array: an engine's own word either has no version, or
// one that an abort raises too. A number is loaded and stored where the values under its word may be.

constexpr u32 STM_SHARED = 32;  // the lock word counts this attempt among its readers
constexpr u32 STM_UNDO = 64;    // `before` is to be put back if the attempt does not commit

// STM_DIRTY says that the element has been written, and that some entry for it keeps what was there before.
template <class Shadow>
struct stm_place {
  Shadow* lock;
  u8* value;
  u32 width;
};
// What only recording units keep for each element.
template <bool RECORDED>
struct stm_numbered {};
template <>
struct stm_numbered<true> {
  u64 key;
  u64* counter;  // of the commits under the lock word
  u64 commits;   // what it said when the element was first read or written
};
template <class Shadow>
struct stm_touch : stm_numbered<STM_RECORDED> {
  stm_place<Shadow> ref;
  u32 flags;
  Shadow word;  // the lock word as it was found, if the engine goes by that
  u64 before;   // the value as it was found
};

template <class F, class Engine, class Shadow>
struct stm_eager : stm_set<F, stm_tx_base, stm_touch<Shadow>> {
  typedef stm_touch<Shadow> touch;

  STM_DEVICE Engine& engine() { return *static_cast<Engine*>(this); }

  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    if (!array.holds(index)) return this->fault(STM_FAULT_INDEX, location);
    if (slot != STM_INDEXED) return see(this->fixed[slot], location, array, index, out);
    touch* e = find(array, index);
    if (e == nullptr) return this->fault(STM_FAULT_CAPACITY, location);
    return see(*e, location, array, index, out);
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32 slot, u32 location, const Array& array, u64 index, T value) {
    if (!array.holds(index)) return this->fault(STM_FAULT_INDEX, location);
    if (slot != STM_INDEXED) return put(this->fixed[slot], location, array, index, value);
    touch* e = find(array, index);
    if (e == nullptr) return this->fault(STM_FAULT_CAPACITY, location);
    return put(*e, location, array, index, value);
  }

  template <class Array, class T>
  STM_DEVICE stm_status see(touch& e, u32 location, const Array& array, u64 index, T* out) {
    open(e, array, index);
    STM_TRY(engine().admit(e, location));
    if (!(e.flags & STM_SEEN)) number(e);
    e.flags |= STM_SEEN;
    // mutation "own value in memory": bool in_memory = Engine::VISIBLE || !(e.flags & STM_SEEN);
    bool in_memory = Engine::VISIBLE || (e.flags & STM_OWNED);
    *out = stm_word<T>::to(in_memory ? stm_value_load(e.ref.value, sizeof(T)) : e.before);
    return STM_OK;
  }

  template <class Array, class T>
  STM_DEVICE stm_status put(touch& e, u32 location, const Array& array, u64 index, T value) {
    open(e, array, index);
    STM_TRY(engine().own(e, location));
    // mutation "old value of a second write": keep_old(e, sizeof(T));
    if (!(e.flags & STM_DIRTY)) keep_old(e, sizeof(T));
    stm_value_store(e.ref.value, sizeof(T), stm_to_word(value));
    return STM_OK;
  }

  template <class Array>
  STM_DEVICE stm_place<Shadow> place(const Array& array, u64 index) {
    stm_ref ref = array.ref(index);
    return {(Shadow*)array.at.locks + array.lock_index(index), ref.value, ref.width};
  }

  // Makes an entry stand for its element, with what the set knows of it.
  template <class Array>
  STM_DEVICE void open(touch& e, const Array& array, u64 index) {
    if (e.flags != 0) return;
    e.ref = place(array, index);
    e.word = 0;
    if constexpr (STM_RECORDED) {
      e.key = stm_history_key(array, index);
      e.counter = (u64*)array.at.extra + array.lock_index(index);
    }
    u32 flags = STM_OPEN;
    this->each_under(e.ref.lock, [&](touch& o) {
      if (&o == &e || o.flags == 0) return true;
      // mutation "twins own the lock":
      flags |= o.flags & (STM_SHARED | STM_OWNED);
      if (o.ref.value != e.ref.value) return true;
      // mutation "twins were seen and written": flags |= o.flags & STM_SEEN;
      flags |= o.flags & (STM_SEEN | STM_DIRTY);
      e.word = o.word;
      e.before = o.before;
      if constexpr (STM_RECORDED) e.commits = o.commits;
      return true;
    });
    e.flags = flags;
  }

  // The entry of an access in a loop; null when there is no room.
  template <class Array>
  STM_DEVICE touch* find(const Array& array, u64 index) {
    stm_place<Shadow> ref = place(array, index);
    touch* e = this->search(ref);
    return e != nullptr ? e : this->append(ref);
  }

  STM_DEVICE void number(touch& e) {
    if constexpr (STM_RECORDED) e.commits = stm_load_relaxed(e.counter);
  }

  STM_DEVICE void keep_old(touch& e, u32 width) {
    e.before = stm_value_load(e.ref.value, width);
    number(e);
    e.flags |= STM_UNDO;
    // mutation "mark twins written": mark(e, STM_DIRTY, [&](const touch& o) { return &o == &e; });
    mark(e, STM_DIRTY, [&](const touch& o) { return o.ref.value == e.ref.value; });
  }

  // The entry has taken its lock word, as a reader or as the owner: it gives it back, and all others under it know. One that
  // read the word at another time is left to fail.
  STM_DEVICE void took(touch& e, u32 how) {
    e.flags |= STM_HELD;
    share(e, how);
  }
  STM_DEVICE void share(touch& e, u32 how) {
    mark(e, how, [&](const touch& o) {
      return !(o.flags & STM_SEEN) || o.word == e.word;
    });
  }

  // Sets flags of the entry and of all others under its lock word that match.
  template <class Match>
  STM_DEVICE void mark(touch& e, u32 flags, Match match) {
    this->each_under(e.ref.lock, [&](touch& o) {
      if (o.flags != 0 && match(o)) o.flags |= flags;
      return true;
    });
    e.flags |= flags;
  }

  STM_DEVICE stm_status conclude(stm_status status) {
    // mutation "validate":
    // mutation "validate: not a single element":
    //| if (status != STM_CONFLICT && !(F::READ_ONLY && F::FIXED + F::INDEXED == 1) && engine().confirm() != STM_OK) status =
    //| STM_CONFLICT;
    // mutation "validate: only commits": if (status == STM_OK && engine().confirm() != STM_OK) status = STM_CONFLICT;
    if (status != STM_CONFLICT && engine().confirm() != STM_OK) status = STM_CONFLICT;
    if constexpr (!F::READ_ONLY) {
      // mutation "undo":
      // mutation "undo: only conflicts": if (status == STM_CONFLICT) undo();
      if (status != STM_OK) undo();
      if constexpr (STM_RECORDED) {
        if (status == STM_OK) count();
      }
    }
    if constexpr (Engine::VISIBLE || !F::READ_ONLY) {
      // mutation "release each":
      //| @ if (status != STM_OK && (e.flags & STM_UNDO)) stm_value_store(e.ref.value, e.ref.width, e.before);
      this->each([&](touch& e) {
        // mutation "release": if (status != STM_POSTPONED) @
        if (e.flags & STM_HELD) engine().let_go(e, status == STM_OK);
        return true;
      // mutation "after the release": @ if (status != STM_OK) undo();
      });
    }
    return status;
  }

  STM_DEVICE void undo() {
    this->each([&](touch& e) {
      if (e.flags & STM_UNDO) stm_value_store(e.ref.value, e.ref.width, e.before);
      return true;
    });
  }

  // Numbers the commit while its lock words are still owned.
  STM_DEVICE void count() {
    this->each([&](touch& e) {
      if ((e.flags & STM_HELD) && any_under(e.ref.lock, STM_DIRTY)) stm_store_relaxed(e.counter, e.commits + 1);
      return true;
    });
  }

  STM_DEVICE bool any_under(Shadow* lock, u32 flag) {
    bool any = false;
    this->each_under(lock, [&](touch& e) {
      any = e.flags & flag;
      return !any;
    });
    return any;
  }

  // One read and one write for each lock word. An own write that was read counts as a read of what it replaced, which is a
  // version that the attempt follows anyway.
  STM_DEVICE void record(stm_log& log, bool committed) {
    this->each([&](touch& e) {
      if (committed && (e.flags & STM_HELD) && any_under(e.ref.lock, STM_DIRTY)) stm_record(log, true, e.key, e.commits + 1);
      if (!(e.flags & STM_SEEN)) return true;
      stm_record(log, false, e.key, e.commits);
      this->each_under(e.ref.lock, [&](touch& o) {
        o.flags &= ~STM_SEEN;
        return true;
      });
      return true;
    });
  }
};
