// A stage that lists the transactions of a chunk by the devices of a cluster that have their elements.

// Transactions of a thread that are listed together.
constexpr u32 STM_ROUTED = 8;

// Those of no device are dealt. A block lists many at a time, so that few blocks add to a count at once.
template <class DeviceOf>
STM_DEVICE void stm_route_all(const stm_params& p, DeviceOf device_of) {
  STM_SHARED_ARRAY(u32, counts, STM_MOST_DEVICES);
  STM_SHARED_ARRAY(u32, starts, STM_MOST_DEVICES);
  u32 devices = (u32)p.routes[STM_ROUTE_DEVICES];
  u32 lane = threadIdx.x & 31, tile = blockDim.x * STM_ROUTED;
#pragma unroll 1
  for (u64 first = (u64)stm_block() * tile; first < p.transactions; first += (u64)stm_blocks() * tile) {
    if (threadIdx.x < STM_MOST_DEVICES) counts[threadIdx.x] = 0;
    __syncthreads();
    u32 of_each[STM_ROUTED], places[STM_ROUTED];
#pragma unroll
    for (u32 nth = 0; nth < STM_ROUTED; ++nth) {
      u64 transaction = first + nth * blockDim.x + threadIdx.x;
      u32 device = STM_NO_DEVICE;
      if (transaction < p.transactions) {
        device = device_of((u32)transaction, stm_specialization_of(p, (u32)transaction));
        if (device == STM_NO_DEVICE) device = (u32)(transaction * devices / p.transactions);
      }
      of_each[nth] = device;
#pragma unroll 1
      for (u32 of = 0; of < devices; ++of) {
        u32 alike = __ballot_sync(~0u, device == of), before = 0;
        if (lane == 0 && alike != 0) before = stm_block_fetch_add_relaxed(&counts[of], (u32)__popc(alike));
        before = __shfl_sync(~0u, before, 0);
        if (device == of) places[nth] = before + (u32)__popc(alike & ((1u << lane) - 1));
      }
    }
    __syncthreads();
    if (threadIdx.x < devices) starts[threadIdx.x] = (u32)stm_fetch_add_relaxed(p.routes + threadIdx.x, (u64)counts[threadIdx.x]);
    __syncthreads();
#pragma unroll
    for (u32 nth = 0; nth < STM_ROUTED; ++nth) {
      if (of_each[nth] == STM_NO_DEVICE) continue;
      stm_listed at = {stm_list_of(p, of_each[nth]), starts[of_each[nth]] + places[nth]};
      at.list[at.index] = (u32)(first + nth * blockDim.x + threadIdx.x);
      *at.status(p) = 0;
    }
    __syncthreads();
  }
}
