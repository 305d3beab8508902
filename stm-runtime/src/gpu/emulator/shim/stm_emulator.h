// CUDA C on host threads: what a generated unit needs to compile with a C++ compiler.
//
// Kept small (no standard header), because each unit includes it; the implementation is runtime.cpp, compiled once.
// Atomics keep the memory order of the unit, so that ThreadSanitizer checks the real protocol. Scopes
// collapse to one process: a scope that is too narrow is not found here. Every atomic, fence and sleep is a point where
// another thread may be scheduled. Plain accesses are not.
//
// Missing: `__shared__` (use STM_SHARED_ARRAY), inline PTX (guard it with `#if STM_EMULATED`), `__activemask` (lanes never
// converge by chance here, so code that depends on it would go untested), textures, launches from the device. A standalone
// fence is invisible to ThreadSanitizer: prefer acquire and release operations.
#pragma once

#include "stm_scheduler.h"

// For kernels written by hand; generated ones print otherwise.
extern "C" int printf(const char* format, ...);

#define STM_EMULATED 1

namespace stm_emu {

inline unsigned lane() { return here().thread.x % 32; }

template <class T>
inline word bits(T value) {
  static_assert(sizeof(T) <= sizeof(word), "warp functions move at most 8 bytes");
  word w = 0;
  __builtin_memcpy(&w, &value, sizeof(T));
  return w;
}

template <class T>
inline T value(word w) {
  T v;
  __builtin_memcpy(&v, &w, sizeof(T));
  return v;
}

template <class T, class F>
inline T fetch(T* p, int order, F change) {
  point();
  T seen = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &seen, change(seen), false, order, __ATOMIC_RELAXED)) {
  }
  return seen;
}

template <class T, class F>
inline T reduce(unsigned mask, T mine, F join) {
  word all[32];
  unsigned present = meet(mask, bits(mine), all, false);
  T sum = mine;
  bool first = true;
  for (unsigned i = 0; i < 32; ++i) {
    if (!(present >> i & 1)) continue;
    sum = first ? value<T>(all[i]) : join(sum, value<T>(all[i]));
    first = false;
  }
  return sum;
}

template <class T>
inline T shuffle(unsigned mask, T mine, unsigned from) {
  word all[32];
  meet(mask, bits(mine), all, false);
  return value<T>(all[from % 32]);
}

template <class T>
struct identity {
  typedef T type;
};

}  // namespace stm_emu

// ---- Language -------------------------------------------------------------------------------------------------------

#define __global__ __attribute__((visibility("default")))
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __constant__ static
#define __align__(n) alignas(n)
#define threadIdx (stm_emu::here().thread)
#define blockIdx (stm_emu::here().block)
#define blockDim (stm_emu::here().block_size)
#define gridDim (stm_emu::here().grid_size)
#define warpSize 32

// `T name[n]`, one for each block.
#define STM_SHARED_ARRAY(T, name, n) \
  T* name = static_cast<T*>(stm_emu::shared_memory(__COUNTER__, sizeof(T) * (n)))

// The block memory of the launch.
#define STM_BLOCK_MEMORY(name) unsigned char* name = static_cast<unsigned char*>(stm_emu::block_memory())

// ---- Atomics with order and scope -----------------------------------------------------------------------------------

#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

// Operands take the pointer's type, as CUDA's builtins do.
#define STM_EMU_OPERAND(T) typename stm_emu::identity<T>::type

