// jvstm: several versions of each element. JVSTM as it was ported to GPUs to compare with (CSMV, section III-A).
//
// A transaction reads the versions that were the newest when it began, so all its reads are from one moment, and read-only
// transactions need no validation. A transaction with writes commits alone: it validates its reads against the records of the
// commits since it began, acquires the clock, writes its record and the new versions, and advances the clock.
//
// Invariants
//   - The clock is `time << 1`, and odd while a commit is being written; only the transaction that made it odd writes
//     records, versions and values.
//   - Version chains: version_chain.cuh.
//   - The record of commit t names the chains that it wrote, and stays until commit t + STM_RECORDS begins.
//
// Atomics, all of device scope:
//   clock    load acquire at the start and before each validation; swap acquire to acquire it; store release to advance it
//   records  relaxed. A fence stands before the first store of a commit, and between the loads of a record and the next load of
//            the clock: a reader that observes a too-new word therefore also observes an advanced clock.
//   chains   version_chain.cuh says which
//
// Causes of abort: changed (a commit has since written an element that was read), locked (the clock was busy for too long),
// overwritten (the version that the snapshot needs is no longer in its chain), other (the records of commits since the start have
// been overwritten).
// Differences from JVSTM: chains and records are rings of fixed size instead of lists with garbage collection, so a transaction
// that runs for too long starts again, even one that only reads. Waiting for the clock is bounded.
// Limits: opaque. 63 bits of time do not wrap. Lock coverage has no effect: conflicts are those of elements.

// Loads of a busy clock before giving up, and the longest pause between them. Every thread that finds the clock free swaps, and
// the device does these one after the other: with short pauses, thousands of them took longer than a commit.
constexpr u32 STM_CLOCK_SPIN_LIMIT = 64;
constexpr u32 STM_CLOCK_PAUSE = 16384;  // nanoseconds

static_assert(8 * (1 + STM_RECORDS * (1 + STM_FOOTPRINT)) == STM_RUN_BYTES, "host and device agree");

// The record of a commit: the number of the chains that it wrote, and their addresses.
// mutation "place of a record":
//| STM_DEVICE u64* stm_record_of(u64* run, u64 time) { return run + 1 + (time % (STM_RECORDS / 2)) * (1 + STM_FOOTPRINT); }
STM_DEVICE u64* stm_record_of(u64* run, u64 time) { return run + 1 + (time % STM_RECORDS) * (1 + STM_FOOTPRINT); }

template <class F>
struct stm_tx : stm_multiversion<F, stm_tx<F>> {
  typedef stm_multiversion<F, stm_tx<F>> multiversion;

  STM_DEVICE void begin(typename multiversion::scratch& room) {
    multiversion::begin(room);
    this->snapshot = stm_load_acquire(this->worker->run) >> 1;
  }

  STM_DEVICE stm_status finish(stm_status status) {
    if (status != STM_OK || F::READ_ONLY || !this->has_writes()) return status;
    u64 time;
    stm_status acquired = acquire_clock(&time);
    this->worker->end_phase(acquired == STM_OK ? STM_PHASE_WAIT : STM_PHASE_VALIDATE);
    STM_TRY(acquired);
    stm_fence_acq_rel();
    write_record(time);
    // mutation "after the record": @ stm_store_release(this->worker->run, time << 1);
    this->worker->end_phase(STM_PHASE_RECORD);
    this->write_back(time);
    this->note_writes();
    // mutation "advance the clock":
    stm_store_release(this->worker->run, time << 1);
    this->worker->end_phase(STM_PHASE_WRITE_BACK);
    return STM_OK;
  }

  // Acquires the clock at a moment at which everything read is still the newest, and returns the time of this commit.
  STM_DEVICE stm_status acquire_clock(u64* time) {
    u64 checked = this->snapshot;
#pragma unroll 1
    for (u32 spin = 0, pause = 32; spin < STM_CLOCK_SPIN_LIMIT; ++spin) {
      u64 clock = stm_load_acquire(this->worker->run);
      u64 last = clock >> 1;
      this->worker->end_phase(STM_PHASE_WAIT);
      // mutation "check the records":
      STM_TRY(validate(checked, last));
      this->worker->end_phase(STM_PHASE_VALIDATE);
      checked = last;
      // mutation "time of a commit": *time = (last + 1) & 63;
      *time = last + 1;
      if (!(clock & 1) && stm_replace_acquire(this->worker->run, clock, clock | 1)) return STM_OK;
      __nanosleep(pause);
      pause = pause < STM_CLOCK_PAUSE ? 2 * pause : pause;
    }
    return this->conflict(STM_LOCKED, STM_INDEXED);
  }

  // Validates against the commits after `from`, up to `to`.
  STM_DEVICE stm_status validate(u64 from, u64 to) {
    if (to - from > STM_RECORDS) return this->conflict(STM_OTHER, STM_INDEXED);
#pragma unroll 1
    // mutation "records to check": for (u64 time = to - 1; time > from; --time) {
    for (u64 time = to; time > from; --time) {
      u64* record = stm_record_of(this->worker->run, time);
      u64 count = stm_load_relaxed(record);
      // While a record is being overwritten, its count can be that of another one.
#pragma unroll 1
      for (u64 k = 1; k <= count && k <= STM_FOOTPRINT; ++k) {
        STM_TRY(validate_chain(stm_load_relaxed(record + k)));
      }
    }
    stm_fence_acq_rel();
    // The commit that the clock then shows as begun or finished overwrites the record of `from + 1`.
    // mutation "latest record": u64 begun = stm_load_relaxed(this->worker->run) >> 1;
    u64 begun = (stm_load_relaxed(this->worker->run) >> 1) + 1;
    // mutation "record still stands":
    if (to != from && begun - from > STM_RECORDS) return this->conflict(STM_OTHER, STM_INDEXED);
    return STM_OK;
  }

  STM_DEVICE stm_status validate_chain(u64 chain) {
    stm_status status = STM_OK;
    this->each_under_lock((void*)chain, STM_ANY_GROUP, [&](stm_entry& e) {
      if (e.flags & STM_LOADED) status = this->conflict(STM_CHANGED, this->location_of(e), e.ref.lock);
      return status == STM_OK;
    });
    return status;
  }

  STM_DEVICE void write_record(u64 time) {
    u64* record = stm_record_of(this->worker->run, time);
    u64 count = 0;
    this->each_element([&](stm_entry& e) {
      if (e.flags & STM_DIRTY) stm_store_relaxed(record + ++count, (u64)e.ref.lock);
    });
    stm_store_relaxed(record, count);
  }
};
