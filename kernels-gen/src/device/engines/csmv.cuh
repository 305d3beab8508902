// csmv: several versions of each element, and a server that orders the commits (Nunes, Castro, Romano: CSMV, section III-B).
//
// Transactions read as of a moment, as under `jvstm`. One that has written sends the keys of what it touched to a block
// that runs no transactions (office.cuh says where they meet). There the records of the latest commits lie in shared memory; a warp
// of it checks the transactions that clients send together, gives them consecutive times, and answers. The clients put their
// versions themselves, and set the clock on in the order of the times.
//
// Invariants
//   - The clock is the time of the latest commit of which, and of all before it, every version is in its box. Commit t sets it from
//     t - 1; a batch sets it once.
//   - Two commits that write the same element: the later one began when the clock showed the earlier one, because the server
//     refuses what was written since. So nobody puts two versions into one box at once, and versions are put in order.
//   - The record of commit t stands in the ring until commit t + STM_RECORDS is ordered. Records are written in the order of their
//     times: those up to `written` are whole.
//   - A thread has one request at a time. Its mail is its own until it has its answer, and where it commits, until the clock shows that.
//   - Of 32 threads one at a time has the desk, and at the desk there is one batch. Whoever has it leaves it empty.
//
// Atomics, of device scope but for head, written and records, which only the server's block sees:
//   clock    load acquire at the start; load acquire and store release to set it on; load acquire by those of a batch who wait for it
//   desk     holder: load relaxed, replace acquire, store release. waiting, checked, done: add release by each lane, load acquire by
//            the holder, who takes away what it has seen (relaxed)
//   posts    store release by the holder of a desk, which has acquired what the lanes of its batch have checked; load acquire by the server
//   answers  store release by the server, or the holder; load acquire by the client
//   head     (the last time that was given; shared memory) load acquire; swap acquire
//   written  (the last time whose record is whole; shared memory) load acquire; store release, behind a meeting of the warp
//   records  relaxed, ordered by `written`; whether they have been written again, the head tells behind a fence
//   mail     none: ordered by desk, posts and answers
//   boxes    boxes.cuh says which
//
// Causes of abort: changed (something touched was written by a commit since, or by an earlier one of the batch), overwritten
// (the version that the snapshot needs is no longer in its box), other (so many commits since the start that their
// records are gone).
// Differences from the paper: no receiver warp; each warp of the server looks at the posts of its own share of the client warps.
// A batch is those of 32 threads that wait when their desk is free, whoever they are; they tell each other through memory and
// never meet, so nothing depends on lock step. (Votes of lanes that happen to be together, __activemask and what takes its
// mask, went wrong on sm_90, as if lanes went on from the wrong vote.) What was written is checked with what was read, which covers
// blind writes; where the compiler knows that every write is also a read, the keys are the same, so that this costs nothing. Boxes
// and records are rings of fixed size.
// Waiting: a client waits for the desk, whose holder waits for its batch, all of whom answer it, and for the server, which ends only
// when every client has left; and for commits that are ordered before its own, whose clients have nothing left to wait for but
// those before them. All blocks are resident.
// Limits: opaque. Coverage means nothing: conflicts are those of elements.
//
// Constants of the transaction: STM_COLLABORATES - the lanes of a server warp check one transaction after the other together, and not
// one each (without: the paper's NoCV). STM_BATCHES - clients commit together, check each other first, and put their versions themselves
// (without: each alone, and the server puts them; the paper's onlyCS).

// ---- Clients ---------------------------------------------------------------------------------------------------------

template <class F>
struct stm_tx : stm_boxed<F, stm_tx<F>> {
  typedef stm_boxed<F, stm_tx<F>> boxed;
  u32 blamed;  // where an element was met that an earlier one of the batch has written

  STM_DEVICE stm_office office() const { return {this->worker->run}; }
  STM_DEVICE u64 me() const { return this->worker->owner; }
  STM_DEVICE u32 my_bit() const { return 1u << (me() & 31); }
  // The thread with that bit among the 32.
  STM_DEVICE u64 beside_me(u32 bit) const { return (me() & ~31ull) + bit; }

