// The contract between generated bodies, engines and the scheduler.
//
// An engine defines `template <class F> struct stm_tx : stm_tx_base`, where F has the facts of one procedure, with
//   struct scratch                                what is indexed at run time, apart from the rest, which stays in registers
//   void begin(scratch&)                          starts an attempt: the access set is empty, and nothing is held
//   void declare(slot, intent, array, index)      before the body, if F::ORDERABLE: declares an element of the access set
//   stm_status acquire()                          after the declarations; may acquire locks
//   stm_status read(slot, location, array, index, &out)   slot is a constant, or STM_INDEXED inside loops; a body calls it, `write`
//                                                 and `declare` by `stm_read`, `stm_write` and `stm_declare`
//   stm_status write(slot, location, array, index, value)
//   stm_status validate_early()                   during the body: STM_CONFLICT if its reads cannot have been true at one moment, so
//                                                 that a long attempt that is doomed ends. Engines whose reads are always
//                                                 consistent have none
//   stm_status finish(status)                     ends an attempt whose body returned `status`. Returns STM_CONFLICT unless all
//                                                 reads were true at one moment. If it returns STM_OK, the writes become visible
//                                                 at that moment, and otherwise never. It releases everything
//   void each_access(visit)                       in recording units, after `finish`: history.cuh says what
// A verb that does not return STM_OK ends the attempt at once: the body returns that status.
//
// `finish` consists of these phases, if an engine has them, in the order that its algorithm needs:
//   lock_write_set    acquires the locks of the write set
//   validate          compares the read set with memory
//   write_back        stores the new values
//   release           releases every lock
// For profiles an engine says at which lock word a conflict was (`conflict`), and calls `worker->profile.hold(lock)` when a transaction has
// acquired one, or has written the element of a version chain (profile.cuh).
//
// `worker->end_phase(phase)` in `finish`, and the `timer` of a server, measure the phases (time.cuh); the engine's description
// lists them.
//
// If an engine has service blocks, the first blocks of a launch run no transactions but
//   void stm_serve(run, threads, timer)           every thread of such a block, until that many threads are done
//   void stm_client_done(run)                     each thread that runs transactions, when it has ended
// partition.cuh lists what an engine defines whose partitions live in the memory of a block.

enum stm_intent : u32 { STM_READ, STM_UPDATE, STM_WRITE };
constexpr u32 STM_INDEXED = ~0u;

// In place of a group: the array is not known.
constexpr u32 STM_ANY_GROUP = ~0u;

// The addresses of one element and its lock word. `width` is the element's size in bytes, or 0 for a cell. `group` stands for the
// lock words: elements of different groups are different elements under different lock words, and no code compares them. The
// components of a record are one group.
struct stm_ref {
  u64* lock;
  u8* value;
  u32 width;
  u32 group;
};

// Returns the address of a component of a record. Lock words and length are those of the record's first component: the compiler then
// sees one expression for all components, and keeps one check of an index and one load of a lock word.
STM_DEVICE stm_address stm_component(const stm_address& own, const stm_address& first) {
  return {own.data, first.locks, first.len, own.extra};
}

STM_DEVICE u64 stm_bit_of(const stm_ref& ref) { return 1ull << ((u32)(u64)ref.value * 2654435769u >> 26); }

// The device view of an array, component COMPONENT of a record; 64 for every component where there are more of them. All but the address is known when the unit is linked. Histories name
// its group.
template <class T, u32 GROUP_OF, bool CELLS, u32 COVERAGE_LOG2, u32 COMPONENT>
struct stm_array {
  typedef T value_type;
  static constexpr u32 id = GROUP_OF, GROUP = GROUP_OF;
  static constexpr bool IS_CELLS = CELLS;
  // Whether the bits of all elements under a lock word differ.
  static constexpr bool EXACT = CELLS || (COVERAGE_LOG2 == 0 && COMPONENT < 64);
  stm_address at;

  // A bit for an element among those under its lock word.
  STM_DEVICE static u64 bit(const stm_ref& ref) { return EXACT ? 1ull << (COMPONENT & 63) : stm_bit_of(ref); }

