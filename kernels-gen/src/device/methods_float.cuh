// The methods of floats whose result Rust specifies. Comes after methods.cuh, which explains how unused methods are omitted, and
// which refuses mixed types for the names that integers have, too.
//
// to_bits, from_bits, abs, copysign, next_up, next_down and the predicates operate on bits, so that a NaN keeps its payload; Rust
// does not specify which NaN arithmetic returns.

#define RS_NAME_f32(NAME) NAME##f
#define RS_NAME_f64(NAME) NAME
#if STM_EMULATED
#define RS_LIBRARY(T, NAME) RS_NAME_##T(__builtin_##NAME)
#else
#define RS_LIBRARY(T, NAME) RS_NAME_##T(NAME)
#endif

#define RS_WORD_f32 u32
#define RS_WORD_f64 u64
#define RS_MANTISSA_f32 23
#define RS_MANTISSA_f64 52
#define RS_SIGN_BIT(T) ((RS_WORD_##T)1 << (sizeof(T) * 8 - 1))
#define RS_INFINITY(T) (RS_SIGN_BIT(T) - ((RS_WORD_##T)1 << RS_MANTISSA_##T))

RS_ONLY_1(rs_to_bits)
RS_ONLY_1(rs_from_bits)
#if STM_EMULATED
#define RS_FLOAT_WORDS(T, ...) \
  STM_DEVICE RS_WORD_##T rs_to_bits(T a) { \
    RS_WORD_##T word; \
    __builtin_memcpy(&word, &a, sizeof(T)); \
    return word; \
  } \
  STM_DEVICE T rs_from_bits(RS_WORD_##T word) { \
    T a; \
    __builtin_memcpy(&a, &word, sizeof(T)); \
    return a; \
  }
RS_FLOATS(RS_FLOAT_WORDS)
#else
STM_DEVICE u32 rs_to_bits(f32 a) { return __float_as_uint(a); }
STM_DEVICE u64 rs_to_bits(f64 a) { return (u64)__double_as_longlong(a); }
STM_DEVICE f32 rs_from_bits(u32 word) { return __uint_as_float(word); }
STM_DEVICE f64 rs_from_bits(u64 word) { return __longlong_as_double((i64)word); }
#endif

// ---- Sign and kind --------------------------------------------------------------------------------------------------

#define RS_MAGNITUDE(T, ...) \
  STM_DEVICE RS_WORD_##T rs_magnitude(T a) { return rs_to_bits(a) & ~RS_SIGN_BIT(T); }
RS_FLOATS(RS_MAGNITUDE)

#if RS_ALL || RS_CALLS_ABS
#define RS_FLOAT_ABS(T, ...) \
  STM_DEVICE T rs_abs(T a) { return rs_from_bits(rs_magnitude(a)); }
RS_FLOATS(RS_FLOAT_ABS)
#endif

#if RS_ALL || RS_CALLS_COPYSIGN || RS_CALLS_SIGNUM
RS_ONLY_2(rs_copysign)
#define RS_FLOAT_SIGN(T, ...) \
  STM_DEVICE T rs_copysign(T a, T b) { return rs_from_bits(rs_magnitude(a) | (rs_to_bits(b) & RS_SIGN_BIT(T))); } \
  STM_DEVICE T rs_signum(T a) { return a != a ? a : rs_copysign((T)1, a); }
RS_FLOATS(RS_FLOAT_SIGN)
#endif

#if RS_ALL || RS_CALLS_IS_NAN || RS_CALLS_IS_INFINITE || RS_CALLS_IS_FINITE || RS_CALLS_IS_NORMAL || \
    RS_CALLS_IS_SUBNORMAL || RS_CALLS_IS_SIGN_POSITIVE || RS_CALLS_IS_SIGN_NEGATIVE
