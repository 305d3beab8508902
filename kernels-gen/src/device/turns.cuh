// A stage that runs transactions of a chunk in their turn, on one block. A launch runs those from `first` on, below `end`.
// Needs what the engine enqueues.
//
// First all blocks fill the queues. Each of their warps has a share of the transactions, and takes as many at a time as it has lanes: a group.
// Then the first block runs the transactions, a group after the other by each warp.

// Looks up the transactions of a group, and its places in the queues.
struct stm_group {
  u32 first, specialization;
  u32 transaction;  // of this lane
  bool is_there;    // whether the lane has one that the stage visits
  stm_queue_place places[STM_QUEUED];

  template <class IsVisited>
  STM_DEVICE stm_group(const stm_params& p, u32 number, u32 lane, IsVisited is_visited) {
    transaction = (u32)p.first + number * (u32)p.lanes + lane;
    is_there = lane < (u32)p.lanes && transaction < p.end;
    specialization = is_there ? stm_specialization_of(p, transaction) : 0;
    is_there = is_there && is_visited(specialization);
  }

  STM_DEVICE void load(const stm_queues& queues) {
#pragma unroll
    for (u32 nth = 0; nth < STM_QUEUED; ++nth) {
      places[nth].queue = STM_NO_QUEUE;
      if (is_there) places[nth] = *queues.place(nth, transaction);
    }
  }
};

// The lanes of a group whose transactions are in a queue: those that only read there, and those that write.
struct stm_queued_lanes {
  u32 readers, writers;

  STM_DEVICE void add(u32 lane, bool writes) { stm_block_or_relaxed(writes ? &writers : &readers, 1u << lane); }
  STM_DEVICE u32 all() const { return readers | writers; }
  STM_DEVICE u32 before(u32 lane) const { return (u32)__popc(all() & ((1u << lane) - 1)); }
  // How many there are up to the last one that writes, of those below `lane`; 0 if none of these does.
  STM_DEVICE u32 written_before(u32 lane) const {
    u32 earlier = (u32)((u64)writers & ((1ull << lane) - 1));
    return earlier == 0 ? 0 : (u32)__popc(all() & (~0u >> __clz((i32)earlier)));
  }
};

// A warp that fills the queues with its share.
struct stm_filling {
  const stm_queues& queues;
  stm_queue* filled;        // by this share
  stm_queued_lanes* lanes;  // of the group
  u32 lane;

  // Returns the place of this lane's transaction, in its share. It comes after all earlier ones, or if it only reads there after the last
  // one that writes. `after` becomes what the queue has with the group.
  STM_DEVICE stm_queue_place place_in(u32 queue, stm_queue* after) const {
    stm_queued_lanes group = lanes[queue];
    stm_queue before = filled[queue];
    *after = before.followed_by({(u32)__popc(group.all()), group.written_before(32)});
    // mutation "turn of a writer": bool writes = false;
    bool writes = group.writers >> lane & 1;
    if (writes) return {queue, before.length + group.before(lane)};
    // mutation "turn of a reader": stm_queue own = {0, 0};
    stm_queue own = before.followed_by({0, group.written_before(lane)});
    return {own.written == 0 ? queue | STM_FIRST_OF_SHARE : queue, own.written};
  }

  STM_DEVICE void add(stm_group& group) const {
    bool is_last[STM_QUEUED];
    stm_queue after[STM_QUEUED];
#pragma unroll
    for (u32 nth = 0; nth < STM_QUEUED; ++nth) {
      u32 queue = group.places[nth].queue;
      if (queue != STM_NO_QUEUE) lanes[queue & ~STM_WRITES_THERE].add(lane, queue & STM_WRITES_THERE);
    }
    __syncwarp();
#pragma unroll
    for (u32 nth = 0; nth < STM_QUEUED; ++nth) {
      u32 queue = group.places[nth].queue & ~STM_WRITES_THERE;
      is_last[nth] = false;
      if (group.places[nth].queue == STM_NO_QUEUE) continue;
      group.places[nth] = place_in(queue, &after[nth]);
      is_last[nth] = lanes[queue].all() >> lane == 1;
    }
    __syncwarp();
#pragma unroll
    for (u32 nth = 0; nth < STM_QUEUED; ++nth) {
      u32 queue = group.places[nth].queue;
      if (is_last[nth]) filled[queue & ~STM_FIRST_OF_SHARE] = after[nth];
      if (is_last[nth]) lanes[queue & ~STM_FIRST_OF_SHARE] = {0, 0};
      // A transaction has one place in a queue.
      bool is_placed = false;
#pragma unroll
      for (u32 other = 0; other < nth; ++other) is_placed |= group.places[other].queue == queue;
      // mutation "two places in a queue":
      if (is_placed) group.places[nth] = {STM_NO_QUEUE, 0};
      if (group.is_there) *queues.place(nth, group.transaction) = group.places[nth];
    }
    __syncwarp();
  }
};

