// Every atomic of the device code. Its name and the call of the built-in state scope and order; nothing else in
// the project touches shared words.
//
// A lock word is `version << 1` while it is free and `owner << 1 | 1` while it is held: 63 bits of version never wrap.
// A cell is 16 bytes, {lock word, value}. Since sm_90 the device exchanges all 16 at once, so that one access locks and
// reads, and one store writes and unlocks. Why relaxed order is enough there: the cell carries its own data, and what a
// transaction stores depends (by control) on every lock that it acquired and every word that it validated. A cycle of two
// transactions that each see the other's writes would then be a cycle of dependencies and reads-from, which the PTX
// memory model excludes (its no-thin-air axiom). Validating by a compare-and-swap that changes nothing, instead of by a
// load, is what makes a reader part of that chain. Separate lock words (and cells before sm_90) protect other words, so
// those are locked with acquire and unlocked with release. Where a commit has many lock words, its accesses to them are relaxed, and
// fences order them: a fence after the locks makes all of them acquires, one before the comparisons and one before unlocking make
// these releases, and the barrier of a warp carries that from lane to lane.

// Words are shared by the threads of a device, or of all devices of a cluster.
#if STM_CLUSTER
#define STM_SCOPE __NV_THREAD_SCOPE_SYSTEM
#else
#define STM_SCOPE __NV_THREAD_SCOPE_DEVICE
#endif

struct stm_pair {
  u64 word;
  u64 value;
};

template <class T>
STM_DEVICE T stm_load_relaxed(T* at) {
  return __nv_atomic_load_n(at, __NV_ATOMIC_RELAXED, STM_SCOPE);
}
template <class T>
STM_DEVICE T stm_load_acquire(T* at) {
  return __nv_atomic_load_n(at, __NV_ATOMIC_ACQUIRE, STM_SCOPE);
}
template <class T>
STM_DEVICE void stm_store_relaxed(T* at, T value) {
  __nv_atomic_store_n(at, value, __NV_ATOMIC_RELAXED, STM_SCOPE);
}
template <class T>
STM_DEVICE void stm_store_release(T* at, T value) {
  __nv_atomic_store_n(at, value, __NV_ATOMIC_RELEASE, STM_SCOPE);
}
STM_DEVICE void stm_add_relaxed(u64* at, u64 value) { __nv_atomic_fetch_add(at, value, __NV_ATOMIC_RELAXED, STM_SCOPE); }
STM_DEVICE void stm_add_relaxed(u32* at, u32 value) { __nv_atomic_fetch_add(at, value, __NV_ATOMIC_RELAXED, STM_SCOPE); }
STM_DEVICE u64 stm_fetch_add_relaxed(u64* at, u64 value) { return __nv_atomic_fetch_add(at, value, __NV_ATOMIC_RELAXED, STM_SCOPE); }
STM_DEVICE void stm_add_release(u64* at, u64 value) { __nv_atomic_fetch_add(at, value, __NV_ATOMIC_RELEASE, STM_SCOPE); }
STM_DEVICE void stm_max_relaxed(u64* at, u64 value) { __nv_atomic_fetch_max(at, value, __NV_ATOMIC_RELAXED, STM_SCOPE); }
STM_DEVICE void stm_max_relaxed(u32* at, u32 value) { __nv_atomic_fetch_max(at, value, __NV_ATOMIC_RELAXED, STM_SCOPE); }
STM_DEVICE u64 stm_exchange_acquire(u64* at, u64 value) { return __nv_atomic_exchange_n(at, value, __NV_ATOMIC_ACQUIRE, STM_SCOPE); }
STM_DEVICE bool stm_replace_acquire(u64* at, u64 from, u64 to) {
  return __nv_atomic_compare_exchange_n(at, &from, to, false, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELAXED, STM_SCOPE);
}
// Returns the previous value, and stores `value` if it was `expected`.
template <class T>
STM_DEVICE T stm_swap_relaxed(T* at, T expected, T value) {
  __nv_atomic_compare_exchange_n(at, &expected, value, false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED, STM_SCOPE);
  return expected;
}
// Orders the relaxed accesses of a thread before it with those after it, for all of them at once.
STM_DEVICE void stm_fence_acq_rel() { __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, STM_SCOPE); }
// The same, and all such fences of all threads have one order: of two threads that write and then read, one sees the other's write.
STM_DEVICE void stm_fence_seq_cst() { __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, STM_SCOPE); }
template <class T>
STM_DEVICE bool stm_replace_acq_rel(T* at, T from, T to) {
  return __nv_atomic_compare_exchange_n(at, &from, to, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_ACQUIRE, STM_SCOPE);
}
STM_DEVICE u64 stm_add_acquire(u64* at, u64 value) { return __nv_atomic_fetch_add(at, value, __NV_ATOMIC_ACQUIRE, STM_SCOPE); }
STM_DEVICE void stm_sub_relaxed(u64* at, u64 value) { __nv_atomic_fetch_sub(at, value, __NV_ATOMIC_RELAXED, STM_SCOPE); }
STM_DEVICE void stm_sub_release(u64* at, u64 value) { __nv_atomic_fetch_sub(at, value, __NV_ATOMIC_RELEASE, STM_SCOPE); }
// Returns the previous value, and stores `value` if it was `expected`.
template <class T>
STM_DEVICE T stm_swap_acquire(T* at, T expected, T value) {
  __nv_atomic_compare_exchange_n(at, &expected, value, false, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELAXED, STM_SCOPE);
  return expected;
}
// Release as well: what was read before it must not change for a thread that locks after it.
template <class T>
STM_DEVICE bool stm_same_acq_rel(T* at, T word) {
  return stm_replace_acq_rel(at, word, word);
}

