// in-order: first runs the transactions whose accesses follow from their arguments, all at once, with the outcome of running them in
// the order of the batch; then the others as the default engine does.
//
// Source: ours, on versions that are placed before execution (BOHM: Faleiro, Abadi, VLDB 2015) and on early visibility of what cannot be
// undone (PWV: Faleiro, Abadi, Hellerstein, VLDB 2017).
//
// The analysis finds the procedures. Their functions run as they are, on other values:
//   stm_foresee        on zeros, past whatever could end it. It lists the elements that the transaction writes. Where the outcome follows
//                      from the arguments, what is written and follows from them is published at once
//   stm_order_writes   sorts the lists of all transactions by element, and each element's by transaction. Where a write adds to what the
//                      element holds something that follows from the arguments, it is published then: see running_sums.cuh
//   stm_run_in_order   reads, for each element, what the last transaction before this one has published, or what the array holds. It
//                      begins again where that is not there yet. At the end it publishes what it has written
//   stm_install        for each element: stores what the last transaction has published
//
// Invariants
//   - A place is the number of a write: those of transaction t are t * STM_WRITES and the ones after it, in the order of the function.
//     Both stages make the same writes in the same order, up to where an attempt ends.
//   - No element changes before all transactions of the chunk have ended.
//   - A transaction waits for earlier ones alone, and each thread runs its transactions in ascending order: so the first that has not
//     ended waits for none. All threads of the launch run at the same time.
//   - A transaction that commits publishes every write. A transaction that faults, is rejected or waits publishes that its places are void.
//     It runs later, under locks, and sees everything that was installed.
//   - A transaction that is published before it runs ends as foreseen. One that does not run at all, because the run ends early, is not
//     installed.
//   - Where the batch runs in push order (STM_PUSHED), each transaction ends at its turn, or waits for what commits later. One that
//     ends in any case without an effect is not listed. If the accesses of one are not known after all, the host learns it before
//     anything is installed. Transactions that write nothing need not be foreseen.
//   - Histories: the transactions under a lock word are numbered by the host, in the order of the batch.
//
// Atomics: versions - cells of 16 bytes that carry their own data, relaxed; the barrier of the grid - add, release, and load, acquire;
// counts in block memory - add, relaxed, at block scope; statuses - plain, each by the thread of its transaction. The ends of the kernels
// order the stages.
// Causes of abort: those of the default engine.
// Limits: at most 64 elements a transaction; 32 bytes for each element that the longest one may access, and 8 for each element of the
// arrays that are written, at most 2^32 - 2 of them: otherwise, and where it prints, a transaction runs later.

// A transaction whose writes are listed. The status is not final: what a run that ends early has not run is not committed.
constexpr stm_status STM_IS_FORESEEN = STM_POSTPONED;

// Takes the place of `stm_tx` to find the writes.
template <class F>
struct stm_foresight : stm_tx_base {
  const stm_versions* versions;
  u64* ranges;
  u32 first, count, indexed, largest;

  // What depends on zeros ends nothing. It cannot change the accesses before the end.
  STM_DEVICE static constexpr bool ends(bool condition) { return F::FORESEEN_OUTCOME && condition; }

  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    if (!array.holds(index)) return fault(STM_FAULT_INDEX, location);
    if (slot == STM_INDEXED) indexed += 1;
    *out = stm_word<T>::to(0);
    return STM_OK;
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32 slot, u32 location, const Array& array, u64 index, T value) {
    if (!array.holds(index)) return fault(STM_FAULT_INDEX, location);
    if (slot == STM_INDEXED) indexed += 1;
    if (array.at.extra == nullptr) return STM_CONFLICT;
    if (count < STM_WRITES) {
      u32 key = (u32)((u64*)array.at.extra - ranges) + (u32)index + 1;
      versions->keys[0][first + count] = key;
      if (key > largest) largest = key;
      // mutation "publish what is not foreseen": bool is_foreseen = F::FORESEEN_OUTCOME;
      bool is_foreseen = F::FORESEEN_OUTCOME && F::is_foreseen(location);
      // What is added to zero is what is added.
      u64 state = is_foreseen ? STM_PUBLISHED : STM_EXPECTED;
      if (F::is_addition(location)) state = F::is_immediate(location) ? STM_ADDS_UP : STM_ADDS_LATE;
      versions->store(first + count, state, stm_to_word(value));
    }
    count += 1;
    return STM_OK;
  }

  // Takes the list back.
  STM_DEVICE void withdraw() const {
    for (u32 nth = 0; nth < count && nth < STM_WRITES; ++nth) versions->keys[0][first + nth] = 0;
  }
};

