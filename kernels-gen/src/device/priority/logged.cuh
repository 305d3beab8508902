// Optimistic with logs, for procedures with loops or many accesses: reads are invisible, writes are buffered, and a commit locks the
// write set and then validates the other reads. The logs of log.cuh take the place of registers.
//
// What is read has no entry of its own. A second read loads the value again: if it has changed, so has the version of its lock word,
// and the attempt ends in a conflict.

// Entries that a single lane handles at a time in a commit.
constexpr u32 STM_LOG_WIDTH = 4;
// Locks up to which one lane commits alone: the barriers of a joint commit would take longer.
constexpr u32 STM_FEW_LOCKS = 4;

// The chains of the entries of the first log.
template <u32 ROOM>
struct stm_log_links {
  typedef typename stm_link<(ROOM >= 1u << 16)>::type number;
  static constexpr u32 EACH = 16 / sizeof(number);  // in a granule
  static constexpr u32 HEADS = (2 * ROOM + EACH - 1) / EACH;
  static constexpr u32 GRANULES = HEADS + (ROOM + EACH - 1) / EACH;
  stm_granules links;
  STM_DEVICE number& head(u32 bucket) { return ((number*)&links[bucket / EACH])[bucket % EACH]; }
  STM_DEVICE number& older(u32 i) { return ((number*)&links[HEADS + i / EACH])[i % EACH]; }
};

// What an access finds in the log.
struct stm_logged_access {
  u64 own;
  u64 touched;
  u32 at;  // the number of the entry; STM_INDEXED if there is no room
  u32 flags;
  u32 newest;
};

template <class F>
struct stm_attempt_log : stm_priority_base {
  static constexpr u32 ROOM = F::SLOTS + F::INDEXED;
  static constexpr bool CHAINED = ROOM > STM_LINEAR_SEARCH;
  static constexpr u32 ENTRIES = ROOM * stm_lock_entry::GRANULES, WRITES = ROOM * stm_buffered_write::GRANULES;
  static_assert(16 * (ENTRIES + WRITES + stm_log_links<ROOM>::GRANULES) == F::THREAD_BYTES, "host and device agree");

  static constexpr u32 GRANULES = F::THREAD_BYTES / 16;
  // All accesses may stand in loops that never run: then there is no room, and an array has an element nevertheless.
  stm_granule local[0 < GRANULES && F::THREAD_BYTES <= STM_LOCAL_BYTES ? GRANULES : 1];
  stm_granules granules;
  stm_chains<CHAINED, stm_log_links<ROOM>> chains;
  u32 count;    // of entries
  u32 written;  // of writes
  u32 buckets;  // of chains; STM_LINEAR_SEARCH while there are none
  u32 looped;   // elements that only loops accessed, where the user states a bound

  STM_DEVICE void begin(stm_worker* who) {
    worker = who;
    granules = {(stm_granule*)who->memory_of_thread, who->lanes};
    if (F::THREAD_BYTES <= STM_LOCAL_BYTES && who->memory_of_thread == nullptr) granules = {local, 1};
    if constexpr (CHAINED) chains.links = granules.from(ENTRIES + WRITES);
    count = written = looped = 0;
    buckets = STM_LINEAR_SEARCH;
  }

  STM_DEVICE stm_lock_entry entry(u32 i) const { return {granules.from(i * stm_lock_entry::GRANULES)}; }
  STM_DEVICE stm_buffered_write write(u32 i) const { return {granules.from(ENTRIES + i * stm_buffered_write::GRANULES)}; }

  // ---- while the body runs

  // Finds the entry of a lock word or cell; adds one if it is new.
  STM_CALLED stm_logged_access find(stm_ref ref, u64 key) { return access(entry_of(ref, key)); }

  // The same for an element that is read: loads the version, and the value of a cell. If the flags do not say so, another thread
  // holds the lock.
  STM_CALLED stm_logged_access load(stm_ref ref, u64 key, u32 location) {
    u32 at = entry_of(ref, key);
    if (at != STM_INDEXED && !is_known(entry(at).flags())) load_entry(entry(at), ref, location);
    return access(at);
  }

  STM_DEVICE stm_logged_access access(u32 at) const {
    if (at == STM_INDEXED) return {0, 0, at, 0, 0};
    stm_lock_entry e = entry(at);
    return {e.own(), F::STATED ? e.touched() : 0, at, e.flags(), e.newest()};
  }

