// How a transaction runs in its turn: no other one changes what it has declared. And what transactions claim to find their turns.

// What is claimed under some lock words: by a transaction that reads there, and by one that writes.
struct stm_claims {
  u32 readers, writers;
};
static_assert(sizeof(stm_claims) == STM_CLAIM_BYTES, "host and device agree");

// The number of the claims under the lock word of an element, below `mask`. Neighbouring elements have different ones.
template <class Array>
STM_DEVICE u32 stm_claims_of(const Array& array, u64 index, u32 mask) {
  return (u32)((u64)array.ref(index).lock >> (Array::IS_CELLS ? 4 : 3)) & mask;
}

// An element that one thread of one block alone accesses at a time, and fences order these threads. Other than that of an atomic, the value
// stays in the cache of the block.
template <class T>
STM_DEVICE u64 stm_alone_load(u8* at) {
#if STM_EMULATED
  return stm_block_load_relaxed((T*)at);
#else
  return *(T*)at;
#endif
}
template <class T>
STM_DEVICE void stm_alone_store(u8* at, u64 value) {
#if STM_EMULATED
  stm_block_store_relaxed((T*)at, value);
#else
  *(T*)at = (T)value;
#endif
}
STM_DEVICE u64 stm_alone_load(u8* at, u32 width) {
  switch (width) {
    case 1: return stm_alone_load<u8>(at);
    case 2: return stm_alone_load<u16>(at);
    case 4: return stm_alone_load<u32>(at);
    default: return stm_alone_load<u64>(at);
  }
}
STM_DEVICE void stm_alone_store(u8* at, u32 width, u64 value) {
  switch (width) {
    case 1: stm_alone_store<u8>(at, value); break;
    case 2: stm_alone_store<u16>(at, value); break;
    case 4: stm_alone_store<u32>(at, value); break;
    default: stm_alone_store<u64>(at, value);
  }
}

// What a block keeps of an element of an array.
template <class T, bool CELLS>
struct stm_kept {
  typedef T type;
};
template <class T>
struct stm_kept<T, true> {
  typedef u64 type;
};

// Takes the place of `stm_tx`. `ALONE`: one block runs all transactions, and may keep arrays in its memory, from `extra` on.
template <class F, bool ALONE>
struct stm_in_turn : stm_ordered_locking<F> {
  template <class Array>
  STM_DEVICE void declare(u32 slot, stm_intent intent, const Array& array, u64 index) {
    stm_ordered_locking<F>::declare(slot, intent, array, index);
    auto& ref = this->entries[slot].ref;
    if constexpr (ALONE) {
      if (array.at.extra == nullptr || ref.lock == nullptr) return;
      STM_BLOCK_MEMORY(memory);
      typedef typename stm_kept<typename Array::value_type, Array::IS_CELLS>::type kept;
      ref.value = memory + (u64)array.at.extra + index * sizeof(kept);
    }
  }
  STM_DEVICE void declare(u32 slot, stm_intent intent, const stm_no_array& array, u64 index) {
    stm_ordered_locking<F>::declare(slot, intent, array, index);
  }

  STM_DEVICE void load(u32 slot) {
    auto& entry = this->entries[slot];
    if (entry.ref.lock == nullptr) return;
    u32 width = F::slot_width(slot);
    entry.value = ALONE ? stm_alone_load(entry.ref.value, width) : stm_value_load(entry.ref.value, width);
    if constexpr (STM_RECORDED) entry.found.word = stm_load_relaxed(entry.ref.lock);
  }

  STM_DEVICE void commit() {
#pragma unroll
    for (u32 slot = 0; slot < this->N; ++slot) {
      const auto& entry = this->entries[slot];
      u32 width = F::slot_width(slot);
      if (entry.dirty) {
        if constexpr (ALONE) stm_alone_store(entry.ref.value, width, entry.value);
        if constexpr (!ALONE) stm_value_store(entry.ref.value, width, entry.value);
      }
      if constexpr (STM_RECORDED) {
        if (this->holder(slot) && this->dirty_under(slot)) stm_store_relaxed(entry.ref.lock, entry.found.word + 2);
      }
    }
  }
};

// What a transaction is after its turn: it has ended, or has committed. In rounds it may also stay for the next one.
constexpr u32 STM_STAYS = 0, STM_ENDED = 1, STM_COMMITS = 2;

// Whether a reader was at rest: then it has ended before its turn.
template <class Specialization>
STM_DEVICE bool stm_was_at_rest(const stm_params& p, u32 transaction) {
  return Specialization::facts::READ_ONLY && stm_load_relaxed(p.status + transaction) == STM_OK;
}

// Runs a transaction whose turn has come, and whose values are loaded. `pass` gives the turn to others.
template <class Specialization, class Tx, class Pass>
STM_DEVICE u32 stm_take_turn(const stm_params& p, Tx& tx, const typename Specialization::args& args, u32 transaction, Pass pass) {
  typedef typename Specialization::facts facts;
  u64 result[facts::RESULTS == 0 ? 1 : facts::RESULTS] = {};
  stm_status status = Specialization::body(tx, p, args, result);
  // mutation "commit in turn": tx.commit();
  if (status == STM_OK) tx.commit();
  pass();
  p.status[transaction] = (u8)status;
  // What waits in any order runs once more, and is counted there, or the host counts it.
  if (!STM_PUSHED && status == STM_POSTPONED) return STM_ENDED;
  if constexpr (STM_RECORDED) {
    if (status != STM_POSTPONED) stm_record_history(tx, p.log + (u64)transaction * p.log_stride, status == STM_OK);
  }
  if (status == STM_OK) {
    if constexpr (facts::RESULTS != 0) stm_store_result<facts::RESULTS>(p, transaction, result);
    return STM_COMMITS;
  }
  if (status != STM_POSTPONED) p.detail[transaction] = tx.detail;
  stm_add_relaxed(p.counters + (status == STM_POSTPONED ? (u32)STM_POSTPONEMENTS : (u32)status - 1), 1);
  return STM_ENDED;
}
