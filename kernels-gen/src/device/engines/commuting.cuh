// commuting: first runs the transactions whose order does not matter, all at once and without locks, then the others as the default
// engine does.
//
// Source: ours, on the escrow method (O'Neil: The Escrow Transactional Method, TODS 1986): an update that adds to an element needs no
// lock if every value that the element can have meanwhile satisfies the conditions of all transactions.
//
// The analysis finds the procedures: each element changes by one operation that commutes with itself, by a value that follows from the
// arguments; what decides whether an attempt goes on are bounds of single elements that change by sums; and the result follows from
// the arguments. Their functions run as they are, on other values:
//   stm_sum_changes      on the values that the elements have. What they may add to an element and take from it is summed up
//   stm_apply_changes    on the least and on the greatest value that each element can have while others run. A transaction that
//                        commits on both commits on every value between them, because bounds are intervals. It is committed.
//                        Operations other than sums change the element itself. The changes of those that do not pass are summed up apart:
//                        most pass. Where the run may end before all are visited, those of the committed are, instead
//   stm_settle_changes   for each element: adds what was committed to its value
//   stm_reserve_changes  for those that did not pass, because together they could take more than there is. Each announces its changes in
//                        the sums of what may be added and taken, and then runs on the least and on the greatest value that follows from
//                        the sums of that moment. It commits and publishes its changes, or takes the announcement back. The host launches
//                        this again while it brings something, and then settles once more
// Where there are few elements, a block sums up in copies in its own memory, and adds these to the sums in the end.
//
// Invariants
//   - No element that changes by sums changes before `stm_settle_changes`.
//   - The first two stages: a transaction that is committed is in the sums of all its elements. So at every time, in whatever order, an
//     element has at least its first value without what all of them may take, and at most its first value with what all of them may add.
//   - Reservations: the order is that of the fences between announcement and test. What a transaction finds added was published, by
//     one whose fence came before. What one with an earlier fence takes was announced before that fence, so the test finds it. So the least
//     value of the test is at most what the element has in this order; the greatest value likewise. Announcements of those that
//     fail, or come later, make a test stricter, never wrong.
//   - Two slots of a transaction may be one element, as in a transfer from an account to itself, if the first one is not used any more when
//     the second one is read. The limits of both contain what the element can hold then.
//   - A transaction that does not pass, faults, is rejected, waits, or uses two slots of one element in turn changes nothing. It runs later,
//     under locks, and sees everything that was added.
//   - The host zeroes the sums when the transactions of a chunk arrive, and before the reservations.
//   - Histories: each version of a lock word is installed by one commit, in some order. The host numbers them anew: those of the first
//     stages by transaction, and then reservations by their turns, which they take between two fences.
//
// Atomics: sums and elements - add and load, relaxed, or compare-and-swap, relaxed, but values, and sums that no thread changes meanwhile, are loaded
// as constants; copies in block memory - add, relaxed, at block scope;
// reservations - fences, sequentially consistent; statuses - plain, each by the thread of its transaction. The ends of the kernels order
// the stages, and a barrier of the block the copies.
// Causes of abort: those of the default engine.
// Limits: 32 bytes for each element that changes by sums; changes below 2^31; at most 8 elements a transaction.

// A transaction whose changes are in the sums. The status is not final: what a run that ends early has not applied is not committed.
constexpr stm_status STM_IS_SUMMED = STM_POSTPONED;

// Adds to a sum in block memory. The device has no 64-bit addition there, so the halves are added, with what the lower one carries.
STM_DEVICE void stm_block_add(u64* sum, u64 amount) {
  u32 *halves = (u32*)sum, low = (u32)amount, high = (u32)(amount >> 32);
  // mutation "carry of a copy": stm_block_fetch_add_relaxed(halves, low);
  high += (u32)(stm_block_fetch_add_relaxed(halves, low) + low < low);
  if (high != 0) stm_block_fetch_add_relaxed(halves + 1, high);
}

