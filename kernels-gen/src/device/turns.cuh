// A stage that runs transactions of a chunk in their turn, on one block. A launch runs those from `first` on, below `end`.
// Needs the lists and claims of the engine.
//
// First each block finds the turns of some windows (stm_turn_finder). Then the first block runs the transactions, a group after the other by each
// warp (stm_group_cursor), and keeps arrays in its memory meanwhile (stm_move_array).

// The groups of a turn: transactions with different functions are in different ones, since lanes that run different functions run one after the
// other. With many functions there is one for all.
constexpr u32 STM_TURN_FUNCTIONS = STM_PROCEDURE_PASSES;
static_assert(STM_TURN_FUNCTIONS <= STM_MOST_FUNCTIONS, "host and device agree");

// A block while it finds the turns of a window. Each thread has every `blockDim.x`th transaction of it, at most 32, each with a bit.
struct stm_turn_finder {
  const stm_params& p;
  const stm_turn_lists& lists;
  u32 window;
  stm_finding* finding;
  stm_claims* tables;
  u32 waiting;         // of this thread: those without a turn
  u32 given, before;   // and those that have got the last one, and the one before
  u32 listed, groups;  // of the thread that counts

  STM_DEVICE stm_turn_finder(const stm_params& p, const stm_turn_lists& lists, u32 window, u8* memory)
      : p(p), lists(lists), window(window), finding((stm_finding*)memory), tables((stm_claims*)(finding + 1)), waiting(0), given(0), before(0), listed(0), groups(0) {}

  STM_DEVICE u32 transaction(u32 nth) const { return lists.first + window * lists.size + nth; }
  STM_DEVICE static u32 function_of(const stm_params& p, u32 transaction) {
    return STM_TURN_FUNCTIONS == 1 ? 0 : stm_specialization_of(p, transaction);
  }
  STM_DEVICE stm_claims* claims(u32 turn, u32 claim) const {
    return tables + (turn & 1) * (u32)p.in_block + (claim & ~STM_WRITES_THERE);
  }
  // Calls a function with the place of each transaction of some of this thread, and its bit.
  template <class Each>
  STM_DEVICE static void each_of(u32 some, Each each) {
#pragma unroll 1
    for (; some != 0; some &= some - 1) each((u32)(__ffs((i32)some) - 1) * blockDim.x + threadIdx.x, some & (0 - some));
  }
  template <class Each>
  STM_DEVICE void each_claim(u32 nth_of_window, Each each) const {
#pragma unroll
    for (u32 nth = 0; nth < STM_CLAIMED; ++nth) {
      u32 claim = finding->claims[nth][nth_of_window];
      if (claim != STM_NO_CLAIM) each(claim);
    }
  }

  template <class IsVisited, class List>
  STM_DEVICE void begin(IsVisited is_visited, List list) {
    for (u32 at = threadIdx.x; at < 2 * p.in_block; at += blockDim.x) tables[at] = {0, 0};
    for (u32 at = threadIdx.x; at < 3 * STM_MOST_FUNCTIONS; at += blockDim.x) finding->counts[at % 3][at / 3] = 0;
    for (u32 at = threadIdx.x; at < 4; at += blockDim.x) finding->is_busy[at] = 0;
    if (threadIdx.x == 0) finding->first = transaction(0);
    __syncthreads();
    u32 bit = 1;
#pragma unroll 1
    for (u32 nth = threadIdx.x; nth < lists.size && transaction(nth) < p.end; nth += blockDim.x, bit *= 2) {
      u32 specialization = stm_specialization_of(p, transaction(nth));
      if (is_visited(specialization) && list(transaction(nth), specialization) != 0) waiting |= bit;
    }
    __syncthreads();
  }

