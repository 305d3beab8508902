// The common parts of the hand-written kernels: the batch of `bank` as columns, and a bound for every loop.
//
// A kernel marks a transaction in `status` when it is done with it. A transaction that is still 0 after the launch did not commit:
// its guard was false, or it ran out of attempts.

typedef unsigned char u8;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

#define ORDER(name) __NV_ATOMIC_##name
#define SCOPE __NV_THREAD_SCOPE_DEVICE

struct stm_params {
  u64 transactions;
  const u32* from;
  const u32* to;
  const i64* amount;
  u8* status;
  i64* accounts;
  u32* locks;       // one for each account, 0 at the start
  u64* conflicts;   // one counter
  u64 attempts;     // the most at one transaction
  u64 budget_ns;    // after that, no new attempts
};

__device__ __forceinline__ u64 nanoseconds() {
#ifdef STM_EMULATED
  return stm_globaltimer();
#else
  u64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
#endif
}

template <class T>
__device__ __forceinline__ T load(const T* at) {
  return __nv_atomic_load_n((T*)at, ORDER(RELAXED), SCOPE);
}
template <class T>
__device__ __forceinline__ void store(T* at, T value) {
  __nv_atomic_store_n(at, value, ORDER(RELAXED), SCOPE);
}
// Returns the previous value.
__device__ __forceinline__ u32 swap_if(u32* at, u32 expected, u32 value) {
  __nv_atomic_compare_exchange_n(at, &expected, value, false, ORDER(RELAXED), ORDER(RELAXED), SCOPE);
  return expected;
}
__device__ __forceinline__ void fence() { __nv_atomic_thread_fence(ORDER(ACQ_REL), SCOPE); }

// Transaction `transaction` of the batch, with the loop's bound on failed attempts.
struct transactions {
  const stm_params& p;
  u64 transaction, step, start, failed, conflicts;

  __device__ transactions(const stm_params& params)
      : p(params),
        transaction((u64)blockIdx.x * blockDim.x + threadIdx.x),
        step((u64)gridDim.x * blockDim.x),
        start(nanoseconds()),
        failed(0),
        conflicts(0) {}

  __device__ bool left() const { return transaction < p.transactions; }
  __device__ void next() {
    transaction += step;
    failed = 0;
  }
  // Returns whether another attempt may follow a failed one.
  __device__ bool again() {
    conflicts += 1;
    failed += 1;
    return failed < p.attempts && ((failed & 255) != 0 || nanoseconds() - start < p.budget_ns);
  }
  __device__ void count() const {
    if (conflicts != 0) __nv_atomic_fetch_add(p.conflicts, conflicts, ORDER(RELAXED), SCOPE);
  }
};