  STM_DEVICE void begin(typename boxed::scratch& room) {
    boxed::begin(room);
    this->snapshot = stm_load_acquire(office().clock());
  }

  STM_DEVICE stm_status conclude(stm_status status) {
    if (status != STM_OK || F::READ_ONLY || !this->wrote()) return status;
    write_mail();
    this->worker->lap(STM_PHASE_PRE_VALIDATE);
    u64 time = STM_BATCHES ? commit_beside_others() : commit_alone();
    this->worker->lap(STM_PHASE_WAIT);
    if (time == STM_MET) return this->conflict(STM_CHANGED, blamed);
    if (time == STM_GONE) return this->conflict(STM_CHANGED, location_of_newer());
    this->snapshot = time;
    return STM_OK;
  }

  // The server does not say what has changed: an element with a newer version by now is as good a guess.
  STM_DEVICE u32 location_of_newer() {
    u32 location = STM_INDEXED;
    if constexpr (STM_PROFILED) {
      this->each([&](stm_entry& e) {
        stm_box* box = (stm_box*)e.ref.lock;
        u64 count = stm_load_acquire(&box->count);
        if (count != 0 && stm_load_relaxed(&box->ring[(count - 1) % STM_VERSIONS].time) > this->snapshot) location = this->location_of(e);
        return location == STM_INDEXED;
      });
    }
    return location;
  }

  STM_DEVICE void write_mail() {
    stm_mail mail = office().mail(me());
    u64 count = 0;
    this->each_element([&](stm_entry& e) {
      bool written = e.flags & STM_DIRTY;
      u64* at = mail.entry(count++);
      at[0] = (u64)e.ref.lock | (written ? STM_WRITTEN : 0);
      if constexpr (!STM_BATCHES) {
        at[1] = (u64)e.ref.value;
        at[2] = (u64)e.ref.width;
        at[3] = e.value;
      }
    });
    *mail.snapshot() = this->snapshot;
    *mail.count() = count;
  }

  // Takes what was told to this thread, once there is something.
  STM_DEVICE u64 answer() {
    u64* at = office().answer(me());
    u64 answer;
#pragma unroll 1
    while ((answer = stm_load_acquire(at)) == 0) __nanosleep(100);
    stm_store_relaxed(at, (u64)0);
    return answer;
  }

  STM_DEVICE void ask(u32 batch) {
    *office().mail(me()).lanes() = batch;
    stm_store_release(office().post(me()), (u64)1);
  }

  // The time of the commit, or STM_GONE.
  STM_DEVICE u64 commit_alone() {
    ask(my_bit());
    return answer();
  }

  // The time of the commit, or why there is none.
  STM_DEVICE u64 commit_beside_others() {
    stm_desk desk = office().desk(me());
    stm_add_release(desk.waiting(), my_bit());
    bool leads = takes(desk);
    u32 batch = leads ? list(desk) : (u32)answer();
    this->worker->lap(STM_PHASE_WAIT);
    *office().mail(me()).lanes() = met(batch);
    stm_add_release(desk.checked(), my_bit());
    u32 asked = leads ? ask_for_those_apart(batch, desk) : 0;
    this->worker->lap(STM_PHASE_PRE_VALIDATE);
    u64 time = answer();
    this->worker->lap(STM_PHASE_WAIT);
    bool commits = time != STM_GONE && time != STM_MET;
    if (commits) {
      // mutation "put the versions":
      this->put(time);
      *office().mail(me()).snapshot() = time;
      this->worker->lap(STM_PHASE_WRITE_BACK);
    }
    if (time != STM_MET) stm_add_release(desk.done(), my_bit() | (u64)(commits ? my_bit() : 0) << 32);
    if (leads) {
      leave(asked, desk);
    } else if (commits) {
#pragma unroll 1
      // mutation "wait for the own commit": for (; false;) {}
      while (stm_load_acquire(office().clock()) < time) __nanosleep(100);
    // mutation "after the desk": @ if (commits) this->put(time);
    }
    return time;
  }

