// The bit methods of integers, and logarithms. Comes after methods.cuh, which explains how unused methods are omitted.

// ---- Counts ---------------------------------------------------------------------------------------------------------

// A narrow operand has 0 above it in the word that is counted.
#if RS_ALL || RS_CALLS_COUNT_ONES || RS_CALLS_COUNT_ZEROS || RS_CALLS_TRAILING_ZEROS || RS_CALLS_TRAILING_ONES
RS_ONLY_1(rs_count_ones)
RS_ONLY_1(rs_count_zeros)
RS_ONLY_1(rs_trailing_zeros)
RS_ONLY_1(rs_trailing_ones)
#if STM_EMULATED
STM_DEVICE u32 rs_ones_of(u32 word) { return (u32)__builtin_popcount(word); }
STM_DEVICE u32 rs_ones_of(u64 word) { return (u32)__builtin_popcountll(word); }
#else
STM_DEVICE u32 rs_ones_of(u32 word) { return (u32)__popc(word); }
STM_DEVICE u32 rs_ones_of(u64 word) { return (u32)__popcll(word); }
#endif
#if RS_WIDE
STM_DEVICE u32 rs_ones_of(u128 bits) { return rs_ones_of((u64)bits) + rs_ones_of((u64)(bits >> 64)); }
#endif
#define RS_ONES(T, U, WIDE, BITS) \
  STM_DEVICE u32 rs_count_ones(T a) { return rs_ones_of((WIDE)(U)a); } \
  STM_DEVICE u32 rs_count_zeros(T a) { return BITS - rs_ones_of((WIDE)(U)a); } \
  STM_DEVICE u32 rs_trailing_zeros(T a) { return rs_ones_of((WIDE)(U)(~(WIDE)a & ((WIDE)a - 1))); } \
  STM_DEVICE u32 rs_trailing_ones(T a) { return rs_ones_of((WIDE)(U)((WIDE)a & (~(WIDE)a - 1))); }
RS_INTS(RS_ONES)
#endif

#if RS_ALL || RS_CALLS_LEADING_ZEROS || RS_CALLS_LEADING_ONES || RS_CALLS_ILOG2 || RS_CALLS_CHECKED_ILOG2 || \
    RS_CALLS_NEXT_POWER_OF_TWO || RS_CALLS_CHECKED_NEXT_POWER_OF_TWO
RS_ONLY_1(rs_leading_zeros)
RS_ONLY_1(rs_leading_ones)
#if STM_EMULATED
STM_DEVICE u32 rs_leading_of(u32 word) { return word == 0 ? 32 : (u32)__builtin_clz(word); }
STM_DEVICE u32 rs_leading_of(u64 word) { return word == 0 ? 64 : (u32)__builtin_clzll(word); }
#else
STM_DEVICE u32 rs_leading_of(u32 word) { return (u32)__clz((i32)word); }
STM_DEVICE u32 rs_leading_of(u64 word) { return (u32)__clzll((i64)word); }
#endif
#if RS_WIDE
STM_DEVICE u32 rs_leading_of(u128 bits) {
  u64 high = (u64)(bits >> 64);
  return high != 0 ? rs_leading_of(high) : 64 + rs_leading_of((u64)bits);
}
#endif
#define RS_LEADING(T, U, WIDE, BITS) \
  STM_DEVICE u32 rs_leading_zeros(T a) { return rs_leading_of((WIDE)(U)a) - (u32)(sizeof(WIDE) * 8 - BITS); } \
  STM_DEVICE u32 rs_leading_ones(T a) { return rs_leading_zeros((T)(U)~(WIDE)a); }
RS_INTS(RS_LEADING)
#endif

// ---- Reordered bits -------------------------------------------------------------------------------------------------

#if RS_ALL || RS_CALLS_ROTATE_LEFT || RS_CALLS_ROTATE_RIGHT
RS_ONLY_2(rs_rotate_left)
RS_ONLY_2(rs_rotate_right)
#define RS_ROTATIONS(T, U, WIDE, BITS) \
  STM_DEVICE T rs_rotate_left(T a, u32 by) { \
    WIDE word = (WIDE)(U)a; \
    return (T)(U)(word << (by & (BITS - 1)) | word >> ((0 - by) & (BITS - 1))); \
  } \
  STM_DEVICE T rs_rotate_right(T a, u32 by) { return rs_rotate_left(a, 0 - by); }
