// in-order: first runs the transactions whose accesses follow from their arguments, all at once, with the outcome of running them in
// the order of the batch; then the others as the default engine does.
//
// Source: ours, on versions that are placed before execution (BOHM: Faleiro, Abadi, VLDB 2015) and on early visibility of what cannot be
// undone (PWV: Faleiro, Abadi, Hellerstein, VLDB 2017).
//
// The analysis finds the procedures. Their functions run as they are, on other values:
//   stm_foresee        on zeros, past whatever could end it and is not known. It lists the elements that the transaction writes. What is
//                      written and known is published at once, where it is known whether the transaction commits
//   stm_order_writes   sorts the lists of all transactions by element, and each element's by transaction
//   stm_add_up_writes  publishes writes that add to what the element holds something that is known, and others that follow from it: see
//                      running_sums.cuh and placed_pieces.cuh
//   stm_foresee_late   runs those again whose accesses depend on tickets, which are known by then. It lists the other elements, which
//   stm_order_late_writes, stm_add_up_late_writes   treat like those before
//   stm_run_in_order   reads, for each element, what the last transaction before this one has published, or what the array holds. It
//                      waits where that is not there yet. At the end it publishes what it has written
//   stm_install        for each element: stores what the last transaction has published
//
// Invariants
//   - A place is the number of a write in its listing, or of several to arrays that have their places together: see placed_versions.cuh.
//     Those of transaction t are t * WRITES and the ones after it, in the order of the function. All stages make the same writes in the
//     same order, up to where an attempt ends.
//   - The writes of an array are all in one listing. So the places of an element are complete when they are sorted, and only then are
//     values read by them. Those of tickets are in the first one, and all of them add what is known there.
//   - An array that is not read needs no versions. A transaction that commits stores what it writes there, where it is the only one that
//     writes the element. Otherwise the last one counts. Where all writes add, each adds to the element, or to a sum that it gets at the end.
//   - What the first listing publishes of a transaction that ends on tickets counts only if the second one finds that it commits. Where
//     one does not, the host begins again without it.
//   - No element that a transaction reads changes before all transactions of the chunk have ended. In push order, none changes at all.
//   - A transaction waits for earlier ones alone, and each thread runs its transactions in ascending order: so the first that has not
//     ended waits for none. All threads of the launch run at the same time, and so do the lanes of a warp: one may wait for another.
//   - A transaction that commits publishes every write. A transaction that faults, is rejected or waits publishes that its places are void.
//     One that waits runs later, under locks, and sees everything that was installed. The others have ended: what they have read is what
//     they find at their turn.
//   - A transaction that is published before it runs ends as foreseen. One that does not run at all, because the run ends early, is not
//     installed.
//   - A transaction that ends in any case without an effect is not listed, and runs at its turn.
//   - Where the batch runs in push order (STM_PUSHED), each transaction ends at its turn, or waits for what commits later. If the
//     accesses of one are not known after all, the host learns it before anything is installed. Transactions that write nothing need not
//     be foreseen.
//   - Histories: the transactions under a lock word are numbered by the host, in the order of the batch.
//
// Atomics: versions - cells of 16 bytes that carry their own data, relaxed; the barrier of the grid - add, release, and load, acquire;
// counts in block memory - add, relaxed, at block scope; statuses - plain, each by the thread of its transaction. The ends of the kernels
// order the stages.
// Causes of abort: those of the default engine.
// Limits: at most 512 writes a transaction; for each place that the longest one may need, 16 bytes and 16 for each cell, and 8 for each
// element of the arrays that are written, at most 2^32 - 2 of them: otherwise, and where it prints, a transaction runs later.

