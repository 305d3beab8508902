// The history of an attempt, in recording units: its reads and writes, from which the host proves that the run was serializable.
//
// An engine calls `visit(stm_access)` in `each_access(visit)`, once for each lock word that its attempt accessed, or for each
// element where the engine has no lock words. `finish` has numbered the versions by then.

// The array and the lock word, or the element.
template <class Array>
STM_DEVICE u64 stm_history_key(const Array& array, u64 index) {
  return (u64)array.id << STM_HISTORY_ARRAY_SHIFT | array.lock_index(index);
}

// The accesses of an attempt under one lock word.
struct stm_access {
  u64 key;
  bool is_read;
  u64 read_version;
  bool is_written;
  u64 written_version;  // if the attempt has committed
};

// A count, then pairs of a key, whose highest bit says that it was written, and a version.
struct stm_log {
  u64* at;
  u64 count;
  STM_DEVICE void put(bool is_write, u64 key, u64 version) {
    // mutation "place of an entry": at[1 + 2 * count] = (is_write ? STM_HISTORY_WRITE : 0) | (key & STM_HISTORY_LOCKS);
    at[1 + 2 * count] = (is_write ? STM_HISTORY_WRITE : 0) | key;
    at[2 + 2 * count] = version;
    count += 1;
  }
};

// Writes the history of an attempt that has ended.
template <class Tx>
STM_DEVICE void stm_record_history(Tx& tx, u64* at, bool is_committed) {
  stm_log log = {at, 0};
  tx.each_access([&](const stm_access& access) {
    if (access.is_read) log.put(false, access.key, access.read_version);
    if (is_committed && access.is_written) log.put(true, access.key, access.written_version);
  });
  // mutation "number of entries": log.at[0] = log.count - (log.count != 0);
  log.at[0] = log.count;
}