template <class Specialization, class... Arrays>
STM_DEVICE void stm_list_writes(const stm_params& p, u32 transaction, Arrays... arrays) {
  typedef typename Specialization::facts facts;
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  stm_versions versions(p);
  stm_foresight<facts> tx;
  tx.versions = &versions;
  tx.ranges = p.sums;
  tx.first = transaction * (u32)STM_WRITES;
  tx.iterations = tx.count = tx.indexed = tx.largest = 0;
  u64 result[facts::RESULTS == 0 ? 1 : facts::RESULTS];
  stm_status status = Specialization::body(tx, p, args, result);
  bool is_listed = tx.count <= STM_WRITES;
  // Only a set can tell whether some accesses are of one element.
  if (facts::STATED && tx.indexed > facts::INDEXED) is_listed = false;
  if (status != STM_OK || !is_listed) {
    // mutation "withdraw":
    tx.withdraw();
    if constexpr (STM_PUSHED) {
      if (is_listed && status != STM_CONFLICT) {
        p.status[transaction] = STM_IS_FORESEEN;
      } else {
        // mutation "notice who cannot run in turn":
        stm_add_relaxed(p.counters + STM_LEFT_CONFLICT, 1);
      }
    }
    return;
  }
  if (tx.largest > stm_load_relaxed(versions.largest)) stm_max_relaxed(versions.largest, tx.largest);
  p.status[transaction] = STM_IS_FORESEEN;
}

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_foresee(const stm_params& p, u32 transaction, Arrays... arrays) {
  if constexpr (!Specialization::facts::READ_ONLY) stm_list_writes<Specialization>(p, transaction, arrays...);
  return 0;
}

// The fewest places of a block that sorts.
constexpr u32 STM_SORT_SHARE = 4096;

STM_DEVICE void stm_order_writes(const stm_params& p) {
  STM_SHARED_ARRAY(stm_sort_memory, memory, 1);
  STM_SHARED_ARRAY(stm_span, of_warps, STM_SORT_WARPS);
  stm_versions versions(p);
  u32 bits = versions.bits();
  u64 blocks = versions.size / STM_SORT_SHARE + 1;
  if (blocks > gridDim.x) blocks = gridDim.x;
  if (blockIdx.x >= blocks || bits == 0) return;
  stm_sort sort;
  sort.keys = versions.keys[0], sort.next_keys = versions.keys[1];
  sort.places = versions.places[0], sort.next_places = versions.places[1];
  sort.totals = versions.totals, sort.histogram = versions.histogram;
  sort.grid = {versions.arrived, blocks, 0};
  sort.own = memory;
  sort.shift = 0;
  sort.share_out((u32)versions.size);
#pragma unroll 1
  for (; sort.shift < bits; sort.shift += 8) sort.pass();
  // The keys are sorted: each range begins and ends where neighbours differ.
  const u32* keys = sort.keys;
  u32 *ranges = (u32*)p.sums, threads = (u32)blocks * blockDim.x;
  for (u32 at = blockIdx.x * blockDim.x + threadIdx.x; at < sort.size; at += threads) {
    u32 key = keys[at];
    if (at == 0 || keys[at - 1] != key) ranges[2 * (u64)(key - 1)] = at;
    // mutation "end of a range": if (at + 1 == sort.size || keys[at + 1] != key) ranges[2 * (u64)(key - 1) + 1] = at;
    if (at + 1 == sort.size || keys[at + 1] != key) ranges[2 * (u64)(key - 1) + 1] = at + 1;
  }
  if constexpr (STM_ADDS) stm_running_sums{&versions, sort, of_warps}.resolve();
}

// Takes the place of `stm_tx` to run. Its attempts all make the same accesses, and each goes on where the last one had to wait.
template <class F>
struct stm_in_order : stm_tx_base {
  static constexpr bool COUNTS = STM_PUSHED && F::READ_ONLY && F::STATED;
  // The most values that are kept from one attempt to the next.
  static constexpr u32 KEPT = F::SLOTS + F::INDEXED < 64 ? F::SLOTS + F::INDEXED + 1 : 64;
  static constexpr u32 MADE = F::FORESEEN_OUTCOME || F::READ_ONLY ? 1 : (u32)STM_WRITES;

  const stm_versions* versions;
  const u32* sorted;
  u32 first, count, indexed, reads;
  u32 known;          // reads whose values are kept
  u32 waiting, from;  // the last read that had to wait, and the end of the range in which it looks
  u64 found[KEPT];
  u64 made[MADE];
  stm_log log;

