// Deferred sums: additions to arrays that the batch changes by sums alone.
//
// No transaction of the batch depends on what such an array holds: each adds to elements of it, and has no other use for what it read.
// So an engine never sees the array. A read gives 0; what is written then is what to add, and goes into a list. When the attempt has
// committed, the additions go out. In whatever order that happens, the sums are those of every order of the transactions.
//
// Invariants
//   - An attempt that does not commit adds nothing; one that commits makes each of its additions once.
//   - No access of the batch reads such an element, so it does not matter when the additions arrive.
//   - F::ADDITIONS is at least the number of writes to such arrays in one attempt that do not write what was read, so the list has
//     room. What is written back as it was adds 0, whatever its type.
//
// Atomics: elements - add, relaxed. The end of the kernel orders them before everything that reads them.

template <class T, bool CELLS>
struct stm_deferred_array {
  typedef T value_type;
  stm_address at;

  STM_DEVICE u64 len() const { return at.len; }
  // mutation "end of a deferred array": STM_DEVICE bool holds(u64 index) const { return index <= at.len; }
  STM_DEVICE bool holds(u64 index) const { return index < at.len; }
  STM_DEVICE u8* element(u64 index) const { return at.data + (CELLS ? (index << 4) + 8 : index * sizeof(T)); }
};

// An amount for an element of 4 or 8 bytes; the lowest bit of the address says that there are 8.
struct stm_addition {
  u64 element;
  u64 amount;
};

// The list of an attempt. It is apart from the rest of the attempt, which stays in registers, because loops index it.
template <u32 MOST>
struct stm_additions {
  static constexpr u32 ROOM = MOST == 0 ? 1 : MOST, UNROLLED = ROOM <= 8 ? ROOM : 1;
  stm_addition list[ROOM];

  STM_DEVICE static void add(const stm_addition& what) {
    if (what.element & 1) {
      // mutation "deferred sums: narrow": stm_add_relaxed((u32*)(what.element - 1), (u32)what.amount);
      stm_add_relaxed((u64*)(what.element - 1), what.amount);
    } else {
      stm_add_relaxed((u32*)what.element, (u32)what.amount);
    }
  }
  STM_DEVICE void add_all(u32 count) const {
#pragma unroll (UNROLLED)
    for (u32 i = 0; i < ROOM; ++i) {
      // mutation "deferred sums: one is left out": if (i + 1 < count) add(list[i]);
      // mutation "deferred sums: twice": @ if (i < count) add(list[i]);
      if (i < count) add(list[i]);
    }
  }
};

// An attempt that can add to such arrays.
template <class F>
struct stm_deferring : stm_tx<F> {
  stm_additions<F::ADDITIONS>* additions;
  u32 added;

  template <class T>
  STM_DEVICE void add_later(u8* element, T amount) {
    if (amount == 0) return;
    // mutation "deferred sums: the latest alone": added = 0; @
    additions->list[added] = {(u64)element | (sizeof(T) == 8), stm_to_word(amount)};
    added += 1;
  }
};

template <class Tx, class T, bool CELLS>
STM_DEVICE void stm_declare(Tx& tx, u32 slot, stm_intent, const stm_deferred_array<T, CELLS>&, u64) {
  tx.declare(slot, STM_READ, stm_no_array{}, 0);
}
template <class Tx, class T, bool CELLS>
STM_DEVICE stm_status stm_read(Tx& tx, u32, u32 location, const stm_deferred_array<T, CELLS>& array, u64 index, T* out) {
  if (!array.holds(index)) return tx.fault(STM_FAULT_INDEX, location);
  // mutation "deferred sums: a read finds the value": *out = stm_word<T>::to(stm_constant_load(array.element(index), sizeof(T)));
  *out = 0;
  return STM_OK;
}
template <class Tx, class T, bool CELLS, class V>
STM_DEVICE stm_status stm_write(Tx& tx, u32, u32 location, const stm_deferred_array<T, CELLS>& array, u64 index, V amount) {
  if (!array.holds(index)) return tx.fault(STM_FAULT_INDEX, location);
  tx.add_later(array.element(index), (T)amount);
  return STM_OK;
}
