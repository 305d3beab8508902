// Read-only: the procedure writes nothing. Reads hold no locks, and are validated in the end.

template <class F>
struct stm_read_only : stm_invisible_reads<F, stm_access_set<F, stm_priority_base>> {
  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32 location, const Array& array, u64 index, T* out) {
    if (!array.holds(index)) return this->fault(STM_FAULT_INDEX, location);
    if (slot != STM_INDEXED) return read_entry(this->fixed[slot], location, array, index, out);
    stm_entry* e = this->entry_of_reader(array.ref(index));
    if (e == nullptr) return this->fault(STM_FAULT_CAPACITY, location);
    return read_entry(*e, location, array, index, out);
  }

  template <class Array, class T>
  STM_DEVICE stm_status read_entry(stm_entry& e, u32 location, const Array& array, u64 index, T* out) {
    if (!(e.flags & STM_LOADED)) {
      stm_ref ref = array.ref(index);
      stm_pair found;
      STM_TRY(this->load(ref, location, &found));
      e.ref = ref;
      e.found = found;
      e.flags = STM_OPEN | STM_LOADED;
      if constexpr (STM_RECORDED) e.key = stm_history_key(array, index);
    }
    *out = stm_word<T>::to(e.found.value);
    return STM_OK;
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32, u32, const Array&, u64, T) = delete;

  // A single element is always consistent. For the proof that is not enough: a value that is newer than the version that was found
  // before it would be attributed to that version.
  STM_DEVICE stm_status finish(stm_status status) {
    // mutation "single reads need no validation": if (stm_skips_validation(status) || F::FIXED + F::INDEXED == 1) return status;
    if (stm_skips_validation(status) || (!STM_RECORDED && F::FIXED + F::INDEXED == 1)) return status;
    // mutation "validate a reader": return status;
    return this->validate() == STM_OK ? status : STM_CONFLICT;
  }

  template <class Visit>
  STM_DEVICE void each_access(Visit visit) {
    this->each([&](stm_entry& e) {
      visit(stm_access{e.key, true, e.found.word >> 1, false, 0});
      return true;
    });
  }
};
