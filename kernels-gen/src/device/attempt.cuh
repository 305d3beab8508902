// One attempt at one transaction: what becomes a function for each specialization.
//
// Needs an engine, and the parameters of a launch.

// The results lie component by component, so that a warp stores neighbouring words together.
template <u32 COMPONENTS>
STM_DEVICE void stm_give(const stm_params& p, u32 transaction, const u64 (&result)[COMPONENTS]) {
#pragma unroll
  // mutation "place of a result":
  //| for (u32 component = 0; component < COMPONENTS; ++component) p.results[component + transaction * COMPONENTS] =
  //| result[component];
  for (u32 component = 0; component < COMPONENTS; ++component) p.results[component * p.transactions + transaction] = result[component];
}

// One attempt at one transaction. A function that serves several specializations is told where the arrays are.
template <class Specialization, class... Arrays>
STM_DEVICE stm_status stm_attempt(const stm_params& p, u32 transaction, stm_worker& worker, Arrays... arrays) {
  typedef typename Specialization::facts facts;
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  if constexpr (STM_PROFILED) worker.locations = p.locations + facts::LOCATION_BASE;
  typename stm_tx<facts>::scratch scratch;
  stm_tx<facts> tx;
  tx.worker = &worker;
  tx.iterations = 0;
#if STM_PRINTS
  tx.lines = p.lines;
#endif
  worker.body_begins();
  tx.begin(scratch);
  u64 result[facts::RESULTS == 0 ? 1 : facts::RESULTS] = {};
  stm_status status = STM_OK;
  if constexpr (facts::ORDERABLE) {
    Specialization::announce(tx, p, args);
    status = tx.acquire();
  }
  // mutation "run the body: without its locks": status = Specialization::body(tx, p, args, result);
  // mutation "run the body: after a nap":
  //| for (u32 nap = 0; nap < 20; ++nap) __nanosleep(20);
  //| @
  if (status == STM_OK) status = Specialization::body(tx, p, args, result);
  worker.body_ends();
  // What the body found, it may have found in a snapshot that never was: only a valid one counts.
  // mutation "conclude: only commits":
  //| stm_status got = tx.conclude(status == STM_OK ? STM_OK : STM_CONFLICT);
  //| if (status == STM_OK) status = got;
  // mutation "conclude: too late":
  //| stm_status got = tx.conclude(status);
  //| if (status != STM_OK) status = got;
  // mutation "conclude: one thread alone": status = tx.conclude(worker.threads == 1 ? status : STM_CONFLICT);
  status = tx.conclude(status);
  worker.attempt_ends(status == STM_CONFLICT);
  if constexpr (STM_RECORDED) {
    // mutation "what is recorded": if (status == STM_OK) {
    if (status != STM_CONFLICT && status != STM_POSTPONED) {
      stm_log log = {p.log + (u64)transaction * p.log_stride, 0};
      // mutation "record": tx.record(log, true);
      tx.record(log, status == STM_OK);
      // mutation "number of entries": log.at[0] = log.count - (log.count != 0);
      log.at[0] = log.count;
    }
  }
  if constexpr (facts::RESULTS != 0) {
    // mutation "give the result":
    if (status == STM_OK) stm_give<facts::RESULTS>(p, transaction, result);
  }
  // mutation "give the detail": if (status == STM_REJECTED) p.detail[transaction] = tx.detail;
  if (status == STM_REJECTED || status == STM_FAULTED) p.detail[transaction] = tx.detail;
  return status;
}
