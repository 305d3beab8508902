// One operation of the prelude per case: the same text checks the host build and a device.
//
// Follows the fault codes, the numbers of operations and types (`enum prelude_op`: OP_*, `enum prelude_type`: TYPE_*),
// prelude.cuh and common.cuh. For a device, `prelude_cases` is the kernel: case i of `cases` gives result i of `results`,
// for i < n, in a grid of any size. Words are a value's bits, zero-extended: integers as two's complement of their own
// width, floats as their bits, bool as 0 or 1.

// 24 bytes, little endian. `type` is the type of `a`, and of `b` unless the operation is a shift: then `b` is the
// amount and `other` its type. For a cast `other` is the target. `checked` chooses the mode of the faulting operators.
struct prelude_case {
  u64 a;
  u64 b;
  u32 op;
  u8 type;
  u8 other;
  u8 checked;
  u8 unused;
};

// 16 bytes. `fault` is 0 (then `value` holds), a fault code with the `location` that came with it (then `value` is 0), or
// CASE_UNKNOWN where there is no such operation.
struct prelude_result {
  u64 value;
  u32 fault;
  u32 location;
};

#define HOST_CASE prelude_case
#define HOST_RESULT prelude_result

static_assert(sizeof(prelude_case) == 24 && sizeof(prelude_result) == 16, "the layout that the test writes and reads");

#define CASE_UNKNOWN ((u32)0xffffffff)
#define CASE_LOCATION(NAME) ((u32)OP_##NAME + 100)

// ---- Operators that fault, in bodies as the compiler prints them ----------------------------------------------------

#define STM_CHECKED CHECKED
#define CASE_BODY_1(NAME, MACRO) \
  template <bool CHECKED, class Tx, class T> \
  STM_DEVICE stm_status body_##NAME(Tx& tx, T a, T* result) { \
    T d; \
    MACRO(CASE_LOCATION(NAME), d, a); \
    *result = d; \
    return STM_OK; \
  }
#define CASE_BODY_2(NAME, MACRO) \
  template <bool CHECKED, class Tx, class T, class S> \
  STM_DEVICE stm_status body_##NAME(Tx& tx, T a, S b, T* result) { \
    T d; \
    MACRO(CASE_LOCATION(NAME), d, a, b); \
    *result = d; \
    return STM_OK; \
  }
CASE_BODY_1(NEG, STM_NEG)
CASE_BODY_2(ADD, STM_ADD)
CASE_BODY_2(SUB, STM_SUB)
CASE_BODY_2(MUL, STM_MUL)
CASE_BODY_2(DIV, STM_DIV)
CASE_BODY_2(REM, STM_REM)
CASE_BODY_2(SHL, STM_SHL)
CASE_BODY_2(SHR, STM_SHR)

// ---- Dispatch -------------------------------------------------------------------------------------------------------

STM_DEVICE prelude_result case_value(u64 word) { return prelude_result{word, 0, 0}; }
STM_DEVICE prelude_result case_unknown() { return prelude_result{0, CASE_UNKNOWN, 0}; }

#define CASE_OP(NAME, EXPRESSION) \
  case OP_##NAME: return case_value(to_word(EXPRESSION));

#define CASE_OP_THAT_FAULTS(NAME, ...) \
  case OP_##NAME: { \
    case_tx tx; \
    T value = 0; \
    stm_status status = \
        c.checked ? body_##NAME<true>(tx, __VA_ARGS__, &value) : body_##NAME<false>(tx, __VA_ARGS__, &value); \
    return status == STM_OK ? case_value(to_word(value)) : prelude_result{0, tx.code, tx.location}; \
  }

#define CASE_OPS_OF_ALL \
  CASE_OP(EQ, rs_eq(a, b)) \
  CASE_OP(NE, rs_ne(a, b)) \
  CASE_OP(LT, rs_lt(a, b)) \
  CASE_OP(LE, rs_le(a, b)) \
  CASE_OP(GT, rs_gt(a, b)) \
  CASE_OP(GE, rs_ge(a, b))

#define CASE_OPS_OF_BITS \
  CASE_OP(BIT_AND, rs_bit_and(a, b)) \
  CASE_OP(BIT_OR, rs_bit_or(a, b)) \
  CASE_OP(BIT_XOR, rs_bit_xor(a, b)) \
  CASE_OP(NOT, rs_not(a))

#define CASE_OP_CAST(T, ...) \
  case TYPE_##T: return case_value(to_word(rs_cast<T>(a)));

template <class A>
STM_DEVICE prelude_result run_cast_to_int(u8 target, A a) {
  switch (target) {
    CASE_INTS(CASE_OP_CAST)
  }
  return case_unknown();
}

template <class A>
STM_DEVICE prelude_result run_cast_to_any(u8 target, A a) {
  switch (target) {
    CASE_OP_CAST(f32)
    CASE_OP_CAST(f64)
  }
  return run_cast_to_int(target, a);
}

