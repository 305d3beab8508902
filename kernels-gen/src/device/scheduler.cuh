// The scheduler (PR-STM2, thesis chapter 4): each thread owns a run of the transaction batch, retries concurrent
// conflicts, and comes back to transactions whose guard did not hold when it has been through the rest.
//
// A run is every T-th transaction (T threads in flight), so that a warp reads neighbouring transactions together. The numbers of a launch's transactions fit
// into 32 bits, and so does what a look goes over. A launch ends by itself: passes, attempts and time are bounded, and the host launches again while there is progress. The end of a
// launch is the moment at which everybody's progress is known, hence the sound place to find that nothing can move.

STM_DEVICE u32 stm_random(stm_worker& worker, u32 bits) {
  worker.seed = worker.seed * 1664525u + 1013904223u;
  return worker.seed >> (32 - bits);
}

// Randomised, doubling up to 8 microseconds; the first retries are immediate, since most locks are held for less.
STM_DEVICE void stm_back_off(stm_worker& worker, u32 attempt) {
  if (attempt < 3) return;
  __nanosleep(stm_random(worker, attempt < 11 ? attempt + 2 : 13));
}

// After so many attempts a transaction sits out every other one, by chance. Lanes that sleep for different times still begin
// their next attempt together, and two that take each other's elements step by step would do so for ever. Not sooner, since a
// transaction that is merely in a crowd loses time by it.
constexpr u32 STM_SITS_OUT = 16;

// One visit of one transaction: attempts until it is finished, postponed, or out of attempts or time.
STM_DEVICE stm_status stm_visit(const stm_params& p, u32 transaction, u32 specialization, stm_worker& worker, stm_watch& watch) {
  stm_status status = STM_CONFLICT;
#pragma unroll 1
  for (u32 attempt = 0;;) {
    if (attempt < STM_SITS_OUT || stm_random(worker, 1) != 0) status = stm_dispatch(p, transaction, specialization, worker);
    if (status != STM_CONFLICT || ++attempt >= (u32)p.attempts || watch.is_late()) return status;
    stm_back_off(worker, attempt);
  }
}

// A status is one more than its counter.
static_assert(STM_COMMITTED == STM_OK - 1 && STM_REJECTS == STM_REJECTED - 1 && STM_FAULTS == STM_FAULTED - 1);
static_assert(STM_LEFT_POSTPONED == STM_POSTPONED - 1 && STM_LEFT_CONFLICT == STM_CONFLICT - 1);

// mutation "final statuses: without faults":
//| STM_DEVICE bool stm_finished(u8 status) { return status >= STM_OK && status < STM_FAULTED; }
// mutation "final statuses: without rejects":
//| STM_DEVICE bool stm_finished(u8 status) { return status == STM_OK || status == STM_FAULTED; }
// mutation "final statuses: with postponed":
//| STM_DEVICE bool stm_finished(u8 status) { return status >= STM_OK && status <= STM_POSTPONED; }
STM_DEVICE bool stm_finished(u8 status) { return status >= STM_OK && status <= STM_FAULTED; }
STM_DEVICE u32 stm_finished_transactions(const u32* counts) {
  return counts[STM_COMMITTED] + counts[STM_REJECTS] + counts[STM_FAULTS];
}

STM_DEVICE u32 stm_specialization_of(const stm_params& p, u32 transaction) {
  if constexpr (STM_SPECIALIZATIONS == 1) return 0;
  return p.specializations[transaction];
}

// The run of a thread: the transactions from `begin` on, every `step`-th, below `end`.
struct stm_span {
  u32 begin, end, step;
};

// A walk along a run. It looks at several transactions at a time: where few are due, looks that wait for each other would take most of a
// pass.
#ifdef STM_EMULATED
constexpr u32 STM_AT_A_LOOK = 2;
#else
constexpr u32 STM_AT_A_LOOK = 16;
#endif
struct stm_walk {
  u32 first;  // of those looked at
  u32 due;    // a bit for each of them that is to be visited
  u32 next;   // to be looked at
};

