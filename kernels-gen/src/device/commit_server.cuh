// The commit server of csmv: a block that validates and orders commits. Its clients share with it the memory of a run
// (stm_worker::run): the clock, and for each 32 threads a batch slot, their flags and responses, and their requests. Slots, flags
// and responses are empty between launches.

constexpr u64 STM_REFUSED = ~0ull;          // a response: begin again
constexpr u64 STM_CONFLICTING = ~0ull - 1;  // the same, after a conflict with an earlier lane of the batch
constexpr u64 STM_IN_BATCH = 1ull << 62;    // on the mask of the batch that the thread is in, before its response. Times stay below
constexpr u64 STM_WRITTEN = 1ull << 63;     // on a key: the element was written

// Words of an accessed element in a request: its key, which is the address of its version chain, and the data with which the server
// appends a version, if it does so.
constexpr u64 STM_REQUEST_ENTRY = STM_BATCHES ? 1 : 4;
constexpr u64 STM_REQUEST_WORDS = 3 + STM_REQUEST_ENTRY * STM_FOOTPRINT;

// A request. Plain memory: readers have synchronized through an atomic, so it may come from the multiprocessor's own cache.
struct stm_request {
  u64* at;
  STM_DEVICE u64* snapshot() const { return at; }
  STM_DEVICE u64* count() const { return at + 1; }
  STM_DEVICE u64* lanes() const { return at + 2; }  // lanes in conflict with this one; then, of the leader, those it submits
  STM_DEVICE u64* entry(u64 k) const { return at + 3 + k * STM_REQUEST_ENTRY; }
};

// The slot in which 32 threads form batches. Threads are bits; in `done`, the higher half has the threads that commit.
struct stm_batch_slot {
  u64* at;
  STM_DEVICE u64* holder() const { return at; }
  STM_DEVICE u64* waiting() const { return at + 1; }
  STM_DEVICE u64* checked() const { return at + 2; }
  STM_DEVICE u64* done() const { return at + 3; }
};

struct stm_commit_server {
  u64* run;
  STM_DEVICE u64* clock() const { return run; }
  STM_DEVICE u64* clients_done() const { return run + 1; }
  // The memory of 32 threads, which the server polls together. Its place does not depend on the number of threads: a launch with
  // more or fewer threads than the last one finds it empty.
  STM_DEVICE u64* of_warp(u64 thread) const { return run + 2 + (thread >> 5) * (4 + 32 * (2 + STM_REQUEST_WORDS)); }
  STM_DEVICE stm_batch_slot slot(u64 thread) const { return {of_warp(thread)}; }
  STM_DEVICE u64* submitted(u64 thread) const { return of_warp(thread) + 4 + 2 * (thread & 31); }
  STM_DEVICE u64* response(u64 thread) const { return submitted(thread) + 1; }
  STM_DEVICE stm_request request(u64 thread) const { return {of_warp(thread) + 68 + (thread & 31) * STM_REQUEST_WORDS}; }
};

static_assert(8 * (2 + 4 + 32 * (2 + STM_REQUEST_WORDS)) == STM_RUN_BYTES, "host and device agree");

// Advances the clock from `first - 1` to `last`, once all earlier commits are done.
STM_DEVICE void stm_advance_clock(const stm_commit_server& server, u64 first, u64 last) {
#pragma unroll 1
  // mutation "wait for earlier commits": for (; false;) {}
  while (stm_load_acquire(server.clock()) != first - 1) __nanosleep(20);
  stm_store_release(server.clock(), last);
}

// Lanes of a warp of the server.
// mutation "few server lanes": constexpr u32 STM_SERVER_LANES = 2;
constexpr u32 STM_SERVER_LANES = 32;
constexpr u32 STM_ALL_LANES = STM_SERVER_LANES == 32 ? ~0u : (1u << STM_SERVER_LANES) - 1;
STM_DEVICE u32 stm_lane() { return threadIdx.x & 31; }

