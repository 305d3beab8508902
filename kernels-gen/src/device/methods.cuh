// The methods of Rust's integers and of bool; methods_float.cuh has those of floats.
//
// Comes after prelude.cuh, whose rules hold here: Rust's result bit for bit, exact types or no compilation. For a method m there is
// rs_m, or one function for each component of its result: rs_m_is_some and rs_m_some (0 for None), rs_m_0 and rs_m_1. All are
// defined for all operands, also where Rust panics; there rs_m_fault returns the fault, otherwise 0. For overflows that only
// checked mode detects, rs_m_overflow does the same.
//
// Unused functions cost compilation time. Under RS_SOME the includer defines RS_CALLS_<method> as 1 for each method that it calls.
// A family here is omitted unless one of its methods, or of those that build on it, is among them.

#ifndef RS_SOME
#define RS_ALL 1
#endif

#define RS_ONLY_3(NAME) \
  template <class A, class B, class C> \
  __device__ A NAME(A, B, C) = delete;

#define RS_ONLY_OPTION_1(NAME) RS_ONLY_1(NAME##_is_some) RS_ONLY_1(NAME##_some)
#define RS_ONLY_OPTION_2(NAME) RS_ONLY_2(NAME##_is_some) RS_ONLY_2(NAME##_some)
#define RS_ONLY_FAULT_1(NAME) RS_ONLY_1(rs_##NAME) RS_ONLY_1(rs_##NAME##_fault)
#define RS_ONLY_FAULT_2(NAME) RS_ONLY_2(rs_##NAME) RS_ONLY_2(rs_##NAME##_fault)

#define RS_FAULT_WHERE(CONDITION, CODE) ((CONDITION) ? (CODE) : (stm_fault)0)
#define RS_ZERO_FAULT(B) RS_FAULT_WHERE(rs_divides_by_zero(B), STM_FAULT_DIVIDE_BY_ZERO)

// The types of the same width without and with a sign.
#define RS_UNSIGNED_i8 u8
#define RS_UNSIGNED_i16 u16
#define RS_UNSIGNED_i32 u32
#define RS_UNSIGNED_i64 u64
#define RS_UNSIGNED_i128 u128
#define RS_SIGNED_u8 i8
#define RS_SIGNED_u16 i16
#define RS_SIGNED_u32 i32
#define RS_SIGNED_u64 i64
#define RS_SIGNED_u128 i128

// Before a loop: unrolled, it would take longer to compile.
#if STM_EMULATED
#define RS_ROLLED
#else
#define RS_ROLLED _Pragma("unroll 1")
#endif

// Returns the limit that a value exceeded: the lower or the upper one.
#define RS_LIMIT(T, U, BITS, LOWER) ((LOWER) ? RS_MIN_OF(T, U, BITS) : (T)~RS_MIN_OF(T, U, BITS))