// Which of the transactions from `walk.next` on are due in a sweep.
STM_DEVICE void stm_look(const stm_params& p, bool fresh, u32 sweep, const stm_span& span, stm_walk& walk) {
  u32 left = span.end - walk.next;
  u32 specializations[STM_AT_A_LOOK];
  u8 status[STM_AT_A_LOOK];
#pragma unroll
  for (u32 i = 0; i < STM_AT_A_LOOK; ++i) {
    bool here = i * span.step < left;
    specializations[i] = STM_SWEEPS == 1 || !here ? sweep : stm_specialization_of(p, walk.next + i * span.step);
    // mutation "status of a transaction": status[i] = 0;
    status[i] = fresh || !here ? 0 : p.status[walk.next + i * span.step];
  }
  walk.first = walk.next;
  walk.due = 0;
#pragma unroll
  for (u32 i = 0; i < STM_AT_A_LOOK; ++i) {
    // mutation "transaction is due": bool here = i * span.step < left && !stm_finished(status[i]);
    bool here = i * span.step < left && specializations[i] == sweep && !stm_finished(status[i]);
    walk.due |= (u32)here << i;
  }
  // mutation "end of a scan":
  //| walk.next = (STM_AT_A_LOOK + 1) * span.step < left ? walk.next + (STM_AT_A_LOOK + 1) * span.step : span.end;
  walk.next = STM_AT_A_LOOK * span.step < left ? walk.next + STM_AT_A_LOOK * span.step : span.end;
}

// The next transaction that is due, or the end. The lanes of a warp skip in a loop of their own, so that they visit together.
STM_DEVICE u32 stm_next(const stm_params& p, bool fresh, u32 sweep, const stm_span& span, stm_walk& walk) {
#pragma unroll 1
  while (walk.due == 0) {
    // mutation "end of the range": if (walk.next + span.step >= span.end) return span.end;
    if (walk.next >= span.end) return span.end;
    stm_look(p, fresh, sweep, span, walk);
  }
  u32 i = (u32)__ffs((i32)walk.due) - 1;
  walk.due &= walk.due - 1;
  return walk.first + i * span.step;
}

// One pass over the run. At least one transaction is visited whatever the time, unless it is late already.
// A run with several procedures is swept once for each, because a warp whose lanes run different procedures runs them one after the other.
STM_DEVICE void stm_pass(const stm_params& p, bool fresh, const stm_span& span, stm_worker& worker, stm_watch& watch) {
  u32 visits = 0;
#pragma unroll 1
  for (u32 sweep = 0; sweep < STM_SWEEPS; ++sweep) {
    stm_walk walk = {0, 0, span.begin};
#pragma unroll 1
    for (;;) {
      u32 transaction = stm_next(p, fresh, sweep, span, walk);
      // Opaque, or the compiler lets lanes leave from within stm_next, and those that stay no longer meet before their visit:
      // batches of several procedures ran at half the rate.
      if (rs_opaque(transaction >= span.end)) break;
      if (watch.late) {
        worker.counts[STM_LEFT_UNVISITED] += 1;
      } else {
        u32 specialization = STM_SWEEPS == STM_SPECIALIZATIONS ? sweep : stm_specialization_of(p, transaction);
        stm_status status = stm_visit(p, transaction, specialization, worker, watch);
        // mutation "keep the status":
        p.status[transaction] = (u8)status;
        // mutation "count the status": worker.counts[status - 1] += 2;
        worker.counts[status - 1] += 1;
        visits += 1;
        if ((visits & 3) == 0) watch.is_late();
      }
    }
  }
}

// Passes over a run until nothing is left, nothing moves or the time is over; how many.
STM_DEVICE u32 stm_work(const stm_params& p, const stm_span& span, stm_worker& worker, stm_watch& watch) {
  u32* counts = worker.counts;
  u32 pass = 0;
#pragma unroll 1
  // mutation "pass limit": while (pass < 64) {
  while (pass < (u32)p.passes) {
    u32 before = stm_finished_transactions(counts);
    // mutation "what a pass components":
    counts[STM_LEFT_POSTPONED] = counts[STM_LEFT_CONFLICT] = counts[STM_LEFT_UNVISITED] = 0;
    // mutation "first pass: each pass": stm_pass(p, p.fresh, span, worker, watch);
    // mutation "first pass: each launch": stm_pass(p, pass == 0, span, worker, watch);
    stm_pass(p, p.fresh && pass == 0, span, worker, watch);
    // mutation "count the postponements": counts[STM_POSTPONEMENTS] += 2 * counts[STM_LEFT_POSTPONED];
    counts[STM_POSTPONEMENTS] += counts[STM_LEFT_POSTPONED];
    pass += 1;
    // mutation "end of the passes": if (watch.is_late()) break;
    if (watch.is_late() || counts[STM_LEFT_POSTPONED] + counts[STM_LEFT_CONFLICT] == 0 || stm_finished_transactions(counts) == before) break;
  }
  return pass;
}

