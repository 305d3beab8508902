// readers-at-rest: first runs the transactions that write nothing, while no element changes, then the others as the default engine
// does.
//
// Source: ours. A batch is known in full, and any order of its transactions is right: so those that only read may come first.
//
// Invariants
//   - While the stage runs, no element and no lock word changes. So all that a transaction reads is true at one moment, without sets,
//     locks or validation, and loads may be cached.
//   - A transaction whose guard is false, that is rejected or that faults runs later, as under the default engine: what the others
//     write can make it succeed.
//   - A transaction that makes more accesses than it may have elements runs later: only a set can tell whether some are of one element.
//   - Histories: the version of each lock word is the one before all commits of the chunk. A transaction whose history has no room for
//     its reads runs later.
//
// Atomics: none. Elements and lock words are loaded as constants; statuses and results - plain, each by the thread of its transaction.
// The end of the kernel orders them before the next stage.
// Causes of abort: none of its own; those of the default engine.
// Limits: a transaction that prints runs later.

// Takes the place of `stm_tx`.
template <class F>
struct stm_reader_at_rest : stm_tx_base {
  // A read is a few instructions, and many are under way at once.
  static constexpr u32 UNROLLED = F::OUTLINED ? 1 : 4;
  static constexpr bool CUTS_RANGES = true;

  u32 indexed;  // reads in loops so far
  bool runs_later;
  stm_log log;
  u64 most;  // entries of the log

  // Always returns STM_OK, so that a loop has no branch for each read. After a read beyond the end the body goes on with zeros, and its
  // result is not used: it has no other effect, and its loops are bounded.
  template <class Array, class T>
  STM_DEVICE stm_status read(u32 slot, u32, const Array& array, u64 index, T* out) {
    bool is_there = array.holds(index);
    runs_later |= !is_there;
    if (slot == STM_INDEXED) indexed += 1;
    u64 word = 0;
    if (is_there) {
      stm_ref ref = array.ref(index);
      word = stm_constant_load(ref.value, ref.width == 0 ? 8 : ref.width);
      if constexpr (STM_RECORDED) record(ref, stm_history_key(array, index));
    }
    // mutation "value at rest": *out = stm_word<T>::to(word ^ (index == 1));
    *out = stm_word<T>::to(word);
    return STM_OK;
  }

  STM_DEVICE void record(const stm_ref& ref, u64 key) {
    if (has_just_read(key)) return;
    runs_later |= log.count == most;
    // mutation "version at rest": if (!runs_later) log.put(false, key, stm_load_relaxed(ref.lock));
    if (!runs_later) log.put(false, key, stm_load_relaxed(ref.lock) >> 1);
  }

  // Returns whether one of the last entries has the key, as where a procedure reads the components of a record.
  STM_DEVICE bool has_just_read(u64 key) const {
    for (u64 back = 1; back <= log.count && back <= 8; ++back) {
      if (log.at[1 + 2 * (log.count - back)] == key) return true;
    }
    return false;
  }

  template <class Array, class T>
  STM_DEVICE stm_status write(u32, u32, const Array&, u64, T) = delete;
};

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_read_at_rest(const stm_params& p, u32 transaction, Arrays... arrays) {
  typedef typename Specialization::facts facts;
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  stm_reader_at_rest<facts> reader;
  reader.iterations = reader.indexed = 0;
  reader.runs_later = false;
  if constexpr (STM_RECORDED) {
    reader.log = {p.log + (u64)transaction * p.log_stride, 0};
    reader.most = (p.log_stride - 1) / 2;
  }
  u64 result[facts::RESULTS == 0 ? 1 : facts::RESULTS] = {};
  stm_status status = Specialization::body(reader, p, args, result);
  // mutation "guards at rest": if (status == STM_FAULTED) return 0;
  if (status != STM_OK || reader.runs_later) return 0;
  // mutation "stated accesses at rest":
  if (facts::STATED && reader.indexed > facts::INDEXED) return 0;
  // mutation "result at rest":
  if constexpr (facts::RESULTS != 0) stm_store_result<facts::RESULTS>(p, transaction, result);
  if constexpr (STM_RECORDED) reader.log.at[0] = reader.log.count;
  p.status[transaction] = STM_OK;
  return 1;
}