  STM_DEVICE u64 len() const { return at.len; }
  // mutation "end of an array": STM_DEVICE bool holds(u64) const { return true; }
  STM_DEVICE bool holds(u64 index) const { return index < at.len; }
  // mutation "lock of an element": STM_DEVICE u64 lock_index(u64 index) const { return index; }
  STM_DEVICE u64 lock_index(u64 index) const { return CELLS ? index : index >> COVERAGE_LOG2; }
  STM_DEVICE stm_ref ref(u64 index) const {
    if constexpr (CELLS) {
      u8* cell = at.data + (index << 4);
      return {(u64*)cell, cell + 8, 0u, GROUP};
    } else {
      return {at.locks + (index >> COVERAGE_LOG2), at.data + index * sizeof(T), (u32)sizeof(T), GROUP};
    }
  }
};

// An array whose group is known only at run time: one function serves many specializations. All such arrays are of one group.
template <class T, bool CELLS, u32 COVERAGE_LOG2>
struct stm_any_array : stm_array<T, 0, CELLS, COVERAGE_LOG2, 0> {
  static constexpr bool EXACT = CELLS;
  u32 id;
  STM_DEVICE static u64 bit(const stm_ref& ref) { return stm_bit_of(ref); }
};

#ifndef STM_SHARED_ARRAY
// `T name[n]`, one for each block.
#define STM_SHARED_ARRAY(T, name, n) __shared__ T name[n]
#endif

#ifndef STM_BLOCK_MEMORY
// `u8* name`: the memory of the block, of the size that the launch requests.
#define STM_BLOCK_MEMORY(name) extern __shared__ __align__(16) u8 name[]
#endif

// Values are passed as 64-bit words, zero-extended from their own width.
template <class T>
STM_DEVICE u64 stm_to_word(T value) { return (u64)value; }
STM_DEVICE u64 stm_to_word(i8 value) { return (u8)value; }
STM_DEVICE u64 stm_to_word(i16 value) { return (u16)value; }
STM_DEVICE u64 stm_to_word(i32 value) { return (u32)value; }
STM_DEVICE u64 stm_to_word(f32 value) { return __float_as_uint(value); }
STM_DEVICE u64 stm_to_word(f64 value) { return (u64)__double_as_longlong(value); }
template <class T>
struct stm_word {
  STM_DEVICE static T to(u64 word) { return (T)word; }
};
template <>
struct stm_word<f32> {
  STM_DEVICE static f32 to(u64 word) { return __uint_as_float((u32)word); }
};
template <>
struct stm_word<f64> {
  STM_DEVICE static f64 to(u64 word) { return __longlong_as_double((i64)word); }
};
template <>
struct stm_word<bool> {
  STM_DEVICE static bool to(u64 word) { return word != 0; }
};

// A packed element of that width.
STM_DEVICE u64 stm_value_load(u8* at, u32 width) {
  switch (width) {
    case 1: return stm_load_relaxed(at);
    case 2: return stm_load_relaxed((u16*)at);
    case 4: return stm_load_relaxed((u32*)at);
    default: return stm_load_relaxed((u64*)at);
  }
}
STM_DEVICE u64 stm_value_load_acquire(u8* at, u32 width) {
  switch (width) {
    case 1: return stm_load_acquire(at);
    case 2: return stm_load_acquire((u16*)at);
    case 4: return stm_load_acquire((u32*)at);
    default: return stm_load_acquire((u64*)at);
  }
}
STM_DEVICE void stm_value_store(u8* at, u32 width, u64 value) {
  switch (width) {
    case 1: stm_store_relaxed(at, (u8)value); break;
    case 2: stm_store_relaxed((u16*)at, (u16)value); break;
    case 4: stm_store_relaxed((u32*)at, (u32)value); break;
    default: stm_store_relaxed((u64*)at, value);
  }
}

// A packed element that nothing writes while the kernel runs.
STM_DEVICE u64 stm_constant_load(const u8* at, u32 width) {
  switch (width) {
    case 1: return __ldg(at);
    case 2: return __ldg((const u16*)at);
    case 4: return __ldg((const u32*)at);
    default: return __ldg((const u64*)at);
  }
}