  // Claims a turn for all that have none. Returns whether there are any.
  STM_DEVICE bool claim(u32 turn) const {
    each_of(waiting, [&](u32 nth, u32) {
      each_claim(nth, [&](u32 claim) {
        stm_claims* at = claims(turn, claim);
        // mutation "claim of a reader": if (claim & STM_WRITES_THERE) stm_block_max_relaxed(&at->writers, stm_claim_by(turn, nth));
        stm_block_max_relaxed(claim & STM_WRITES_THERE ? &at->writers : &at->readers, stm_claim_by(turn, nth));
      });
    });
    if (waiting != 0) stm_block_store_relaxed(&finding->is_busy[turn & 3], 1u);
    __syncthreads();
    if (threadIdx.x == 0) finding->is_busy[(turn + 2) & 3] = 0;
    return finding->is_busy[turn & 3] != 0;
  }

  // Returns whether the turn is that of a transaction.
  STM_DEVICE bool has_turn(u32 turn, u32 nth_of_window) const {
    bool has = true;
    u32 own = stm_claim_by(turn, nth_of_window);
    each_claim(nth_of_window, [&](u32 claim) {
      stm_claims found = *claims(turn, claim);
      // mutation "writers before a turn": has &= found.writers <= own || (claim & STM_WRITES_THERE) == 0;
      has &= found.writers <= own;
      // mutation "readers before a turn": has &= true;
      has &= found.readers <= own || (claim & STM_WRITES_THERE) == 0;
    });
    return has;
  }

  // Gives the turn to those that meet no earlier claim, and lists those of the turn before the last one.
  STM_DEVICE void give(u32 turn) {
    const u32* firsts = finding->firsts[(turn + 1) % 3];
    each_of(before, [&](u32 nth, u32) {
      lists.order(window)[firsts[function_of(p, transaction(nth))] + finding->ranks[nth]] = transaction(nth);
    });
    before = given;
    given = 0;
    each_of(waiting, [&](u32 nth, u32 bit) {
      if (!has_turn(turn, nth)) return;
      given |= bit;
      finding->ranks[nth] = (u16)stm_block_fetch_add_relaxed(&finding->counts[turn % 3][function_of(p, transaction(nth))], 1u);
    });
    waiting &= ~given;
  }

  // Makes groups of the transactions of a turn. One thread does it.
  STM_DEVICE void group(u32 turn) {
    u32 before = listed;
#pragma unroll 1
    for (u32 function = 0; function < STM_TURN_FUNCTIONS; ++function) {
      u32 count = finding->counts[turn % 3][function];
      finding->counts[turn % 3][function] = 0;
      finding->firsts[turn % 3][function] = listed;
#pragma unroll 1
      for (u32 at = 0; at < count; at += (u32)p.lanes) {
        u32 size = count - at < (u32)p.lanes ? count - at : (u32)p.lanes;
        // mutation "groups of a turn": before = 0;
        lists.groups(window)[groups++] = {(u16)(listed + at), (u16)before, (u16)size, 0};
      }
      listed += count;
    }
  }
};

template <class IsVisited, class List>
STM_DEVICE void stm_find_turns(const stm_params& p, const stm_turn_lists& lists, u32 window, IsVisited is_visited, List list) {
  STM_BLOCK_MEMORY(memory);
  stm_turn_finder finder(p, lists, window, memory);
  finder.begin(is_visited, list);
  // After the last turn two more list those of the last two.
  u32 more = 2;
#pragma unroll 1
  for (u32 turn = 1; more != 0; ++turn) {
    if (!finder.claim(turn)) more -= 1;
    finder.give(turn);
    if (threadIdx.x == 0 && turn > 1) finder.group(turn - 1);
  }
  if (threadIdx.x == 0) *lists.window(window) = {finder.groups, finder.listed};
  __syncthreads();
}

