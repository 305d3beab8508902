// The scheduler (PR-STM2, thesis chapter 4): each thread owns a range of the batch, retries transactions after conflicts, and
// returns to transactions whose guard was false after it has executed the rest of its range.
//
// A range is every T-th transaction (T threads in flight), so that a warp reads neighbouring transactions together. Transaction
// indices, and the range one scan covers, fit in 32 bits.
//
// A launch ends by itself: passes, attempts and time are bounded, and the host launches again while there is progress. The progress
// of all threads is known only at the end of a launch, so only there the host can conclude that no transaction can proceed.

STM_DEVICE u32 stm_random(stm_worker& worker, u32 bits) {
  worker.seed = worker.seed * 1664525u + 1013904223u;
  return worker.seed >> (32 - bits);
}

// Randomised, doubling up to 8 microseconds; the first retries are immediate, since most locks are held for less.
STM_DEVICE void stm_back_off(stm_worker& worker, u32 attempt) {
  if (attempt < 3) return;
  __nanosleep(stm_random(worker, attempt < 11 ? attempt + 2 : 13));
}

// After this number of attempts a transaction skips every other one, at random. Lanes that sleep for different times still begin
// their next attempt together, and two that acquire each other's elements in lockstep would conflict for ever. A lower number would
// cost transactions time that merely have many conflicts.
constexpr u32 STM_SITS_OUT = 16;

// Executes one transaction: attempts until it is finished, postponed, or out of attempts or time.
STM_DEVICE stm_status stm_execute(const stm_params& p, u32 transaction, u32 specialization, stm_worker& worker, stm_deadline& deadline) {
  stm_status status = STM_CONFLICT;
#pragma unroll 1
  for (u32 attempt = 0;;) {
    if (attempt < STM_SITS_OUT || stm_random(worker, 1) != 0) status = stm_dispatch(p, transaction, specialization, worker);
    if (status != STM_CONFLICT || ++attempt >= (u32)p.attempts || deadline.is_late()) return status;
    stm_back_off(worker, attempt);
  }
}

// A status is one more than its counter.
static_assert(STM_COMMITTED == STM_OK - 1 && STM_REJECTS == STM_REJECTED - 1 && STM_FAULTS == STM_FAULTED - 1);
static_assert(STM_LEFT_POSTPONED == STM_POSTPONED - 1 && STM_LEFT_CONFLICT == STM_CONFLICT - 1);

// Returns whether a status is one of those from `STM_OK` to `last`, of which the final ones are the first.
// mutation "final statuses: without faults":
//| STM_DEVICE bool stm_finished(u8 status, u8) { return status >= STM_OK && status < STM_FAULTED; }
// mutation "final statuses: without rejects":
//| STM_DEVICE bool stm_finished(u8 status, u8) { return status == STM_OK || status == STM_FAULTED; }
// mutation "final statuses: with postponed":
//| STM_DEVICE bool stm_finished(u8 status, u8) { return status >= STM_OK && status <= STM_POSTPONED; }
STM_DEVICE bool stm_finished(u8 status, u8 last) { return status >= STM_OK && status <= last; }
STM_DEVICE u32 stm_finished_transactions(const u32* counts) {
  return counts[STM_COMMITTED] + counts[STM_REJECTS] + counts[STM_FAULTS];
}

STM_DEVICE u32 stm_specialization_of(const stm_params& p, u32 transaction) {
  if constexpr (STM_SPECIALIZATIONS == 1) return 0;
  return p.specializations[transaction];
}

// The range of a thread: the positions from `begin` on, every `step`-th, below `end`. Outside of clusters, a position is a transaction.
struct stm_range {
  u32 begin, end, step;
};

// Transactions that are loaded at once by a scan. If few are due, loads that wait for each other would take most of a pass.
// mutation "short scans": constexpr u32 STM_SCAN_WIDTH = 2;
constexpr u32 STM_SCAN_WIDTH = 16;
// The place of a pass in its range.
struct stm_cursor {
  u32 first;  // of the positions of the last scan
  u32 due;    // a bit for each of them whose transaction is to be executed
  u32 next;   // the first position of the next scan
};