RS_ONLY_1(rs_is_nan)
RS_ONLY_1(rs_is_infinite)
RS_ONLY_1(rs_is_finite)
RS_ONLY_1(rs_is_normal)
RS_ONLY_1(rs_is_subnormal)
RS_ONLY_1(rs_is_sign_positive)
RS_ONLY_1(rs_is_sign_negative)
#define RS_FLOAT_KIND(T, ...) \
  STM_DEVICE bool rs_is_nan(T a) { return rs_magnitude(a) > RS_INFINITY(T); } \
  STM_DEVICE bool rs_is_infinite(T a) { return rs_magnitude(a) == RS_INFINITY(T); } \
  STM_DEVICE bool rs_is_finite(T a) { return rs_magnitude(a) < RS_INFINITY(T); } \
  STM_DEVICE bool rs_is_normal(T a) { return rs_is_finite(a) && rs_magnitude(a) >> RS_MANTISSA_##T != 0; } \
  STM_DEVICE bool rs_is_subnormal(T a) { return rs_magnitude(a) != 0 && rs_magnitude(a) >> RS_MANTISSA_##T == 0; } \
  STM_DEVICE bool rs_is_sign_positive(T a) { return (rs_to_bits(a) & RS_SIGN_BIT(T)) == 0; } \
  STM_DEVICE bool rs_is_sign_negative(T a) { return (rs_to_bits(a) & RS_SIGN_BIT(T)) != 0; }
RS_FLOATS(RS_FLOAT_KIND)
#endif

// The words of one sign are in the order of their magnitudes.
#if RS_ALL || RS_CALLS_NEXT_UP || RS_CALLS_NEXT_DOWN
RS_ONLY_1(rs_next_up)
RS_ONLY_1(rs_next_down)
#define RS_NEIGHBOURS(T, ...) \
  STM_DEVICE T rs_next_from(T a, RS_WORD_##T sign) { \
    RS_WORD_##T word = rs_to_bits(a); \
    if (a != a || word == (RS_INFINITY(T) | sign)) return a; \
    if (a == 0) return rs_from_bits(sign | 1); \
    return rs_from_bits((word & RS_SIGN_BIT(T)) == sign ? word + 1 : word - 1); \
  } \
  STM_DEVICE T rs_next_up(T a) { return rs_next_from(a, 0); } \
  STM_DEVICE T rs_next_down(T a) { return rs_next_from(a, RS_SIGN_BIT(T)); }
RS_FLOATS(RS_NEIGHBOURS)
#endif

// ---- Order ----------------------------------------------------------------------------------------------------------

// A NaN next to a number is ignored. Rust does not specify which zero two zeros give.
#if RS_ALL || RS_CALLS_MIN || RS_CALLS_MAX
#define RS_FLOAT_ORDER(T, ...) \
  STM_DEVICE T rs_min(T a, T b) { return a < b || b != b ? a : b; } \
  STM_DEVICE T rs_max(T a, T b) { return a > b || b != b ? a : b; }
RS_FLOATS(RS_FLOAT_ORDER)
#endif

#if RS_ALL || RS_CALLS_CLAMP
#define RS_FLOAT_CLAMP(T, ...) \
  STM_DEVICE T rs_clamp(T a, T low, T high) { \
    if (a < low) a = low; \
    return a > high ? high : a; \
  } \
  STM_DEVICE stm_fault rs_clamp_fault(T, T low, T high) { return RS_FAULT_WHERE(!(low <= high), STM_FAULT_ARGUMENT); }
RS_FLOATS(RS_FLOAT_CLAMP)
#endif

// ---- Rounding -------------------------------------------------------------------------------------------------------

#if RS_ALL || RS_CALLS_FLOOR || RS_CALLS_CEIL || RS_CALLS_ROUND || RS_CALLS_ROUND_TIES_EVEN
RS_ONLY_1(rs_floor)
RS_ONLY_1(rs_ceil)
RS_ONLY_1(rs_round)
RS_ONLY_1(rs_round_ties_even)
#define RS_ROUNDING(T, ...) \
  STM_DEVICE T rs_floor(T a) { return RS_LIBRARY(T, floor)(a); } \
  STM_DEVICE T rs_ceil(T a) { return RS_LIBRARY(T, ceil)(a); } \
  STM_DEVICE T rs_round(T a) { return RS_LIBRARY(T, round)(a); } \
  STM_DEVICE T rs_round_ties_even(T a) { return RS_LIBRARY(T, rint)(a); }
RS_FLOATS(RS_ROUNDING)
#endif

#if RS_ALL || RS_CALLS_TRUNC || RS_CALLS_FRACT
RS_ONLY_1(rs_trunc)
RS_ONLY_1(rs_fract)
#define RS_TRUNC(T, ...) \
  STM_DEVICE T rs_trunc(T a) { return RS_LIBRARY(T, trunc)(a); } \
  STM_DEVICE T rs_fract(T a) { return rs_sub(a, rs_trunc(a)); }
RS_FLOATS(RS_TRUNC)
#endif

// ---- Arithmetic -----------------------------------------------------------------------------------------------------

#if RS_ALL || RS_CALLS_SQRT || RS_CALLS_MUL_ADD || RS_CALLS_RECIP
RS_ONLY_1(rs_sqrt)
RS_ONLY_1(rs_recip)
RS_ONLY_3(rs_mul_add)
#if STM_EMULATED
#define RS_SQRT(T, PREFIX, A) RS_LIBRARY(T, sqrt)(A)
#else
#define RS_SQRT(T, PREFIX, A) PREFIX##sqrt_rn(A)
#endif
#define RS_FLOAT_EXACT(T, PREFIX, ...) \
  STM_DEVICE T rs_sqrt(T a) { return RS_SQRT(T, PREFIX, a); } \
  STM_DEVICE T rs_recip(T a) { return rs_div((T)1, a); } \
  STM_DEVICE T rs_mul_add(T a, T b, T c) { return RS_LIBRARY(T, fma)(a, b, c); }
RS_FLOATS(RS_FLOAT_EXACT)
#endif

// The steps of Rust's library, so that the roundings are the same.
#if RS_ALL || RS_CALLS_DIV_EUCLID || RS_CALLS_REM_EUCLID
#define RS_FLOAT_EUCLID(T, ...) \
  STM_DEVICE T rs_div_euclid(T a, T b) { \
    T quotient = RS_LIBRARY(T, trunc)(rs_div(a, b)); \
    return rs_rem(a, b) < 0 ? rs_sub(quotient, (T)(b > 0 ? 1 : -1)) : quotient; \
  } \
  STM_DEVICE T rs_rem_euclid(T a, T b) { \
    T rest = rs_rem(a, b); \
    return rest < 0 ? rs_add(rest, rs_from_bits(rs_magnitude(b))) : rest; \
  }
RS_FLOATS(RS_FLOAT_EUCLID)
#endif

// The sum of two f32 is computed without overflow as f64. Halves of large f64 are exact.
#if RS_ALL || RS_CALLS_MIDPOINT
#define RS_MIDPOINT_f32(T) \
  STM_DEVICE T rs_midpoint(T a, T b) { return (T)(RS_ROUNDED(__dadd_rn, (f64)a, +, (f64)b) * 0.5); }
#define RS_MIDPOINT_f64(T) \
  STM_DEVICE T rs_midpoint(T a, T b) { \
    bool small = rs_magnitude(a) < RS_HUGE && rs_magnitude(b) < RS_HUGE; \
    return small ? rs_mul(rs_add(a, b), 0.5) : rs_add(rs_mul(a, 0.5), rs_mul(b, 0.5)); \
  }
// The word of half of 2^1024.
#define RS_HUGE ((u64)0x7fe << 52)
#define RS_FLOAT_MIDPOINT(T, ...) RS_MIDPOINT_##T(T)
RS_FLOATS(RS_FLOAT_MIDPOINT)
#endif