template <bool LATE>
STM_DEVICE void stm_order_listing(const stm_params& p) {
  STM_SHARED_ARRAY(stm_sort_memory, memory, 1);
  stm_versions<LATE> versions(p);
  u32 bits = versions.bits();
  u64 blocks = versions.size / STM_SORT_SHARE + 1;
  if (blocks > stm_blocks()) blocks = stm_blocks();
  if (stm_block() >= blocks || bits == 0) return;
  stm_sort sort;
  sort.keys = versions.keys[0], sort.next_keys = versions.keys[1], sort.later_keys = versions.keys[2];
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
  u32 *ranges = (u32*)p.sums, *before = versions.before(), threads = (u32)blocks * blockDim.x;
  if (stm_block() == 0 && threadIdx.x == 0) *versions.listed = sort.size;
  for (u32 at = stm_block() * blockDim.x + threadIdx.x; at < sort.size; at += threads) {
    u32 key = keys[at];
    bool is_first = at == 0 || keys[at - 1] != key;
    if (is_first) ranges[2 * (u64)(key - 1)] = at;
    if (versions.KEEPS_BEFORE) before[sort.places[at]] = is_first ? STM_NO_PLACE : sort.places[at - 1];
    // mutation "end of a range": if (at + 1 == sort.size || keys[at + 1] != key) ranges[2 * (u64)(key - 1) + 1] = at;
    if (at + 1 == sort.size || keys[at + 1] != key) ranges[2 * (u64)(key - 1) + 1] = at + 1;
  }
}

STM_DEVICE void stm_order_writes(const stm_params& p) { stm_order_listing<false>(p); }
template <bool LATE = true>
STM_DEVICE void stm_order_late_writes(const stm_params& p) { stm_order_listing<LATE>(p); }
STM_DEVICE void stm_add_up_writes(const stm_params& p) { stm_add_up<false>(p); }
template <bool LATE = true>
STM_DEVICE void stm_add_up_late_writes(const stm_params& p) { stm_add_up<LATE>(p); }

// Takes the place of `stm_tx` to run.
template <class F>
struct stm_in_order : stm_tx_base {
  static constexpr bool COUNTS = STM_PUSHED && F::READ_ONLY && F::STATED;
  static constexpr u32 MADE = F::FORESEEN_OUTCOME || F::READ_ONLY ? 1 : (u32)(STM_WRITES * STM_CELLS + STM_LATE_WRITES * STM_LATE_CELLS);

  const stm_versions<false>* versions;
  const stm_versions<true>* late_versions;
  const stm_unread* unread;
  const u32 *sorted, *late_sorted;
  const u64* ranges;
  u32 transaction, count, late_count, unread_count, indexed;
  // Where the last look for an element of several cells ended. The next read is often of the same record, and finds its value there.
  const u64* latest;  // its range; null if there was none, or a write came after it
  u32 latest_place;   // STM_NO_PLACE where the array holds the value
  bool is_refused;    // its writes are not listed, because it ends without an effect
  u64 refused;      // of the arrays that decide about ends, those to which such a one would have written: a bit for some of them
  u64 made[MADE];
  stm_log log;

  STM_DEVICE void begin() {
    iterations = count = late_count = unread_count = indexed = 0;
    log.count = 0;
    refused = 0;
    latest = nullptr;
  }