// The same for an element in the memory of a block.
STM_DEVICE u64 stm_block_value_load(u8* at, u32 width) {
  switch (width) {
    case 1: return stm_block_load_relaxed(at);
    case 2: return stm_block_load_relaxed((u16*)at);
    case 4: return stm_block_load_relaxed((u32*)at);
    default: return stm_block_load_relaxed((u64*)at);
  }
}
STM_DEVICE void stm_block_value_store(u8* at, u32 width, u64 value) {
  switch (width) {
    case 1: stm_block_store_relaxed(at, value); break;
    case 2: stm_block_store_relaxed((u16*)at, value); break;
    case 4: stm_block_store_relaxed((u32*)at, value); break;
    default: stm_block_store_relaxed((u64*)at, value);
  }
}

struct stm_joint_commit;

// The state that a thread keeps between attempts.
struct stm_worker : stm_phase_timer {
  u32 owner;  // the thread's priority: a lower number has priority
  u32 threads;  // that run transactions
  u32 seed;
  u32* counts;  // by stm_counter
  stm_profile profile;
  u64* run;     // what the engine keeps for the run
  u8* memory_of_thread;  // null for local memory; granule by granule of 16 bytes, each of them `lanes` granules after the one before it
  u32 lanes;             // of a warp that run transactions
  stm_joint_commit* joint;  // where the other lanes of the warp take part in commits
#if STM_IN_BLOCK_MEMORY
  u8* memory;     // of the block; `owner` counts the threads of a block then
  u32 partition;  // that lies there
  u32 memo[2];  // what the engine keeps between attempts
#endif
};

struct stm_tx_base {
  // Iterations of a loop that are compiled together. With more, the accesses of an engine would cost more to compile than they save.
  static constexpr u32 UNROLLED = 1;
  // Whether no attempt is doomed, so that loops over ranges need not look at their bound in each iteration.
  static constexpr bool CUTS_RANGES = false;

  stm_worker* worker;
  u32 detail;
  u32 iterations;
#if STM_PRINTS
  u64* lines;  // those that the launch prints
#endif

  // Whether an attempt ends where a guard is false, an operation faults, or the function rejects or panics.
  STM_DEVICE static constexpr bool ends(bool condition, u32) { return condition; }
  STM_DEVICE stm_status validate_early() { return STM_OK; }
  // A conflict about a lock word or, in the memory of a block, about an element; `lock` is null where none is known.
  STM_DEVICE stm_status conflict(stm_counter cause, u32 location, const void* lock = nullptr) {
    // mutation "count a conflict":
    // mutation "count a conflict: as locked": worker->counts[STM_LOCKED] += 1;
    worker->counts[cause] += 1;
    worker->profile.conflict(location, lock);
    return STM_CONFLICT;
  }
  STM_DEVICE stm_status fault(stm_fault code, u32 location) {
    // mutation "detail of a fault": detail = (u32)code << STM_LOCATION_BITS;
    detail = (u32)code << STM_LOCATION_BITS | location;
    return STM_FAULTED;
  }
};

// An array that no procedure of the batch writes: its elements have no locks and no versions, and an engine never sees it.
template <class T, bool CELLS>
struct stm_constant_array {
  typedef T value_type;
  stm_address at;

  STM_DEVICE u64 len() const { return at.len; }
  // mutation "end of a constant array": STM_DEVICE bool holds(u64 index) const { return index <= at.len; }
  STM_DEVICE bool holds(u64 index) const { return index < at.len; }
  STM_DEVICE T load(u64 index) const {
    u8* element = at.data + (CELLS ? (index << 4) + 8 : index * sizeof(T));
    return stm_word<T>::to(stm_constant_load(element, CELLS ? 8 : (u32)sizeof(T)));
  }
};

// In place of a constant array in `declare`: it holds no element, so a slot stays empty.
struct stm_no_array {
  static constexpr u32 id = 0, GROUP = 0;
  stm_address at;
  STM_DEVICE bool holds(u64) const { return false; }
  STM_DEVICE u64 lock_index(u64) const { return 0; }
  STM_DEVICE stm_ref ref(u64) const { return {nullptr, nullptr, 0, GROUP}; }
};

