// The clocks of a device, and in timed units (STM_TIMED) where the time of a thread went.
//
// Phases are counted in cycles of the multiprocessor: %globaltimer moves in steps of up to a microsecond, which is longer than
// most phases, and is slow to read. A thread stays on one multiprocessor, so that its differences mean something; each also
// counts its whole life by both clocks, and the host takes nanoseconds a cycle from the sums.

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

// The time that a launch may take. One that is in a crowd, or waits for a server, takes long for one transaction; so attempts in vain ask too.
// It counts from the first look on, when there have been visits: else a long walk over finished transactions would take the time of all others.
struct stm_watch {
  u64 start, budget;
  u32 looked;
  bool late;

  STM_DEVICE bool is_late() {
    constexpr u32 OFTEN = 1u << 17;  // cycles between looks at the slow clock
    u32 now = stm_cycles();
    if (now - looked >= OFTEN) {
      looked = now;
      u64 time = stm_nanoseconds();
      if (start == 0) start = time;
      late = late || time - start > budget;
    }
    return late;
  }
};

// What a thread adds up by stm_phase. In units that are not timed it is empty, and its calls are nothing.
struct stm_laps {
#if STM_TIMED
  u64 spent[STM_PHASES];
  u64 begun;  // the attempt
  u64 ended;  // its body
  u64 mark;   // the last lap

  // What is looked at stays on its side of the look.
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

  // The thread itself: from here, to there.
  STM_DEVICE void open() {
    spent[STM_PHASE_CYCLES] -= cycles();
    spent[STM_PHASE_NANOSECONDS] -= stm_nanoseconds();
  }
  STM_DEVICE void close(u64* sums) {
    spent[STM_PHASE_CYCLES] += cycles();
    spent[STM_PHASE_NANOSECONDS] += stm_nanoseconds();
#pragma unroll 1
    for (u32 phase = 0; phase < STM_PHASES; ++phase) {
      if (spent[phase] != 0) stm_add_relaxed(sums + phase, spent[phase]);
    }
  }

  // An attempt, in order.
  STM_DEVICE void body_begins() { begun = cycles(); }
  STM_DEVICE void body_ends() {
    ended = mark = cycles();
    spent[STM_PHASE_BODY] += ended - begun;
  }
  STM_DEVICE void attempt_ends(bool in_vain) {
    u64 now = cycles();
    spent[STM_PHASE_COMMIT] += now - ended;
    if (in_vain) spent[STM_PHASE_WASTED] += now - begun;
  }

  // What passes from here on is for the next lap.
  STM_DEVICE void skip() { mark = cycles(); }
  // What has passed since the last lap, or the end of the body, was this phase.
  STM_DEVICE void lap(stm_phase phase) { spent[phase] += passed(); }
  // The same on a server, for so many clients: their waiting was that much shorter. The sums of all threads are never negative.
  STM_DEVICE void lap_for(stm_phase phase, u32 clients) {
    u64 all = passed() * clients;
    spent[phase] += all;
    spent[STM_PHASE_WAIT] -= all;
  }
#else
  STM_DEVICE void open() {}
  STM_DEVICE void close(u64*) {}
  STM_DEVICE void body_begins() {}
  STM_DEVICE void body_ends() {}
  STM_DEVICE void attempt_ends(bool) {}
  STM_DEVICE void skip() {}
  STM_DEVICE void lap(stm_phase) {}
  STM_DEVICE void lap_for(stm_phase, u32) {}
#endif
};
