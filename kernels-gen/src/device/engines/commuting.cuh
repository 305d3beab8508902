// commuting: first runs the transactions whose order does not matter, all at once and without locks, then the others as the default
// engine does.
//
// Source: ours, on the escrow method (O'Neil: The Escrow Transactional Method, TODS 1986): an update that adds to an element needs no
// lock if every value that the element can have meanwhile satisfies the conditions of all transactions.
//
// The analysis finds the procedures: each element changes by one operation that commutes with itself, by a value that follows from the
// arguments; what decides whether an attempt goes on are bounds of single elements that change by sums; and the result follows from
// the arguments. Their functions run as they are, on other values:
//   stm_sum_changes      on half of the greatest value of their type, or if that is too much, on the values that the elements have. What they
//                        may add to an element and take from it is summed up. Then also on a floor, and what they themselves take
//   stm_check_changes    for each element: whether it stays between the floor and that half, whatever has run
//   stm_apply_changes    where they do, what has committed on both commits for certain. Others run on the least and on the
//                        greatest value that each element can have while others run. A transaction that
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
//   - A floor and a half need no look at the elements, so where there is enough of everything, the first stages load elements only
//     one after the other.
//   - Histories: each version of a lock word is installed by one commit, in some order. The host numbers them anew: those of the first
//     stages by transaction, and then reservations by their turns, which they take between two fences.
//
// Atomics: sums and elements - add and load, relaxed, or compare-and-swap, relaxed, but values, and sums that no thread changes meanwhile, are loaded
// as constants; copies in block memory - add, relaxed, at block scope;
// reservations - fences, sequentially consistent; statuses - plain, each by the thread of its transaction. The ends of the kernels order
// the stages, and a barrier of the block the copies.
// Causes of abort: those of the default engine.
// Limits: 32 bytes for each element that changes by sums; changes below 2^31; at most 8 elements a transaction.

// A transaction whose changes are in the sums, and one that commits besides on every value from the floor to the half. The status is not
// final: what a run that ends early has not applied is not committed.
constexpr stm_status STM_IS_SUMMED = STM_POSTPONED, STM_IS_EASY = STM_CONFLICT;

// The deepest element of all, how many have too little, and whether there are sums of those that do not pass. All are between both kinds of sums.
STM_DEVICE u64* stm_depth_of_all(const stm_params& p) { return p.sums; }
STM_DEVICE u64* stm_short_elements(const stm_params& p) { return p.sums + 1; }
STM_DEVICE u64* stm_some_fail(const stm_params& p) { return p.sums - 1; }

// The part of the elements that is looked at where only a part of the transactions was summed up.
constexpr u64 STM_PROBED = 32;

// Adds to a sum in block memory. The device has no 64-bit addition there, so the halves are added, with what the lower one carries.
STM_DEVICE void stm_block_add(u64* sum, u64 amount) {
  u32 *halves = (u32*)sum, low = (u32)amount, high = (u32)(amount >> 32);
  // mutation "carry of a copy": stm_block_fetch_add_relaxed(halves, low);
  high += (u32)(stm_block_fetch_add_relaxed(halves, low) + low < low);
  if (high != 0) stm_block_fetch_add_relaxed(halves + 1, high);
}

