// One attempt at one transaction: the code of the function of each specialization.
//
// Needs an engine, and the parameters of a launch.

// Makes one attempt at one transaction. A function that serves several specializations receives the places of the arrays.
template <class Specialization, class... Arrays>
STM_DEVICE stm_status stm_attempt(const stm_params& p, u32 transaction, stm_worker& worker, Arrays... arrays) {
  typedef typename Specialization::facts facts;
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  worker.profile.begin(p.profile, facts::PROFILE_BASE, facts::PROCEDURE);
  typename stm_tx<facts>::scratch scratch;
  stm_additions<facts::ADDITIONS> additions;
  stm_deferring<facts> tx;
  tx.additions = &additions;
  tx.added = 0;
  tx.worker = &worker;
  tx.iterations = 0;
#if STM_PRINTS
  tx.lines = p.lines;
#endif
  worker.start_body();
  tx.begin(scratch);
  u64 result[facts::RESULTS == 0 ? 1 : facts::RESULTS] = {};
  stm_status status = STM_OK;
  if constexpr (facts::ORDERABLE) {
    Specialization::declare(tx, p, args);
    status = tx.acquire();
  }
  // mutation "run the body: without its locks": status = Specialization::body(tx, p, args, result);
  // mutation "run the body: after a nap":
  //| for (u32 nap = 0; nap < 20; ++nap) __nanosleep(20);
  //| @
  if (status == STM_OK) status = Specialization::body(tx, p, args, result);
  worker.end_body();
  // The body may have run on an inconsistent snapshot: `finish` validates it.
  // mutation "finish: only commits":
  //| stm_status got = tx.finish(status == STM_OK ? STM_OK : STM_CONFLICT);
  //| if (status == STM_OK) status = got;
  // mutation "finish: too late":
  //| stm_status got = tx.finish(status);
  //| if (status != STM_OK) status = got;
  // mutation "finish: one thread alone": status = tx.finish(worker.threads == 1 ? status : STM_CONFLICT);
  status = tx.finish(status);
  // mutation "deferred sums: of every attempt": additions.add_all(tx.added);
  // mutation "deferred sums: before the end": if (status != STM_CONFLICT) additions.add_all(tx.added);
  if (status == STM_OK) additions.add_all(tx.added);
  worker.end_attempt(status == STM_CONFLICT);
  if (status == STM_POSTPONED) worker.profile.wait();
  if constexpr (STM_RECORDED) {
    // mutation "what is recorded": if (status == STM_OK) {
    if (status != STM_CONFLICT && status != STM_POSTPONED) {
      u64* log = p.log + (u64)transaction * p.log_stride;
      // mutation "record": stm_record_history(tx, log, true);
      stm_record_history(tx, log, status == STM_OK);
    }
  }
  if constexpr (facts::RESULTS != 0) {
    // mutation "give the result":
    if (status == STM_OK) stm_store_result<facts::RESULTS>(p, transaction, result);
  }
  // mutation "give the detail": if (status == STM_REJECTED) p.detail[transaction] = tx.detail;
  if (status == STM_REJECTED || status == STM_FAULTED) p.detail[transaction] = tx.detail;
  return status;
}