  // Whoever waits and finds the desk free takes it, unless it is told before that it is in a batch. Who has it does not leave it
  // before all of its batch have done their part: so nobody who takes it is in one.
  STM_DEVICE bool takes(const stm_desk& desk) {
#pragma unroll 1
    while (stm_load_relaxed(office().answer(me())) == 0) {
      if (stm_load_relaxed(desk.holder()) == 0 && stm_replace_acquire(desk.holder(), 0, 1)) return true;
      __nanosleep(100);
    }
    return false;
  }

  // All who wait are the batch.
  STM_DEVICE u32 list(const stm_desk& desk) {
    u32 batch = (u32)stm_load_acquire(desk.waiting());
    stm_sub_relaxed(desk.waiting(), batch);
#pragma unroll 1
    for (u32 rest = batch & ~my_bit(); rest != 0; rest &= rest - 1) {
      stm_store_release(office().answer(beside_me(__ffs((i32)rest) - 1)), STM_LISTED | batch);
    }
    return batch;
  }

  // Which earlier ones of the batch have written what this one touched (client-side pre-validation)?
  STM_DEVICE u32 met(u32 batch) {
    u32 met = 0;
#pragma unroll 1
    // mutation "earlier lanes of the batch": for (u32 rest = batch & (my_bit() - 1) & (0 - batch); rest != 0; rest &= rest - 1) {
    for (u32 rest = batch & (my_bit() - 1); rest != 0; rest &= rest - 1) {
      if (touches_written(office().mail(beside_me(__ffs((i32)rest) - 1)))) met |= rest & (0 - rest);
    }
    return met;
  }

  STM_DEVICE bool touches_written(stm_mail mail) {
    u64 count = *mail.count();
    bool touches = false;
#pragma unroll 1
    for (u64 k = 0; k < count && !touches; ++k) {
      u64 key = *mail.entry(k);
      if (!(key & STM_WRITTEN)) continue;
      this->each_under((void*)(key & ~STM_WRITTEN), [&](stm_entry& e) {
        touches = true;
        blamed = this->location_of(e);
        return false;
      });
    }
    return touches;
  }

  // Sends those of the batch who met nobody that is sent; who they are.
  STM_DEVICE u32 ask_for_those_apart(u32 batch, const stm_desk& desk) {
#pragma unroll 1
    while ((u32)stm_load_acquire(desk.checked()) != batch) __nanosleep(20);
    stm_sub_relaxed(desk.checked(), batch);
    u32 apart = 0;
#pragma unroll 1
    for (u32 rest = batch; rest != 0; rest &= rest - 1) {
      u32 bit = __ffs((i32)rest) - 1;
      // mutation "conflicts within the batch": if (false) {
      if (*office().mail(beside_me(bit)).lanes() & apart) {
        stm_store_release(office().answer(beside_me(bit)), STM_MET);
      } else {
        apart |= 1u << bit;
      }
    }
    ask(apart);
    return apart;
  }

  // The clock for all of the batch that commit, whose times follow each other; then the desk is for others.
  STM_DEVICE void leave(u32 asked, const stm_desk& desk) {
    u64 done;
#pragma unroll 1
    while ((u32)(done = stm_load_acquire(desk.done())) != asked) __nanosleep(20);
    stm_sub_relaxed(desk.done(), done);
    u32 committed = (u32)(done >> 32);
    if (committed != 0) {
      u64 first = *office().mail(beside_me(__ffs((i32)committed) - 1)).snapshot();
      stm_set_clock(office(), first, first + (u32)__popc(committed) - 1);
    }
    stm_store_release(desk.holder(), (u64)0);
  }
};

STM_DEVICE void stm_leave(u64* run) { stm_add_release(run + 1, 1); }

// ---- The server ------------------------------------------------------------------------------------------------------

// Lanes of a warp of the server. The emulator pays for each meeting of lanes.
#ifdef STM_EMULATED
constexpr u32 STM_SERVING = 2;
#else
constexpr u32 STM_SERVING = 32;
#endif
constexpr u32 STM_ALL_LANES = STM_SERVING == 32 ? ~0u : (1u << STM_SERVING) - 1;
STM_DEVICE u32 stm_lane() { return threadIdx.x & 31; }

