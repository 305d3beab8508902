// The clocks of a device, and in timed units (STM_TIMED) the time that a thread spent in each phase.
//
// Phases are counted in cycles of the multiprocessor: %globaltimer advances in steps of up to a microsecond, which is longer than
// most phases, and is slow to read. A thread stays on one multiprocessor, so that differences are meaningful; each also counts its
// lifetime by both clocks, and the host computes nanoseconds a cycle from the sums.

STM_DEVICE u64 stm_nanoseconds() {
#ifdef STM_EMULATED
  return stm_globaltimer();
#else
  u64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
#endif
}

STM_DEVICE u32 stm_cycles() {
#ifdef STM_EMULATED
  return (u32)clock64();
#else
  u32 now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
  return now;
#endif
}

// The deadline of a launch. A transaction with many conflicts, or one that waits for a server, takes long, so it is also checked
// between attempts. The clock starts at the first check after an execution, so that skipping finished transactions does not use
// up the budget.
struct stm_deadline {
  u64 start, budget;
  u32 last_check;
  bool late;

  STM_DEVICE bool is_late() {
    constexpr u32 OFTEN = 1u << 17;  // cycles between reads of the slow clock
    u32 now = stm_cycles();
    if (now - last_check >= OFTEN) {
      last_check = now;
      u64 time = stm_nanoseconds();
      if (start == 0) start = time;
      late = late || time - start > budget;
    }
    return late;
  }
};

// The cycles of a thread in each stm_phase. In units that are not timed it is empty, and its calls do nothing.
struct stm_phase_timer {
#if STM_TIMED
  u64 spent[STM_PHASES];
  u64 begun;  // the attempt
  u64 ended;  // its body
  u64 mark;   // the last phase

  // Memory operations stay on their side of this read.
  STM_DEVICE static u64 cycles() {
#ifdef STM_EMULATED
    return (u64)clock64();
#else
    u64 now;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
    return now;
#endif
  }
  STM_DEVICE u64 passed() {
    u64 before = mark;
    mark = cycles();
    return mark - before;
  }

  // The lifetime of the thread.
  STM_DEVICE void start_thread() {
    spent[STM_PHASE_CYCLES] -= cycles();
    spent[STM_PHASE_NANOSECONDS] -= stm_nanoseconds();
  }
  STM_DEVICE void end_thread(u64* sums) {
    spent[STM_PHASE_CYCLES] += cycles();
    spent[STM_PHASE_NANOSECONDS] += stm_nanoseconds();
#pragma unroll 1
    for (u32 phase = 0; phase < STM_PHASES; ++phase) {
      if (spent[phase] != 0) stm_add_relaxed(sums + phase, spent[phase]);
    }
  }

  // An attempt, in order.
  STM_DEVICE void start_body() { begun = cycles(); }
  STM_DEVICE void end_body() {
    ended = mark = cycles();
    spent[STM_PHASE_BODY] += ended - begun;
  }
  STM_DEVICE void end_attempt(bool conflicted) {
    u64 now = cycles();
    spent[STM_PHASE_COMMIT] += now - ended;
    if (conflicted) spent[STM_PHASE_WASTED] += now - begun;
  }

  // Begins the next phase here.
  STM_DEVICE void restart() { mark = cycles(); }
  // Ends a phase, which began at the end of the last one, or of the body.
  STM_DEVICE void end_phase(stm_phase phase) { spent[phase] += passed(); }
  // Ends a phase of a server that works for some clients: their waiting was that much shorter. The sums of all threads are never
  // negative.
  STM_DEVICE void end_phase_for(stm_phase phase, u32 clients) {
    u64 all = passed() * clients;
    spent[phase] += all;
    spent[STM_PHASE_WAIT] -= all;
  }
#else
  STM_DEVICE void start_thread() {}
  STM_DEVICE void end_thread(u64*) {}
  STM_DEVICE void start_body() {}
  STM_DEVICE void end_body() {}
  STM_DEVICE void end_attempt(bool) {}
  STM_DEVICE void restart() {}
  STM_DEVICE void end_phase(stm_phase) {}
  STM_DEVICE void end_phase_for(stm_phase, u32) {}
#endif
};
