// The scheduler (PR-STM2, thesis chapter 4): each thread owns a run of the transaction table, retries concurrent
// conflicts, and comes back to rows whose guard did not hold when it has been through the rest.
//
// A run is every T-th row (T threads in flight), so that a warp reads neighbouring rows together; a launch has fewer than
// 2^32 - 2^20 rows, so that their numbers, and one step past them, fit into 32 bits. A launch ends by
// itself: passes, attempts and time are bounded, and the host launches again while there is progress. The end of a
// launch is the moment at which everybody's progress is known, hence the sound place to find that nothing can move.

STM_DEVICE u64 stm_nanoseconds() {
#ifdef STM_EMULATED
  return stm_globaltimer();
#else
  u64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
#endif
}

// Randomised, doubling up to 8 microseconds; the first retries are immediate, since most locks are held for less.
STM_DEVICE void stm_back_off(stm_worker& worker, u32 attempt) {
  if (attempt < 3) return;
  u32 bits = attempt < 11 ? attempt + 2 : 13;
  worker.seed = worker.seed * 1664525u + 1013904223u;
  __nanosleep(worker.seed >> (32 - bits));
}

// One visit of one row: attempts until it is finished, postponed, or out of attempts.
STM_DEVICE stm_status stm_visit(const stm_params& p, u32 row, u32 binding, stm_worker& worker) {
#pragma unroll 1
  for (u32 attempt = 0;;) {
    stm_status status = stm_dispatch(p, row, binding, worker);
    if (status != STM_CONFLICT || ++attempt >= (u32)p.attempts) return status;
    stm_back_off(worker, attempt);
  }
}

// A status is one more than its counter.
static_assert(STM_COMMITTED == STM_OK - 1 && STM_REJECTS == STM_REJECTED - 1 && STM_FAULTS == STM_FAULTED - 1);
static_assert(STM_LEFT_POSTPONED == STM_POSTPONED - 1 && STM_LEFT_CONFLICT == STM_CONFLICT - 1);

STM_DEVICE bool stm_finished(u8 status) { return status >= STM_OK && status <= STM_FAULTED; }
STM_DEVICE u32 stm_finished_rows(const u32* counts) {
  return counts[STM_COMMITTED] + counts[STM_REJECTS] + counts[STM_FAULTS];
}

STM_DEVICE u32 stm_binding_of(const stm_params& p, u32 row) {
  if constexpr (STM_BINDINGS == 1) return 0;
  return p.bindings[row];
}

// The next row of a sweep, from `row` on. The lanes of a warp skip in a loop of their own, so that they visit together.
STM_DEVICE u32 stm_next(const stm_params& p, bool fresh, u32 sweep, u32 row, u32 threads) {
#pragma unroll 1
  while (row < (u32)p.rows) {
    bool here = STM_SWEEPS == 1 || stm_binding_of(p, row) == sweep;
    if (here && (fresh || !stm_finished(p.status[row]))) break;
    row += threads;
  }
  return row;
}

// One pass over the run; true when the time is over. At least one row is visited whatever the time. A run with several
// kinds is swept once for each, because a warp whose lanes run different kinds runs them one after the other.
STM_DEVICE bool stm_pass(const stm_params& p, bool fresh, u32 thread, u32 threads, u64 start, stm_worker& worker) {
  u32 visits = 0;
  bool late = false;
#pragma unroll 1
  for (u32 sweep = 0; sweep < STM_SWEEPS; ++sweep) {
    u32 row = thread;
#pragma unroll 1
    while ((row = stm_next(p, fresh, sweep, row, threads)) < (u32)p.rows) {
      if (late) {
        worker.counts[STM_LEFT_UNVISITED] += 1;
      } else {
        u32 binding = STM_SWEEPS == STM_BINDINGS ? sweep : stm_binding_of(p, row);
        stm_status status = stm_visit(p, row, binding, worker);
        p.status[row] = (u8)status;
        worker.counts[status - 1] += 1;
        visits += 1;
        if ((visits & 15) == 0) late = stm_nanoseconds() - start > p.budget_ns;
      }
      row += threads;
    }
  }
  return late || stm_nanoseconds() - start > p.budget_ns;
}

STM_DEVICE void stm_run_table(const stm_params& p) {
  u32 lanes = (u32)p.lanes;
  u32 threads = ((gridDim.x - STM_SERVERS) * blockDim.x >> 5) * lanes;
#if STM_SERVERS
  if (blockIdx.x < STM_SERVERS) {
    stm_serve(p.run, threads);
    return;
  }
#endif
  u32 global = (blockIdx.x - STM_SERVERS) * blockDim.x + threadIdx.x;
  u32 lane = global & 31;
  if (lane >= lanes) return;
  u32 thread = (global >> 5) * lanes + lane;

  u32 counts[STM_COUNTERS] = {};
  stm_worker worker = {thread, threads, (u32)p.seed ^ thread * 2654435761u, counts, nullptr, p.run};
  u64 start = stm_nanoseconds();
  u32 pass = 0;
#pragma unroll 1
  while (pass < (u32)p.passes) {
    u32 before = stm_finished_rows(counts);
    counts[STM_LEFT_POSTPONED] = counts[STM_LEFT_CONFLICT] = counts[STM_LEFT_UNVISITED] = 0;
    bool late = stm_pass(p, p.fresh && pass == 0, thread, threads, start, worker);
    counts[STM_POSTPONEMENTS] += counts[STM_LEFT_POSTPONED];
    pass += 1;
    if (late || counts[STM_LEFT_POSTPONED] + counts[STM_LEFT_CONFLICT] == 0 || stm_finished_rows(counts) == before) break;
  }

  // A loop, because each atomic in the code takes time to compile.
#pragma unroll 1
  for (u32 which = 0; which < STM_COUNTERS; ++which) {
    if (counts[which] != 0) stm_add_relaxed(p.counters + which, counts[which]);
  }
  stm_max_relaxed(p.counters + STM_PASSES, pass);
#if STM_SERVERS
  stm_leave(p.run);
#endif
}
