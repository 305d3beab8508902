// Which transactions a device of a cluster visits or executes.
//
// A launch divides its transactions among the devices as it divides its blocks. If they are listed by device (device_of.cuh), the lists one after the
// other are divided: a device then gets transactions whose elements it has, and others help one that has many.

// The transactions of this device among those of a launch, by their positions, and its threads among those of all devices.
struct stm_share {
  u32 begin, end;
  u32 thread, threads;
};

// `thread` is one of the `threads` of the launch that run transactions, and each warp has that many lanes at work. Where some blocks run no
// transactions, all are on one device.
STM_DEVICE stm_share stm_share_of_device(const stm_params& p, u32 thread, u32 lanes, u32 threads) {
#if STM_CLUSTER && !STM_SERVICE_BLOCKS
  stm_own_blocks own = stm_blocks_of_device();
  u32 each = (blockDim.x >> 5) * lanes;
  u64 all = stm_blocks(), before = p.transactions * own.first / all;
  u64 size = p.transactions * (own.first + own.count) / all - before;
  // A launch on some of the transactions has the same part of each device's.
  u64 begin = p.first * size / p.transactions, end = p.end * size / p.transactions;
  return {(u32)(before + begin), (u32)(before + end), thread - own.first * each, own.count * each};
#else
  return {(u32)p.first, (u32)p.end, thread, threads};
#endif
}

#if STM_CLUSTER
// The list of a device: the transactions, and then a status for each.
STM_DEVICE u32* stm_list_of(const stm_params& p, u32 device) {
  return (u32*)(p.routes + STM_ROUTE_HEAD) + device * (p.transactions + (p.transactions + 3) / 4);
}

// The lengths of the lists, in block memory: they are loaded for each transaction, and are in the memory of another device.
STM_DEVICE u32* stm_list_lengths() {
  STM_SHARED_ARRAY(u32, lengths, STM_MOST_DEVICES);
  return lengths;
}
#endif

// All threads of a block call this before they ask for transactions.
STM_DEVICE void stm_find_lists(const stm_params& p) {
#if STM_CLUSTER
  if (p.routes != nullptr && threadIdx.x < STM_MOST_DEVICES) stm_list_lengths()[threadIdx.x] = (u32)p.routes[threadIdx.x];
  __syncthreads();
#endif
}

#if STM_CLUSTER
// Where a list has a transaction.
struct stm_listed {
  u32* list;
  u32 index;

  STM_DEVICE u32 transaction() const { return list[index]; }
  STM_DEVICE u8* status(const stm_params& p) const { return (u8*)(list + p.transactions) + index; }
};

STM_DEVICE stm_listed stm_listed_at(const stm_params& p, u32 position) {
  const u32* lengths = stm_list_lengths();
  u32 device = 0;
#pragma unroll 1
  for (; position >= lengths[device]; ++device) position -= lengths[device];
  return {stm_list_of(p, device), position};
}
#endif

// The transaction at a position: of those that are listed, or of all.
STM_DEVICE u32 stm_transaction_at(const stm_params& p, u32 position) {
#if STM_CLUSTER
  if (p.routes != nullptr) return stm_listed_at(p, position).transaction();
#endif
  return position;
}

// The status of the transaction at a position. Where only the execution has it, a list has a copy: a device reads those of its own transactions,
// which lie apart in the memory of another one.
STM_DEVICE u8 stm_status_at(const stm_params& p, u32 position) {
#if STM_STATUSES_LISTED
  if (p.routes != nullptr) return *stm_listed_at(p, position).status(p);
#endif
  return p.status[stm_transaction_at(p, position)];
}

STM_DEVICE void stm_keep_status(const stm_params& p, u32 position, u32 transaction, stm_status status) {
#if STM_STATUSES_LISTED
  if (p.routes != nullptr) *stm_listed_at(p, position).status(p) = (u8)status;
#endif
  p.status[transaction] = (u8)status;
}
