// Rust's scalars and operators for generated transactions.
//
// A body writes no C++ operator on a value: promotion, undefined overflow, clamped shifts and unspecified conversions
// would each make the device differ from the user's Rust. It calls the functions of this file, which give Rust's
// result bit for bit. They exist for exactly the types that Rust allows; a call that mixes types, or that names a type
// that has no such operation, lands in a deleted template and does not compile.
//
// Needs before it: the fault codes (`enum stm_fault`), and nothing else; no header. CUDA C++17 under NVRTC. With
// STM_EMULATED=1 it is C++20 for a host compiler, for which the includer defines __device__ and __forceinline__.
//
// Independent of transactions. The STM_* macros at the end expect a `tx` in scope, whose `fault(code, location)` returns the status
// to return, and STM_CHECKED (0 or 1), which is evaluated where a macro is used: each procedure sets it for its own body.

typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

// The host passes `--device-int128` to NVRTC, which takes them without the word that compilers for the host want.
#if !STM_EMULATED
#define __extension__
#endif
__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;
static_assert(sizeof(i16) == 2 && sizeof(i32) == 4 && sizeof(i64) == 8, "the scalars have Rust's sizes");

// The result of a transaction that returns `()`.
struct stm_unit {};

#define STM_DEVICE __device__ __forceinline__
// A function that stays one: its code is compiled once, however often it is called.
#define STM_CALLED __device__ __noinline__

// One line a type: X(type, unsigned type of the same width, type to compute in, bits). Arithmetic uses an unsigned type of at least
// 32 bits, so that neither promotion to int nor overflow is ever undefined, and truncates the result. With RS_SOME the includer
// says by RS_USES_.. which types it uses (1); the others (0) are omitted, because each costs compilation time. Without it all are used.
#ifdef RS_SOME
#define RS_IF(USES) RS_IF_USED(USES)
#define RS_WIDE (RS_USES_I128 || RS_USES_U128)
#else
#define RS_IF(USES) RS_IF_1
#define RS_WIDE 1
#endif
#define RS_IF_USED(USES) RS_IF_##USES
#define RS_IF_0(...)
#define RS_IF_1(...) __VA_ARGS__
#define RS_TRANSACTION_I8(X) RS_IF(RS_USES_I8)(X(i8, u8, u32, 8))
#define RS_TRANSACTION_I16(X) RS_IF(RS_USES_I16)(X(i16, u16, u32, 16))
#define RS_TRANSACTION_I32(X) RS_IF(RS_USES_I32)(X(i32, u32, u32, 32))
#define RS_TRANSACTION_I64(X) RS_IF(RS_USES_I64)(X(i64, u64, u64, 64))
#define RS_TRANSACTION_U8(X) RS_IF(RS_USES_U8)(X(u8, u8, u32, 8))
#define RS_TRANSACTION_U16(X) RS_IF(RS_USES_U16)(X(u16, u16, u32, 16))
#define RS_TRANSACTION_U32(X) RS_IF(RS_USES_U32)(X(u32, u32, u32, 32))
#define RS_TRANSACTION_U64(X) RS_IF(RS_USES_U64)(X(u64, u64, u64, 64))
#define RS_TRANSACTION_I128(X) RS_IF(RS_USES_I128)(X(i128, u128, u128, 128))
#define RS_TRANSACTION_U128(X) RS_IF(RS_USES_U128)(X(u128, u128, u128, 128))
#define RS_TRANSACTION_F32(X) RS_IF(RS_USES_F32)(X(f32, __f, fmodf))
#define RS_TRANSACTION_F64(X) RS_IF(RS_USES_F64)(X(f64, __d, fmod))
#define RS_SIGNED_WORDS(X) RS_TRANSACTION_I8(X) RS_TRANSACTION_I16(X) RS_TRANSACTION_I32(X) RS_TRANSACTION_I64(X)
#define RS_UNSIGNED_WORDS(X) RS_TRANSACTION_U8(X) RS_TRANSACTION_U16(X) RS_TRANSACTION_U32(X) RS_TRANSACTION_U64(X)
#define RS_SIGNED_INTS(X) RS_SIGNED_WORDS(X) RS_TRANSACTION_I128(X)
#define RS_UNSIGNED_INTS(X) RS_UNSIGNED_WORDS(X) RS_TRANSACTION_U128(X)
#define RS_INTS(X) RS_SIGNED_INTS(X) RS_UNSIGNED_INTS(X)
// X(type, prefix of its rounding intrinsics, its remainder function).
#define RS_FLOATS(X) RS_TRANSACTION_F32(X) RS_TRANSACTION_F64(X)