  // Returns whether a read needs nothing more from the lock word.
  STM_DEVICE static bool is_known(u32 flags) { return (flags & STM_LOADED) || (flags & (STM_CELL | STM_DIRTY)) == (STM_CELL | STM_DIRTY); }

  STM_DEVICE void load_entry(const stm_lock_entry& e, const stm_ref& ref, u32 location) {
    stm_pair pair = ref.width == 0 ? stm_cell_load(ref.lock) : stm_pair{stm_load_acquire(ref.lock), 0};
    if (pair.word & 1) pair = stm_lock_load_after_wait(ref);
    if (pair.word & 1) {
      conflict(STM_LOCKED, location, ref.lock);
      return;
    }
    e.set_found(pair);
    if (ref.width == 0) e.own() = pair.value;
    e.flags() |= STM_LOADED;
  }

  // Returns the number of the entry of a lock word, or STM_INDEXED if there is no room for it.
  STM_DEVICE u32 entry_of(const stm_ref& ref, u64 key) {
#pragma unroll 1
    for (u32 i = chains.first(ref.lock, buckets, count); i != 0; i = chains.next(i, buckets)) {
      if (entry(i - 1).lock() == ref.lock) return i - 1;
    }
    if (count == ROOM) return STM_INDEXED;
    stm_lock_entry e = entry(count);
    e.at[0].low = (u64)ref.lock;
    e.own() = 0;
    e.at[2] = {ref.width == 0 ? STM_CELL : 0u, 0};
    if constexpr (STM_RECORDED) e.key() = key;
    count += 1;
    chains.link_newest(count, buckets, [&](u32 i) { return entry(i).lock(); });
    return count - 1;
  }

  // Buffers the first write of an element under a lock word. With width 0, notes that it was accessed.
  STM_DEVICE void append(stm_logged_access& found, u64 bit, u8* element, u32 width, u64 word) {
    stm_buffered_write w = write(written);
    w.at[0] = {(u64)element, word};
    // mutation "log: writes under a lock": w.at[1].low = width;
    w.at[1].low = width | (u64)found.newest << 32;
    written += 1;
    found.newest = written;
    found.own |= bit;
    if (width != 0) found.flags |= STM_DIRTY;
    stm_lock_entry e = entry(found.at);
    e.own() = found.own;
    e.at[2].low = found.flags | (u64)found.newest << 32;
  }

  // Buffers a write of an element whose bit is set: another one may share it.
  STM_CALLED stm_logged_access put(u32 at, u64 bit, u8* element, u32 width, u64 word) {
    stm_logged_access found = access(at);
    u32 i = write_of(entry(at), element);
    if (i == STM_INDEXED) {
      append(found, bit, element, width, word);
      return found;
    }
    write(i).value() = word;
    write(i).width() = width;
    found.flags |= STM_DIRTY;
    entry(at).flags() = found.flags;
    return found;
  }

  // Returns the number of the write of an element, or STM_INDEXED.
  STM_DEVICE u32 write_of(const stm_lock_entry& e, const u8* element) const {
#pragma unroll 1
    for (u32 i = e.newest(); i != 0; i = write(i - 1).older()) {
      if (write(i - 1).element() == element) return i - 1;
    }
    return STM_INDEXED;
  }

  // Returns the buffered value of an element, or its value in memory.
  STM_CALLED u64 own_value(u32 at, u8* element, u32 width) const {
    u32 i = write_of(entry(at), element);
    return i == STM_INDEXED || write(i).width() == 0 ? stm_value_load(element, width) : write(i).value();
  }

  STM_DEVICE void put_cell(u32 at, u64 word) {
    entry(at).own() = word;
    entry(at).flags() |= STM_DIRTY;
  }

  // Counts an element that is accessed for the first time. Returns false if that is one too many. Elements that share a bit are told
  // apart by entries in the log of writes.
  STM_CALLED bool touch(u32 at, u64 bit, bool is_exact, u8* element, bool is_looped) {
    stm_logged_access found = access(at);
    if (!is_exact && (found.own & bit) && write_of(entry(at), element) != STM_INDEXED) return true;
    if (is_looped && looped == F::INDEXED) return false;
    looped += is_looped;
    entry(at).touched() = found.touched | bit;
    if (!is_exact) append(found, bit, element, 0, 0);
    return true;
  }

  // ---- its end