// Words in shared memory, which no other block can see.
#define STM_BLOCK __NV_THREAD_SCOPE_BLOCK
template <class T>
STM_DEVICE T stm_block_load_relaxed(T* at) {
  return __nv_atomic_load_n(at, __NV_ATOMIC_RELAXED, STM_BLOCK);
}
STM_DEVICE u64 stm_block_load_acquire(u64* at) { return __nv_atomic_load_n(at, __NV_ATOMIC_ACQUIRE, STM_BLOCK); }
template <class T, class V>
STM_DEVICE void stm_block_store_relaxed(T* at, V value) {
  __nv_atomic_store_n(at, (T)value, __NV_ATOMIC_RELAXED, STM_BLOCK);
}
template <class T>
STM_DEVICE void stm_block_store_release(T* at, T value) {
  __nv_atomic_store_n(at, value, __NV_ATOMIC_RELEASE, STM_BLOCK);
}
STM_DEVICE bool stm_block_replace_acquire(u64* at, u64 from, u64 to) {
  return __nv_atomic_compare_exchange_n(at, &from, to, false, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELAXED, STM_BLOCK);
}
// Returns the previous value, and stores `value` if it was `expected`.
STM_DEVICE u32 stm_block_swap_acquire(u32* at, u32 expected, u32 value) {
  __nv_atomic_compare_exchange_n(at, &expected, value, false, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELAXED, STM_BLOCK);
  return expected;
}
STM_DEVICE u32 stm_block_or_relaxed(u32* at, u32 value) { return __nv_atomic_fetch_or(at, value, __NV_ATOMIC_RELAXED, STM_BLOCK); }
STM_DEVICE void stm_block_and_relaxed(u32* at, u32 value) { __nv_atomic_fetch_and(at, value, __NV_ATOMIC_RELAXED, STM_BLOCK); }
#if STM_EMULATED
STM_DEVICE u32 stm_block_fetch_add_relaxed(u32* at, u32 value) { return __nv_atomic_fetch_add(at, value, __NV_ATOMIC_RELAXED, STM_BLOCK); }
STM_DEVICE void stm_block_max_relaxed(u32* at, u32 value) { __nv_atomic_fetch_max(at, value, __NV_ATOMIC_RELAXED, STM_BLOCK); }
#else
// The same in their old form, of which the compiler sees that the address is in shared memory.
STM_DEVICE u32 stm_block_fetch_add_relaxed(u32* at, u32 value) { return atomicAdd(at, value); }
STM_DEVICE void stm_block_max_relaxed(u32* at, u32 value) { atomicMax(at, value); }
#endif
// Counts in the memory of a block, by their address in shared memory: accesses by a generic pointer are slower.
struct stm_block_counts {
#if STM_EMULATED
  u32* counts;
  STM_DEVICE explicit stm_block_counts(u8* memory) : counts((u32*)memory) {}
  STM_DEVICE u32 load_relaxed(u32 nth) const { return stm_block_load_relaxed(counts + nth); }
  STM_DEVICE void store_relaxed(u32 nth, u32 count) const { stm_block_store_relaxed(counts + nth, count); }
  STM_DEVICE void increment_relaxed(u32 nth) const { stm_block_fetch_add_relaxed(counts + nth, 1u); }
#else
  u32 counts;
  STM_DEVICE explicit stm_block_counts(u8* memory) : counts((u32)__cvta_generic_to_shared(memory)) { asm volatile("" : "+r"(counts)); }
  STM_DEVICE u32 load_relaxed(u32 nth) const {
    u32 count;
    asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(count) : "r"(counts + 4 * nth) : "memory");
    return count;
  }
  STM_DEVICE void store_relaxed(u32 nth, u32 count) const {
    asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" ::"r"(counts + 4 * nth), "r"(count) : "memory");
  }
  STM_DEVICE void increment_relaxed(u32 nth) const { asm volatile("red.relaxed.cta.shared.add.u32 [%0], 1;" ::"r"(counts + 4 * nth) : "memory"); }