// As many records as fit, a power of two. A record: the number of its keys, and the keys.
STM_DEVICE constexpr u64 stm_records() {
  u64 records = 1024;
  while (8 * records * (1 + STM_FOOTPRINT) > STM_RECORD_BYTES) records /= 2;
  return records;
}
constexpr u64 STM_RECORDS = stm_records();
// Keys that are compared at once. Records with at most that many keys have no count: they are padded with 0, which is no key of a
// write.
constexpr u64 STM_KEYS_AT_ONCE = 4;
constexpr bool STM_COUNTED = STM_FOOTPRINT > STM_KEYS_AT_ONCE;
constexpr u64 STM_NO_KEY = 1;  // no key of a write either

// The ring of records: the k-th keys of all of them lie together, so that lanes at neighbouring records use all banks.
struct stm_ring {
  u64* at;
  STM_DEVICE u64* count(u64 time) const { return at + time % STM_RECORDS; }
  STM_DEVICE u64* key(u64 time, u64 k) const { return at + (1 + k) * STM_RECORDS + time % STM_RECORDS; }
};

// A request that a warp of the server validates, with its first keys.
struct stm_opened_request {
  u64 snapshot;
  u64 count;
  u64 keys[STM_KEYS_AT_ONCE];
};

struct stm_server_warp {
  stm_commit_server server;
  u64* head;
  u64* written;
  stm_ring ring;
  stm_opened_request* opened_requests;  // of this warp, by the client's lane
  stm_phase_timer& timer;               // lane 0 counts for the warp

  STM_DEVICE u64 key_of(stm_request request, u64 count, u64 k) const { return k < count ? *request.entry(k) | STM_WRITTEN : STM_NO_KEY; }

  STM_DEVICE void open(u64 base, u32 batch) const {
#pragma unroll 1
    for (u32 lane = stm_lane(); lane < 32; lane += STM_SERVER_LANES) {
      if (!(batch >> lane & 1)) continue;
      stm_request request = server.request(base + lane);
      stm_opened_request& opened = opened_requests[lane];
      u64 count = *request.count();
      opened.snapshot = *request.snapshot();
      opened.count = count;
      for (u64 k = 0; k < STM_KEYS_AT_ONCE; ++k) opened.keys[k] = key_of(request, count, k);
    }
    __syncwarp(STM_ALL_LANES);
  }

  // Returns whether no commit after `from` and the snapshot, up to `to`, has written a key of the request. `helpers` lanes share
  // the records.
  STM_DEVICE bool is_valid(u64 base, u32 lane, u64 from, u64 to, u64 helper, u64 helpers) const {
    const stm_opened_request& opened = opened_requests[lane];
    // mutation "first record to check": from = (from < opened.snapshot ? opened.snapshot : from) + 1;
    if (from < opened.snapshot) from = opened.snapshot;
    if (to > from && to - from > STM_RECORDS) return false;
    u64 keys[STM_KEYS_AT_ONCE];
    for (u64 k = 0; k < STM_KEYS_AT_ONCE; ++k) keys[k] = opened.keys[k];
    bool good = has_none_of(keys, from + 1 + helper, to, helpers);
#pragma unroll 1
    // mutation "further keys":
    //| for (u64 first = STM_KEYS_AT_ONCE; STM_COUNTED && first < STM_KEYS_AT_ONCE && good; first += STM_KEYS_AT_ONCE) {
    for (u64 first = STM_KEYS_AT_ONCE; STM_COUNTED && first < opened.count && good; first += STM_KEYS_AT_ONCE) {
      for (u64 k = 0; k < STM_KEYS_AT_ONCE; ++k) keys[k] = key_of(server.request(base + lane), opened.count, first + k);
      good = has_none_of(keys, from + 1 + helper, to, helpers);
    }
    stm_block_fence_acq_rel();
    // The commit STM_RECORDS later overwrites the record of `from + 1`.
    return good && (to <= from || stm_block_load_relaxed(head) - from <= STM_RECORDS);
  }