  // mutation "log: before the locks": @ if (!stm_skips_validation(status) && validate() != STM_OK) status = STM_CONFLICT;
  STM_CALLED stm_status finish(stm_status status) {
    return worker->joint != nullptr && count > STM_FEW_LOCKS ? finish_jointly(status) : finish_alone(status);
  }

  STM_DEVICE stm_status finish_alone(stm_status status) {
    stm_log_phases<STM_LOG_WIDTH> log = {view(), 0, 1};
    bool locks = status == STM_OK;
    if (locks) status = conflict_if(log.lock_write_set());
    if (locks) note_holds();
    // Locks are held before the reads are validated: of two attempts that each write what the other reads, one observes the other's
    // lock.
    if (!stm_skips_validation(status)) stm_fence_acq_rel();
    // mutation "log: validate":
    if (!stm_skips_validation(status) && conflict_if(log.validate()) != STM_OK) status = STM_CONFLICT;
    if (status == STM_OK) log.write_back();
    if (!locks) return status;
    stm_fence_acq_rel();
    log.release(status == STM_OK);
    return status;
  }

  // The same by all lanes of the warp.
  STM_DEVICE stm_status finish_jointly(stm_status status) {
    stm_joint_commit& joint = *worker->joint;
    joint.log = view();
    bool locks = status == STM_OK;
    if (locks) status = conflict_if(stm_joint_phase_of_first_lane(joint, STM_JOINT_LOCK));
    if (locks) note_holds();
    // mutation "log: validate jointly":
    if (!stm_skips_validation(status) && conflict_if(stm_joint_phase_of_first_lane(joint, STM_JOINT_VALIDATE)) != STM_OK) status = STM_CONFLICT;
    if (status == STM_OK) stm_joint_phase_of_first_lane(joint, STM_JOINT_WRITE_BACK);
    if (locks) stm_joint_phase_of_first_lane(joint, status == STM_OK ? STM_JOINT_COMMIT : STM_JOINT_ABORT);
    return status;
  }

  STM_DEVICE stm_status conflict_if(u32 cause) {
    return cause == STM_NO_CAUSE ? STM_OK : conflict((stm_counter)cause, STM_INDEXED, changed());
  }

  // For the profile, a lock word that is no longer as it was found: the phases say only that there is one.
  STM_DEVICE const u64* changed() const {
    if constexpr (STM_PROFILED) {
#pragma unroll 1
      for (u32 i = 0; i < count; ++i) {
        stm_lock_entry e = entry(i);
        if (e.flags() & STM_HELD) continue;
        u64 word = stm_lock_word(e.ref());
        if ((e.flags() & STM_LOADED) ? word != e.found().word : word & 1) return e.lock();
      }
    }
    return nullptr;
  }
  STM_DEVICE void note_holds() const {
    if constexpr (STM_PROFILED) {
#pragma unroll 1
      for (u32 i = 0; i < count; ++i) {
        if (entry(i).flags() & STM_HELD) worker->profile.hold(entry(i).lock());
      }
    }
  }

  STM_CALLED stm_status validate_early() { return validate(); }
  STM_DEVICE stm_status validate() {
    stm_fence_acq_rel();
    return conflict_if(stm_log_phases<STM_LOG_WIDTH>{view(), 0, 1}.validate());
  }

  STM_DEVICE stm_log_view view() const { return {granules, ENTRIES, count, written, worker->owner}; }
};

// The place of the element of an access, and its bit among those under its lock word.
struct stm_log_probe {
  stm_ref ref;
  u64 key;  // recording units only
  u64 bit;
};

template <class F>
struct stm_logged : stm_tx_base {
  typedef stm_attempt_log<F> scratch;
  scratch* log;
  // The lock word of the latest access, and what the log had for it: the next access is often to the same record.
  u64* latest;
  stm_logged_access found;

