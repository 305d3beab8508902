// The results of transactions. Needs the parameters of a launch.

// The results lie component by component, so that a warp stores neighbouring words together.
template <u32 COMPONENTS>
STM_DEVICE void stm_store_result(const stm_params& p, u32 transaction, const u64 (&result)[COMPONENTS]) {
#pragma unroll
  // mutation "place of a result":
  //| for (u32 component = 0; component < COMPONENTS; ++component) p.results[component + transaction * COMPONENTS] =
  //| result[component];
  for (u32 component = 0; component < COMPONENTS; ++component) p.results[component * p.transactions + transaction] = result[component];
}