  // Returns whether none of the keys is in a record of these times.
  STM_DEVICE bool has_none_of(const u64 (&keys)[STM_KEYS_AT_ONCE], u64 from, u64 to, u64 step) const {
    bool good = true;
#pragma unroll 1
    for (u64 time = from; time <= to && good; time += step) {
      u64 count = STM_COUNTED ? stm_block_load_relaxed(ring.count(time)) : STM_FOOTPRINT;
      for (u64 k = 0; k < count && k < STM_FOOTPRINT; ++k) {
        u64 key = stm_block_load_relaxed(ring.key(time, k));
        for (u64 n = 0; n < STM_KEYS_AT_ONCE; ++n) good = good && key != keys[n];
      }
    }
    return good;
  }

  // Returns the transactions of a batch that stay valid up to `to`. Every lane of the warp calls this.
  STM_DEVICE u32 validate(u64 base, u32 alive, u64 from, u64 to) const {
    if constexpr (STM_COLLABORATES) {
#pragma unroll 1
      for (u32 rest = alive; rest != 0; rest &= rest - 1) {
        u32 lane = __ffs((i32)rest) - 1;
        bool good = is_valid(base, lane, from, to, stm_lane(), STM_SERVER_LANES);
        // mutation "drop conflicting transactions": __all_sync(STM_ALL_LANES, good);
        if (!__all_sync(STM_ALL_LANES, good)) alive &= ~(1u << lane);
      }
      return alive;
    } else {
      u32 good = 0;
#pragma unroll 1
      for (u32 lane = stm_lane(); lane < 32; lane += STM_SERVER_LANES) {
        if (alive >> lane & 1) good |= (u32)is_valid(base, lane, from, to, 0, 1) << lane;
      }
      for (u32 other = STM_SERVER_LANES / 2; other != 0; other /= 2) good |= __shfl_xor_sync(STM_ALL_LANES, good, other);
      return good;
    }
  }

  // Serves one batch: validates up to the head, then orders the valid transactions, or validates again if the head has moved on.
  STM_DEVICE void serve(u64 leader) const {
    u32 batch = (u32)*server.request(leader).lanes();
    u64 base = leader & ~31ull;
    u32 alive = batch;
    u64 from = 0, last;
    u32 clients = stm_lane() == 0 ? (u32)__popc(batch) : 0;
    timer.restart();
    open(base, batch);
    timer.end_phase_for(STM_PHASE_VALIDATE, clients);
#pragma unroll 1
    for (;;) {
      last = __shfl_sync(STM_ALL_LANES, stm_block_load_acquire(head), 0);
      wait_for_records(last);
      timer.restart();
      alive = validate(base, alive, from, last);
      timer.end_phase_for(STM_PHASE_VALIDATE, clients);
      if (alive == 0) break;
      bool ordered = stm_lane() == 0 && stm_block_replace_acquire(head, last, last + (u32)__popc(alive));
      if (__shfl_sync(STM_ALL_LANES, (u32)ordered, 0)) break;
      from = last;
    }
    if (alive != 0) write_records(base, alive, last);
    timer.end_phase_for(STM_PHASE_RECORD, clients);
    // No lane reads the request of a thread after its response.
    __syncwarp(STM_ALL_LANES);
#pragma unroll 1
    for (u32 lane = stm_lane(); lane < 32; lane += STM_SERVER_LANES) {
      if (!(batch >> lane & 1)) continue;
      u64 time = alive >> lane & 1 ? time_of(lane, alive, last) : STM_REFUSED;
      if constexpr (!STM_BATCHES) {
        if (time != STM_REFUSED) write_back(server.request(base + lane), time);
      }
      stm_store_release(server.response(base + lane), time);
    }
  }

  STM_DEVICE u64 time_of(u32 lane, u32 alive, u64 last) const { return last + 1 + (u32)__popc(alive & ((1u << lane) - 1)); }

  // The writers of records wait only for earlier writers.
  STM_DEVICE void wait_for_records(u64 last) const {
#pragma unroll 1
    while (stm_block_load_acquire(written) < last) __nanosleep(20);
  }

  // Writes the records of a batch that begins after `last`, once all records before it are whole.
  STM_DEVICE void write_records(u64 base, u32 alive, u64 last) const {
    u64 end = last + (u32)__popc(alive);
    wait_for_records(last);
    timer.restart();
    stm_block_fence_acq_rel();
#pragma unroll 1
    for (u32 lane = stm_lane(); lane < 32; lane += STM_SERVER_LANES) {
      u64 time = time_of(lane, alive, last);
      // Of two records at the same place, the later one stays.
      if (alive >> lane & 1 && time + STM_RECORDS > end) write_record(server.request(base + lane), time);
    }
    __syncwarp(STM_ALL_LANES);
    if (stm_lane() == 0) stm_block_store_release(written, end);
  }