// The share of a warp: the groups from `begin` on, below `end`.
struct stm_groups {
  u32 share, begin, end;
  STM_DEVICE stm_groups(const stm_params& p, u32 warp, u32 warps) {
    u32 all = ((u32)(p.end - p.first) + (u32)p.lanes - 1) / (u32)p.lanes, shares = stm_blocks() * warps;
    share = stm_block() * warps + warp;
    begin = (u32)((u64)all * share / shares);
    end = (u32)((u64)all * (share + 1) / shares);
  }
};

// Fills the queues with the share of a warp, as if there were no other.
template <class IsVisited, class Enqueue>
STM_DEVICE void stm_fill(const stm_params& p, const stm_queues& queues, stm_groups groups, u32 warp, IsVisited is_visited, Enqueue enqueue) {
  STM_BLOCK_MEMORY(memory);
  u32 lane = threadIdx.x & 31;
  stm_queue* filled = (stm_queue*)memory + 2 * (u64)warp * queues.count;
  stm_filling filling = {queues, filled, (stm_queued_lanes*)(filled + queues.count), lane};
  for (u32 at = lane; at < 2 * queues.count; at += 32) ((u64*)filled)[at] = 0;
  __syncwarp();
#pragma unroll 1
  for (u32 number = groups.begin; number < groups.end; ++number) {
    stm_group group(p, number, lane, is_visited);
    if (group.is_there) enqueue(group.transaction, group.specialization);
    group.load(queues);
    filling.add(group);
  }
  for (u32 at = lane; at < queues.count; at += 32) *queues.of_share(groups.share, at) = filled[at];
}

// Replaces what each share has in a queue by what all shares before it have.
STM_DEVICE void stm_add_up_shares(const stm_queues& queues, u32 shares) {
  u32 threads = stm_blocks() * blockDim.x;
#pragma unroll 1
  for (u32 queue = stm_block() * blockDim.x + threadIdx.x; queue < queues.count; queue += threads) {
    stm_queue before = {0, 0};
#pragma unroll 8
    for (u32 share = 0; share < shares; ++share) {
      stm_queue own = *queues.of_share(share, queue);
      *queues.of_share(share, queue) = before;
      before = before.followed_by(own);
    }
  }
}

// Adds to the places of a share what comes before it.
template <class IsVisited>
STM_DEVICE void stm_move_up(const stm_params& p, const stm_queues& queues, stm_groups groups, IsVisited is_visited) {
  u32 lane = threadIdx.x & 31;
#pragma unroll 1
  for (u32 number = groups.begin; number < groups.end; ++number) {
    stm_group group(p, number, lane, is_visited);
    group.load(queues);
#pragma unroll
    for (u32 nth = 0; nth < STM_QUEUED; ++nth) {
      stm_queue_place place = group.places[nth];
      if (place.queue == STM_NO_QUEUE) continue;
      bool is_first = place.queue & STM_FIRST_OF_SHARE;
      place.queue &= ~STM_FIRST_OF_SHARE;
      stm_queue before = *queues.of_share(groups.share, place.queue);
      // mutation "shares before": place.turn += is_first ? 0 : before.length;
      place.turn += is_first ? before.written : before.length;
      *queues.place(nth, group.transaction) = place;
    }
  }
}

// Runs the transactions on one block. Returns how many the warp has committed.
template <class IsVisited, class Run>
STM_DEVICE u32 stm_run_queues(const stm_params& p, const stm_queues& queues, IsVisited is_visited, Run run) {
  STM_BLOCK_MEMORY(memory);
  u32* ended = (u32*)memory;
  for (u32 at = threadIdx.x; at <= queues.count; at += blockDim.x) ended[at] = 0;
  __syncthreads();
  u32 lane = threadIdx.x & 31, committed = 0;
#pragma unroll 1
  for (u32 number = threadIdx.x >> 5; number * p.lanes < p.end - p.first; number += blockDim.x >> 5) {
    stm_group group(p, number, lane, is_visited);
    bool stays = group.is_there;
#pragma unroll 1
    while (__ballot_sync(~0u, stays) != 0) {
      if (!stays) continue;
      u32 end = run(group.transaction, group.specialization);
      committed += end == STM_COMMITS;
      stays = end == STM_STAYS;
    }
  }
  return committed;
}

// `is_visited` says by the specialization which transactions run in their turn.
template <class IsVisited, class Enqueue, class Run>
STM_DEVICE void stm_take_turns(const stm_params& p, IsVisited is_visited, Enqueue enqueue, Run run) {
  stm_queues queues(p);
  stm_grid grid = {&queues.head->arrived, stm_blocks(), queues.head->expected};
  u32 warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  if (warps > STM_FILLING_WARPS) warps = STM_FILLING_WARPS;
  stm_groups groups(p, warp, warps);
  if (warp < warps) stm_fill(p, queues, groups, warp, is_visited, enqueue);
  grid.meet();
  stm_add_up_shares(queues, stm_blocks() * warps);
  grid.meet();
  if (warp < warps) stm_move_up(p, queues, groups, is_visited);
  grid.meet();
  if (stm_block() != 0) return;
  if (threadIdx.x == 0) queues.head->expected = grid.expected;
  stm_add_visited(p, threadIdx.x & 31, stm_run_queues(p, queues, is_visited, run));
}
