// A stage that visits transactions of a chunk once, before any of them is executed. A launch visits those from `first` on, below `end`.
// `visit` returns how many it has committed: 0 or 1.

// Visits every transaction. Neighbouring lanes have neighbouring transactions.
//
// The lanes meet after each one: a lane that has waited in a visit would else go on apart from the others, to the end. None waits here for
// ever. A visit waits only for earlier transactions, and the first one that has not ended waits for none: its lane is not held back, since
// those that the lanes of its warp have visited before are earlier.
template <class Visit>
STM_DEVICE u32 stm_visit_each(const stm_params& p, u32 warp, u32 lane, Visit visit) {
  u32 lanes = (u32)p.lanes, committed = 0;
  stm_share share = stm_share_of_device(p, warp * lanes, lanes, (stm_blocks() * blockDim.x >> 5) * lanes);
#pragma unroll 1
  for (u64 first = share.begin + share.thread; first < share.end; first += share.threads) {
    u64 position = first + lane;
    if (lane < lanes && position < share.end) {
      u32 transaction = stm_transaction_at(p, (u32)position);
      committed += visit(transaction, stm_specialization_of(p, transaction));
    }
    __syncwarp();
  }
  return committed;
}

// Visits some of them. A warp collects as many as it has lanes, and then visits them together: lanes that have
// none would wait for the others, and a visit can be long. It visits those that it found first: later ones may wait for them.
template <u32 WARPS, class IsVisited, class Visit>
STM_DEVICE u32 stm_visit_some(const stm_params& p, u32 warp, u32 lane, IsVisited is_visited, Visit visit) {
  STM_SHARED_ARRAY(u32, collections, WARPS * 64);
  u32* collected = collections + (threadIdx.x >> 5) * 64;
  u32 lanes = (u32)p.lanes, count = 0, committed = 0;
  stm_share share = stm_share_of_device(p, warp * lanes, lanes, (stm_blocks() * blockDim.x >> 5) * lanes);
  u64 first = share.begin + share.thread;
#pragma unroll 1
  while (first < share.end || count != 0) {
    u64 position = first + lane;
    bool is_there = lane < lanes && position < share.end;
    u32 transaction = is_there ? stm_transaction_at(p, (u32)position) : 0;
    bool is_found = is_there && is_visited(transaction);
    u32 found = __ballot_sync(~0u, is_found);
    if (is_found) collected[count + __popc(found & ((1u << lane) - 1))] = transaction;
    count += __popc(found);
    first += share.threads;
    __syncwarp();
    if (count < lanes && first < share.end) continue;
    u32 together = count < lanes ? count : lanes;
    count -= together;
    if (lane < together) {
      // mutation "visit the last ones first": u32 next = collected[count + lane];
      u32 next = collected[lane];
      committed += visit(next, stm_specialization_of(p, next));
    }
    __syncwarp();
    // mutation "what is left moves up":
    if (lane < count) collected[lane] = collected[together + lane];
    __syncwarp();
  }
  return committed;
}

// Adds the commits of a warp to the counters of the launch: all warps add to the same word.
STM_DEVICE void stm_add_visited(const stm_params& p, u32 lane, u32 committed) {
#if defined(STM_EMULATED) || __CUDA_ARCH__ >= 800
  committed = __reduce_add_sync(~0u, committed);
  if (lane != 0) return;
#endif
  if (committed != 0) stm_add_relaxed(p.counters + STM_COMMITTED, committed);
}

// `ALL` says that the stage visits every transaction. Its blocks have that many warps at most.
template <bool ALL, u32 WARPS, class IsVisited, class Visit>
STM_DEVICE void stm_visit_all(const stm_params& p, IsVisited is_visited, Visit visit) {
  stm_find_lists(p);
  u32 global = stm_block() * blockDim.x + threadIdx.x;
  u32 warp = global >> 5, lane = global & 31, committed;
  if constexpr (ALL) {
    committed = stm_visit_each(p, warp, lane, visit);
  } else {
    committed = stm_visit_some<WARPS>(p, warp, lane, is_visited, visit);
  }
  stm_add_visited(p, lane, committed);
}