  STM_DEVICE void begin(scratch& room) {
    log = &room;
    log->begin(worker);
    latest = nullptr;
    found = {0, 0, 0, 0, 0};
  }
  template <class Array>
  STM_DEVICE void declare(u32, stm_intent, const Array&, u64) {}
  STM_DEVICE stm_status acquire() { return STM_OK; }

  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    if (!array.holds(index)) return fault(STM_FAULT_INDEX, location);
    u64 word;
    if constexpr (F::LONG) {
      STM_TRY((read_called<Array::IS_CELLS, Array::EXACT>(slot, location, probe_of(array, index), &word)));
    } else {
      STM_TRY((read_at<Array::IS_CELLS, Array::EXACT>(slot, location, probe_of(array, index), &word)));
    }
    *out = stm_word<T>::to(word);
    return STM_OK;
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32 slot, u32 location, const Array& array, u64 index, T value) {
    if (!array.holds(index)) return fault(STM_FAULT_INDEX, location);
    if constexpr (F::LONG) return write_called<Array::IS_CELLS, Array::EXACT>(slot, location, probe_of(array, index), stm_to_word(value));
    return write_at<Array::IS_CELLS, Array::EXACT>(slot, location, probe_of(array, index), stm_to_word(value));
  }

  template <class Array>
  STM_DEVICE static stm_log_probe probe_of(const Array& array, u64 index) {
    stm_ref ref = array.ref(index);
    return {ref, key_of(array, index), array.bit(ref)};
  }

  // Where there are many accesses, each is a call: copies of them would take long to compile.
  template <bool CELLS, bool EXACT>
  STM_CALLED stm_status read_called(u32 slot, u32 location, stm_log_probe at, u64* out) {
    return read_at<CELLS, EXACT>(slot, location, at, out);
  }
  template <bool CELLS, bool EXACT>
  STM_CALLED stm_status write_called(u32 slot, u32 location, stm_log_probe at, u64 word) {
    return write_at<CELLS, EXACT>(slot, location, at, word);
  }

  template <bool CELLS, bool EXACT>
  STM_DEVICE stm_status read_at(u32 slot, u32 location, const stm_log_probe& at, u64* out) {
    const stm_ref& ref = at.ref;
    if (ref.lock != latest || !scratch::is_known(found.flags)) {
      found = log->load(ref, at.key, location);
      latest = ref.lock;
      if (found.at == STM_INDEXED) return fault(STM_FAULT_CAPACITY, location);
      if (!scratch::is_known(found.flags)) return STM_CONFLICT;
    }
    STM_TRY(touch<EXACT>(slot, location, at));
    if constexpr (CELLS) {
      *out = found.own;
    } else if (found.own & at.bit) {
      *out = log->own_value(found.at, ref.value, ref.width);
    } else {
      *out = stm_value_load(ref.value, ref.width);
    }
    return STM_OK;
  }

  template <bool CELLS, bool EXACT>
  STM_DEVICE stm_status write_at(u32 slot, u32 location, const stm_log_probe& at, u64 word) {
    const stm_ref& ref = at.ref;
    if (ref.lock != latest) {
      found = log->find(ref, at.key);
      latest = ref.lock;
      if (found.at == STM_INDEXED) return fault(STM_FAULT_CAPACITY, location);
    }
    STM_TRY(touch<EXACT>(slot, location, at));
    if constexpr (CELLS) {
      found.own = word;
      log->put_cell(found.at, found.own);
      found.flags |= STM_DIRTY;
    } else if (found.own & at.bit) {
      found = log->put(found.at, at.bit, ref.value, ref.width, word);
    } else {
      log->append(found, at.bit, ref.value, ref.width, word);
    }
    return STM_OK;
  }

  // Counts the elements of loops, where the user states their number.
  template <bool EXACT>
  STM_DEVICE stm_status touch(u32 slot, u32 location, const stm_log_probe& at) {
    if constexpr (F::STATED) {
      if (EXACT && (found.touched & at.bit)) return STM_OK;
      if (!log->touch(found.at, at.bit, EXACT, at.ref.value, slot == STM_INDEXED)) return fault(STM_FAULT_CAPACITY, location);
      if constexpr (EXACT) {
        found.touched |= at.bit;
      } else {
        found = log->access(found.at);
      }
    }
    return STM_OK;
  }

  template <class Array>
  STM_DEVICE static u64 key_of(const Array& array, u64 index) {
    if constexpr (STM_RECORDED) return stm_history_key(array, index);
    return 0;
  }

  STM_DEVICE stm_status validate_early() { return log->validate_early(); }
  STM_DEVICE stm_status finish(stm_status status) { return log->finish(status); }

  // A lock that is held is held to write.
  template <class Visit>
  STM_DEVICE void each_access(Visit visit) {
#pragma unroll 1
    for (u32 i = 0; i < log->count; ++i) {
      stm_lock_entry e = log->entry(i);
      u64 version = e.found().word >> 1;
      visit(stm_access{e.key(), (e.flags() & STM_LOADED) != 0, version, (e.flags() & STM_HELD) != 0, version + 1});
    }
  }
};
