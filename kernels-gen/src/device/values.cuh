// Values of generated bodies other than scalars: arrays, conditional values, and ranges with steps.
//
// Needs the prelude. The macros expect a `tx` in scope, as those of the prelude do.

// A copy is a copy of all elements, as in Rust.
template <class T, u32 N>
struct rs_array {
  T at[N];
};

template <class T, u32 N>
STM_DEVICE rs_array<T, N> rs_repeat(T value) {
  rs_array<T, N> array;
  for (u32 k = 0; k < N; ++k) array.at[k] = value;
  return array;
}

// Both are evaluated already, so neither is skipped.
template <class T>
STM_DEVICE T rs_select(bool condition, T a, T b) { return condition ? a : b; }

// Integers of two words.
#if RS_WIDE
template <class T>
STM_DEVICE T rs_wide(u64 low, u64 high) { return (T)((u128)high << 64 | low); }
template <class T>
STM_DEVICE u64 rs_low_word(T a) { return (u64)a; }
template <class T>
STM_DEVICE u64 rs_high_word(T a) { return (u64)((u128)a >> 64); }
#endif

// The elements of `a..b` or `a..=b` in steps are start + k * step for k from 0 to last, if there are any. A difference
// of values of full width fits only without its sign.
template <class T>
struct rs_count {
  typedef u64 type;
};
#if RS_WIDE
template <>
struct rs_count<i128> {
  typedef u128 type;
};
template <>
struct rs_count<u128> {
  typedef u128 type;
};
#endif
template <class T>
STM_DEVICE bool rs_range_any(T start, T end, bool inclusive) { return inclusive ? start <= end : start < end; }
template <class T>
STM_DEVICE typename rs_count<T>::type rs_range_last(T start, T end, bool inclusive, u64 step) {
  typedef typename rs_count<T>::type Count;
  Count span = (Count)end - (Count)start - (inclusive ? 0u : 1u);
  return span / (step ? step : 1u);
}
template <class T>
STM_DEVICE T rs_range_at(T start, typename rs_count<T>::type k, u64 step) {
  return (T)((typename rs_count<T>::type)start + k * step);
}

#define STM_ELEMENT(LOCATION, DEST, ARRAY, LENGTH, INDEX)                   \
  do {                                                                  \
    RS_FAULT_IF(!((INDEX) < (u64)(LENGTH)), STM_FAULT_INDEX, LOCATION);     \
    DEST = ARRAY.at[INDEX];                                             \
  } while (0)

#define STM_SET_ELEMENT(LOCATION, ARRAY, LENGTH, INDEX, VALUE)              \
  do {                                                                  \
    RS_FAULT_IF(!((INDEX) < (u64)(LENGTH)), STM_FAULT_INDEX, LOCATION);     \
    ARRAY.at[INDEX] = VALUE;                                            \
  } while (0)

// FAULT is the code, or 0.
#define STM_FAULT_IF(LOCATION, FAULT)                          \
  do {                                                     \
    stm_fault stm_code = (FAULT);                          \
    RS_FAULT_IF(tx.ends(stm_code != (stm_fault)0, LOCATION), stm_code, LOCATION); \
  } while (0)

#define STM_CHECKED_FAULT_IF(LOCATION, FAULT)     \
  do {                                        \
    if constexpr (STM_CHECKED) {              \
      STM_FAULT_IF(LOCATION, FAULT);              \
    }                                         \
  } while (0)
