
STM_DEVICE method_result run_case(const method_case& c) {
  case_tx tx;
  method_result result = {{0, 0}, 0, 0};
  if (call(tx, c, result.components) != STM_OK) {
    result.fault = tx.code;
    result.location = tx.location;
  }
  return result;
}

#if !STM_EMULATED
extern "C" __global__ void method_cases(const method_case* cases, method_result* results, u64 n) {
  u64 stride = (u64)gridDim.x * blockDim.x;
  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) results[i] = run_case(cases[i]);
}
#endif