template <class T>
inline T __nv_atomic_load_n(const T* p, int order, int = 0) {
  stm_emu::point();
  return __atomic_load_n(p, order);
}
template <class T>
inline void __nv_atomic_store_n(T* p, STM_EMU_OPERAND(T) v, int order, int = 0) {
  stm_emu::point();
  __atomic_store_n(p, v, order);
}
template <class T>
inline T __nv_atomic_exchange_n(T* p, STM_EMU_OPERAND(T) v, int order, int = 0) {
  stm_emu::point();
  return __atomic_exchange_n(p, v, order);
}
template <class T>
inline bool __nv_atomic_compare_exchange_n(T* p, T* expected, STM_EMU_OPERAND(T) v, bool, int success, int failure,
                                           int = 0) {
  stm_emu::point();
  return __atomic_compare_exchange_n(p, expected, v, false, success, failure);
}
template <class T>
inline T __nv_atomic_fetch_add(T* p, STM_EMU_OPERAND(T) v, int order, int = 0) {
  stm_emu::point();
  return __atomic_fetch_add(p, v, order);
}
template <class T>
inline T __nv_atomic_fetch_sub(T* p, STM_EMU_OPERAND(T) v, int order, int = 0) {
  stm_emu::point();
  return __atomic_fetch_sub(p, v, order);
}
template <class T>
inline T __nv_atomic_fetch_or(T* p, STM_EMU_OPERAND(T) v, int order, int = 0) {
  stm_emu::point();
  return __atomic_fetch_or(p, v, order);
}
template <class T>
inline T __nv_atomic_fetch_and(T* p, STM_EMU_OPERAND(T) v, int order, int = 0) {
  stm_emu::point();
  return __atomic_fetch_and(p, v, order);
}
template <class T>
inline T __nv_atomic_fetch_xor(T* p, STM_EMU_OPERAND(T) v, int order, int = 0) {
  stm_emu::point();
  return __atomic_fetch_xor(p, v, order);
}
template <class T>
inline T __nv_atomic_fetch_min(T* p, STM_EMU_OPERAND(T) v, int order, int = 0) {
  return stm_emu::fetch(p, order, [v](T seen) { return v < seen ? v : seen; });
}
template <class T>
inline T __nv_atomic_fetch_max(T* p, STM_EMU_OPERAND(T) v, int order, int = 0) {
  return stm_emu::fetch(p, order, [v](T seen) { return seen < v ? v : seen; });
}
inline void __nv_atomic_thread_fence(int order, int = 0) {
  stm_emu::point();
  __atomic_thread_fence(order);
}

// ---- Atomics without order: relaxed, as on the device -----------------------------------------------------------------