// Defines checked_* and overflowing_* of an operation with a wrapping form and a test.
#define RS_ONLY_OVERFLOWING_1(NAME) \
  RS_ONLY_OPTION_1(rs_checked_##NAME) RS_ONLY_1(rs_overflowing_##NAME##_0) RS_ONLY_1(rs_overflowing_##NAME##_1)
#define RS_ONLY_OVERFLOWING_2(NAME) \
  RS_ONLY_OPTION_2(rs_checked_##NAME) RS_ONLY_2(rs_overflowing_##NAME##_0) RS_ONLY_2(rs_overflowing_##NAME##_1)
#define RS_OVERFLOWING_1(T, NAME) \
  STM_DEVICE bool rs_checked_##NAME##_is_some(T a) { return !rs_##NAME##_overflows(a); } \
  STM_DEVICE T rs_checked_##NAME##_some(T a) { return rs_##NAME##_overflows(a) ? (T)0 : rs_wrapping_##NAME(a); } \
  STM_DEVICE T rs_overflowing_##NAME##_0(T a) { return rs_wrapping_##NAME(a); } \
  STM_DEVICE bool rs_overflowing_##NAME##_1(T a) { return rs_##NAME##_overflows(a); }
#define RS_OVERFLOWING_2(T, B, NAME) \
  STM_DEVICE bool rs_checked_##NAME##_is_some(T a, B b) { return !rs_##NAME##_overflows(a, b); } \
  STM_DEVICE T rs_checked_##NAME##_some(T a, B b) { \
    return rs_##NAME##_overflows(a, b) ? (T)0 : rs_wrapping_##NAME(a, b); \
  } \
  STM_DEVICE T rs_overflowing_##NAME##_0(T a, B b) { return rs_wrapping_##NAME(a, b); } \
  STM_DEVICE bool rs_overflowing_##NAME##_1(T a, B b) { return rs_##NAME##_overflows(a, b); }

// ---- Sums, differences, products, negation --------------------------------------------------------------------------

#if RS_ALL || RS_CALLS_CHECKED_ADD || RS_CALLS_OVERFLOWING_ADD || RS_CALLS_SATURATING_ADD
RS_ONLY_OVERFLOWING_2(add)
RS_ONLY_2(rs_saturating_add)
#define RS_ADD(T, ...) RS_OVERFLOWING_2(T, T, add)
#define RS_SIGNED_ADD(T, U, WIDE, BITS) \
  STM_DEVICE T rs_saturating_add(T a, T b) { \
    return rs_add_overflows(a, b) ? RS_LIMIT(T, U, BITS, a < 0) : rs_wrapping_add(a, b); \
  }
#define RS_UNSIGNED_ADD(T, ...) \
  STM_DEVICE T rs_saturating_add(T a, T b) { return rs_add_overflows(a, b) ? (T)~(T)0 : rs_wrapping_add(a, b); }
RS_INTS(RS_ADD)
RS_SIGNED_INTS(RS_SIGNED_ADD)
RS_UNSIGNED_INTS(RS_UNSIGNED_ADD)
#endif

#if RS_ALL || RS_CALLS_CHECKED_SUB || RS_CALLS_OVERFLOWING_SUB || RS_CALLS_SATURATING_SUB
RS_ONLY_OVERFLOWING_2(sub)
RS_ONLY_2(rs_saturating_sub)
#define RS_SUB(T, ...) RS_OVERFLOWING_2(T, T, sub)
#define RS_SIGNED_SUB(T, U, WIDE, BITS) \
  STM_DEVICE T rs_saturating_sub(T a, T b) { \
    return rs_sub_overflows(a, b) ? RS_LIMIT(T, U, BITS, a < 0) : rs_wrapping_sub(a, b); \
  }
#define RS_UNSIGNED_SUB(T, ...) \
  STM_DEVICE T rs_saturating_sub(T a, T b) { return rs_sub_overflows(a, b) ? (T)0 : rs_wrapping_sub(a, b); }
RS_INTS(RS_SUB)
RS_SIGNED_INTS(RS_SIGNED_SUB)
RS_UNSIGNED_INTS(RS_UNSIGNED_SUB)
#endif

#if RS_ALL || RS_CALLS_CHECKED_MUL || RS_CALLS_OVERFLOWING_MUL || RS_CALLS_SATURATING_MUL
RS_ONLY_OVERFLOWING_2(mul)
RS_ONLY_2(rs_saturating_mul)
#define RS_MUL(T, ...) RS_OVERFLOWING_2(T, T, mul)
#define RS_SIGNED_MUL(T, U, WIDE, BITS) \
  STM_DEVICE T rs_saturating_mul(T a, T b) { \
    return rs_mul_overflows(a, b) ? RS_LIMIT(T, U, BITS, (a < 0) != (b < 0)) : rs_wrapping_mul(a, b); \
  }
#define RS_UNSIGNED_MUL(T, ...) \
  STM_DEVICE T rs_saturating_mul(T a, T b) { return rs_mul_overflows(a, b) ? (T)~(T)0 : rs_wrapping_mul(a, b); }
RS_INTS(RS_MUL)
RS_SIGNED_INTS(RS_SIGNED_MUL)
RS_UNSIGNED_INTS(RS_UNSIGNED_MUL)
#endif

#if RS_ALL || RS_CALLS_CHECKED_NEG || RS_CALLS_OVERFLOWING_NEG || RS_CALLS_SATURATING_NEG
RS_ONLY_OVERFLOWING_1(neg)
RS_ONLY_1(rs_saturating_neg)
#define RS_NEG(T, ...) RS_OVERFLOWING_1(T, neg)
#define RS_SIGNED_NEG(T, U, WIDE, BITS) \
  STM_DEVICE T rs_saturating_neg(T a) { \
    return rs_neg_overflows(a) ? RS_LIMIT(T, U, BITS, false) : rs_wrapping_neg(a); \
  }
RS_INTS(RS_NEG)
RS_SIGNED_INTS(RS_SIGNED_NEG)
#endif

// ---- One operand of the other signedness ----------------------------------------------------------------------------

// A sum that wrapped is on the wrong side of its first operand.
#if RS_ALL || RS_CALLS_WRAPPING_ADD_SIGNED || RS_CALLS_CHECKED_ADD_SIGNED || RS_CALLS_OVERFLOWING_ADD_SIGNED || \
    RS_CALLS_SATURATING_ADD_SIGNED
RS_ONLY_2(rs_wrapping_add_signed)
RS_ONLY_2(rs_saturating_add_signed)
RS_ONLY_OVERFLOWING_2(add_signed)
#define RS_ADD_SIGNED(T, U, WIDE, BITS) \
  STM_DEVICE T rs_wrapping_add_signed(T a, RS_SIGNED_##T b) { return (T)((WIDE)a + (WIDE)b); } \
  STM_DEVICE bool rs_add_signed_overflows(T a, RS_SIGNED_##T b) { \
    return (rs_wrapping_add_signed(a, b) < a) != (b < 0); \
  } \
  STM_DEVICE T rs_saturating_add_signed(T a, RS_SIGNED_##T b) { \
    if (rs_add_signed_overflows(a, b)) return b < 0 ? (T)0 : (T)~(T)0; \
    return rs_wrapping_add_signed(a, b); \
  } \
  RS_OVERFLOWING_2(T, RS_SIGNED_##T, add_signed)
RS_UNSIGNED_INTS(RS_ADD_SIGNED)
#endif

#if RS_ALL || RS_CALLS_WRAPPING_ADD_UNSIGNED || RS_CALLS_CHECKED_ADD_UNSIGNED || \
    RS_CALLS_OVERFLOWING_ADD_UNSIGNED || RS_CALLS_SATURATING_ADD_UNSIGNED
RS_ONLY_2(rs_wrapping_add_unsigned)
RS_ONLY_2(rs_saturating_add_unsigned)
RS_ONLY_OVERFLOWING_2(add_unsigned)
#define RS_ADD_UNSIGNED(T, U, WIDE, BITS) \
  STM_DEVICE T rs_wrapping_add_unsigned(T a, U b) { return (T)(U)((WIDE)a + (WIDE)b); } \
  STM_DEVICE bool rs_add_unsigned_overflows(T a, U b) { return rs_wrapping_add_unsigned(a, b) < a; } \
  STM_DEVICE T rs_saturating_add_unsigned(T a, U b) { \
    return rs_add_unsigned_overflows(a, b) ? RS_LIMIT(T, U, BITS, false) : rs_wrapping_add_unsigned(a, b); \
  } \
  RS_OVERFLOWING_2(T, U, add_unsigned)
RS_SIGNED_INTS(RS_ADD_UNSIGNED)
#endif

#if RS_ALL || RS_CALLS_WRAPPING_SUB_UNSIGNED || RS_CALLS_CHECKED_SUB_UNSIGNED || \
    RS_CALLS_OVERFLOWING_SUB_UNSIGNED || RS_CALLS_SATURATING_SUB_UNSIGNED
RS_ONLY_2(rs_wrapping_sub_unsigned)
RS_ONLY_2(rs_saturating_sub_unsigned)
RS_ONLY_OVERFLOWING_2(sub_unsigned)
#define RS_SUB_UNSIGNED(T, U, WIDE, BITS) \
  STM_DEVICE T rs_wrapping_sub_unsigned(T a, U b) { return (T)(U)((WIDE)a - (WIDE)b); } \
  STM_DEVICE bool rs_sub_unsigned_overflows(T a, U b) { return rs_wrapping_sub_unsigned(a, b) > a; } \
  STM_DEVICE T rs_saturating_sub_unsigned(T a, U b) { \
    return rs_sub_unsigned_overflows(a, b) ? RS_LIMIT(T, U, BITS, true) : rs_wrapping_sub_unsigned(a, b); \
  } \
  RS_OVERFLOWING_2(T, U, sub_unsigned)
RS_SIGNED_INTS(RS_SUB_UNSIGNED)
#endif

#if RS_ALL || RS_CALLS_CAST_SIGNED || RS_CALLS_CAST_UNSIGNED
RS_ONLY_1(rs_cast_signed)
RS_ONLY_1(rs_cast_unsigned)
#define RS_CAST_SIGNED(T, ...) \
  STM_DEVICE RS_SIGNED_##T rs_cast_signed(T a) { return (RS_SIGNED_##T)a; }
#define RS_CAST_UNSIGNED(T, U, ...) \
  STM_DEVICE U rs_cast_unsigned(T a) { return (U)a; }
RS_UNSIGNED_INTS(RS_CAST_SIGNED)
RS_SIGNED_INTS(RS_CAST_UNSIGNED)
#endif

// ---- Magnitude and sign ---------------------------------------------------------------------------------------------

#if RS_ALL || RS_CALLS_ABS || RS_CALLS_WRAPPING_ABS || RS_CALLS_CHECKED_ABS || RS_CALLS_OVERFLOWING_ABS || \
    RS_CALLS_SATURATING_ABS || RS_CALLS_UNSIGNED_ABS
RS_ONLY_FAULT_1(abs)
RS_ONLY_1(rs_wrapping_abs)
RS_ONLY_1(rs_saturating_abs)
RS_ONLY_1(rs_unsigned_abs)
RS_ONLY_OVERFLOWING_1(abs)
#define RS_ABS(T, U, WIDE, BITS) \
  STM_DEVICE T rs_wrapping_abs(T a) { return a < 0 ? rs_wrapping_neg(a) : a; } \
  STM_DEVICE T rs_abs(T a) { return rs_wrapping_abs(a); } \
  STM_DEVICE U rs_unsigned_abs(T a) { return (U)rs_wrapping_abs(a); } \
  STM_DEVICE bool rs_abs_overflows(T a) { return rs_neg_overflows(a); } \
  STM_DEVICE stm_fault rs_abs_fault(T a) { return RS_FAULT_WHERE(rs_abs_overflows(a), STM_FAULT_OVERFLOW); } \
  STM_DEVICE T rs_saturating_abs(T a) { \
    return rs_abs_overflows(a) ? RS_LIMIT(T, U, BITS, false) : rs_wrapping_abs(a); \
  } \
  RS_OVERFLOWING_1(T, abs)
RS_SIGNED_INTS(RS_ABS)
#endif

#if RS_ALL || RS_CALLS_SIGNUM || RS_CALLS_IS_POSITIVE || RS_CALLS_IS_NEGATIVE
RS_ONLY_1(rs_signum)
RS_ONLY_1(rs_is_positive)
RS_ONLY_1(rs_is_negative)
#define RS_SIGN(T, ...) \
  STM_DEVICE T rs_signum(T a) { return (T)((a > 0) - (a < 0)); } \
  STM_DEVICE bool rs_is_positive(T a) { return a > 0; } \
  STM_DEVICE bool rs_is_negative(T a) { return a < 0; }
RS_SIGNED_INTS(RS_SIGN)
#endif

#if RS_ALL || RS_CALLS_ABS_DIFF
RS_ONLY_2(rs_abs_diff)
#define RS_ABS_DIFF(T, U, WIDE, BITS) \
  STM_DEVICE U rs_abs_diff(T a, T b) { return (U)(a < b ? (WIDE)b - (WIDE)a : (WIDE)a - (WIDE)b); }
RS_INTS(RS_ABS_DIFF)
#endif

// ---- Order ----------------------------------------------------------------------------------------------------------

#if RS_ALL || RS_CALLS_MIN || RS_CALLS_MAX || RS_CALLS_CLAMP
RS_ONLY_2(rs_min)
RS_ONLY_2(rs_max)
RS_ONLY_3(rs_clamp)
RS_ONLY_3(rs_clamp_fault)
#define RS_ORDER(T, ...) \
  STM_DEVICE T rs_min(T a, T b) { return a < b ? a : b; } \
  STM_DEVICE T rs_max(T a, T b) { return a < b ? b : a; } \
  STM_DEVICE T rs_clamp(T a, T low, T high) { return rs_min(rs_max(a, low), high); } \
  STM_DEVICE stm_fault rs_clamp_fault(T, T low, T high) { return RS_FAULT_WHERE(low > high, STM_FAULT_ARGUMENT); }
RS_INTS(RS_ORDER)
RS_ORDER(bool, )
#endif

// Signed: rounds towards 0. Unsigned: rounds down.
#if RS_ALL || RS_CALLS_MIDPOINT
RS_ONLY_2(rs_midpoint)
#define RS_UNSIGNED_MIDPOINT(T, ...) \
  STM_DEVICE T rs_midpoint(T a, T b) { return (T)(((a ^ b) >> 1) + (a & b)); }
#define RS_SIGNED_MIDPOINT(T, ...) \
  STM_DEVICE T rs_midpoint(T a, T b) { \
    T down = (T)(((a ^ b) >> 1) + (a & b)); \
    return (T)(down + (down < 0 && ((a ^ b) & 1))); \
  }
RS_UNSIGNED_INTS(RS_UNSIGNED_MIDPOINT)
RS_SIGNED_INTS(RS_SIGNED_MIDPOINT)
#endif

// ---- Division -------------------------------------------------------------------------------------------------------

// rs_div and rs_rem divide by 1 where the division faults, which is also the result of wrapping `MIN / -1` and `MIN % -1`.
#if RS_ALL || RS_CALLS_CHECKED_DIV || RS_CALLS_CHECKED_REM || RS_CALLS_WRAPPING_DIV || RS_CALLS_WRAPPING_REM || \
    RS_CALLS_SATURATING_DIV
RS_ONLY_OPTION_2(rs_checked_div)
RS_ONLY_OPTION_2(rs_checked_rem)
RS_ONLY_FAULT_2(wrapping_div)
RS_ONLY_FAULT_2(wrapping_rem)
RS_ONLY_FAULT_2(saturating_div)
#define RS_DIVISION(T, U, WIDE, BITS) \
  STM_DEVICE bool rs_checked_div_is_some(T a, T b) { return !rs_div_fault(a, b); } \
  STM_DEVICE T rs_checked_div_some(T a, T b) { return rs_div_fault(a, b) ? (T)0 : rs_div(a, b); } \
  STM_DEVICE bool rs_checked_rem_is_some(T a, T b) { return !rs_rem_fault(a, b); } \
  STM_DEVICE T rs_checked_rem_some(T a, T b) { return rs_rem_fault(a, b) ? (T)0 : rs_rem(a, b); } \
  STM_DEVICE T rs_wrapping_div(T a, T b) { return rs_div(a, b); } \
  STM_DEVICE T rs_wrapping_rem(T a, T b) { return rs_rem(a, b); } \
  STM_DEVICE T rs_saturating_div(T a, T b) { \
    return rs_div_overflows(a, b) ? RS_LIMIT(T, U, BITS, false) : rs_div(a, b); \
  } \
  STM_DEVICE stm_fault rs_wrapping_div_fault(T, T b) { return RS_ZERO_FAULT(b); } \
  STM_DEVICE stm_fault rs_wrapping_rem_fault(T, T b) { return RS_ZERO_FAULT(b); } \
  STM_DEVICE stm_fault rs_saturating_div_fault(T, T b) { return RS_ZERO_FAULT(b); }
RS_INTS(RS_DIVISION)
#endif

// The remainder is never negative.
#if RS_ALL || RS_CALLS_DIV_EUCLID || RS_CALLS_REM_EUCLID || RS_CALLS_CHECKED_DIV_EUCLID || \
    RS_CALLS_CHECKED_REM_EUCLID || RS_CALLS_WRAPPING_DIV_EUCLID || RS_CALLS_WRAPPING_REM_EUCLID
RS_ONLY_FAULT_2(div_euclid)
RS_ONLY_FAULT_2(rem_euclid)
RS_ONLY_FAULT_2(wrapping_div_euclid)
RS_ONLY_FAULT_2(wrapping_rem_euclid)
RS_ONLY_OPTION_2(rs_checked_div_euclid)
RS_ONLY_OPTION_2(rs_checked_rem_euclid)
#define RS_SIGNED_EUCLID(T, ...) \
  STM_DEVICE T rs_div_euclid(T a, T b) { \
    T quotient = rs_div(a, b); \
    return rs_rem(a, b) < 0 ? rs_wrapping_sub(quotient, (T)(b < 0 ? -1 : 1)) : quotient; \
  } \
  STM_DEVICE T rs_rem_euclid(T a, T b) { \
    T rest = rs_rem(a, b); \
    return rest < 0 ? (b < 0 ? rs_wrapping_sub(rest, b) : rs_wrapping_add(rest, b)) : rest; \
  }
#define RS_UNSIGNED_EUCLID(T, ...) \
  STM_DEVICE T rs_div_euclid(T a, T b) { return rs_div(a, b); } \
  STM_DEVICE T rs_rem_euclid(T a, T b) { return rs_rem(a, b); }
#define RS_EUCLID(T, ...) \
  STM_DEVICE stm_fault rs_div_euclid_fault(T a, T b) { return rs_div_fault(a, b); } \
  STM_DEVICE stm_fault rs_rem_euclid_fault(T a, T b) { return rs_rem_fault(a, b); } \
  STM_DEVICE T rs_wrapping_div_euclid(T a, T b) { return rs_div_euclid(a, b); } \
  STM_DEVICE T rs_wrapping_rem_euclid(T a, T b) { return rs_rem_euclid(a, b); } \
  STM_DEVICE stm_fault rs_wrapping_div_euclid_fault(T, T b) { return RS_ZERO_FAULT(b); } \
  STM_DEVICE stm_fault rs_wrapping_rem_euclid_fault(T, T b) { return RS_ZERO_FAULT(b); } \
  STM_DEVICE bool rs_checked_div_euclid_is_some(T a, T b) { return !rs_div_fault(a, b); } \
  STM_DEVICE T rs_checked_div_euclid_some(T a, T b) { return rs_div_fault(a, b) ? (T)0 : rs_div_euclid(a, b); } \
  STM_DEVICE bool rs_checked_rem_euclid_is_some(T a, T b) { return !rs_rem_fault(a, b); } \
  STM_DEVICE T rs_checked_rem_euclid_some(T a, T b) { return rs_rem_fault(a, b) ? (T)0 : rs_rem_euclid(a, b); }
RS_SIGNED_INTS(RS_SIGNED_EUCLID)
RS_UNSIGNED_INTS(RS_UNSIGNED_EUCLID)
RS_INTS(RS_EUCLID)
#endif

#if RS_ALL || RS_CALLS_DIV_CEIL || RS_CALLS_NEXT_MULTIPLE_OF || RS_CALLS_CHECKED_NEXT_MULTIPLE_OF
RS_ONLY_FAULT_2(div_ceil)
RS_ONLY_FAULT_2(next_multiple_of)
RS_ONLY_2(rs_next_multiple_of_overflow)
RS_ONLY_OPTION_2(rs_checked_next_multiple_of)
#define RS_MULTIPLES(T, ...) \
  STM_DEVICE T rs_div_ceil(T a, T b) { return (T)(rs_div(a, b) + (rs_rem(a, b) != 0)); } \
  STM_DEVICE stm_fault rs_div_ceil_fault(T, T b) { return RS_ZERO_FAULT(b); } \
  STM_DEVICE T rs_up_to_multiple(T a, T b) { return rs_rem(a, b) == 0 ? (T)0 : rs_wrapping_sub(b, rs_rem(a, b)); } \
  STM_DEVICE T rs_next_multiple_of(T a, T b) { return rs_wrapping_add(a, rs_up_to_multiple(a, b)); } \
  STM_DEVICE stm_fault rs_next_multiple_of_fault(T, T b) { return RS_ZERO_FAULT(b); } \
  STM_DEVICE stm_fault rs_next_multiple_of_overflow(T a, T b) { \
    return RS_FAULT_WHERE(rs_add_overflows(a, rs_up_to_multiple(a, b)), STM_FAULT_OVERFLOW); \
  } \
  STM_DEVICE bool rs_checked_next_multiple_of_is_some(T a, T b) { \
    return !rs_divides_by_zero(b) && !rs_next_multiple_of_overflow(a, b); \
  } \
  STM_DEVICE T rs_checked_next_multiple_of_some(T a, T b) { \
    return rs_checked_next_multiple_of_is_some(a, b) ? rs_next_multiple_of(a, b) : (T)0; \
  }
RS_UNSIGNED_INTS(RS_MULTIPLES)
#endif

// ---- Powers and roots -----------------------------------------------------------------------------------------------

// A square that overflowed counts only if the product needs it.
#if RS_ALL || RS_CALLS_POW || RS_CALLS_WRAPPING_POW || RS_CALLS_CHECKED_POW || RS_CALLS_OVERFLOWING_POW || \
    RS_CALLS_SATURATING_POW
RS_ONLY_FAULT_2(pow)
RS_ONLY_2(rs_wrapping_pow)
RS_ONLY_2(rs_saturating_pow)
RS_ONLY_OVERFLOWING_2(pow)
#define RS_POW(T, U, WIDE, BITS) \
  STM_DEVICE T rs_wrapping_pow(T base, u32 exponent) { \
    WIDE square = (WIDE)base, product = 1; \
    RS_ROLLED \
    for (; exponent != 0; exponent >>= 1) { \
      if (exponent & 1) product *= square; \
      square *= square; \
    } \
    return (T)(U)product; \
  } \
  STM_DEVICE bool rs_pow_overflows(T base, u32 exponent) { \
    T square = base, product = 1; \
    bool lost = false; \
    RS_ROLLED \
    for (; exponent != 0; exponent >>= 1) { \
      if ((exponent & 1) && (lost || rs_mul_overflows(product, square))) return true; \
      if (exponent & 1) product = rs_wrapping_mul(product, square); \
      lost = lost || rs_mul_overflows(square, square); \
      square = rs_wrapping_mul(square, square); \
    } \
    return false; \
  } \
  STM_DEVICE T rs_pow(T base, u32 exponent) { return rs_wrapping_pow(base, exponent); } \
  STM_DEVICE stm_fault rs_pow_fault(T base, u32 exponent) { \
    return RS_FAULT_WHERE(rs_pow_overflows(base, exponent), STM_FAULT_OVERFLOW); \
  } \
  RS_OVERFLOWING_2(T, u32, pow)
#define RS_SIGNED_POW(T, U, WIDE, BITS) \
  STM_DEVICE T rs_saturating_pow(T base, u32 exponent) { \
    if (rs_pow_overflows(base, exponent)) return RS_LIMIT(T, U, BITS, base < 0 && (exponent & 1)); \
    return rs_wrapping_pow(base, exponent); \
  }
#define RS_UNSIGNED_POW(T, ...) \
  STM_DEVICE T rs_saturating_pow(T base, u32 exponent) { \
    return rs_pow_overflows(base, exponent) ? (T)~(T)0 : rs_wrapping_pow(base, exponent); \
  }
RS_INTS(RS_POW)
RS_SIGNED_INTS(RS_SIGNED_POW)
RS_UNSIGNED_INTS(RS_UNSIGNED_POW)
#endif

// Two bits of the operand give one of the root. The root of a negative value is 0 here.
#if RS_ALL || RS_CALLS_ISQRT || RS_CALLS_CHECKED_ISQRT
RS_ONLY_FAULT_1(isqrt)
RS_ONLY_OPTION_1(rs_checked_isqrt)
#define RS_ROOT(T, WIDE, BITS, OPERAND) \
  WIDE rest = (WIDE)(OPERAND), root = 0; \
  RS_ROLLED \
  for (WIDE bit = (WIDE)1 << (BITS - 2); bit != 0; bit >>= 2) { \
    bool fits = rest >= root + bit; \
    if (fits) rest -= root + bit; \
    root = (root >> 1) + (fits ? bit : 0); \
  } \
  return (T)root;
#define RS_UNSIGNED_ISQRT(T, U, WIDE, BITS) \
  STM_DEVICE T rs_isqrt(T a) { RS_ROOT(T, WIDE, BITS, a) }
#define RS_SIGNED_ISQRT(T, U, WIDE, BITS) \
  STM_DEVICE T rs_isqrt(T a) { RS_ROOT(T, WIDE, BITS, a < 0 ? (T)0 : a) } \
  STM_DEVICE stm_fault rs_isqrt_fault(T a) { return RS_FAULT_WHERE(a < 0, STM_FAULT_ARGUMENT); } \
  STM_DEVICE bool rs_checked_isqrt_is_some(T a) { return a >= 0; } \
  STM_DEVICE T rs_checked_isqrt_some(T a) { return rs_isqrt(a); }
RS_UNSIGNED_INTS(RS_UNSIGNED_ISQRT)
RS_SIGNED_INTS(RS_SIGNED_ISQRT)
#endif