#endif
};
STM_DEVICE void stm_block_fence_acq_rel() { __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, STM_BLOCK); }

#if defined(STM_EMULATED) || __CUDA_ARCH__ >= 900
typedef unsigned __int128 stm_u128;

STM_DEVICE stm_u128 stm_join(stm_pair pair) { return (stm_u128)pair.value << 64 | pair.word; }
STM_DEVICE stm_pair stm_part(stm_u128 both) { return {(u64)both, (u64)(both >> 64)}; }

STM_DEVICE stm_pair stm_cell_load(u64* cell) { return stm_part(stm_load_relaxed((stm_u128*)cell)); }
STM_DEVICE stm_pair stm_cell_exchange(u64* cell, stm_pair pair) {
  return stm_part(__nv_atomic_exchange_n((stm_u128*)cell, stm_join(pair), __NV_ATOMIC_RELAXED, STM_SCOPE));
}
STM_DEVICE bool stm_cell_replace(u64* cell, stm_pair from, stm_pair to) {
  stm_u128 both = stm_join(from);
  return __nv_atomic_compare_exchange_n((stm_u128*)cell, &both, stm_join(to), false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED, STM_SCOPE);
}
// Returns the previous contents, and stores `to` if they were `from`.
STM_DEVICE stm_pair stm_cell_swap(u64* cell, stm_pair from, stm_pair to) {
  stm_u128 both = stm_join(from);
  __nv_atomic_compare_exchange_n((stm_u128*)cell, &both, stm_join(to), false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED, STM_SCOPE);
  return stm_part(both);
}
STM_DEVICE bool stm_cell_same(u64* cell, stm_pair pair) { return stm_cell_replace(cell, pair, pair); }
STM_DEVICE void stm_cell_store(u64* cell, stm_pair pair) { stm_store_relaxed((stm_u128*)cell, stm_join(pair)); }
#else
// No 16-byte exchange: the lock word guards the value next to it.
STM_DEVICE stm_pair stm_cell_load(u64* cell) {
  u64 word = stm_load_acquire(cell);
  return {word, stm_load_acquire(cell + 1)};
}
STM_DEVICE stm_pair stm_cell_exchange(u64* cell, stm_pair pair) {
  u64 word = stm_exchange_acquire(cell, pair.word);
  return {word, stm_load_relaxed(cell + 1)};
}
STM_DEVICE bool stm_cell_replace(u64* cell, stm_pair from, stm_pair to) { return stm_replace_acquire(cell, from.word, to.word); }
STM_DEVICE stm_pair stm_cell_swap(u64* cell, stm_pair from, stm_pair to) {
  return {stm_swap_relaxed(cell, from.word, to.word), from.value};
}
STM_DEVICE bool stm_cell_same(u64* cell, stm_pair pair) { return stm_same_acq_rel(cell, pair.word); }
STM_DEVICE void stm_cell_store(u64* cell, stm_pair pair) {
  stm_store_relaxed(cell + 1, pair.value);
  stm_store_release(cell, pair.word);
}
#endif