STM_DEVICE prelude_result run_bool(const prelude_case& c) {
  bool a = from_word<bool>(c.a), b = from_word<bool>(c.b);
  switch (c.op) {
    CASE_OPS_OF_ALL
    CASE_OPS_OF_BITS
    case OP_CAST: return c.other == TYPE_bool ? case_value(to_word(rs_cast<bool>(a))) : run_cast_to_int(c.other, a);
  }
  return case_unknown();
}

template <class T>
STM_DEVICE prelude_result run_float(const prelude_case& c) {
  T a = from_word<T>(c.a), b = from_word<T>(c.b);
  switch (c.op) {
    CASE_OPS_OF_ALL
    CASE_OP(FLOAT_ADD, rs_add(a, b))
    CASE_OP(FLOAT_SUB, rs_sub(a, b))
    CASE_OP(FLOAT_MUL, rs_mul(a, b))
    CASE_OP(FLOAT_DIV, rs_div(a, b))
    CASE_OP(FLOAT_REM, rs_rem(a, b))
    CASE_OP(FLOAT_NEG, rs_neg(a))
    case OP_CAST: return run_cast_to_any(c.other, a);
  }
  return case_unknown();
}

template <class T, class S>
STM_DEVICE prelude_result run_shift(const prelude_case& c, T a, S amount) {
  switch (c.op) {
    CASE_OP(WRAPPING_SHL, rs_wrapping_shl(a, amount))
    CASE_OP(WRAPPING_SHR, rs_wrapping_shr(a, amount))
    CASE_OP(SHIFT_TOO_FAR, rs_shift_too_far<T>(amount))
    CASE_OP_THAT_FAULTS(SHL, a, amount)
    CASE_OP_THAT_FAULTS(SHR, a, amount)
  }
  return case_unknown();
}

#define CASE_SHIFT_BY(S, ...) \
  case TYPE_##S: return run_shift(c, a, from_word<S>(c.b));

template <class T>
STM_DEVICE prelude_result run_shift_by_any(const prelude_case& c, T a) {
  switch (c.other) {
    CASE_INTS(CASE_SHIFT_BY)
  }
  return case_unknown();
}

template <class T>
STM_DEVICE prelude_result run_int(const prelude_case& c) {
  T a = from_word<T>(c.a), b = from_word<T>(c.b);
  switch (c.op) {
    CASE_OPS_OF_ALL
    CASE_OPS_OF_BITS
    CASE_OP(WRAPPING_ADD, rs_wrapping_add(a, b))
    CASE_OP(WRAPPING_SUB, rs_wrapping_sub(a, b))
    CASE_OP(WRAPPING_MUL, rs_wrapping_mul(a, b))
    CASE_OP(WRAPPING_NEG, rs_wrapping_neg(a))
    CASE_OP(ADD_OVERFLOWS, rs_add_overflows(a, b))
    CASE_OP(SUB_OVERFLOWS, rs_sub_overflows(a, b))
    CASE_OP(MUL_OVERFLOWS, rs_mul_overflows(a, b))
    CASE_OP(NEG_OVERFLOWS, rs_neg_overflows(a))
    CASE_OP(DIV_FAULT, (u32)rs_div_fault(a, b))
    CASE_OP(REM_FAULT, (u32)rs_rem_fault(a, b))
    CASE_OP(RAW_DIV, rs_div(a, b))
    CASE_OP(RAW_REM, rs_rem(a, b))
    CASE_OP(INDEX, rs_index(a))
    CASE_OP_THAT_FAULTS(ADD, a, b)
    CASE_OP_THAT_FAULTS(SUB, a, b)
    CASE_OP_THAT_FAULTS(MUL, a, b)
    CASE_OP_THAT_FAULTS(NEG, a)
    CASE_OP_THAT_FAULTS(DIV, a, b)
    CASE_OP_THAT_FAULTS(REM, a, b)
    case OP_CAST: return run_cast_to_any(c.other, a);
  }
  return run_shift_by_any(c, a);
}

#define CASE_RUN_INT(T, ...) \
  case TYPE_##T: return run_int<T>(c);

STM_DEVICE prelude_result run_case(const prelude_case& c) {
  switch (c.type) {
    CASE_INTS(CASE_RUN_INT)
    case TYPE_f32: return run_float<f32>(c);
    case TYPE_f64: return run_float<f64>(c);
    case TYPE_bool: return run_bool(c);
  }
  return case_unknown();
}

#if !STM_EMULATED
extern "C" __global__ void prelude_cases(const prelude_case* cases, prelude_result* results, u64 n) {
  u64 stride = (u64)gridDim.x * blockDim.x;
  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) results[i] = run_case(cases[i]);
}
#endif