// As many records as fit, a power of two. A record: the number of its keys, and the keys.
STM_DEVICE constexpr u64 stm_records() {
  u64 records = 1024;
  while (8 * records * (1 + STM_FOOTPRINT) > STM_RECORD_BYTES) records /= 2;
  return records;
}
constexpr u64 STM_RECORDS = stm_records();
// Keys that are compared at once. Records of so few have no number: they are filled up with 0, which is no key that was written.
constexpr u64 STM_ABREAST = 4;
constexpr bool STM_COUNTED = STM_FOOTPRINT > STM_ABREAST;
constexpr u64 STM_NOBODY = 1;  // no key that was written either

// The ring of records: the k-th keys of all of them lie together, so that lanes at neighbouring records use all banks.
struct stm_ring {
  u64* at;
  STM_DEVICE u64* count(u64 time) const { return at + time % STM_RECORDS; }
  STM_DEVICE u64* key(u64 time, u64 k) const { return at + (1 + k) * STM_RECORDS + time % STM_RECORDS; }
};

// A transaction that a warp of the server has before it: the first of its names are at hand.
struct stm_case {
  u64 snapshot;
  u64 count;
  u64 names[STM_ABREAST];
};

struct stm_server {
  stm_office office;
  u64* head;
  u64* written;
  stm_ring ring;
  stm_case* cases;  // of this warp, by the client's place among the 32
  stm_laps& laps;   // lane 0 tells for the warp

  STM_DEVICE u64 name(stm_mail mail, u64 count, u64 k) const { return k < count ? *mail.entry(k) | STM_WRITTEN : STM_NOBODY; }

  STM_DEVICE void open(u64 base, u32 batch) const {
#pragma unroll 1
    for (u32 lane = stm_lane(); lane < 32; lane += STM_SERVING) {
      if (!(batch >> lane & 1)) continue;
      stm_mail mail = office.mail(base + lane);
      stm_case& opened = cases[lane];
      u64 count = *mail.count();
      opened.snapshot = *mail.snapshot();
      opened.count = count;
      for (u64 k = 0; k < STM_ABREAST; ++k) opened.names[k] = name(mail, count, k);
    }
    __syncwarp(STM_ALL_LANES);
  }

  // Has no commit after `from` and the snapshot, up to `to`, written what the transaction names? One of `helpers`, which share
  // the records.
  STM_DEVICE bool valid(u64 base, u32 lane, u64 from, u64 to, u64 helper, u64 helpers) const {
    const stm_case& opened = cases[lane];
    // mutation "first record to check": from = (from < opened.snapshot ? opened.snapshot : from) + 1;
    if (from < opened.snapshot) from = opened.snapshot;
    if (to > from && to - from > STM_RECORDS) return false;
    u64 names[STM_ABREAST];
    for (u64 k = 0; k < STM_ABREAST; ++k) names[k] = opened.names[k];
    bool good = clear(names, from + 1 + helper, to, helpers);
#pragma unroll 1
    // mutation "further names": for (u64 first = STM_ABREAST; STM_COUNTED && first < STM_ABREAST && good; first += STM_ABREAST) {
    for (u64 first = STM_ABREAST; STM_COUNTED && first < opened.count && good; first += STM_ABREAST) {
      for (u64 k = 0; k < STM_ABREAST; ++k) names[k] = name(office.mail(base + lane), opened.count, first + k);
      good = clear(names, from + 1 + helper, to, helpers);
    }
    stm_block_fence_acq_rel();
    // The record of `from + 1` is written again by the commit of STM_RECORDS later.
    return good && (to <= from || stm_block_load_relaxed(head) - from <= STM_RECORDS);
  }