// The copies of a block: of the last two words of each element's sums.
struct stm_copies {
  static constexpr u32 WORDS = 2;
  // Every thread of the block calls this before the first addition.
  STM_DEVICE static void begin(const stm_params& p) {
    STM_BLOCK_MEMORY(memory);
    for (u64 at = threadIdx.x; at < WORDS * p.in_block; at += blockDim.x) ((u64*)memory)[at] = 0;
    __syncthreads();
  }
  // Adds to `may_add` or `may_take` of an element, or to its copy.
  STM_DEVICE static void add(const stm_params& p, stm_sums* element, bool adds, u64 amount) {
    if (p.in_block == 0) return stm_add_relaxed(adds ? &element->may_add : &element->may_take, amount);
    STM_BLOCK_MEMORY(memory);
    stm_block_add((u64*)memory + WORDS * (u64)(element - (const stm_sums*)p.sums) + !adds, amount);
  }
  // Every thread of the block calls this after the last addition.
  STM_DEVICE static void end(const stm_params& p) {
    if (p.in_block == 0) return;
    STM_BLOCK_MEMORY(memory);
    __syncthreads();
    for (u64 at = threadIdx.x; at < WORDS * p.in_block; at += blockDim.x) {
      u64 sum = ((u64*)memory)[at];
      // mutation "copies of a block": if (sum != 0 && stm_block() == 0) stm_add_relaxed(p.sums + 4 * (at / WORDS) + 2 + at % WORDS, sum);
      if (sum != 0) stm_add_relaxed(p.sums + 4 * (at / WORDS) + 2 + at % WORDS, sum);
    }
  }
};

// The words of a result; C++ has no empty arrays.
template <class Specialization>
struct stm_result {
  static constexpr u32 WORDS = Specialization::facts::RESULTS == 0 ? 1 : Specialization::facts::RESULTS;
};

// Runs the function on such values.
template <class Specialization, class Set, class Args>
STM_DEVICE stm_status stm_run_on(Set& set, stm_assumption assumption, const stm_params& p, const Args& args, u64* result) {
  set.begin(assumption);
  return Specialization::body(set, p, args, result);
}

// Commits a transaction whose sums are made. Transactions with a turn come after those without, in that order.
template <class Specialization, class Set, class Args, class Result>
STM_DEVICE void stm_finish_changes(const stm_params& p, u32 transaction, Set& set, const Args& args, Result& result, u64 turn) {
  typedef typename Specialization::facts facts;
  if constexpr (Set::changes_otherwise()) stm_run_on<Specialization>(set, STM_APPLIED, p, args, result);
  p.status[transaction] = STM_OK;
  if constexpr (facts::RESULTS != 0) stm_store_result<facts::RESULTS>(p, transaction, result);
  if constexpr (STM_RECORDED) {
    stm_log log = {p.log + (u64)transaction * p.log_stride, 0};
    set.each_lock([&](const stm_changed& at, bool changes) {
      u64 version = (changes ? stm_fetch_add_relaxed(at.ref.lock, 2) : stm_load_relaxed(at.ref.lock)) >> 1;
      log.put(false, at.key, version);
      if (changes) log.put(true, at.key, version + 1);
    });
    log.at[0] = log.count | turn << STM_HISTORY_TURN_SHIFT | STM_HISTORY_UNORDERED;
  }
}

// The first stage begins and ends in each block with these.
STM_DEVICE void stm_begin_sum_changes(const stm_params& p) { stm_copies::begin(p); }
STM_DEVICE void stm_end_sum_changes(const stm_params& p) { stm_copies::end(p); }

// Returns whether the first stages visit all transactions. `added` and `taken` are then of those that do not pass.
STM_DEVICE bool stm_is_whole(const stm_params& p) { return p.fresh != 0; }