  STM_DEVICE void write_record(stm_request request, u64 time) const {
    u64 keys = *request.count(), count = 0;
#pragma unroll 1
    for (u64 k = 0; k < keys; ++k) {
      u64 key = *request.entry(k);
      // mutation "record of writes": if (!(key & STM_WRITTEN)) stm_block_store_relaxed(ring.key(time, count++), key);
      if (key & STM_WRITTEN) stm_block_store_relaxed(ring.key(time, count++), key);
    }
    if constexpr (STM_COUNTED) {
      stm_block_store_relaxed(ring.count(time), count);
    } else {
      for (; count < STM_FOOTPRINT; ++count) stm_block_store_relaxed(ring.key(time, count), 0);
    }
  }

  // Writes back for a client. Without batches the server does so.
  STM_DEVICE void write_back(stm_request request, u64 time) const {
    u64 keys = *request.count();
    timer.restart();
#pragma unroll 1
    for (u32 values = 0; values < 2; ++values) {
      stm_fence_acq_rel();
#pragma unroll 1
      for (u64 k = 0; k < keys; ++k) {
        const u64* at = request.entry(k);
        if (!(at[0] & STM_WRITTEN)) continue;
        stm_ref ref = {(u64*)(at[0] & ~STM_WRITTEN), (u8*)at[1], (u32)at[2]};
        if (values == 0) {
          stm_chain_append(ref, at[3], time);
        } else {
          stm_value_store(ref.value, ref.width, at[3]);
        }
      }
    }
    timer.end_phase_for(STM_PHASE_WRITE_BACK, 1);
    stm_advance_clock(server, time, time);
  }
};

// Serves until all clients are done. Each warp polls the flags of its share of the clients.
STM_DEVICE void stm_serve(u64* run, u32 threads, stm_phase_timer& timer) {
  if (stm_lane() >= STM_SERVER_LANES) return;
  STM_SHARED_ARRAY(u64, ring, STM_RECORDS * (1 + STM_FOOTPRINT));
  STM_SHARED_ARRAY(u64, heads, 2);
  STM_SHARED_ARRAY(stm_opened_request, opened_requests, STM_SERVER_WARPS * 32);
  u32 warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  stm_server_warp serving = {{run}, heads, heads + 1, {ring}, opened_requests + warp * 32, timer};
  if (threadIdx.x == 0) {
    u64 clock = stm_load_acquire(serving.server.clock());
    stm_block_store_relaxed(heads, clock);
    stm_block_store_relaxed(heads + 1, clock);
  }
  __syncthreads();
#pragma unroll 1
  for (bool idle = false;;) {
    // Loaded before the flags: a client that is done has submitted nothing.
    u64 clients_done = __shfl_sync(STM_ALL_LANES, stm_load_acquire(serving.server.clients_done()), 0);
    if (idle && clients_done == threads) break;
    idle = true;
#pragma unroll 1
    for (u64 base = warp * STM_SERVER_LANES; base < threads; base += warps * STM_SERVER_LANES) {
      u64 thread = base + stm_lane();
      bool is_submitted = thread < threads && stm_load_acquire(serving.server.submitted(thread)) != 0;
      if (is_submitted) stm_store_relaxed(serving.server.submitted(thread), (u64)0);
      u32 pending = __ballot_sync(STM_ALL_LANES, is_submitted);
      __syncwarp(STM_ALL_LANES);
#pragma unroll 1
      for (; pending != 0; pending &= pending - 1) {
        serving.serve(base + (u32)__ffs((i32)pending) - 1);
        __syncwarp(STM_ALL_LANES);
        idle = false;
      }
    }
    if (idle) __nanosleep(50);
  }
  __syncthreads();
  if (threadIdx.x == 0) stm_store_relaxed(serving.server.clients_done(), (u64)0);
}