// Moves the arrays that the block keeps into its memory, or back. `extra` is where an array begins there; 0 if it stays where it is.
template <bool IN, class T, bool CELLS>
STM_DEVICE void stm_move_array(const stm_address& array) {
  if (array.extra == nullptr) return;
  STM_BLOCK_MEMORY(memory);
  typedef typename stm_kept<T, CELLS>::type kept;
  kept* here = (kept*)(memory + (u64)array.extra);
#pragma unroll 1
  for (u64 at = threadIdx.x; at < array.len; at += blockDim.x) {
    kept* there = (kept*)(array.data + (CELLS ? (at << 4) + 8 : at * sizeof(T)));
    if constexpr (IN) {
      here[at] = *there;
    } else {
      // mutation "arrays go back":
      *there = here[at];
    }
  }
}

// Moves all of them. It comes with the unit.
template <bool IN>
STM_DEVICE void stm_move_arrays(const stm_params& p);

// The groups of a warp, one after the other. What is needed of the next ones is on its way while one of them runs.
struct stm_group_cursor {
  const stm_turn_lists& lists;
  u32 windows, window, at;
  stm_window current;
  u32 before;                // transactions of earlier windows
  stm_turn_group following;  // in that window
  bool follows;
  u32 transaction;  // of this lane
  u32 needed, count;

  STM_DEVICE stm_group_cursor(const stm_turn_lists& lists, u32 windows)
      : lists(lists), windows(windows), window(0), at(threadIdx.x >> 5), current(*lists.window(0)), before(0) {
    find();
  }

  STM_DEVICE void find() {
#pragma unroll 1
    while (at >= current.groups) {
      at -= current.groups;
      // mutation "windows before": before += 0;
      before += current.transactions;
      window += 1;
      follows = window < windows;
      if (!follows) return;
      current = *lists.window(window);
    }
    follows = true;
    following = lists.groups(window)[at];
  }

  // Returns whether there is one.
  STM_DEVICE bool next() {
    if (!follows) return false;
    u32 lane = threadIdx.x & 31;
    if (lane < following.count) transaction = lists.order(window)[following.first + lane];
    needed = before + following.turn;
    count = following.count;
    at += blockDim.x >> 5;
    find();
    return true;
  }
};

// Runs the transactions on one block. Returns how many this thread has committed.
template <class Run>
STM_DEVICE u32 stm_run_turns(const stm_params& p, const stm_turn_lists& lists, u32 windows, Run run) {
  STM_BLOCK_MEMORY(memory);
  stm_turn_counts counts(memory);
  counts.begin();
  __syncthreads();
  stm_group_cursor cursor(lists, windows);
  u32 lane = threadIdx.x & 31, committed = 0;
  bool is_there = cursor.next();
#pragma unroll 1
  while (is_there) {
    u32 transaction = cursor.transaction, count = cursor.count;
    if (lane == 0) counts.set_needed(cursor.needed);
    is_there = cursor.next();
    __syncwarp();
    if (lane < count) committed += run(transaction, stm_specialization_of(p, transaction)) == STM_COMMITS;
    __syncwarp();
  }
  __syncthreads();
  return committed;
}

// `is_visited` says by the specialization which transactions run in their turn.
template <class IsVisited, class List, class Run>
STM_DEVICE void stm_take_turns(const stm_params& p, IsVisited is_visited, List list, Run run) {
  stm_turn_lists lists(p);
  stm_grid grid = {&lists.head->arrived, stm_blocks(), lists.head->expected};
  u32 windows = (u32)((p.end - p.first + lists.size - 1) / lists.size);
#pragma unroll 1
  for (u32 window = stm_block(); window < windows; window += (u32)stm_blocks()) stm_find_turns(p, lists, window, is_visited, list);
  grid.meet();
  if (stm_block() != 0) return;
  if (threadIdx.x == 0) lists.head->expected = grid.expected;
  stm_move_arrays<true>(p);
  u32 committed = stm_run_turns(p, lists, windows, run);
  stm_move_arrays<false>(p);
  stm_add_visited(p, threadIdx.x & 31, committed);
}