  // The bit of an array. One under two names has one.
  template <class Array>
  STM_DEVICE static u64 bit_of(const Array& array) { return 1ull << ((u64)array.at.data >> 8 & 63); }

  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    if (!array.holds(index)) return fault(STM_FAULT_INDEX, location);
    if (COUNTS && slot == STM_INDEXED) indexed += 1;
    stm_ref ref = array.ref(index);
    if constexpr (STM_RECORDED) note(false, ref, stm_history_key(array, index));
    if constexpr (F::is_unneeded(Array::PARAM)) {
      *out = stm_word<T>::to(0);
      return STM_OK;
    }
    // No place has what it has written itself.
    // mutation "own writes of what ends":
    if (F::is_decisive(Array::PARAM) && (refused & bit_of(array)) != 0) return STM_CONFLICT;
    stm_pair version = look<Array>(array.at, index);
    u64 word = version.value;
    // No element changes while the stage runs.
    if (version.word == STM_ON_ELEMENT) word += stm_constant_load(ref.value, ref.width == 0 ? 8 : ref.width);
    *out = stm_word<T>::to(word);
    return STM_OK;
  }

  // Whether the writes of an array are in the second listing.
  template <class Array>
  STM_DEVICE static constexpr bool is_late() { return STM_LATE_WRITES != 0 && F::is_late(Array::PARAM); }

  // What it has written to such arrays.
  STM_DEVICE u64* late_made() { return made + (MADE == 1 ? 0 : STM_WRITES * STM_CELLS); }

  // Returns the version that this transaction reads of an element, once it is there.
  template <class Array>
  STM_DEVICE stm_pair look(const stm_address& array, u64 index) {
    constexpr u32 CELL = F::cell(Array::PARAM);
    constexpr bool HAS_CELLS = F::cells(Array::PARAM) > 1;
    if (array.extra == nullptr) return {STM_ON_ELEMENT, 0};
    const u64* range = (const u64*)array.extra + index;
    constexpr bool AWAITED = F::is_awaited(Array::PARAM) && stm_versions<is_late<Array>()>::KEEPS_BEFORE;
    if constexpr (F::LONG) return look_called<is_late<Array>(), HAS_CELLS, AWAITED>(range, CELL);
    return look_at<is_late<Array>(), HAS_CELLS, AWAITED>(range, CELL);
  }

  // Where there are many accesses, each is a call: copies of them would take long to compile.
  template <bool OF, bool HAS_CELLS, bool AWAITED>
  STM_CALLED stm_pair look_called(const u64* range, u32 cell) { return look_at<OF, HAS_CELLS, AWAITED>(range, cell); }
  template <bool OF, bool HAS_CELLS, bool AWAITED>
  STM_DEVICE stm_pair look_at(const u64* range, u32 cell) {
    bool is_latest = HAS_CELLS && range == latest;
    stm_look look;
    if constexpr (OF) {
      look = look_in<AWAITED>(late_versions, late_sorted, late_count, late_made(), range, cell, is_latest);
    } else {
      look = look_in<AWAITED>(versions, sorted, count, made, range, cell, is_latest);
    }
    if constexpr (HAS_CELLS) latest = range, latest_place = look.place;
    return look.version;
  }

  template <bool AWAITED, bool OF>
  STM_DEVICE stm_look look_in(const stm_versions<OF>* versions, const u32* sorted, u32 count, const u64* made, const u64* range, u32 cell, bool is_latest) const {
    u32 first = transaction * versions->WRITES;
    stm_look look = {latest_place, {STM_ON_ELEMENT, 0}};
    if (!is_latest) {
      look = look_for<AWAITED>(versions, sorted, first, count, range, cell);
    } else if (look.place < first) {
      look.version = stm_wait_for(versions, look.place, cell);
    }
    if (look.place < first || look.place == STM_NO_PLACE) return look;
    // It has written the place itself.
    look.version = {STM_PUBLISHED, made[MADE == 1 ? 0 : (look.place - first) * versions->CELLS + cell]};
    if constexpr (F::FORESEEN_OUTCOME) look.version = versions->load(look.place, cell);
    return look;
  }

  // The place before the transaction's own write to the element is at hand. Otherwise, and if nothing was published there, it is looked for.
  template <bool AWAITED, bool OF>
  STM_DEVICE stm_look look_for(const stm_versions<OF>* versions, const u32* sorted, u32 first, u32 count, const u64* range, u32 cell) const {
    if constexpr (AWAITED) {
      stm_look look = {STM_NO_PLACE, {STM_ON_ELEMENT, 0}};
      if (stm_find_before(versions, first, count, (u32)(range - ranges) + 1, &look.place)) {
        if (look.place < first) look.version = stm_wait_for(versions, look.place, cell);
        if (look.version.word != STM_VOID) return look;
      }
    }
    return stm_look_back(versions, sorted, first, count, stm_range_at(range), cell);
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32, u32 location, const Array& array, u64 index, T value) {
    if (!array.holds(index)) return fault(STM_FAULT_INDEX, location);
    if constexpr (STM_RECORDED) note(true, array.ref(index), stm_history_key(array, index));
    stm_known_write known(F::write_at(location, Array::PARAM));
    if (known.is_nothing) return STM_OK;
    constexpr u32 CELL = F::cell(Array::PARAM);
    // No stage takes back what is written here.
    // mutation "what ends writes nothing":
    if (is_refused) return refuse(array);
    if constexpr (F::is_unread(Array::PARAM)) {
      write_unread(array, index, stm_to_word(value));
      unread_count += 1;
    } else if constexpr (F::is_summed(Array::PARAM)) {
      add(array, index, value);
    } else if constexpr (is_late<Array>()) {
      put<CELL>(late_versions, &late_count, late_made(), known, stm_to_word(value));
    } else {
      put<CELL>(versions, &count, made, known, stm_to_word(value));
    }
    return STM_OK;
  }

  template <class Array>
  STM_DEVICE stm_status refuse(const Array& array) {
    if (F::is_decisive(Array::PARAM)) refused |= bit_of(array);
    return STM_OK;
  }

  template <class Array>
  STM_DEVICE void write_unread(const Array& array, u64 index, u64 word) const {
    stm_ref ref = array.ref(index);
    if (stm_unread::is_direct(array.at)) {
      stm_value_store(ref.value, ref.width, word);
    } else {
      unread->keep((u64*)array.at.extra + index, F::cell(Array::PARAM), transaction, unread_count, word);
    }
  }

  // It commits, and has read a zero: the value is what it adds.
  template <class Array, class T>
  STM_DEVICE static void add(const Array& array, u64 index, T value) {
    u64 word = stm_to_word(value);
    if (word == 0) return;
    if constexpr (!stm_adds_in_place<T>(Array::IS_CELLS)) {
      // mutation "sums apart": stm_store_relaxed((u64*)array.at.extra + index, word);
      stm_add_relaxed((u64*)array.at.extra + index, word);
    } else if constexpr (sizeof(T) == 4) {
      // mutation "sums in place": stm_store_relaxed((u32*)array.ref(index).value, (u32)word);
      stm_add_relaxed((u32*)array.ref(index).value, (u32)word);
    } else {
      stm_add_relaxed((u64*)array.ref(index).value, word);
    }
  }

  template <u32 CELL, bool OF>
  STM_DEVICE void put(const stm_versions<OF>* to, u32* nth, u64* made, stm_known_write known, u64 word) {
    // mutation "place of the last look": if (CELL == 0) *nth += 1;
    if (CELL == 0) *nth += 1, latest = nullptr;
    // mutation "publish too early": to->store(transaction * to->WRITES + *nth - 1, CELL, STM_PUBLISHED, word); if constexpr (!F::FORESEEN_OUTCOME) {
    if constexpr (!F::FORESEEN_OUTCOME) {
      made[(*nth - 1) * to->CELLS + CELL] = word;
    } else if (known.listing == 2 && !known.is_resolved) {
      to->store(transaction * to->WRITES + *nth - 1, CELL, STM_PUBLISHED, word);
    }
  }

  // Adds an entry to the history, unless it has the same one. `record` replaces the address of the lock word by its version.
  STM_DEVICE void note(bool is_write, const stm_ref& ref, u64 key) {
    for (u64 nth = 0; nth < log.count; ++nth) {
      if (log.at[1 + 2 * nth] == ((is_write ? STM_HISTORY_WRITE : 0) | key)) return;
    }
    log.put(is_write, key, (u64)ref.lock);
  }

  // Without a commit, nothing was written.
  STM_DEVICE void record(bool commits) {
    u64 kept = 0;
    for (u64 nth = 0; nth < log.count; ++nth) {
      u64 what = log.at[1 + 2 * nth], *lock = (u64*)log.at[2 + 2 * nth];
      bool is_write = (what & STM_HISTORY_WRITE) != 0;
      if (is_write && !commits) continue;
      log.at[1 + 2 * kept] = what;
      log.at[2 + 2 * kept] = is_write ? (stm_fetch_add_relaxed(lock, 2) >> 1) + 1 : stm_load_relaxed(lock) >> 1;
      kept += 1;
    }
    log.at[0] = kept | STM_HISTORY_UNORDERED;
  }

  STM_DEVICE void publish() {
    if constexpr (!F::FORESEEN_OUTCOME) {
      publish(versions, count, made);
      publish(late_versions, late_count, late_made());
    }
  }

  template <bool OF>
  STM_DEVICE void publish(const stm_versions<OF>* to, u32 count, const u64* made) const {
    for (u32 nth = 0; nth < count; ++nth) {
      for (u32 cell = 0; cell < to->CELLS; ++cell) {
        to->store(transaction * to->WRITES + nth, cell, STM_PUBLISHED, made[nth * to->CELLS + cell]);
      }
    }
  }

  STM_DEVICE void give_up() const {
    if constexpr (!F::READ_ONLY) give_up(versions);
    if constexpr (!F::READ_ONLY && STM_LATE_WRITES != 0) give_up(late_versions);
  }

  template <bool OF>
  STM_DEVICE void give_up(const stm_versions<OF>* from) const {
    for (u32 nth = 0; nth < from->WRITES; ++nth) {
      for (u32 cell = 0; cell < from->CELLS; ++cell) from->store(transaction * from->WRITES + nth, cell, STM_VOID, 0);
    }
  }
};

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_run_in_order(const stm_params& p, u32 transaction, Arrays... arrays) {
  typedef typename Specialization::facts facts;
  bool is_refused = p.status[transaction] == STM_IS_REFUSED, has_turn = is_refused || (STM_PUSHED && facts::READ_ONLY);
  // mutation "turns of readers": if (p.status[transaction] != STM_IS_FORESEEN && !is_refused) return 0;
  if (!has_turn && p.status[transaction] != STM_IS_FORESEEN) return 0;
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  stm_versions<false> versions(p);
  stm_versions<true> late_versions(p);
  stm_unread unread(p);
  stm_in_order<facts> tx;
  tx.unread = &unread;
  tx.versions = &versions;
  tx.late_versions = &late_versions;
  tx.ranges = p.sums;
  tx.sorted = versions.sorted();
  if constexpr (STM_LATE_WRITES != 0) tx.late_sorted = late_versions.sorted();
  tx.transaction = transaction;
  tx.is_refused = is_refused;
  if constexpr (STM_RECORDED) tx.log.at = p.log + (u64)transaction * p.log_stride;
  u64 result[facts::RESULTS == 0 ? 1 : facts::RESULTS] = {};
  tx.begin();
  stm_status status = Specialization::body(tx, p, args, result);
  if ((tx.COUNTS && tx.indexed > facts::INDEXED) || (is_refused && (status == STM_OK || status == STM_CONFLICT))) {
    tx.give_up();
    if (STM_PUSHED) stm_add_relaxed(p.counters + STM_LEFT_CONFLICT, 1);
    return 0;
  }
  if (status != STM_OK) {
    // mutation "void versions":
    tx.give_up();
    // In any order, a transaction that waits is not attempted here again.
    bool has_ended = STM_PUSHED || status != STM_POSTPONED;
    // mutation "end at its turn": p.status[transaction] = STM_PENDING;
    p.status[transaction] = has_ended ? (u8)status : (u8)STM_PENDING;
    if (has_ended) {
      if constexpr (STM_RECORDED) tx.record(false);
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
  if constexpr (STM_RECORDED) tx.record(true);
  return 1;
}