RS_INTS(RS_ROTATIONS)
#endif

// The result of reversing a whole word is in its upper bits.
#if RS_ALL || RS_CALLS_SWAP_BYTES
RS_ONLY_1(rs_swap_bytes)
STM_DEVICE u32 rs_swapped(u32 word) {
  return word << 24 | (word & 0xff00) << 8 | (word >> 8 & 0xff00) | word >> 24;
}
STM_DEVICE u64 rs_swapped(u64 word) { return (u64)rs_swapped((u32)word) << 32 | rs_swapped((u32)(word >> 32)); }
#if RS_WIDE
STM_DEVICE u128 rs_swapped(u128 bits) { return (u128)rs_swapped((u64)bits) << 64 | rs_swapped((u64)(bits >> 64)); }
#endif
#define RS_SWAP_BYTES(T, U, WIDE, BITS) \
  STM_DEVICE T rs_swap_bytes(T a) { return (T)(U)(rs_swapped((WIDE)(U)a) >> (sizeof(WIDE) * 8 - BITS)); }
RS_INTS(RS_SWAP_BYTES)
#endif

#if RS_ALL || RS_CALLS_REVERSE_BITS
RS_ONLY_1(rs_reverse_bits)
#if STM_EMULATED
STM_DEVICE u32 rs_reversed(u32 word) {
  u32 reversed = 0;
  for (u32 bit = 0; bit < 32; bit++) reversed |= (word >> bit & 1) << (31 - bit);
  return reversed;
}
#else
STM_DEVICE u32 rs_reversed(u32 word) { return __brev(word); }
#endif
STM_DEVICE u64 rs_reversed(u64 word) { return (u64)rs_reversed((u32)word) << 32 | rs_reversed((u32)(word >> 32)); }
#if RS_WIDE
STM_DEVICE u128 rs_reversed(u128 bits) { return (u128)rs_reversed((u64)bits) << 64 | rs_reversed((u64)(bits >> 64)); }
#endif
#define RS_REVERSE_BITS(T, U, WIDE, BITS) \
  STM_DEVICE T rs_reverse_bits(T a) { return (T)(U)(rs_reversed((WIDE)(U)a) >> (sizeof(WIDE) * 8 - BITS)); }
RS_INTS(RS_REVERSE_BITS)
#endif

// ---- Shifts by a u32 ------------------------------------------------------------------------------------------------

#if RS_ALL || RS_CALLS_CHECKED_SHL || RS_CALLS_OVERFLOWING_SHL || RS_CALLS_UNBOUNDED_SHL
RS_ONLY_OVERFLOWING_2(shl)
RS_ONLY_2(rs_unbounded_shl)
#define RS_SHL(T, U, WIDE, BITS) \
  STM_DEVICE bool rs_shl_overflows(T, u32 by) { return by >= BITS; } \
  STM_DEVICE T rs_unbounded_shl(T a, u32 by) { return by < BITS ? rs_wrapping_shl(a, by) : (T)0; } \
  RS_OVERFLOWING_2(T, u32, shl)
RS_INTS(RS_SHL)
#endif

#if RS_ALL || RS_CALLS_CHECKED_SHR || RS_CALLS_OVERFLOWING_SHR || RS_CALLS_UNBOUNDED_SHR
RS_ONLY_OVERFLOWING_2(shr)
RS_ONLY_2(rs_unbounded_shr)
#define RS_SHR(T, U, WIDE, BITS) \
  STM_DEVICE bool rs_shr_overflows(T, u32 by) { return by >= BITS; } \
  RS_OVERFLOWING_2(T, u32, shr)
#define RS_SIGNED_SHR(T, U, WIDE, BITS) \
  STM_DEVICE T rs_unbounded_shr(T a, u32 by) { return rs_wrapping_shr(a, by < BITS ? by : (u32)(BITS - 1)); }
#define RS_UNSIGNED_SHR(T, U, WIDE, BITS) \
  STM_DEVICE T rs_unbounded_shr(T a, u32 by) { return by < BITS ? rs_wrapping_shr(a, by) : (T)0; }
RS_INTS(RS_SHR)
RS_SIGNED_INTS(RS_SIGNED_SHR)
RS_UNSIGNED_INTS(RS_UNSIGNED_SHR)
#endif

// ---- Powers of two --------------------------------------------------------------------------------------------------