  // None of the names stands in a record of these times.
  STM_DEVICE bool clear(const u64 (&names)[STM_ABREAST], u64 from, u64 to, u64 step) const {
    bool good = true;
#pragma unroll 1
    for (u64 time = from; time <= to && good; time += step) {
      u64 count = STM_COUNTED ? stm_block_load_relaxed(ring.count(time)) : STM_FOOTPRINT;
      for (u64 k = 0; k < count && k < STM_FOOTPRINT; ++k) {
        u64 key = stm_block_load_relaxed(ring.key(time, k));
        for (u64 n = 0; n < STM_ABREAST; ++n) good = good && key != names[n];
      }
    }
    return good;
  }

  // Which transactions of a batch stay valid up to `to`. Every lane of the warp comes here.
  STM_DEVICE u32 validate(u64 base, u32 alive, u64 from, u64 to) const {
    if constexpr (STM_COLLABORATES) {
#pragma unroll 1
      for (u32 rest = alive; rest != 0; rest &= rest - 1) {
        u32 lane = __ffs((i32)rest) - 1;
        bool good = valid(base, lane, from, to, stm_lane(), STM_SERVING);
        // mutation "drop conflicting transactions": __all_sync(STM_ALL_LANES, good);
        if (!__all_sync(STM_ALL_LANES, good)) alive &= ~(1u << lane);
      }
      return alive;
    } else {
      u32 good = 0;
#pragma unroll 1
      for (u32 lane = stm_lane(); lane < 32; lane += STM_SERVING) {
        if (alive >> lane & 1) good |= (u32)valid(base, lane, from, to, 0, 1) << lane;
      }
      for (u32 other = STM_SERVING / 2; other != 0; other /= 2) good |= __shfl_xor_sync(STM_ALL_LANES, good, other);
      return good;
    }
  }

  // One batch: valid up to the head, then a time for each that is, or again if the head has moved on.
  STM_DEVICE void serve(u64 leader) const {
    u32 batch = (u32)*office.mail(leader).lanes();
    u64 base = leader & ~31ull;
    u32 alive = batch;
    u64 from = 0, last;
    u32 clients = stm_lane() == 0 ? (u32)__popc(batch) : 0;
    laps.skip();
    open(base, batch);
    laps.lap_for(STM_PHASE_VALIDATE, clients);
#pragma unroll 1
    for (;;) {
      last = __shfl_sync(STM_ALL_LANES, stm_block_load_acquire(head), 0);
      wait_for_records(last);
      laps.skip();
      alive = validate(base, alive, from, last);
      laps.lap_for(STM_PHASE_VALIDATE, clients);
      if (alive == 0) break;
      bool ordered = stm_lane() == 0 && stm_block_replace_acquire(head, last, last + (u32)__popc(alive));
      if (__shfl_sync(STM_ALL_LANES, (u32)ordered, 0)) break;
      from = last;
    }
    if (alive != 0) put_records(base, alive, last);
    laps.lap_for(STM_PHASE_RECORD, clients);
    // Nobody looks at the mail of a thread that has its answer.
    __syncwarp(STM_ALL_LANES);
#pragma unroll 1
    for (u32 lane = stm_lane(); lane < 32; lane += STM_SERVING) {
      if (!(batch >> lane & 1)) continue;
      u64 time = alive >> lane & 1 ? time_of(lane, alive, last) : STM_GONE;
      if constexpr (!STM_BATCHES) {
        if (time != STM_GONE) publish(office.mail(base + lane), time);
      }
      stm_store_release(office.answer(base + lane), time);
    }
  }

  STM_DEVICE u64 time_of(u32 lane, u32 alive, u64 last) const { return last + 1 + (u32)__popc(alive & ((1u << lane) - 1)); }

  // Those who write them wait for nobody but those before them.
  STM_DEVICE void wait_for_records(u64 last) const {
#pragma unroll 1
    while (stm_block_load_acquire(written) < last) __nanosleep(20);
  }