// Finds the transactions from `cursor.next` on that are due in a pass over one procedure.
STM_DEVICE void stm_scan(const stm_params& p, bool fresh, u32 procedure_pass, const stm_range& range, stm_cursor& cursor) {
  u32 left = range.end - cursor.next;
  u32 specializations[STM_SCAN_WIDTH];
  u8 status[STM_SCAN_WIDTH];
#pragma unroll
  for (u32 i = 0; i < STM_SCAN_WIDTH; ++i) {
    bool here = i * range.step < left;
    u32 position = cursor.next + i * range.step;
    bool is_known = STM_PROCEDURE_PASSES == 1 || !here;
    specializations[i] = is_known ? procedure_pass : stm_specialization_of(p, stm_transaction_at(p, position));
    // mutation "status of a transaction": status[i] = 0;
    status[i] = fresh || !here ? 0 : stm_status_at(p, position);
  }
  // mutation "what waits is due": u8 last = STM_POSTPONED;
  u8 last = p.skips_waiting ? STM_POSTPONED : STM_FAULTED;
  cursor.first = cursor.next;
  cursor.due = 0;
#pragma unroll
  for (u32 i = 0; i < STM_SCAN_WIDTH; ++i) {
    // mutation "transaction is due": bool here = i * range.step < left && !stm_finished(status[i], last);
    bool here = i * range.step < left && specializations[i] == procedure_pass && !stm_finished(status[i], last);
    cursor.due |= (u32)here << i;
  }
  // mutation "end of a scan":
  //| cursor.next = (STM_SCAN_WIDTH + 1) * range.step < left ? cursor.next + (STM_SCAN_WIDTH + 1) * range.step : range.end;
  cursor.next = STM_SCAN_WIDTH * range.step < left ? cursor.next + STM_SCAN_WIDTH * range.step : range.end;
}

// Returns the position of the next transaction that is due, or the end. The lanes of a warp skip others in a loop of their own, so that they
// execute together.
STM_DEVICE u32 stm_next(const stm_params& p, bool fresh, u32 procedure_pass, const stm_range& range, stm_cursor& cursor) {
#pragma unroll 1
  while (cursor.due == 0) {
    // mutation "end of the range": if (cursor.next + range.step >= range.end) return range.end;
    if (cursor.next >= range.end) return range.end;
    stm_scan(p, fresh, procedure_pass, range, cursor);
  }
  u32 i = (u32)__ffs((i32)cursor.due) - 1;
  cursor.due &= cursor.due - 1;
  return cursor.first + i * range.step;
}

// Makes one pass over the range. At least one transaction is executed, unless the deadline has passed already. A range with several
// procedures takes a pass over each, because a warp whose lanes run different procedures runs them one after the other.
STM_DEVICE void stm_pass(const stm_params& p, bool fresh, const stm_range& range, stm_worker& worker, stm_deadline& deadline) {
  u32 executed = 0;
#pragma unroll 1
  for (u32 procedure_pass = 0; procedure_pass < STM_PROCEDURE_PASSES; ++procedure_pass) {
    stm_cursor cursor = {0, 0, range.begin};
#pragma unroll 1
    for (;;) {
      u32 position = stm_next(p, fresh, procedure_pass, range, cursor);
      // Opaque, or the compiler lets lanes leave from within stm_next, and those that stay no longer meet before they execute:
      // batches of several procedures ran at half the rate.
      if (rs_opaque(position >= range.end)) break;
      if (deadline.late) {
        // An upper bound: to find out which of the others are due would take as long as executing many of them.
        worker.counts[STM_LEFT_UNVISITED] += (range.end - position + range.step - 1) / range.step;
        return;
      }
      u32 transaction = stm_transaction_at(p, position);
      u32 specialization = STM_PROCEDURE_PASSES == STM_SPECIALIZATIONS ? procedure_pass : stm_specialization_of(p, transaction);
      stm_status status = stm_execute(p, transaction, specialization, worker, deadline);
      // mutation "keep the status":
      stm_keep_status(p, position, transaction, status);
      // mutation "count the status": worker.counts[status - 1] += 2;
      worker.counts[status - 1] += 1;
      executed += 1;
      if ((executed & 3) == 0) deadline.is_late();
    }
  }
}

