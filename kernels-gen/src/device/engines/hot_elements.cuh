// hot-elements: runs a batch as the default engine does, and first counts how often its transactions access each element.
//
// Source: ours. The count is a pass over all transactions, before any of them is executed: it runs the part of a function that
// declares its accesses, and no other part.
//
// Invariants
//   - The pass reads arguments and the lengths of arrays, and writes counts: it changes no element, lock word or status.
//   - A count is the number of declared accesses. A transaction that declares an element twice counts twice; an access that
//     it declares and then does not make, because a condition was false, counts as well.
//   - Addresses that depend on elements are not known before execution: such functions are not counted.
//
// Atomics: counts - add, relaxed: the end of the kernel orders them before the host reads them.
// Causes of abort: none of its own; those of the default engine.
// Limits: 8 bytes for each element.

static_assert(sizeof(u64) == STM_ELEMENT_BYTES, "host and device agree");

// Takes the place of `stm_tx`: counts what a transaction declares.
struct stm_access_counter {
  template <class Array>
  STM_DEVICE void declare(u32, stm_intent, const Array& array, u64 index) {
    if (array.holds(index)) stm_add_relaxed((u64*)array.at.extra + index, 1);
  }
};

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_count_accesses(const stm_params& p, u32 transaction, Arrays... arrays) {
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  stm_access_counter counter;
  Specialization::declare(counter, p, args);
  return 0;
}
