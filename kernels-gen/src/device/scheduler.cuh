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
template <class Binding>
STM_VISIT stm_status stm_visit(const stm_params& p, u32 row, stm_worker& worker) {
  typedef typename Binding::facts facts;
  const typename Binding::args args = Binding::load(p, row);
  if constexpr (STM_PROFILED) worker.sites = p.sites + facts::SITE_BASE;
  typename stm_tx<facts>::scratch scratch;
#pragma unroll 1
  for (u32 attempt = 0;;) {
    stm_tx<facts> tx;
    tx.worker = &worker;
    tx.iterations = 0;
    tx.begin(scratch);
    u64 result = 0;
    stm_status status = STM_OK;
    if constexpr (facts::ORDERABLE) {
      Binding::announce(tx, p, args);
      status = tx.acquire();
    }
    if (status == STM_OK) status = Binding::body(tx, p, args, &result);
    // What the body found, it may have found in a snapshot that never was: only a valid one counts.
    if (status == STM_CONFLICT || tx.conclude(status == STM_OK) != STM_OK) {
      status = STM_CONFLICT;
    } else if constexpr (STM_RECORDED) {
      if (status != STM_POSTPONED) {
        stm_log log = {p.log + (u64)row * p.log_stride, 0};
        tx.record(log, status == STM_OK);
        log.at[0] = log.count;
      }
    }
    if (status != STM_OK) tx.abort();
    if (status != STM_CONFLICT) {
      if constexpr (facts::RESULT) {
        if (status == STM_OK) p.results[row] = result;
      }
      if (status == STM_REJECTED || status == STM_FAULTED) p.detail[row] = tx.detail;
      return status;
    }
    if (++attempt >= (u32)p.attempts) return STM_CONFLICT;
    stm_back_off(worker, attempt);
  }
}

STM_DEVICE stm_status stm_dispatch(const stm_params& p, u32 row, u32 binding, stm_worker& worker);

// What one pass left behind.
struct stm_left {
  u32 postponed, conflict, unvisited;
};

struct stm_progress {
  u32 committed, rejected, faulted, postponements;
  STM_DEVICE u32 finished() const { return committed + rejected + faulted; }
};

STM_DEVICE void stm_settle(const stm_params& p, u32 row, stm_status status, stm_progress& progress, stm_left& left) {
  u8 mark;
  switch (status) {
    case STM_OK: mark = STM_ROW_COMMITTED; progress.committed += 1; break;
    case STM_REJECTED: mark = STM_ROW_REJECTED; progress.rejected += 1; break;
    case STM_FAULTED: mark = STM_ROW_FAULTED; progress.faulted += 1; break;
    case STM_POSTPONED: mark = STM_ROW_POSTPONED; progress.postponements += 1; left.postponed += 1; break;
    default: mark = STM_ROW_CONFLICT; left.conflict += 1;
  }
  p.status[row] = mark;
}

STM_DEVICE bool stm_finished(u8 mark) { return mark >= STM_ROW_COMMITTED && mark <= STM_ROW_FAULTED; }

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
STM_DEVICE bool stm_pass(const stm_params& p, bool fresh, u32 thread, u32 threads, u64 start, stm_worker& worker, stm_progress& progress, stm_left& left) {
  u32 visits = 0;
  bool late = false;
#pragma unroll 1
  for (u32 sweep = 0; sweep < STM_SWEEPS; ++sweep) {
#pragma unroll 1
    for (u32 row = stm_next(p, fresh, sweep, thread, threads); row < (u32)p.rows; row = stm_next(p, fresh, sweep, row + threads, threads)) {
      if (late) {
        left.unvisited += 1;
        continue;
      }
      u32 binding = STM_SWEEPS == STM_BINDINGS ? sweep : stm_binding_of(p, row);
      stm_settle(p, row, stm_dispatch(p, row, binding, worker), progress, left);
      visits += 1;
      if ((visits & 15) == 0) late = stm_nanoseconds() - start > p.budget_ns;
    }
  }
  return late || stm_nanoseconds() - start > p.budget_ns;
}

STM_DEVICE void stm_report(u64* counters, stm_counter which, u32 count) {
  if (count != 0) stm_add_relaxed(counters + which, count);
}

STM_DEVICE void stm_run_table(const stm_params& p) {
  u32 lanes = (u32)p.lanes;
  u32 global = blockIdx.x * blockDim.x + threadIdx.x;
  u32 lane = global & 31;
  if (lane >= lanes) return;
  u32 thread = (global >> 5) * lanes + lane;
  u32 threads = (gridDim.x * blockDim.x >> 5) * lanes;

  stm_worker worker = {thread, (u32)p.seed ^ thread * 2654435761u, 0, 0, 0, 0, nullptr};
  stm_progress total = {0, 0, 0, 0};
  stm_left left = {0, 0, 0};
  u64 start = stm_nanoseconds();
  u32 pass = 0;
#pragma unroll 1
  while (pass < (u32)p.passes) {
    u32 before = total.finished();
    left = {0, 0, 0};
    bool late = stm_pass(p, p.fresh && pass == 0, thread, threads, start, worker, total, left);
    pass += 1;
    if (late || left.postponed + left.conflict == 0 || total.finished() == before) break;
  }

  stm_report(p.counters, STM_COMMITTED, total.committed);
  stm_report(p.counters, STM_REJECTS, total.rejected);
  stm_report(p.counters, STM_FAULTS, total.faulted);
  stm_report(p.counters, STM_POSTPONEMENTS, total.postponements);
  stm_report(p.counters, STM_LEFT_POSTPONED, left.postponed);
  stm_report(p.counters, STM_LEFT_CONFLICT, left.conflict);
  stm_report(p.counters, STM_LEFT_UNVISITED, left.unvisited);
  stm_report(p.counters, STM_LOCKED, worker.locked);
  stm_report(p.counters, STM_STOLEN, worker.stolen);
  stm_report(p.counters, STM_CHANGED, worker.changed);
  stm_report(p.counters, STM_OTHER, worker.other);
  stm_max_relaxed(p.counters + STM_PASSES, pass);
}