  STM_DEVICE void begin() {
    iterations = count = indexed = reads = 0;
    log.count = 0;
  }

  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    if (!array.holds(index)) return fault(STM_FAULT_INDEX, location);
    if (COUNTS && slot == STM_INDEXED) indexed += 1;
    stm_ref ref = array.ref(index);
    if constexpr (STM_RECORDED) note(false, ref, stm_history_key(array, index));
    u32 nth = reads++;
    u64 word = 0;
    if (nth < known) {
      word = found[nth];
    } else {
      u64 both = array.at.extra == nullptr ? 0 : __ldg((const u64*)array.at.extra + index);
      stm_place_range range = {(u32)both, (u32)(both >> 32)};
      stm_pair version = {STM_ON_ELEMENT, 0};
      if (range.begin != range.end && !look_back(nth, range, &version)) return STM_CONFLICT;
      word = version.value;
      // No element changes while the stage runs.
      if (version.word == STM_ON_ELEMENT) word += stm_constant_load(ref.value, ref.width == 0 ? 8 : ref.width);
      if (nth < KEPT) {
        found[nth] = word;
        known = nth + 1;
      }
    }
    *out = stm_word<T>::to(word);
    return STM_OK;
  }

  // Finds the version that this transaction reads, if there is one. Returns false if it is not there yet.
  STM_DEVICE bool look_back(u32 nth, stm_place_range range, stm_pair* found) {
    // mutation "go on where another read waits": u32 high = waiting != ~0u ? from : places_before(range), first_void = ~0u, steps = 0;
    u32 high = nth == waiting ? from : places_before(range), first_void = ~0u, steps = 0;
#pragma unroll 1
    while (high > range.begin) {
      u32 place = __ldg(sorted + high - 1);
      if (place >= first) {
        *found = F::FORESEEN_OUTCOME ? versions->load(place) : stm_pair{STM_PUBLISHED, made[F::FORESEEN_OUTCOME ? 0 : place - first]};
        break;
      }
      stm_pair version = versions->load(place);
      // mutation "wait for a version": if (version.word == STM_EXPECTED) version = {STM_VOID, 0}; if (false) {
      if (version.word == STM_EXPECTED) {
        waiting = nth, from = high;
        return false;
      }
      if (version.word != STM_VOID) {
        *found = version;
        break;
      }
      if (steps == 0) first_void = place;
      steps += 1;
      high = version.value == 0 ? high - 1 : (u32)version.value - 1;
    }
    // The next transaction need not take the same steps.
    if (steps > 1) versions->store(first_void, STM_VOID, (u64)high + 1);
    return true;
  }

  // Returns where the places of an element end that come before the next write of this transaction.
  STM_DEVICE u32 places_before(stm_place_range range) const {
    // mutation "own writes": u32 now = first, high = range.end;
    // mutation "source of a read": u32 now = first + STM_WRITES, high = range.end;
    u32 now = first + count, high = range.end;
    for (u32 low = range.begin; low < high;) {
      u32 middle = (low + high) / 2;
      if (__ldg(sorted + middle) < now) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return high;
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32, u32 location, const Array& array, u64 index, T value) {
    if (!array.holds(index)) return fault(STM_FAULT_INDEX, location);
    if constexpr (STM_RECORDED) note(true, array.ref(index), stm_history_key(array, index));
    u64 word = stm_to_word(value);
    // mutation "publish too early": versions->store(first + count, STM_PUBLISHED, word); if constexpr (!F::FORESEEN_OUTCOME) {
    if constexpr (!F::FORESEEN_OUTCOME) {
      made[count] = word;
    } else if (!F::is_foreseen(location)) {
      versions->store(first + count, STM_PUBLISHED, word);
    }
    count += 1;
    return STM_OK;
  }

  // Adds an entry to the history, unless it has the same one. `record` replaces the address of the lock word by its version.
  STM_DEVICE void note(bool is_write, const stm_ref& ref, u64 key) {
    for (u64 nth = 0; nth < log.count; ++nth) {
      if (log.at[1 + 2 * nth] == ((is_write ? STM_HISTORY_WRITE : 0) | key)) return;
    }
    log.put(is_write, key, (u64)ref.lock);
  }

  STM_DEVICE void record() {
    for (u64 nth = 0; nth < log.count; ++nth) {
      u64* lock = (u64*)log.at[2 + 2 * nth];
      bool is_write = (log.at[1 + 2 * nth] & STM_HISTORY_WRITE) != 0;
      log.at[2 + 2 * nth] = is_write ? (stm_fetch_add_relaxed(lock, 2) >> 1) + 1 : stm_load_relaxed(lock) >> 1;
    }
    log.at[0] = log.count | STM_HISTORY_UNORDERED;
  }

  STM_DEVICE void publish() const {
    if constexpr (!F::FORESEEN_OUTCOME) {
      for (u32 nth = 0; nth < count; ++nth) versions->store(first + nth, STM_PUBLISHED, made[nth]);
    }
  }

  STM_DEVICE void give_up() const {
    if constexpr (!F::READ_ONLY) {
      for (u32 nth = 0; nth < STM_WRITES; ++nth) versions->store(first + nth, STM_VOID, 0);
    }
  }
};