#if STM_AT_HOME
// One part after the other: it comes to the memory of the block, the threads of the block run its transactions, and it goes back.
STM_DEVICE u32 stm_work_at_home(const stm_params& p, bool is_idle, stm_worker& worker, stm_watch& watch) {
  STM_BLOCK_MEMORY(home);
  worker.home = home;
  worker.memo[0] = worker.memo[1] = 0;
#pragma unroll 1
  for (u32 i = threadIdx.x; i < STM_HOME_WORDS; i += blockDim.x) ((u64*)home)[i] = 0;
  __syncthreads();
  u32 left[3] = {}, most = 0;
  constexpr u32 LEFT[3] = {STM_LEFT_POSTPONED, STM_LEFT_CONFLICT, STM_LEFT_UNVISITED};
#pragma unroll 1
  for (u32 group = blockIdx.x; group < (u32)p.groups; group += gridDim.x) {
    // mutation "number of the part": worker.part = group;
    worker.part = p.parts[group];
    stm_move_home<true>(p, home, worker.part);
    // mutation "part is there":
    __syncthreads();
    if (!is_idle) {
      u32 passes = stm_work(p, {p.starts[group] + worker.owner, p.starts[group + 1], worker.threads}, worker, watch);
      most = passes > most ? passes : most;
      stm_rest(worker);
#pragma unroll
      for (u32 i = 0; i < 3; ++i) left[i] += worker.counts[LEFT[i]];
    }
    // mutation "part is done":
    __syncthreads();
    stm_move_home<false>(p, home, worker.part);
  }
#pragma unroll
  for (u32 i = 0; i < 3; ++i) worker.counts[LEFT[i]] = left[i];
  return most;
}
#endif

// What the thread counted. Every lane of its warp comes here, and one adds for all of them: threads end at about the same time, and
// all add to the same few words.
STM_DEVICE void stm_report(const stm_params& p, u32 lane, const u32* counts, u32 pass) {
#if defined(STM_EMULATED) || __CUDA_ARCH__ >= 800
  u32 some = 0;
#pragma unroll
  for (u32 which = 0; which < STM_COUNTERS; ++which) some |= (u32)(counts[which] != 0) << which;
  // A loop, because each atomic in the code takes time to compile.
#pragma unroll 1
  for (u32 rest = __reduce_or_sync(~0u, some); rest != 0; rest &= rest - 1) {
    u32 which = (u32)__ffs((i32)rest) - 1;
    // mutation "sum of a warp": u32 sum = counts[which];
    u32 sum = __reduce_add_sync(~0u, counts[which]);
    if (lane == 0) stm_add_relaxed(p.counters + which, sum);
  }
  pass = __reduce_max_sync(~0u, pass);
  if (lane == 0) stm_max_relaxed(p.counters + STM_PASSES, pass);
#else
#pragma unroll 1
  for (u32 which = 0; which < STM_COUNTERS; ++which) {
    if (counts[which] != 0) stm_add_relaxed(p.counters + which, counts[which]);
  }
  stm_max_relaxed(p.counters + STM_PASSES, pass);
#endif
}

STM_DEVICE void stm_run_batch(const stm_params& p) {
  u32 lanes = (u32)p.lanes;
  u32 threads = ((gridDim.x - STM_SERVERS) * blockDim.x >> 5) * lanes;
#if STM_SERVERS
  if (blockIdx.x < STM_SERVERS) {
    stm_laps laps = {};
    laps.open();
    stm_serve(p.run, threads, laps);
    laps.close(p.counters + STM_COUNTERS);
    return;
  }
#endif
  u32 global = (blockIdx.x - STM_SERVERS) * blockDim.x + threadIdx.x;
  u32 lane = global & 31;
  u32 thread = (global >> 5) * lanes + lane;
  u32 counts[STM_COUNTERS] = {};
  stm_worker worker = {{}, thread, threads, (u32)p.seed ^ thread * 2654435761u, counts, nullptr, p.run};
  worker.open();
  // mutation "time of a launch": stm_watch watch = {0, p.budget_ns / 256, stm_cycles(), false};
  stm_watch watch = {0, p.budget_ns, stm_cycles(), false};
  bool is_idle = lane >= lanes;
#if STM_AT_HOME
  worker.threads = (blockDim.x >> 5) * lanes;
  worker.owner = (threadIdx.x >> 5) * lanes + lane;
  // Idle lanes still help to bring parts in and out.
  u32 pass = stm_work_at_home(p, is_idle, worker, watch);
#else
  u32 pass = is_idle ? 0 : stm_work(p, {thread, (u32)p.transactions, threads}, worker, watch);
#endif
  stm_report(p, lane, counts, pass);
  if (is_idle) return;
  worker.close(p.counters + STM_COUNTERS);
#if STM_SERVERS
  stm_leave(p.run);
#endif
}
