// csmv: several versions of each element, and a server that orders the commits (Nunes, Castro, Romano: CSMV, section III-B).
//
// Transactions read from a snapshot, as under `jvstm`. One that has written sends the keys of its access set to the commit
// server, a block that runs no transactions (commit_server.cuh). The server has the records of the latest commits in shared
// memory; a warp of it validates the transactions of a batch together, gives them consecutive times, and responds. The clients
// append their versions themselves, and advance the clock in the order of the times.
//
// Invariants
//   - The clock is the latest time up to which all versions of all commits are in their chains. Commit t advances it from t - 1; a
//     batch advances it once.
//   - Two commits that write the same element: the later one began when the clock showed the earlier one, because the server
//     refuses keys that were written since. So a chain has one writer at a time, and versions are appended in order.
//   - The record of commit t stands in the ring until commit t + STM_RECORDS is ordered. Records are written in the order of their
//     times: those up to `written` are whole.
//   - A thread has one request at a time. It keeps the request until its response, and if it commits, until the clock shows that.
//   - One of 32 threads at a time holds their batch slot, and leads the one batch in it. The leader leaves the slot empty.
//
// Atomics, of device scope but for head, written and records, which only the server's block sees:
//   clock    load acquire at the start; load acquire and store release to advance it; load acquire by lanes of a batch that wait
//            for it
//   slot     holder: load relaxed, replace acquire, store release. waiting, checked, done: add release by each lane, load acquire
//            by the leader, which subtracts what it has loaded (relaxed)
//   flags    store release by the leader, after it has acquired the conflicts that the lanes of its batch found; load acquire by
//            the server
//   responses  store release by the server, or the leader; load acquire by the client
//   head     (the last time that was assigned; shared memory) load acquire; swap acquire
//   written  (the last time whose record is whole; shared memory) load acquire; store release, after a barrier of the warp
//   records  relaxed, ordered by `written`; the head, loaded after a fence, shows whether they were overwritten
//   requests none: ordered by slot, flags and responses
//   chains   version_chain.cuh says which
//
// Causes of abort: changed (an accessed element was written by a commit since, or by an earlier one of the batch), overwritten (the
// version that the snapshot needs is no longer in its chain), other (the records of commits since the start have been overwritten).
// Differences from the paper: no receiver warp; each warp of the server polls its own share of the client warps. A batch is those
// of 32 threads that wait when their slot is free; they communicate through memory and never synchronize, so nothing depends on
// lock step. (Votes of lanes that happen to be together, __activemask and what takes its mask, went wrong on sm_90, as if lanes
// went on from the wrong vote.) Written keys are validated like read keys, which covers blind writes; where the compiler knows
// that every write is also a read, the keys are the same, so that this costs nothing. Chains and records are rings of fixed size.
// Waiting: a client waits for the slot, whose leader waits for its batch, of which every lane responds, and for the server, which
// ends only when every client is done; and for commits that are ordered before its own, whose clients wait for earlier ones
// alone. All blocks are resident.
// Limits: opaque. Lock coverage has no effect: conflicts are those of elements.
//
// Parameters: STM_COLLABORATES - the lanes of a server warp validate one transaction after the other together, and not
// one each (without: the paper's NoCV). STM_BATCHES - clients commit in batches, validate against each other first, and write back
// themselves (without: each alone, and the server writes back; the paper's onlyCS).

template <class F>
struct stm_tx : stm_multiversion<F, stm_tx<F>> {
  typedef stm_multiversion<F, stm_tx<F>> multiversion;
  const stm_entry* conflicting;  // profiled units: the access to an element that an earlier lane of the batch has written

  STM_DEVICE stm_commit_server server() const { return {this->worker->run}; }
  STM_DEVICE u64 thread() const { return this->worker->owner; }
  STM_DEVICE u32 my_bit() const { return 1u << (thread() & 31); }
  // Returns the thread of that lane.
  STM_DEVICE u64 thread_of(u32 lane) const { return (thread() & ~31ull) + lane; }

  STM_DEVICE void begin(typename multiversion::scratch& room) {
    multiversion::begin(room);
    this->snapshot = stm_load_acquire(server().clock());
  }