#define RS_MIN_OF(T, U, BITS) ((T)(U)((U)1 << (BITS - 1)))

// Rejects every call that no overload matches exactly.
#define RS_ONLY_1(NAME) \
  template <class A> \
  __device__ A NAME(A) = delete;
#define RS_ONLY_2(NAME) \
  template <class A, class B> \
  __device__ A NAME(A, B) = delete;

// ---- Comparisons ----------------------------------------------------------------------------------------------------

RS_ONLY_2(rs_eq)
RS_ONLY_2(rs_ne)
RS_ONLY_2(rs_lt)
RS_ONLY_2(rs_le)
RS_ONLY_2(rs_gt)
RS_ONLY_2(rs_ge)

#define RS_COMPARISONS(T, ...) \
  STM_DEVICE bool rs_eq(T a, T b) { return a == b; } \
  STM_DEVICE bool rs_ne(T a, T b) { return a != b; } \
  STM_DEVICE bool rs_lt(T a, T b) { return a < b; } \
  STM_DEVICE bool rs_le(T a, T b) { return a <= b; } \
  STM_DEVICE bool rs_gt(T a, T b) { return a > b; } \
  STM_DEVICE bool rs_ge(T a, T b) { return a >= b; }
RS_INTS(RS_COMPARISONS)
RS_FLOATS(RS_COMPARISONS)
RS_COMPARISONS(bool, )

// ---- Bits -----------------------------------------------------------------------------------------------------------

RS_ONLY_2(rs_bit_and)
RS_ONLY_2(rs_bit_or)
RS_ONLY_2(rs_bit_xor)
RS_ONLY_1(rs_not)

#define RS_BITS(T, ...) \
  STM_DEVICE T rs_bit_and(T a, T b) { return (T)(a & b); } \
  STM_DEVICE T rs_bit_or(T a, T b) { return (T)(a | b); } \
  STM_DEVICE T rs_bit_xor(T a, T b) { return (T)(a ^ b); }
#define RS_COMPLEMENT(T, ...) \
  STM_DEVICE T rs_not(T a) { return (T)~a; }
RS_INTS(RS_BITS)
RS_INTS(RS_COMPLEMENT)
RS_BITS(bool, )
STM_DEVICE bool rs_not(bool a) { return !a; }

// ---- Floats ---------------------------------------------------------------------------------------------------------

RS_ONLY_2(rs_add)
RS_ONLY_2(rs_sub)
RS_ONLY_2(rs_mul)
RS_ONLY_2(rs_div)
RS_ONLY_2(rs_rem)
RS_ONLY_1(rs_neg)

// The intrinsics round each operation separately under all compiler options; `a * b + c` is never contracted.
#if STM_EMULATED
#define RS_ROUNDED(INTRINSIC, A, OPERATOR, B) (A OPERATOR B)
#define RS_REMAINDER(NAME) __builtin_##NAME
#else
#define RS_ROUNDED(INTRINSIC, A, OPERATOR, B) INTRINSIC(A, B)
#define RS_REMAINDER(NAME) NAME
#endif

// PTX does not specify the result of negating a NaN; Rust flips its sign and nothing else.
#if STM_EMULATED
STM_DEVICE f32 rs_negated(f32 a) { return -a; }
STM_DEVICE f64 rs_negated(f64 a) { return -a; }
#else
STM_DEVICE f32 rs_negated(f32 a) { return __int_as_float(__float_as_int(a) ^ RS_MIN_OF(i32, u32, 32)); }
STM_DEVICE f64 rs_negated(f64 a) { return __longlong_as_double(__double_as_longlong(a) ^ RS_MIN_OF(i64, u64, 64)); }
#endif

