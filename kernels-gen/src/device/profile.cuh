// What a profiled unit counts: conflicts by source line, by the lock word that they were at, and by the procedure that was in the way; and
// how often guards were false. abi/profile.rs has the layout. In other units all of it is empty.
//
// The lock words with the most conflicts are found by "space saving" (Metwally, Agrawal and El Abbadi, "Efficient Computation of
// Frequent and Top-k Elements in Data Streams", section 3.1), in sets by the hash of their address: a lock word without an entry takes over
// the entry with the lowest count of its set, and that count becomes its bound on the error. All accesses are relaxed: threads that take
// over one entry at the same time may lose counts, and nothing but the report depends on them.

struct stm_profile {
  u64* all;
  u64* own;  // the block of the procedure that runs
  u32 procedure;

  STM_DEVICE void begin(u64* words, u32 base, u32 of) {
    if constexpr (STM_PROFILED) {
      all = words;
      own = words + base;
      procedure = of;
    }
  }

  // A transaction has acquired that lock word.
  STM_DEVICE void hold(const void* lock) const {
    // mutation "who holds a lock word": if constexpr (STM_PROFILED) stm_store_relaxed(holder_of(lock), name(lock) | 1);
    if constexpr (STM_PROFILED) stm_store_relaxed(holder_of(lock), name(lock) | (procedure + 1));
  }

  // The guard of a transaction was false.
  STM_DEVICE void wait() const {
    // mutation "count a wait":
    if constexpr (STM_PROFILED) stm_add_relaxed(own, 1);
  }

  // An attempt had a conflict: at that line, if it is known, and about that lock word, if there is one.
  STM_DEVICE void conflict(u32 location, const void* lock) const {
    if constexpr (STM_PROFILED) {
      // mutation "count at the line": if (location != ~0u) stm_add_relaxed(own + STM_PROFILE_HEAD + location, 2);
      if (location != ~0u) stm_add_relaxed(own + STM_PROFILE_HEAD + location, 1);
      u64 holder = lock == nullptr ? 0 : stm_load_relaxed(holder_of(lock));
      bool is_known = (holder & ~0xffffull) == name(lock) && holder != 0;
      stm_add_relaxed(own + 1 + (is_known ? holder & 0xffff : 0), 1);
      if (lock != nullptr) count((u64)lock);
    }
  }

  // The address of a lock word, beside which there are 16 bits.
  STM_DEVICE static u64 name(const void* lock) { return (u64)lock >> 2 << 16; }
  STM_DEVICE static u32 hash(u64 lock) { return (u32)((lock >> 2) * 0x9e3779b97f4a7c15ull >> 40); }
  STM_DEVICE u64* holder_of(const void* lock) const { return all + STM_PROFILE_HOLDERS + hash((u64)lock) % STM_HOLDERS; }

  STM_CALLED void count(u64 lock) const {
    u64* set = all + STM_PROFILE_ELEMENTS + 3 * STM_ELEMENT_WAYS * (hash(lock) % STM_ELEMENT_SETS);
    u64 *least = set, fewest = ~0ull;
#pragma unroll 1
    for (u32 way = 0; way < STM_ELEMENT_WAYS; ++way) {
      u64* entry = set + 3 * way;
      u64 of = stm_load_relaxed(entry);
      if (of == 0) of = stm_swap_relaxed(entry, 0ull, lock);
      // mutation "entry of a lock word": if (of == 0) {
      if (of == 0 || of == lock) {
        stm_add_relaxed(entry + 1, 1);
        return;
      }
      u64 conflicts = stm_load_relaxed(entry + 1);
      if (conflicts < fewest) {
        fewest = conflicts;
        least = entry;
      }
    }
    u64 of = stm_load_relaxed(least);
    if (stm_swap_relaxed(least, of, lock) != of) return;
    stm_store_relaxed(least + 2, fewest);
    stm_add_relaxed(least + 1, 1);
  }
};
