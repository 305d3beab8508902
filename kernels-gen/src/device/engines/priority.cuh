// priority: the default engine. Ours, based on the priority rule of PR-STM (Shen, Sharp, Morgan, Guo: Euro-Par 2015, sections 2.2
// to 2.4): a lower thread index has priority.
//
// The results of the analysis decide how a procedure runs:
//   stm_ordered_locking  every address depends on arguments alone, every element may be written, and there are few
//   stm_read_only        nothing is written
//   stm_long_reads       the same, with many elements
//   stm_optimistic       few accesses, none in a loop
//   stm_logged           otherwise
//
// Invariants
//   - A lock word is held by at most one transaction; its version rises by one for each commit that wrote under it.
//   - A holder keeps the word and the value that it found, and restores both when it aborts. A thread that finds a word held may
//     overwrite the owner's number in it (the exchange does): the number only determines priority.
//   - Two entries of one set under the same lock word share one lock; two for the same element share their value.
//   - Values change only while their lock is held, after all reads have been validated.
//
// Atomics: cells - load, exchange, compare-and-swap (to validate, of a pair with itself) and store of 16 bytes, relaxed;
// separate lock words - load acquire, exchange and compare-and-swap acquire, validation acq_rel, store release; values under
// them relaxed. Logs - lock words load acquire while the body runs; the phases of a commit are relaxed, with a fence between them.
// atomics.cuh says why that is enough.
//
// Causes of abort: locked (held by a transaction that does not release it in time), changed (a version moved on).
// Differences from PR-STM: no pre-lock and no stealing. A transaction that meets a lock of a lower priority waits for it
// a little and one that meets a higher priority gives up at once, so the highest priority never gives way for good; a
// pre-lock that can be stolen costs a second atomic for each element. Versions are 63 bits and do not wrap.
// Limits: not opaque (a doomed attempt can see an inconsistent snapshot until it validates); at most STM_ORDERED_MOST
// elements are locked in order.

// Chooses the strategy for a procedure.
template <class F, bool READ_ONLY, bool ORDERED, bool IN_REGISTERS, bool LONG>
struct stm_strategy {
  typedef stm_logged<F> type;
};
template <class F>
struct stm_strategy<F, false, false, true, false> {
  typedef stm_optimistic<F> type;
};
template <class F, bool ORDERED, bool IN_REGISTERS>
struct stm_strategy<F, true, ORDERED, IN_REGISTERS, false> {
  typedef stm_read_only<F> type;
};
template <class F, bool ORDERED, bool IN_REGISTERS>
struct stm_strategy<F, true, ORDERED, IN_REGISTERS, true> {
  typedef stm_long_reads<F> type;
};
template <class F>
struct stm_strategy<F, false, true, true, false> {
  typedef stm_ordered_locking<F> type;
};

template <class F>
struct stm_tx : stm_strategy<F, F::READ_ONLY, F::ORDERABLE && F::ALL_WRITTEN && F::FIXED <= STM_ORDERED_MOST, F::FIXED != 0, F::THREAD_BYTES != 0>::type {};