#if RS_ALL || RS_CALLS_IS_POWER_OF_TWO
RS_ONLY_1(rs_is_power_of_two)
#define RS_IS_POWER_OF_TWO(T, ...) \
  STM_DEVICE bool rs_is_power_of_two(T a) { return a != 0 && (a & (a - 1)) == 0; }
RS_UNSIGNED_INTS(RS_IS_POWER_OF_TWO)
#endif

// Wraps to 0 past the largest power.
#if RS_ALL || RS_CALLS_NEXT_POWER_OF_TWO || RS_CALLS_CHECKED_NEXT_POWER_OF_TWO
RS_ONLY_FAULT_1(next_power_of_two)
RS_ONLY_OPTION_1(rs_checked_next_power_of_two)
#define RS_NEXT_POWER_OF_TWO(T, U, WIDE, BITS) \
  STM_DEVICE T rs_next_power_of_two(T a) { \
    return a <= 1 ? (T)1 : (T)(((T)~(T)0 >> rs_leading_zeros((T)(a - 1))) + 1); \
  } \
  STM_DEVICE bool rs_checked_next_power_of_two_is_some(T a) { return a <= (T)1 << (BITS - 1); } \
  STM_DEVICE T rs_checked_next_power_of_two_some(T a) { return rs_next_power_of_two(a); } \
  STM_DEVICE stm_fault rs_next_power_of_two_fault(T a) { \
    return RS_FAULT_WHERE(!rs_checked_next_power_of_two_is_some(a), STM_FAULT_OVERFLOW); \
  }
RS_UNSIGNED_INTS(RS_NEXT_POWER_OF_TWO)
#endif

// ---- Logarithms -----------------------------------------------------------------------------------------------------

// Rounds down; 0 if there is no logarithm.
#if RS_ALL || RS_CALLS_ILOG2 || RS_CALLS_CHECKED_ILOG2
RS_ONLY_FAULT_1(ilog2)
RS_ONLY_OPTION_1(rs_checked_ilog2)
#define RS_ILOG2(T, U, WIDE, BITS) \
  STM_DEVICE u32 rs_ilog2(T a) { return a > 0 ? BITS - 1 - rs_leading_zeros(a) : 0; } \
  STM_DEVICE stm_fault rs_ilog2_fault(T a) { return RS_FAULT_WHERE(!(a > 0), STM_FAULT_ARGUMENT); } \
  STM_DEVICE bool rs_checked_ilog2_is_some(T a) { return a > 0; } \
  STM_DEVICE u32 rs_checked_ilog2_some(T a) { return rs_ilog2(a); }
RS_INTS(RS_ILOG2)
#endif

#if RS_ALL || RS_CALLS_ILOG || RS_CALLS_CHECKED_ILOG || RS_CALLS_ILOG10 || RS_CALLS_CHECKED_ILOG10
RS_ONLY_FAULT_1(ilog10)
RS_ONLY_OPTION_1(rs_checked_ilog10)
RS_ONLY_FAULT_2(ilog)
RS_ONLY_OPTION_2(rs_checked_ilog)
#define RS_ILOG(T, ...) \
  STM_DEVICE bool rs_checked_ilog_is_some(T a, T base) { return a > 0 && base > 1; } \
  STM_DEVICE u32 rs_ilog(T a, T base) { \
    u32 log = 0; \
    if (!rs_checked_ilog_is_some(a, base)) return log; \
    RS_ROLLED \
    for (; a >= base; a = (T)(a / base)) log++; \
    return log; \
  } \
  STM_DEVICE stm_fault rs_ilog_fault(T a, T base) { \
    return RS_FAULT_WHERE(!rs_checked_ilog_is_some(a, base), STM_FAULT_ARGUMENT); \
  } \
  STM_DEVICE u32 rs_checked_ilog_some(T a, T base) { return rs_ilog(a, base); } \
  STM_DEVICE u32 rs_ilog10(T a) { return rs_ilog(a, (T)10); } \
  STM_DEVICE stm_fault rs_ilog10_fault(T a) { return rs_ilog_fault(a, (T)10); } \
  STM_DEVICE bool rs_checked_ilog10_is_some(T a) { return a > 0; } \
  STM_DEVICE u32 rs_checked_ilog10_some(T a) { return rs_ilog10(a); }
RS_INTS(RS_ILOG)
#endif