  STM_DEVICE stm_status finish(stm_status status) {
    if (status != STM_OK || F::READ_ONLY || !this->has_writes()) return status;
    write_request();
    this->worker->end_phase(STM_PHASE_PRE_VALIDATE);
    u64 time = STM_BATCHES ? commit_in_batch() : commit_alone();
    this->worker->end_phase(STM_PHASE_WAIT);
    if (time == STM_CONFLICTING || time == STM_REFUSED) return refused(time);
    this->note_writes();
    this->snapshot = time;
    return STM_OK;
  }

  STM_DEVICE stm_status refused(u64 time) {
    if constexpr (STM_PROFILED) {
      const stm_entry* e = time == STM_REFUSED ? newer() : conflicting;
      if (e != nullptr) return this->conflict(STM_CHANGED, this->location_of(*e), e->ref.lock);
    }
    return this->conflict(STM_CHANGED, STM_INDEXED);
  }

  // Returns the access to an element that now has a newer version, for the profile: the server does not say which one has changed.
  STM_DEVICE const stm_entry* newer() {
    const stm_entry* found = nullptr;
    this->each([&](stm_entry& e) {
      stm_version_chain* chain = (stm_version_chain*)e.ref.lock;
      u64 count = stm_load_acquire(&chain->count);
      if (count != 0 && stm_load_relaxed(&chain->ring[(count - 1) % STM_VERSIONS].time) > this->snapshot) found = &e;
      return found == nullptr;
    });
    return found;
  }

  STM_DEVICE void write_request() {
    stm_request request = server().request(thread());
    u64 count = 0;
    this->each_element([&](stm_entry& e) {
      bool written = e.flags & STM_DIRTY;
      u64* at = request.entry(count++);
      at[0] = (u64)e.ref.lock | (written ? STM_WRITTEN : 0);
      if constexpr (!STM_BATCHES) {
        at[1] = (u64)e.ref.value;
        at[2] = (u64)e.ref.width;
        at[3] = e.value;
      }
    });
    *request.snapshot() = this->snapshot;
    *request.count() = count;
  }

  // Waits for the response to this thread, and takes it.
  STM_DEVICE u64 await_response() {
    u64* at = server().response(thread());
    u64 response;
#pragma unroll 1
    while ((response = stm_load_acquire(at)) == 0) __nanosleep(100);
    stm_store_relaxed(at, (u64)0);
    return response;
  }

  STM_DEVICE void submit(u32 batch) {
    *server().request(thread()).lanes() = batch;
    stm_store_release(server().submitted(thread()), (u64)1);
  }

  // Returns the time of the commit, or STM_REFUSED.
  STM_DEVICE u64 commit_alone() {
    submit(my_bit());
    return await_response();
  }

  // Returns the time of the commit, or the reason why there is none.
  STM_DEVICE u64 commit_in_batch() {
    stm_batch_slot slot = server().slot(thread());
    stm_add_release(slot.waiting(), my_bit());
    bool is_leader = acquire_slot(slot);
    u32 batch = is_leader ? form_batch(slot) : (u32)await_response();
    this->worker->end_phase(STM_PHASE_WAIT);
    *server().request(thread()).lanes() = conflicting_lanes(batch);
    stm_add_release(slot.checked(), my_bit());
    u32 submitted_lanes = is_leader ? submit_compatible(batch, slot) : 0;
    this->worker->end_phase(STM_PHASE_PRE_VALIDATE);
    u64 time = await_response();
    this->worker->end_phase(STM_PHASE_WAIT);
    bool commits = time != STM_REFUSED && time != STM_CONFLICTING;
    if (commits) {
      // mutation "put the versions":
      this->write_back(time);
      *server().request(thread()).snapshot() = time;
      this->worker->end_phase(STM_PHASE_WRITE_BACK);
    }
    if (time != STM_CONFLICTING) stm_add_release(slot.done(), my_bit() | (u64)(commits ? my_bit() : 0) << 32);
    if (is_leader) {
      finish_batch(submitted_lanes, slot);
    } else if (commits) {
#pragma unroll 1
      // mutation "wait for the own commit": for (; false;) {}
      while (stm_load_acquire(server().clock()) < time) __nanosleep(100);
    // mutation "after the batch": @ if (commits) this->write_back(time);
    }
    return time;
  }