// The most loads of the number of commits by a thread that waits for another one.
constexpr u32 STM_POLLS = 14;
// Commits that other threads can see, for those whose guards wait for them. A thread adds its own when it ends, or, while it has
// transactions left, after each pass.
struct stm_visible_commits {
  u64 seen;    // those of all threads, when this one last looked
  u32 added;   // those of this thread that are among them
  u32 waited;  // passes without a commit of this thread

  STM_DEVICE void add(const stm_params& p, u32 committed) {
    if (committed == added) return;
    stm_add_relaxed(p.counters + STM_COMMITTED, committed - added);
    added = committed;
    waited = 0;
  }

  // Waits until another thread commits. Returns false after 20 to 30 microseconds without a commit. The naps double, because every
  // thread that waits loads the same word, and most commits do not change what a guard reads.
  STM_DEVICE bool wait_for_more(const stm_params& p, stm_deadline& deadline) {
#pragma unroll 1
    for (u32 poll = 0; poll < STM_POLLS && !deadline.is_late(); ++poll) {
      u32 doublings = poll + waited;
      __nanosleep(doublings < 6 ? 32u << doublings : 2048u);
      u64 now = stm_load_relaxed(p.counters + STM_COMMITTED);
      if (now != seen) {
        seen = now;
        waited += 1;
        return true;
      }
    }
    return false;
  }
};

// Makes passes over a range until nothing is left, nothing progresses or the deadline has passed. Returns their number. Where guards
// are false, another thread may be about to make them true, so a pass without progress is followed by another one as long as
// transactions commit anywhere.
STM_DEVICE u32 stm_run_passes(const stm_params& p, const stm_range& range, stm_worker& worker, stm_deadline& deadline) {
  u32* counts = worker.counts;
  stm_visible_commits commits = {0, 0, 0};
  u32 pass = 0;
#pragma unroll 1
  // mutation "pass limit": while (pass < 64) {
  while (pass < (u32)p.passes) {
    u32 before = stm_finished_transactions(counts);
    // mutation "what a pass leaves":
    counts[STM_LEFT_POSTPONED] = counts[STM_LEFT_CONFLICT] = counts[STM_LEFT_UNVISITED] = 0;
    // mutation "first pass: each pass": stm_pass(p, p.fresh, range, worker, deadline);
    // mutation "first pass: each launch": stm_pass(p, pass == 0, range, worker, deadline);
    stm_pass(p, p.fresh && pass == 0, range, worker, deadline);
    // mutation "count the postponements": counts[STM_POSTPONEMENTS] += 2 * counts[STM_LEFT_POSTPONED];
    counts[STM_POSTPONEMENTS] += counts[STM_LEFT_POSTPONED];
    pass += 1;
    if (deadline.is_late() || counts[STM_LEFT_POSTPONED] + counts[STM_LEFT_CONFLICT] == 0) break;
    commits.add(p, counts[STM_COMMITTED]);
    // mutation "end of the passes":
    if (stm_finished_transactions(counts) == before && !commits.wait_for_more(p, deadline)) break;
  }
  counts[STM_COMMITTED] -= commits.added;
  return pass;
}

#if STM_IN_BLOCK_MEMORY
// Runs one partition after the other: it moves to the memory of the block, the threads of the block run its transactions, and it
// moves back.
STM_DEVICE u32 stm_run_partitions(const stm_params& p, bool is_idle, stm_worker& worker, stm_deadline& deadline) {
  STM_BLOCK_MEMORY(memory);
  worker.memory = memory;
  worker.memo[0] = worker.memo[1] = 0;
#pragma unroll 1
  for (u32 i = threadIdx.x; i < STM_BLOCK_WORDS; i += blockDim.x) ((u64*)memory)[i] = 0;
  __syncthreads();
  u32 left[3] = {}, most = 0;
  constexpr u32 LEFT[3] = {STM_LEFT_POSTPONED, STM_LEFT_CONFLICT, STM_LEFT_UNVISITED};
#pragma unroll 1
  for (u32 group = stm_block(); group < (u32)p.groups; group += stm_blocks()) {
    // mutation "number of the partition": worker.partition = group;
    worker.partition = p.parts[group];
    stm_move_partitions<true>(p, memory, worker.partition);
    // mutation "partition is there":
    __syncthreads();
    if (!is_idle) {
      u32 passes = stm_run_passes(p, {p.starts[group] + worker.owner, p.starts[group + 1], worker.threads}, worker, deadline);
      most = passes > most ? passes : most;
      stm_end_partition(worker);
#pragma unroll
      for (u32 i = 0; i < 3; ++i) left[i] += worker.counts[LEFT[i]];
    }
    // mutation "partition is done":
    __syncthreads();
    stm_move_partitions<false>(p, memory, worker.partition);
  }
#pragma unroll
  for (u32 i = 0; i < 3; ++i) worker.counts[LEFT[i]] = left[i];
  return most;
}
#endif