  // The records of a batch that begins behind `last`, once those before it are whole.
  STM_DEVICE void put_records(u64 base, u32 alive, u64 last) const {
    u64 end = last + (u32)__popc(alive);
    wait_for_records(last);
    laps.skip();
    stm_block_fence_acq_rel();
#pragma unroll 1
    for (u32 lane = stm_lane(); lane < 32; lane += STM_SERVING) {
      u64 time = time_of(lane, alive, last);
      // Of two that share a place, the later one.
      if (alive >> lane & 1 && time + STM_RECORDS > end) put_record(office.mail(base + lane), time);
    }
    __syncwarp(STM_ALL_LANES);
    if (stm_lane() == 0) stm_block_store_release(written, end);
  }

  STM_DEVICE void put_record(stm_mail mail, u64 time) const {
    u64 names = *mail.count(), count = 0;
#pragma unroll 1
    for (u64 k = 0; k < names; ++k) {
      u64 name = *mail.entry(k);
      // mutation "record of writes": if (!(name & STM_WRITTEN)) stm_block_store_relaxed(ring.key(time, count++), name);
      if (name & STM_WRITTEN) stm_block_store_relaxed(ring.key(time, count++), name);
    }
    if constexpr (STM_COUNTED) {
      stm_block_store_relaxed(ring.count(time), count);
    } else {
      for (; count < STM_FOOTPRINT; ++count) stm_block_store_relaxed(ring.key(time, count), 0);
    }
  }

  // Without batches the server puts the versions.
  STM_DEVICE void publish(stm_mail mail, u64 time) const {
    u64 names = *mail.count();
    laps.skip();
#pragma unroll 1
    for (u32 values = 0; values < 2; ++values) {
      stm_fence_acq_rel();
#pragma unroll 1
      for (u64 k = 0; k < names; ++k) {
        const u64* at = mail.entry(k);
        if (!(at[0] & STM_WRITTEN)) continue;
        stm_ref ref = {(u64*)(at[0] & ~STM_WRITTEN), (u8*)at[1], (u32)at[2]};
        if (values == 0) {
          stm_put_version(ref, at[3], time);
        } else {
          stm_value_store(ref.value, ref.width, at[3]);
        }
      }
    }
    laps.lap_for(STM_PHASE_WRITE_BACK, 1);
    stm_set_clock(office, time, time);
  }
};

// Each warp looks at the posts of its share of the clients until all of them have left.
STM_DEVICE void stm_serve(u64* run, u32 threads, stm_laps& laps) {
  if (stm_lane() >= STM_SERVING) return;
  STM_SHARED_ARRAY(u64, ring, STM_RECORDS * (1 + STM_FOOTPRINT));
  STM_SHARED_ARRAY(u64, heads, 2);
  STM_SHARED_ARRAY(stm_case, cases, STM_SERVER_WARPS * 32);
  u32 warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  stm_server server = {{run}, heads, heads + 1, {ring}, cases + warp * 32, laps};
  if (threadIdx.x == 0) {
    u64 clock = stm_load_acquire(server.office.clock());
    stm_block_store_relaxed(heads, clock);
    stm_block_store_relaxed(heads + 1, clock);
  }
  __syncthreads();
#pragma unroll 1
  for (bool idle = false;;) {
    // Read before the posts: whoever has left has nothing posted.
    u64 left = __shfl_sync(STM_ALL_LANES, stm_load_acquire(server.office.left()), 0);
    if (idle && left == threads) break;
    idle = true;
#pragma unroll 1
    for (u64 base = warp * STM_SERVING; base < threads; base += warps * STM_SERVING) {
      u64 thread = base + stm_lane();
      bool posted = thread < threads && stm_load_acquire(server.office.post(thread)) != 0;
      if (posted) stm_store_relaxed(server.office.post(thread), (u64)0);
      u32 found = __ballot_sync(STM_ALL_LANES, posted);
      __syncwarp(STM_ALL_LANES);
#pragma unroll 1
      for (; found != 0; found &= found - 1) {
        server.serve(base + (u32)__ffs((i32)found) - 1);
        __syncwarp(STM_ALL_LANES);
        idle = false;
      }
    }
    if (idle) __nanosleep(50);
  }
  __syncthreads();
  if (threadIdx.x == 0) stm_store_relaxed(server.office.left(), (u64)0);
}