// What a body calls: constant arrays do not reach the engine, nor do those of deferred.cuh.
template <class Tx, class Array>
STM_DEVICE void stm_declare(Tx& tx, u32 slot, stm_intent intent, const Array& array, u64 index) {
  tx.declare(slot, intent, array, index);
}
template <class Tx, class T, bool CELLS>
STM_DEVICE void stm_declare(Tx& tx, u32 slot, stm_intent intent, const stm_constant_array<T, CELLS>&, u64) {
  tx.declare(slot, intent, stm_no_array{}, 0);
}
template <class Tx, class Array, class T>
STM_DEVICE stm_status stm_read(Tx& tx, u32 slot, u32 location, const Array& array, u64 index, T* out) {
  return tx.read(slot, location, array, index, out);
}
template <class Tx, class T, bool CELLS>
STM_DEVICE stm_status stm_read(Tx& tx, u32, u32 location, const stm_constant_array<T, CELLS>& array, u64 index, T* out) {
  bool is_there = array.holds(index);
  if (tx.ends(!is_there, location)) return tx.fault(STM_FAULT_INDEX, location);
  *out = is_there ? array.load(index) : stm_word<T>::to(0);
  return STM_OK;
}

template <class Tx, class Array, class T>
STM_DEVICE stm_status stm_write(Tx& tx, u32 slot, u32 location, const Array& array, u64 index, T value) {
  return tx.write(slot, location, array, index, value);
}

// A write whose new value follows from the old one and from inputs: from a word that holds them, each from a certain bit on.
template <class Tx, class Array, class T>
STM_DEVICE stm_status stm_write_piece(Tx& tx, u32 slot, u32 location, const Array& array, u64 index, T value, u64) {
  return stm_write(tx, slot, location, array, index, value);
}
template <class T>
STM_DEVICE u64 stm_put_input(T value, u32 at) {
  return (stm_to_word(value) & ~0ull >> (64 - 8 * sizeof(T))) << at;
}
template <class T>
STM_DEVICE T stm_input(u64 inputs, u32 at) {
  return stm_word<T>::to(inputs >> at & ~0ull >> (64 - 8 * sizeof(T)));
}

#define STM_TRY(verb)                     \
  do {                                    \
    stm_status stm_got = (verb);          \
    if (stm_got != STM_OK) return stm_got; \
  } while (0)

#define STM_GUARD(location, condition) \
  do {                             \
    if (tx.ends(!RS_LEAVES(condition), location)) return STM_POSTPONED; \
  } while (0)

#define STM_REJECT(location, code) \
  do {                         \
    tx.detail = (code);        \
    if (tx.ends(true, location)) return STM_REJECTED; \
  } while (0)

#define STM_PANIC(location, code) \
  do {                        \
    if (tx.ends(true, location)) return tx.fault(code, location); \
  } while (0)

// A doomed attempt may loop over an inconsistent snapshot. Where nothing else bounds its loops, the reads are validated when the
// number of iterations has doubled. It ends at the maximum at the latest, and validation then refuses it.
constexpr u32 STM_UNCHECKED = 1024;
#define STM_ITERATION(location)                                                                  \
  do {                                                                                       \
    if (++tx.iterations > facts::MAX_ITERATIONS) return tx.fault(STM_FAULT_ITERATIONS, location); \
    if (facts::STATED && tx.iterations >= STM_UNCHECKED && (tx.iterations & (tx.iterations - 1)) == 0) STM_TRY(tx.validate_early()); \
  } while (0)

// The end of a loop over a range. The body leads to the next iteration or out of the function, and counts no iterations. So they are counted
// before the loop: a range that is too long is cut to the iterations that are left, and the loop ends in a fault. To look in each iteration
// whether to leave the loop costs more than a read at rest.
template <class Tx, class T>
struct stm_counted {
  T end;
  bool is_cut;

  STM_DEVICE stm_counted(Tx& tx, T start, T end, u32 most) : end(end), is_cut(false) {
    if (!Tx::CUTS_RANGES || start >= end) return;
    u64 count = (u64)end - (u64)start, left = most - tx.iterations;
    // mutation "end of a cut range": is_cut = false;
    is_cut = count > left;
    if (is_cut) this->end = (T)((u64)start + left);
    tx.iterations += (u32)(is_cut ? left : count);
  }
};