// Adds the counters of a thread to those of the launch. Every lane of its warp calls this, and one adds for all of them: threads
// end at about the same time, and all add to the same few words.
STM_DEVICE void stm_add_counters(const stm_params& p, u32 lane, const u32* counts, u32 pass) {
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
  stm_find_lists(p);
  u32 lanes = (u32)p.lanes;
  u32 threads = ((stm_blocks() - STM_SERVICE_BLOCKS) * blockDim.x >> 5) * lanes;
#if STM_SERVICE_BLOCKS
  if (stm_block() < STM_SERVICE_BLOCKS) {
    stm_phase_timer timer = {};
    timer.start_thread();
    stm_serve(p.run, threads, timer);
    timer.end_thread(p.counters + STM_COUNTERS);
    return;
  }
#endif
  u32 global = (stm_block() - STM_SERVICE_BLOCKS) * blockDim.x + threadIdx.x;
  u32 lane = global & 31;
  u32 thread = (global >> 5) * lanes + lane;
  u32 counts[STM_COUNTERS] = {};
  stm_worker worker = {{}, thread, threads, (u32)p.seed ^ thread * 2654435761u, counts, {}, p.run};
#if !STM_IN_BLOCK_MEMORY
  STM_BLOCK_MEMORY(memory);
  if (p.thread_granules != 0) {
    u32 first = p.threads == nullptr ? (threadIdx.x >> 5) * lanes : thread - lane;  // the first lane of the warp
    worker.memory_of_thread = (p.threads == nullptr ? memory : p.threads) + 16 * ((u64)first * p.thread_granules + lane);
  }
  worker.lanes = lanes;
#endif
  worker.start_thread();
  // mutation "time of a launch": stm_deadline deadline = {0, p.budget_ns / 256, stm_cycles(), false};
  stm_deadline deadline = {0, p.budget_ns, stm_cycles(), false};
  bool is_idle = lane >= lanes;
#if STM_IN_BLOCK_MEMORY
  worker.threads = (blockDim.x >> 5) * lanes;
  worker.owner = (threadIdx.x >> 5) * lanes + lane;
  // Idle lanes still help to move partitions.
  u32 pass = stm_run_partitions(p, is_idle, worker, deadline);
#else
#if STM_JOINT_COMMITS
  static_assert(sizeof(stm_joint_commit) * STM_BLOCK_WARPS <= STM_DECLARED_BLOCK_BYTES, "the host leaves room for them");
  STM_SHARED_ARRAY(stm_joint_commit, joints, STM_BLOCK_WARPS);
  if (lanes == 1) {
    worker.joint = joints + (threadIdx.x >> 5);
    if (is_idle) stm_join_commits(*worker.joint, lane);
  }
#endif
  stm_share share = stm_share_of_device(p, thread, lanes, threads);
  u32 pass = is_idle ? 0 : stm_run_passes(p, {share.begin + share.thread, share.end, share.threads}, worker, deadline);
#if STM_JOINT_COMMITS
  if (lanes == 1 && !is_idle) stm_end_joint_commits(*worker.joint);
#endif
#endif
  stm_add_counters(p, lane, counts, pass);
  if (is_idle) return;
  worker.end_thread(p.counters + STM_COUNTERS);
#if STM_SERVICE_BLOCKS
  stm_client_done(p.run);
#endif
}