// The copies of a block: of the sums of transactions that may commit.
struct stm_copies {
  static constexpr u32 WORDS = 2;
  // Every thread of the block calls this before the first addition.
  STM_DEVICE static void begin(const stm_params& p) {
    STM_BLOCK_MEMORY(memory);
    for (u64 at = threadIdx.x; at < WORDS * p.in_block; at += blockDim.x) ((u64*)memory)[at] = 0;
    __syncthreads();
  }
  // Adds to the sums of an element, or to their copy.
  STM_DEVICE static void add(const stm_params& p, stm_sums* element, bool adds, u64 amount) {
    u64* sum = adds ? &element->added : &element->taken;
    if (p.in_block == 0) return stm_add_relaxed(sum, amount);
    STM_BLOCK_MEMORY(memory);
    stm_block_add((u64*)memory + (sum - p.sums), amount);
  }
  // Every thread of the block calls this after the last addition.
  STM_DEVICE static void end(const stm_params& p) {
    if (p.in_block == 0) return;
    STM_BLOCK_MEMORY(memory);
    __syncthreads();
    for (u64 at = threadIdx.x; at < WORDS * p.in_block; at += blockDim.x) {
      u64 sum = ((u64*)memory)[at];
      // mutation "copies of a block": if (sum != 0 && stm_block() == 0) stm_add_relaxed(p.sums + at, sum);
      if (sum != 0) stm_add_relaxed(p.sums + at, sum);
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
  set.all = p.sums;
  return Specialization::body(set, p, args, result);
}

// Notes what a transaction changes, whatever the elements hold, or else by what they hold. Nothing else changes them meanwhile, so the stages
// note the same. Returns whether it commits there.
template <class Specialization, class Set, class Args>
STM_DEVICE bool stm_note_changes(Set& set, const stm_params& p, const Args& args, u64* result, bool* is_easy) {
  *is_easy = stm_run_on<Specialization>(set, STM_ABUNDANT, p, args, result) == STM_OK;
  return *is_easy || stm_run_on<Specialization>(set, STM_PRESENT, p, args, result) == STM_OK;
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

// Returns whether the first stages visit all transactions. The sums of those that have committed are then of those that do not pass.
STM_DEVICE bool stm_is_whole(const stm_params& p) { return p.fresh != 0; }

// Adds the changes to the sums of those that have committed, or have not passed.
template <class Set>
STM_DEVICE void stm_publish(Set& set) {
  set.each_sum([&](const stm_changed& at) {
    stm_sums* sums = set.committed(at);
    // mutation "what is taken": stm_add_relaxed(&sums->added, at.amount);
    stm_add_relaxed(at.adds ? &sums->added : &sums->taken, at.amount);
  });
}

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_sum_changes(const stm_params& p, u32 transaction, Arrays... arrays) {
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  stm_change_set<typename Specialization::facts> set;
  u64 result[stm_result<Specialization>::WORDS];
  bool is_easy;
  if (!stm_note_changes<Specialization>(set, p, args, result, &is_easy) || !set.is_simple()) return 0;
  set.each_sum([&](const stm_changed& at) { stm_copies::add(p, at.sums, at.adds, at.amount); });
  // mutation "easy on a floor":
  is_easy = is_easy && stm_run_on<Specialization>(set, STM_SCANT, p, args, result) == STM_OK;
  p.status[transaction] = is_easy ? STM_IS_EASY : STM_IS_SUMMED;
  return 0;
}

// Returns how far an element of this value stays from its floor.
template <class T>
STM_DEVICE stm_depth stm_depth_of(T value, const stm_sums& sums) {
  typedef stm_limits<T> limits;
  // All above the least value of the type.
  constexpr u64 ABUNDANT = limits::ABUNDANT - limits::LEAST, ZERO = 0 - limits::LEAST, LOW = limits::LOW - limits::LEAST;
  u64 height = (u64)value - limits::LEAST;
  // mutation "room above": if (false) return STM_NEAR_LIMITS;
  if (height > ABUNDANT || sums.added > ABUNDANT - height) return STM_NEAR_LIMITS;
  // mutation "room below": return STM_ABOVE_ZERO;
  if (sums.taken + ZERO <= height) return STM_ABOVE_ZERO;
  return sums.taken + LOW <= height ? STM_ABOVE_LOW : STM_NEAR_LIMITS;
}

// Finds how far the elements of an array stay from their floors. A warp looks at those of a word. Where only some transactions were
// summed up, it only counts those of some elements that would have too little if the others did as much.
template <class T, bool CELLS>
STM_DEVICE void stm_check_changes(const stm_params& p, const stm_address& array) {
  const stm_sums* sums = (const stm_sums*)array.extra;
  u64 threads = (u64)stm_blocks() * blockDim.x, deepest = STM_ABOVE_ZERO, scale = p.transactions / p.end;
  u32 lane = threadIdx.x & 31;
  bool is_probe = scale > 1;
#pragma unroll 1
  for (u64 first = (u64)stm_block() * blockDim.x + threadIdx.x - lane; first < array.len; first += is_probe ? STM_PROBED * threads : threads) {
    u64 index = first + lane, depth = STM_ABOVE_ZERO;
    if (index < array.len) {
      const u8* value = array.data + (CELLS ? (index << 4) + 8 : index * sizeof(T));
      stm_sums all = {sums[index].added * scale, sums[index].taken * scale};
      depth = stm_depth_of(stm_word<T>::to(stm_constant_load(value, CELLS ? 8 : (u32)sizeof(T))), all);
    }
    u64 low = __ballot_sync(~0u, depth >= STM_ABOVE_LOW), near = __ballot_sync(~0u, depth >= STM_NEAR_LIMITS);
    if (is_probe) {
      u32 short_of = (u32)(STM_ANY_BOUNDED ? low : near);
      if (lane == 0 && short_of != 0) stm_add_relaxed(stm_short_elements(p), __popc(short_of));
      continue;
    }
    if (lane == 0) *stm_depths(array, index) = near << 32 | low;
    if (depth > deepest) deepest = depth;
  }
  if (deepest > stm_load_relaxed(stm_depth_of_all(p))) stm_max_relaxed(stm_depth_of_all(p), deepest);
}

// Returns whether all easy transactions of the specialization commit, whatever others do: where nothing is summed up, no element is near a limit.
template <class Facts>
STM_DEVICE bool stm_are_certain(const stm_params& p) {
  return p.sums == nullptr || *stm_depth_of_all(p) <= (Facts::IS_BOUNDED ? STM_ABOVE_ZERO : STM_ABOVE_LOW);
}

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_apply_changes(const stm_params& p, u32 transaction, Arrays... arrays) {
  typedef typename Specialization::facts facts;
  typedef stm_change_set<facts> changes;
  u8 summed = p.status[transaction];
  if (summed != STM_IS_SUMMED && summed != STM_IS_EASY) return 0;
  bool are_certain = summed == STM_IS_EASY && stm_are_certain<facts>(p);
  if (!STM_RECORDED && facts::RESULTS == 0 && !changes::changes_otherwise() && are_certain && stm_is_whole(p)) {
    p.status[transaction] = STM_OK;
    return 1;
  }
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  changes set;
  u64 result[stm_result<Specialization>::WORDS] = {};
  bool is_easy, passes = stm_note_changes<Specialization>(set, p, args, result, &is_easy);
  if (summed != STM_IS_EASY || !(are_certain || set.is_far_from_limits())) {
    // mutation "test on the least values":
    passes = passes && stm_run_on<Specialization>(set, STM_LEAST, p, args, result) == STM_OK;
    passes = passes && stm_run_on<Specialization>(set, STM_GREATEST, p, args, result) == STM_OK;
  }
  // mutation "apply what has not passed": if (passes = true; !stm_is_whole(p)) stm_publish(set);
  if (passes != stm_is_whole(p)) stm_publish(set);
  if (!passes) {
    if (p.sums != nullptr && stm_load_relaxed(stm_some_fail(p)) == 0) stm_store_relaxed(stm_some_fail(p), (u64)1);
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
    stm_add_relaxed(at.adds ? &at.sums->added : &at.sums->taken, is_back ? 0 - at.amount : at.amount);
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
  bool all_pass = stm_is_whole(p) && *stm_some_fail(p) == 0;
#pragma unroll 1
  for (u64 index = (u64)stm_block() * blockDim.x + threadIdx.x; index < array.len; index += threads) {
    stm_sums may = sums[index], committed = {0, 0};
    if (!all_pass) committed = *stm_committed_sums(p.sums, sums + index);
    u64 by = committed.added - committed.taken;
    // mutation "what has not passed": if (stm_is_whole(p)) by = may.added - may.taken;
    if (stm_is_whole(p)) by = may.added - may.taken - by;
    if (by == 0) continue;
    u8* value = array.data + (CELLS ? (index << 4) + 8 : index * sizeof(T));
    // mutation "settle an element": stm_value_store(value, WIDTH, by);
    stm_value_store(value, WIDTH, stm_value_load(value, WIDTH) + by);
  }
}