template <class T>
inline T atomicCAS(T* p, STM_EMU_OPERAND(T) expected, STM_EMU_OPERAND(T) v) {
  __nv_atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
template <class T>
inline T atomicExch(T* p, STM_EMU_OPERAND(T) v) {
  return __nv_atomic_exchange_n(p, v, __ATOMIC_RELAXED);
}
template <class T>
inline T atomicAdd(T* p, STM_EMU_OPERAND(T) v) {
  return __nv_atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}
template <class T>
inline T atomicSub(T* p, STM_EMU_OPERAND(T) v) {
  return __nv_atomic_fetch_sub(p, v, __ATOMIC_RELAXED);
}
template <class T>
inline T atomicOr(T* p, STM_EMU_OPERAND(T) v) {
  return __nv_atomic_fetch_or(p, v, __ATOMIC_RELAXED);
}
template <class T>
inline T atomicAnd(T* p, STM_EMU_OPERAND(T) v) {
  return __nv_atomic_fetch_and(p, v, __ATOMIC_RELAXED);
}
template <class T>
inline T atomicXor(T* p, STM_EMU_OPERAND(T) v) {
  return __nv_atomic_fetch_xor(p, v, __ATOMIC_RELAXED);
}
template <class T>
inline T atomicMin(T* p, STM_EMU_OPERAND(T) v) {
  return __nv_atomic_fetch_min(p, v, __ATOMIC_RELAXED);
}
template <class T>
inline T atomicMax(T* p, STM_EMU_OPERAND(T) v) {
  return __nv_atomic_fetch_max(p, v, __ATOMIC_RELAXED);
}
inline void __threadfence() { __nv_atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __nv_atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __nv_atomic_thread_fence(__ATOMIC_SEQ_CST); }

// ---- Loads and stores with a cache hint: plain -------------------------------------------------------------------------

#define STM_EMU_LOAD(NAME) \
  template <class T>       \
  inline T NAME(const T* p) { return *p; }
#define STM_EMU_STORE(NAME) \
  template <class T>        \
  inline void NAME(T* p, STM_EMU_OPERAND(T) v) { *p = v; }
STM_EMU_LOAD(__ldg)
STM_EMU_LOAD(__ldca)
STM_EMU_LOAD(__ldcg)
STM_EMU_LOAD(__ldcs)
STM_EMU_LOAD(__ldlu)
STM_EMU_STORE(__stwb)
STM_EMU_STORE(__stcg)
STM_EMU_STORE(__stcs)
STM_EMU_STORE(__stwt)
#undef STM_EMU_LOAD
#undef STM_EMU_STORE

// ---- Warps and blocks ----------------------------------------------------------------------------------------------------

inline void __syncthreads() { stm_emu::block_barrier(); }
inline void __syncwarp(unsigned mask = 0xffffffffu) {
  stm_emu::word all[32];
  stm_emu::meet(mask, 0, all, true);
}
inline unsigned __ballot_sync(unsigned mask, int yes) {
  stm_emu::word all[32];
  unsigned present = stm_emu::meet(mask, yes != 0, all, false);
  unsigned votes = 0;
  for (unsigned i = 0; i < 32; ++i) votes |= (present >> i & 1) && all[i] ? 1u << i : 0;
  return votes;
}
inline int __any_sync(unsigned mask, int yes) { return __ballot_sync(mask, yes) != 0; }
inline int __all_sync(unsigned mask, int yes) { return __ballot_sync(mask, !yes) == 0; }
template <class T>
inline unsigned __match_any_sync(unsigned mask, T v) {
  stm_emu::word all[32];
  unsigned present = stm_emu::meet(mask, stm_emu::bits(v), all, false);
  unsigned same = 0;
  for (unsigned i = 0; i < 32; ++i) same |= (present >> i & 1) && all[i] == stm_emu::bits(v) ? 1u << i : 0;
  return same;
}
template <class T>
inline T __shfl_sync(unsigned mask, T v, int from, int width = 32) {
  unsigned base = stm_emu::lane() & ~(unsigned)(width - 1);
  return stm_emu::shuffle(mask, v, base + ((unsigned)from & (unsigned)(width - 1)));
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T v, int with, int = 32) {
  return stm_emu::shuffle(mask, v, stm_emu::lane() ^ (unsigned)with);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T v, unsigned by, int width = 32) {
  unsigned lane = stm_emu::lane(), base = lane & ~(unsigned)(width - 1);
  return stm_emu::shuffle(mask, v, lane - base >= by ? lane - by : lane);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T v, unsigned by, int width = 32) {
  unsigned lane = stm_emu::lane(), end = (lane & ~(unsigned)(width - 1)) + (unsigned)width;
  return stm_emu::shuffle(mask, v, lane + by < end ? lane + by : lane);
}
#define STM_EMU_REDUCE(NAME, EXPRESSION)  \
  template <class T>                      \
  inline T NAME(unsigned mask, T mine) {  \
    return stm_emu::reduce(mask, mine, [](T a, T b) -> T { return EXPRESSION; }); \
  }
STM_EMU_REDUCE(__reduce_add_sync, a + b)
STM_EMU_REDUCE(__reduce_min_sync, b < a ? b : a)
STM_EMU_REDUCE(__reduce_max_sync, a < b ? b : a)
STM_EMU_REDUCE(__reduce_and_sync, a & b)
STM_EMU_REDUCE(__reduce_or_sync, a | b)
STM_EMU_REDUCE(__reduce_xor_sync, a ^ b)
#undef STM_EMU_REDUCE

// ---- Time ----------------------------------------------------------------------------------------------------------------

inline void __nanosleep(unsigned) { stm_emu::yield(); }
// Device nanoseconds. With fibers they count steps, so that a run is reproducible.
inline unsigned long long stm_globaltimer() { return stm_emu::nanoseconds(); }
inline long long clock64() { return (long long)stm_emu::nanoseconds(); }

// ---- Arithmetic ------------------------------------------------------------------------------------------------------------

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline float __uint_as_float(unsigned x) { return stm_emu::value<float>(x); }
inline float __int_as_float(int x) { return stm_emu::value<float>(stm_emu::bits(x)); }
inline unsigned __float_as_uint(float x) { return (unsigned)stm_emu::bits(x); }
inline int __float_as_int(float x) { return (int)stm_emu::bits(x); }
inline double __longlong_as_double(long long x) { return stm_emu::value<double>((stm_emu::word)x); }
inline long long __double_as_longlong(double x) { return (long long)stm_emu::bits(x); }
#define STM_EMU_ROUNDED(PREFIX, T)                              \
  inline T PREFIX##add_rn(T a, T b) { return a + b; }           \
  inline T PREFIX##sub_rn(T a, T b) { return a - b; }           \
  inline T PREFIX##mul_rn(T a, T b) { return a * b; }           \
  inline T PREFIX##div_rn(T a, T b) { return a / b; }
STM_EMU_ROUNDED(__f, float)
STM_EMU_ROUNDED(__d, double)
#undef STM_EMU_ROUNDED
extern "C" {
float fmodf(float, float) noexcept;
double fmod(double, double) noexcept;
float truncf(float) noexcept;
double trunc(double) noexcept;
float sqrtf(float) noexcept;
double sqrt(double) noexcept;
float fabsf(float) noexcept;
double fabs(double) noexcept;
}
inline bool isnan(float x) { return __builtin_isnan(x); }
inline bool isnan(double x) { return __builtin_isnan(x); }
inline bool isinf(float x) { return __builtin_isinf(x); }
inline bool isinf(double x) { return __builtin_isinf(x); }
template <class T>
inline T min(T a, T b) { return b < a ? b : a; }
template <class T>
inline T max(T a, T b) { return a < b ? b : a; }