  // Waits until this thread holds the slot, or is in the batch of another. The leader holds the slot until all of its batch have
  // done their part, so a thread that acquires it is in no batch.
  STM_DEVICE bool acquire_slot(const stm_batch_slot& slot) {
#pragma unroll 1
    while (stm_load_relaxed(server().response(thread())) == 0) {
      if (stm_load_relaxed(slot.holder()) == 0 && stm_replace_acquire(slot.holder(), 0, 1)) return true;
      __nanosleep(100);
    }
    return false;
  }

  // Makes all waiting threads the batch.
  STM_DEVICE u32 form_batch(const stm_batch_slot& slot) {
    u32 batch = (u32)stm_load_acquire(slot.waiting());
    stm_sub_relaxed(slot.waiting(), batch);
#pragma unroll 1
    for (u32 rest = batch & ~my_bit(); rest != 0; rest &= rest - 1) {
      stm_store_release(server().response(thread_of(__ffs((i32)rest) - 1)), STM_IN_BATCH | batch);
    }
    return batch;
  }

  // Returns the earlier lanes of the batch that have written an element that this one accessed (client-side pre-validation).
  STM_DEVICE u32 conflicting_lanes(u32 batch) {
    u32 lanes = 0;
#pragma unroll 1
    // mutation "earlier lanes of the batch": for (u32 rest = batch & (my_bit() - 1) & (0 - batch); rest != 0; rest &= rest - 1) {
    for (u32 rest = batch & (my_bit() - 1); rest != 0; rest &= rest - 1) {
      if (touches_write_of(server().request(thread_of(__ffs((i32)rest) - 1)))) lanes |= rest & (0 - rest);
    }
    return lanes;
  }

  STM_DEVICE bool touches_write_of(stm_request request) {
    u64 count = *request.count();
    bool touches = false;
#pragma unroll 1
    for (u64 k = 0; k < count && !touches; ++k) {
      u64 key = *request.entry(k);
      if (!(key & STM_WRITTEN)) continue;
      this->each_under_lock((void*)(key & ~STM_WRITTEN), STM_ANY_GROUP, [&](stm_entry& e) {
        touches = true;
        // In other units no address of an entry is taken, so that entries stay in registers.
        if constexpr (STM_PROFILED) conflicting = &e;
        return false;
      });
    }
    return touches;
  }

  // Submits the lanes of the batch that conflict with no other submitted lane, and returns them.
  STM_DEVICE u32 submit_compatible(u32 batch, const stm_batch_slot& slot) {
#pragma unroll 1
    while ((u32)stm_load_acquire(slot.checked()) != batch) __nanosleep(20);
    stm_sub_relaxed(slot.checked(), batch);
    u32 compatible = 0;
#pragma unroll 1
    for (u32 rest = batch; rest != 0; rest &= rest - 1) {
      u32 lane = __ffs((i32)rest) - 1;
      // mutation "conflicts within the batch": if (false) {
      if (*server().request(thread_of(lane)).lanes() & compatible) {
        stm_store_release(server().response(thread_of(lane)), STM_CONFLICTING);
      } else {
        compatible |= 1u << lane;
      }
    }
    submit(compatible);
    return compatible;
  }

  // Advances the clock for all of the batch that commit, whose times follow each other, and releases the slot.
  STM_DEVICE void finish_batch(u32 submitted_lanes, const stm_batch_slot& slot) {
    u64 done;
#pragma unroll 1
    while ((u32)(done = stm_load_acquire(slot.done())) != submitted_lanes) __nanosleep(20);
    stm_sub_relaxed(slot.done(), done);
    u32 committed = (u32)(done >> 32);
    if (committed != 0) {
      u64 first = *server().request(thread_of(__ffs((i32)committed) - 1)).snapshot();
      stm_advance_clock(server(), first, first + (u32)__popc(committed) - 1);
    }
    stm_store_release(slot.holder(), (u64)0);
  }
};

STM_DEVICE void stm_client_done(u64* run) { stm_add_release(run + 1, 1); }
