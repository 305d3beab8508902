
// One call of a method per case: the same text checks the host build and a device.
//
// Follows the fault codes, the numbers of types, prelude.cuh, the methods and common.cuh; the functions that make the calls
// come after it. For a device, `method_cases` is the kernel: case i of `cases` gives result i of `results`, for i < n, in
// a grid of any size.

// 32 bytes, little endian. `method` is an index in the tables of methods.
struct method_case {
  u64 operands[3];
  u32 method;
  u8 type;
  u8 unused[3];
};

// 24 bytes. `fault` is a code or 0. `location` is 1 for a fault in both modes, 2 for one in checked mode, and CASE_UNKNOWN
// where there is no such method.
struct method_result {
  u64 components[2];
  u32 fault;
  u32 location;
};

#define HOST_CASE method_case
#define HOST_RESULT method_result

static_assert(sizeof(method_case) == 32 && sizeof(method_result) == 24, "the layout that the test writes and reads");

#define CASE_UNKNOWN ((u32)0xffffffff)

// In both modes, and in checked mode.
#define CASE_FAULT_ALWAYS(FAULT) RS_FAULT_IF((FAULT) != 0, FAULT, 1)
#define CASE_FAULT_CHECKED(FAULT) RS_FAULT_IF((FAULT) != 0, FAULT, 2)

// A component, which must have exactly the type of the table.
template <class A, class B>
constexpr bool is_same = false;
template <class A>
constexpr bool is_same<A, A> = true;
template <class T, class Value>
STM_DEVICE u64 component(Value value) {
  static_assert(is_same<T, Value>, "the type in the table");
  return to_word(value);
}

