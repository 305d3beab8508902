// Common parts of all harnesses: conversion of values from words and back, and a transaction that stores its fault.

#define CASE_INTS(X) X(i8, u8) X(i16, u16) X(i32, u32) X(i64, u64) X(u8, u8) X(u16, u16) X(u32, u32) X(u64, u64)

// ---- Words ----------------------------------------------------------------------------------------------------------

union case_f32 {
  u32 word;
  f32 value;
};
union case_f64 {
  u64 word;
  f64 value;
};

template <class T>
STM_DEVICE T from_word(u64 word) {
  return (T)word;
}
template <>
STM_DEVICE f32 from_word<f32>(u64 word) {
  return case_f32{(u32)word}.value;
}
template <>
STM_DEVICE f64 from_word<f64>(u64 word) {
  return case_f64{word}.value;
}

#define CASE_TO_WORD(T, U) \
  STM_DEVICE u64 to_word(T value) { return (U)value; }
CASE_INTS(CASE_TO_WORD)
STM_DEVICE u64 to_word(bool value) { return value; }
STM_DEVICE u64 to_word(f32 value) {
  case_f32 bits;
  bits.value = value;
  return bits.word;
}
STM_DEVICE u64 to_word(f64 value) {
  case_f64 bits;
  bits.value = value;
  return bits.word;
}

// ---- Faults of a body -----------------------------------------------------------------------------------------------

enum stm_status : u32 { STM_OK, CASE_FAULTED };

struct case_tx {
  u32 code = 0;
  u32 location = 0;

  STM_DEVICE static constexpr bool ends(bool condition, u32) { return condition; }
  STM_DEVICE stm_status fault(stm_fault fault_code, u32 fault_location) {
    code = fault_code;
    location = fault_location;
    return CASE_FAULTED;
  }
};