// Adds the changes to the sums of those that have committed, or have not passed.
template <class Set>
STM_DEVICE void stm_publish(Set& set) {
  // mutation "what is taken": set.each_sum([&](const stm_changed& at) { stm_add_relaxed(&at.sums->added, at.amount); });
  set.each_sum([&](const stm_changed& at) { stm_add_relaxed(at.adds ? &at.sums->added : &at.sums->taken, at.amount); });
}

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_sum_changes(const stm_params& p, u32 transaction, Arrays... arrays) {
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  stm_change_set<typename Specialization::facts> set;
  u64 result[stm_result<Specialization>::WORDS];
  if (stm_run_on<Specialization>(set, STM_PRESENT, p, args, result) == STM_OK && set.is_simple()) {
    set.each_sum([&](const stm_changed& at) { stm_copies::add(p, at.sums, at.adds, at.amount); });
    p.status[transaction] = STM_IS_SUMMED;
  }
  return 0;
}

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_apply_changes(const stm_params& p, u32 transaction, Arrays... arrays) {
  typedef typename Specialization::facts facts;
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  if (p.status[transaction] != STM_IS_SUMMED) return 0;
  stm_change_set<facts> set;
  u64 result[stm_result<Specialization>::WORDS] = {};
  bool passes = stm_run_on<Specialization>(set, STM_PRESENT, p, args, result) == STM_OK;
  // mutation "test on the least values":
  passes = passes && stm_run_on<Specialization>(set, STM_LEAST, p, args, result) == STM_OK;
  passes = passes && stm_run_on<Specialization>(set, STM_GREATEST, p, args, result) == STM_OK;
  // mutation "apply what has not passed": if (passes = true; !stm_is_whole(p)) stm_publish(set);
  if (passes != stm_is_whole(p)) stm_publish(set);
  if (!passes) {
    p.status[transaction] = STM_PENDING;
    return 0;
  }
  stm_finish_changes<Specialization>(p, transaction, set, args, result, 0);
  return 1;
}

// Announces the changes of a transaction, or takes that back.
template <class Set>
STM_DEVICE void stm_announce(Set& set, bool is_back) {
  set.each_sum([&](const stm_changed& at) {
    stm_add_relaxed(at.adds ? &at.sums->may_add : &at.sums->may_take, is_back ? 0 - at.amount : at.amount);
  });
}

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_reserve_changes(const stm_params& p, u32 transaction, Arrays... arrays) {
  if (p.status[transaction] == STM_OK) return 0;
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  stm_change_set<typename Specialization::facts> set;
  u64 result[stm_result<Specialization>::WORDS] = {};
  if (stm_run_on<Specialization>(set, STM_CAUTIOUS, p, args, result) != STM_OK || !set.is_simple()) return 0;
  stm_announce(set, false);
  stm_fence_seq_cst();
  u64 turn = 0;
  if constexpr (STM_RECORDED) {
    // mutation "turn of a reservation": stm_fetch_add_relaxed(p.counters + STM_TURNS, 1);
    turn = stm_fetch_add_relaxed(p.counters + STM_TURNS, 1) + 1;
    stm_fence_seq_cst();
  }
  // mutation "publish before the test": stm_publish(set); @
  bool passes = stm_run_on<Specialization>(set, STM_LEAST, p, args, result) == STM_OK;
  passes = passes && stm_run_on<Specialization>(set, STM_GREATEST, p, args, result) == STM_OK;
  // mutation "test what was reserved": if (false) {
  if (!passes) {
    stm_announce(set, true);
    return 0;
  }
  // mutation "publish after the test":
  stm_publish(set);
  stm_finish_changes<Specialization>(p, transaction, set, args, result, turn);
  return 1;
}

// Adds what was committed to the elements of an array.
template <class T, bool CELLS>
STM_DEVICE void stm_settle_changes(const stm_params& p, const stm_address& array) {
  constexpr u32 WIDTH = CELLS ? 0 : (u32)sizeof(T);
  const stm_sums* sums = (const stm_sums*)array.extra;
  u64 threads = (u64)stm_blocks() * blockDim.x;
#pragma unroll 1
  for (u64 index = (u64)stm_block() * blockDim.x + threadIdx.x; index < array.len; index += threads) {
    u64 by = sums[index].added - sums[index].taken;
    // mutation "what has not passed": if (stm_is_whole(p)) by = sums[index].may_add - sums[index].may_take;
    if (stm_is_whole(p)) by = sums[index].may_add - sums[index].may_take - by;
    if (by == 0) continue;
    u8* value = array.data + (CELLS ? (index << 4) + 8 : index * sizeof(T));
    // mutation "settle an element": stm_value_store(value, WIDTH, by);
    stm_value_store(value, WIDTH, stm_value_load(value, WIDTH) + by);
  }
}
