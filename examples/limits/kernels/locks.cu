// Fine-grained locks by hand: a lock for each account, acquired in the order of the accounts. No thread waits while it holds a
// lock, because the holder may be a lane of the same warp.

__device__ __forceinline__ bool lock_both(u32* first, u32* second) {
  if (swap_if(first, 0, 1) != 0) return false;
  if (first != second && swap_if(second, 0, 1) != 0) {
    store(first, 0u);
    return false;
  }
  fence();
  return true;
}

__device__ __forceinline__ void unlock_both(u32* first, u32* second) {
  fence();
  store(second, 0u);
  if (first != second) store(first, 0u);
}

extern "C" __global__ void stm_run(const __grid_constant__ stm_params p) {
  transactions at(p);
  for (; at.left(); at.next()) {
    u32 from = p.from[at.transaction], to = p.to[at.transaction];
    i64 amount = p.amount[at.transaction];
    u32* first = p.locks + (from < to ? from : to);
    u32* second = p.locks + (from < to ? to : from);
    do {
      if (!lock_both(first, second)) continue;
      i64 balance = load(p.accounts + from);
      if (balance >= amount) {
        store(p.accounts + from, balance - amount);
        store(p.accounts + to, load(p.accounts + to) + amount);
        p.status[at.transaction] = 1;
      }
      unlock_both(first, second);
      break;
    } while (at.again());
  }
  at.count();
}