#define RS_FLOAT_ARITHMETIC(T, PREFIX, REMAINDER) \
  STM_DEVICE T rs_add(T a, T b) { return RS_ROUNDED(PREFIX##add_rn, a, +, b); } \
  STM_DEVICE T rs_sub(T a, T b) { return RS_ROUNDED(PREFIX##sub_rn, a, -, b); } \
  STM_DEVICE T rs_mul(T a, T b) { return RS_ROUNDED(PREFIX##mul_rn, a, *, b); } \
  STM_DEVICE T rs_div(T a, T b) { return RS_ROUNDED(PREFIX##div_rn, a, /, b); } \
  STM_DEVICE T rs_rem(T a, T b) { return RS_REMAINDER(REMAINDER)(a, b); } \
  STM_DEVICE T rs_neg(T a) { return rs_negated(a); }
RS_FLOATS(RS_FLOAT_ARITHMETIC)

// ---- Integers: wrapping ---------------------------------------------------------------------------------------------

RS_ONLY_2(rs_wrapping_add)
RS_ONLY_2(rs_wrapping_sub)
RS_ONLY_2(rs_wrapping_mul)
RS_ONLY_1(rs_wrapping_neg)
RS_ONLY_2(rs_wrapping_shl)
RS_ONLY_2(rs_wrapping_shr)
RS_ONLY_1(rs_shift_amount)

#define RS_WRAPPING(T, U, WIDE, BITS) \
  STM_DEVICE T rs_wrapping_add(T a, T b) { return (T)(U)((WIDE)a + (WIDE)b); } \
  STM_DEVICE T rs_wrapping_sub(T a, T b) { return (T)(U)((WIDE)a - (WIDE)b); } \
  STM_DEVICE T rs_wrapping_mul(T a, T b) { return (T)(U)((WIDE)a * (WIDE)b); } \
  STM_DEVICE T rs_wrapping_neg(T a) { return (T)(U)((WIDE)0 - (WIDE)a); }
RS_INTS(RS_WRAPPING)

// Returns the low bits of an amount of any integer type: the only bits that a wrapping shift uses.
#define RS_SHIFT_AMOUNT(T, ...) \
  STM_DEVICE u32 rs_shift_amount(T amount) { return (u32)amount; }
RS_INTS(RS_SHIFT_AMOUNT)

// The amount has its own type in Rust. It is masked by the width; to the right, a signed value keeps its sign.
#define RS_SHIFTS(T, U, WIDE, BITS) \
  template <class S> \
  STM_DEVICE T rs_wrapping_shl(T a, S amount) { \
    return (T)(U)((WIDE)a << (rs_shift_amount(amount) & (BITS - 1))); \
  } \
  template <class S> \
  STM_DEVICE T rs_wrapping_shr(T a, S amount) { \
    return (T)(a >> (rs_shift_amount(amount) & (BITS - 1))); \
  }
RS_INTS(RS_SHIFTS)

// ---- Integers: operations that fault ---------------------------------------------------------------------------------

RS_ONLY_2(rs_add_overflows)
RS_ONLY_2(rs_sub_overflows)
RS_ONLY_2(rs_mul_overflows)
RS_ONLY_1(rs_neg_overflows)

// A sum has overflowed if both operands differ from it in sign, a difference if its minuend differs from both others.
#define RS_SIGNED_OVERFLOWS(T, U, WIDE, BITS) \
  STM_DEVICE bool rs_add_overflows(T a, T b) { \
    T sum = rs_wrapping_add(a, b); \
    return ((a ^ sum) & (b ^ sum)) < 0; \
  } \
  STM_DEVICE bool rs_sub_overflows(T a, T b) { \
    T difference = rs_wrapping_sub(a, b); \
    return ((a ^ b) & (a ^ difference)) < 0; \
  } \
  STM_DEVICE bool rs_neg_overflows(T a) { return a == RS_MIN_OF(T, U, BITS); }
RS_SIGNED_INTS(RS_SIGNED_OVERFLOWS)

#define RS_UNSIGNED_OVERFLOWS(T, U, WIDE, BITS) \
  STM_DEVICE bool rs_add_overflows(T a, T b) { return rs_wrapping_add(a, b) < a; } \
  STM_DEVICE bool rs_sub_overflows(T a, T b) { return a < b; } \
  STM_DEVICE bool rs_neg_overflows(T a) { return a != 0; }
RS_UNSIGNED_INTS(RS_UNSIGNED_OVERFLOWS)

// A type of twice the width holds every product.
#define RS_PRODUCT_OVERFLOWS(T, DOUBLE) \
  STM_DEVICE bool rs_mul_overflows(T a, T b) { \
    DOUBLE product = (DOUBLE)a * (DOUBLE)b; \
    return product != (DOUBLE)(T)product; \
  }
RS_PRODUCT_OVERFLOWS(i8, i32)
RS_PRODUCT_OVERFLOWS(i16, i32)
RS_PRODUCT_OVERFLOWS(i32, i64)
RS_PRODUCT_OVERFLOWS(u8, u32)
RS_PRODUCT_OVERFLOWS(u16, u32)
RS_PRODUCT_OVERFLOWS(u32, u64)

// Of the 128-bit product of 64-bit operands only the upper half is needed: it must be the sign or zero extension of the lower half.
#if STM_EMULATED
STM_DEVICE i64 rs_high_product(i64 a, i64 b) { return (i64)(((i128)a * b) >> 64); }
STM_DEVICE u64 rs_high_product(u64 a, u64 b) { return (u64)(((u128)a * b) >> 64); }
#else
STM_DEVICE i64 rs_high_product(i64 a, i64 b) { return __mul64hi(a, b); }
STM_DEVICE u64 rs_high_product(u64 a, u64 b) { return __umul64hi(a, b); }
#endif
STM_DEVICE bool rs_mul_overflows(i64 a, i64 b) { return rs_high_product(a, b) != (i64)((u64)a * (u64)b) >> 63; }
STM_DEVICE bool rs_mul_overflows(u64 a, u64 b) { return rs_high_product(a, b) != 0; }

// With words al, ah, bl, bh, the product is al * bl + (ah * bl + al * bh) * 2^64 + ah * bh * 2^128.
#if RS_WIDE
STM_DEVICE bool rs_mul_overflows(u128 a, u128 b) {
  u64 a_high = (u64)(a >> 64), b_high = (u64)(b >> 64);
  if (a_high != 0 && b_high != 0) return true;
  u128 cross = (u128)a_high * (u64)b + (u128)b_high * (u64)a;
  return (cross + ((u128)(u64)a * (u64)b >> 64)) >> 64 != 0;
}
STM_DEVICE u128 rs_magnitude(i128 a) { return a < 0 ? (u128)0 - (u128)a : (u128)a; }
STM_DEVICE bool rs_mul_overflows(i128 a, i128 b) {
  u128 of_a = rs_magnitude(a), of_b = rs_magnitude(b), most = ~(u128)0 >> 1;
  return rs_mul_overflows(of_a, of_b) || of_a * of_b > ((a < 0) != (b < 0) ? most + 1 : most);
}
#endif

// Out of range: the width or more. A negative amount is a large unsigned value, so it is out of range, too.
template <class T, class S>
__device__ bool rs_shift_too_far(S) = delete;
#define RS_SHIFT_TOO_FAR(S, U, ...) \
  template <class T> \
  STM_DEVICE bool rs_shift_too_far(S amount) { \
    return (U)amount >= sizeof(T) * 8; \
  }
RS_INTS(RS_SHIFT_TOO_FAR)

// ---- Integers: division ---------------------------------------------------------------------------------------------

// Rust has no mode in which these wrap: `MIN / -1` and `MIN % -1` are overflows, division by zero is division by zero.
RS_ONLY_1(rs_divides_by_zero)
RS_ONLY_2(rs_div_overflows)

#define RS_SIGNED_DIVISION_FAULTS(T, U, WIDE, BITS) \
  STM_DEVICE bool rs_divides_by_zero(T b) { return b == 0; } \
  STM_DEVICE bool rs_div_overflows(T a, T b) { return a == RS_MIN_OF(T, U, BITS) && b == -1; }
#define RS_UNSIGNED_DIVISION_FAULTS(T, ...) \
  STM_DEVICE bool rs_divides_by_zero(T b) { return b == 0; } \
  STM_DEVICE bool rs_div_overflows(T, T) { return false; }
RS_SIGNED_INTS(RS_SIGNED_DIVISION_FAULTS)
RS_UNSIGNED_INTS(RS_UNSIGNED_DIVISION_FAULTS)

// Returns either fault; 0 if there is none.
template <class A, class B>
__device__ stm_fault rs_div_fault(A, B) = delete;
template <class A, class B>
__device__ stm_fault rs_rem_fault(A, B) = delete;

// The quotient and remainder are defined for every operand, so that an address can be computed before the test that guards it:
// where the division would fault, it is by 1, which is also the result of wrapping `MIN / -1` and `MIN % -1`. After the test the
// choice of the divisor folds away.
#define RS_DIVISIONS(T, ...) \
  STM_DEVICE stm_fault rs_div_fault(T a, T b) { \
    if (rs_divides_by_zero(b)) return STM_FAULT_DIVIDE_BY_ZERO; \
    return rs_div_overflows(a, b) ? STM_FAULT_OVERFLOW : (stm_fault)0; \
  } \
  STM_DEVICE stm_fault rs_rem_fault(T a, T b) { return rs_div_fault(a, b); } \
  STM_DEVICE T rs_divisor(T a, T b) { \
    if (rs_divides_by_zero(b)) return 1; \
    if (rs_div_overflows(a, b)) return 1; \
    return b; \
  } \
  STM_DEVICE T rs_div(T a, T b) { return (T)(a / rs_divisor(a, b)); } \
  STM_DEVICE T rs_rem(T a, T b) { return (T)(a % rs_divisor(a, b)); }
RS_INTS(RS_DIVISIONS)

// ---- Casts: `from as To` --------------------------------------------------------------------------------------------

// Specialised for each pair that Rust allows; the deduced `From` prevents an implicit conversion.
template <class To, class From>
__device__ To rs_cast(From) = delete;

#define RS_CAST(To, From) \
  template <> \
  STM_DEVICE To rs_cast<To, From>(From from) { \
    return (To)from; \
  }

// C++ does the same between integers (truncated or extended), and between floats and from integers to floats (to nearest, ties to
// even) on every target of this file.
#if RS_WIDE
#define RS_CASTS_TO_WIDE(From) RS_CAST(i128, From) RS_CAST(u128, From)
#define RS_WIDE_CASTS_FROM_FLOAT(From, ...) \
  RS_CAST_SATURATING(i128, i128, RS_MIN_OF(i128, u128, 128), 170141183460469231731687303715884105728.0, From) \
  template <> STM_DEVICE u128 rs_cast<u128, From>(From from) { \
    bool fits = from * (From)0.5 < (From)170141183460469231731687303715884105728.0; \
    return from >= 0 ? (fits ? (u128)from : ~(u128)0) : (u128)0; }
#else
#define RS_CASTS_TO_WIDE(From)
#define RS_WIDE_CASTS_FROM_FLOAT(...)
#endif
#define RS_CASTS_TO_INTS(From) \
  RS_CASTS_TO_WIDE(From) RS_CAST(i8, From) RS_CAST(i16, From) RS_CAST(i32, From) RS_CAST(i64, From) \
  RS_CAST(u8, From) RS_CAST(u16, From) RS_CAST(u32, From) RS_CAST(u64, From)
#define RS_CASTS_FROM_INT(From, ...) RS_CASTS_TO_INTS(From) RS_CAST(f32, From) RS_CAST(f64, From)
RS_INTS(RS_CASTS_FROM_INT)
RS_CASTS_TO_INTS(bool)
RS_CAST(bool, bool)
RS_CAST(f32, f32)
RS_CAST(f32, f64)
RS_CAST(f64, f32)
RS_CAST(f64, f64)

// From a float, C++ defines only results in range, and PTX treats NaN and the narrow types differently, hence the tests: a value
// that is too large or too small becomes the limit, NaN becomes 0. Both bounds are exact in either float, and 2^128 is no
// f32, so its half is compared. A value between MIN - 1 and MIN is truncated to MIN in any case.
#define RS_CAST_SATURATING(To, Via, MIN, BEYOND, From) \
  template <> \
  STM_DEVICE To rs_cast<To, From>(From from) { \
    if (!(from >= (From)(MIN))) return from == from ? (To)(MIN) : (To)0; \
    return from < (From)(BEYOND) ? (To)(Via)from : (To)~(To)(MIN); \
  }
#define RS_CASTS_FROM_FLOAT(From, ...) \
  RS_CAST_SATURATING(i8, i32, RS_MIN_OF(i8, u8, 8), 128.0, From) \
  RS_CAST_SATURATING(i16, i32, RS_MIN_OF(i16, u16, 16), 32768.0, From) \
  RS_CAST_SATURATING(i32, i32, RS_MIN_OF(i32, u32, 32), 2147483648.0, From) \
  RS_CAST_SATURATING(i64, i64, RS_MIN_OF(i64, u64, 64), 9223372036854775808.0, From) \
  RS_CAST_SATURATING(u8, u32, 0, 256.0, From) \
  RS_CAST_SATURATING(u16, u32, 0, 65536.0, From) \
  RS_CAST_SATURATING(u32, u32, 0, 4294967296.0, From) \
  RS_CAST_SATURATING(u64, u64, 0, 18446744073709551616.0, From)
RS_FLOATS(RS_CASTS_FROM_FLOAT)
RS_FLOATS(RS_WIDE_CASTS_FROM_FLOAT)

// ---- Array indices -------------------------------------------------------------------------------------------------

// A negative index is past the end of every array.
RS_ONLY_1(rs_index)
#define RS_INDEX(T, ...) \
  STM_DEVICE u64 rs_index(T index) { return index < 0 ? ~(u64)0 : (u64)index; }
RS_SIGNED_WORDS(RS_INDEX)
#define RS_PLAIN_INDEX(T, ...) \
  STM_DEVICE u64 rs_index(T index) { return index; }
RS_UNSIGNED_WORDS(RS_PLAIN_INDEX)

// Returns the position of a partition's element in its array; past the end of every array if it is not in the partition.
STM_DEVICE u64 rs_part_index(u32 part, u64 size, u64 index) { return index < size ? part * size + index : ~(u64)0; }

// ---- Operators of a body that can fault -----------------------------------------------------------------------------

// NVVM (of NVRTC 12.8 to 13.5) miscounts the iterations of a loop with the exit condition `start + i < start + k`, a sum that
// wraps: such a loop ends at a wrong iteration or never. So the exit condition of a loop is hidden from the compiler. The empty
// instruction costs nothing: ptxas combines the comparison and the branch again.
STM_DEVICE bool rs_opaque(bool condition) {
  u32 word = condition;
  asm("" : "+r"(word));
  return word != 0;
}

// Loops shadow it.
constexpr bool STM_LOOPED = false;
#define RS_LEAVES(CONDITION) (STM_LOOPED ? rs_opaque(CONDITION) : (CONDITION))

// `location` is the operator's source location. Operands are evaluated twice: they are locals, parameters or literals.
#define RS_FAULT_IF(CONDITION, CODE, LOCATION) \
  if (__builtin_expect(RS_LEAVES(CONDITION), 0)) return tx.fault(CODE, LOCATION)

// The operation has a wrapped result, so that an attempt can go on.
#define RS_CHECK_IF(CONDITION, CODE, LOCATION) \
  if constexpr (STM_CHECKED) { \
    RS_FAULT_IF(tx.ends(CONDITION, LOCATION), CODE, LOCATION); \
  }

#define STM_ADD(LOCATION, DEST, A, B) \
  do { \
    RS_CHECK_IF(rs_add_overflows(A, B), STM_FAULT_OVERFLOW, LOCATION) \
    DEST = rs_wrapping_add(A, B); \
  } while (0)

#define STM_SUB(LOCATION, DEST, A, B) \
  do { \
    RS_CHECK_IF(rs_sub_overflows(A, B), STM_FAULT_OVERFLOW, LOCATION) \
    DEST = rs_wrapping_sub(A, B); \
  } while (0)

#define STM_MUL(LOCATION, DEST, A, B) \
  do { \
    RS_CHECK_IF(rs_mul_overflows(A, B), STM_FAULT_OVERFLOW, LOCATION) \
    DEST = rs_wrapping_mul(A, B); \
  } while (0)

#define STM_NEG(LOCATION, DEST, A) \
  do { \
    RS_CHECK_IF(rs_neg_overflows(A), STM_FAULT_OVERFLOW, LOCATION) \
    DEST = rs_wrapping_neg(A); \
  } while (0)

#define STM_SHL(LOCATION, DEST, A, AMOUNT) \
  do { \
    RS_CHECK_IF(rs_shift_too_far<decltype(DEST)>(AMOUNT), STM_FAULT_SHIFT, LOCATION) \
    DEST = rs_wrapping_shl(A, AMOUNT); \
  } while (0)

#define STM_SHR(LOCATION, DEST, A, AMOUNT) \
  do { \
    RS_CHECK_IF(rs_shift_too_far<decltype(DEST)>(AMOUNT), STM_FAULT_SHIFT, LOCATION) \
    DEST = rs_wrapping_shr(A, AMOUNT); \
  } while (0)

#define STM_DIV(LOCATION, DEST, A, B) \
  do { \
    RS_FAULT_IF(tx.ends(rs_divides_by_zero(B), LOCATION), STM_FAULT_DIVIDE_BY_ZERO, LOCATION); \
    RS_FAULT_IF(tx.ends(rs_div_overflows(A, B), LOCATION), STM_FAULT_OVERFLOW, LOCATION); \
    DEST = rs_div(A, B); \
  } while (0)

#define STM_REM(LOCATION, DEST, A, B) \
  do { \
    RS_FAULT_IF(tx.ends(rs_divides_by_zero(B), LOCATION), STM_FAULT_DIVIDE_BY_ZERO, LOCATION); \
    RS_FAULT_IF(tx.ends(rs_div_overflows(A, B), LOCATION), STM_FAULT_OVERFLOW, LOCATION); \
    DEST = rs_rem(A, B); \
  } while (0)
