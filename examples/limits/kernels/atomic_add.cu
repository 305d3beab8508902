// Two atomic additions and no guard: the upper limit of the memory system. Not a transaction: between the two additions the sum is
// wrong, and an account may become negative.

extern "C" __global__ void stm_run(const __grid_constant__ stm_params p) {
  for (transactions at(p); at.left(); at.next()) {
    u64 amount = (u64)p.amount[at.transaction];
    __nv_atomic_fetch_add((u64*)p.accounts + p.from[at.transaction], 0 - amount, ORDER(RELAXED), SCOPE);
    __nv_atomic_fetch_add((u64*)p.accounts + p.to[at.transaction], amount, ORDER(RELAXED), SCOPE);
    p.status[at.transaction] = 1;
  }
}