// Nanoseconds between the attempts of a transaction.
constexpr u32 STM_SHORTEST_PAUSE = 32, STM_LONGEST_PAUSE = 512;

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_run_in_order(const stm_params& p, u32 transaction, Arrays... arrays) {
  typedef typename Specialization::facts facts;
  // mutation "turns of readers": if (p.status[transaction] != STM_IS_FORESEEN) return 0;
  if (!(STM_PUSHED && facts::READ_ONLY) && p.status[transaction] != STM_IS_FORESEEN) return 0;
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  stm_versions versions(p);
  stm_in_order<facts> tx;
  tx.versions = &versions;
  tx.sorted = versions.sorted();
  tx.first = transaction * (u32)STM_WRITES;
  if constexpr (STM_RECORDED) tx.log.at = p.log + (u64)transaction * p.log_stride;
  u64 result[facts::RESULTS == 0 ? 1 : facts::RESULTS] = {};
  stm_status status;
  tx.known = 0, tx.waiting = ~0u;
#pragma unroll 1
  for (u32 pause = STM_SHORTEST_PAUSE;; pause = pause < STM_LONGEST_PAUSE ? 2 * pause : pause) {
    tx.begin();
    status = Specialization::body(tx, p, args, result);
    if (status != STM_CONFLICT) break;
    __nanosleep(pause);
  }
  if (tx.COUNTS && tx.indexed > facts::INDEXED) {
    stm_add_relaxed(p.counters + STM_LEFT_CONFLICT, 1);
    return 0;
  }
  if (status != STM_OK) {
    // mutation "void versions":
    tx.give_up();
    // mutation "end at its turn": p.status[transaction] = STM_PENDING;
    p.status[transaction] = STM_PUSHED ? (u8)status : (u8)STM_PENDING;
    if constexpr (STM_PUSHED) {
      // mutation "detail of an end":
      if (status != STM_POSTPONED) p.detail[transaction] = tx.detail;
      stm_add_relaxed(p.counters + (status == STM_POSTPONED ? (u32)STM_POSTPONEMENTS : (u32)status - 1), 1);
    }
    return 0;
  }
  // mutation "publish":
  tx.publish();
  p.status[transaction] = STM_OK;
  if constexpr (facts::RESULTS != 0) stm_store_result<facts::RESULTS>(p, transaction, result);
  if constexpr (STM_RECORDED) tx.record();
  return 1;
}

// Stores the last version of each element of an array.
template <class T, bool CELLS>
STM_DEVICE void stm_install(const stm_params& p, const stm_address& array) {
  if (array.extra == nullptr) return;
  stm_versions versions(p);
  const u32* sorted = versions.sorted();
  u64 threads = (u64)gridDim.x * blockDim.x;
#pragma unroll 1
  for (u64 index = (u64)blockIdx.x * blockDim.x + threadIdx.x; index < array.len; index += threads) {
    u64 both = __ldg((const u64*)array.extra + index);
    u32 begin = (u32)both, at = (u32)(both >> 32);
#pragma unroll 1
    while (at > begin) {
      u32 place = __ldg(sorted + at - 1);
      stm_pair version = versions.load(place);
      bool is_known = version.word == STM_PUBLISHED || version.word == STM_ON_ELEMENT;
      if (is_known && p.status[place / (u32)STM_WRITES] == STM_OK) {
        u8* value = array.data + (CELLS ? (index << 4) + 8 : index * sizeof(T));
        u64 word = version.value;
        if (version.word == STM_ON_ELEMENT) word += stm_value_load(value, CELLS ? 8 : (u32)sizeof(T));
        // Sums are of 64 bits.
        word = stm_to_word(stm_word<T>::to(word));
        // mutation "install an element":
        stm_value_store(value, CELLS ? 0 : (u32)sizeof(T), word);
        break;
      }
      at = version.word == STM_VOID && version.value != 0 ? (u32)version.value - 1 : at - 1;
    }
  }
}
