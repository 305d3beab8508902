// A stage that visits every transaction of a chunk once, before any of them is executed. Neighbouring lanes have neighbouring
// transactions. `visit` returns how many it has committed: 0 or 1.

template <class Visit>
STM_DEVICE void stm_visit_all(const stm_params& p, Visit visit) {
  u32 global = blockIdx.x * blockDim.x + threadIdx.x;
  u32 lanes = (u32)p.lanes, lane = global & 31;
  if (lane >= lanes) return;
  u32 threads = (gridDim.x * blockDim.x >> 5) * lanes, committed = 0;
#pragma unroll 1
  for (u64 transaction = (global >> 5) * lanes + lane; transaction < p.transactions; transaction += threads) {
    committed += visit((u32)transaction, stm_specialization_of(p, (u32)transaction));
  }
  if (committed != 0) stm_add_relaxed(p.counters + STM_COMMITTED, committed);
}
