// Included after the unit: the entry point from Rust.

namespace {
// A kernel of the unit with its parameters.
struct stm_call {
  void (*kernel)(const stm_params);
  const stm_params* parameters;
};

void stm_emulated_thread(const void* call) {
  const stm_call& of = *static_cast<const stm_call*>(call);
  of.kernel(*of.parameters);
}
}  // namespace

// No exception may reach Rust.
extern "C" __attribute__((visibility("default"))) int stm_emulate(void* kernel, const unsigned long long* words,
                                                                  unsigned long long count, const stm_emu::options* how,
                                                                  stm_emu::outcome* out) noexcept {
  out->parameter_bytes = sizeof(stm_params);
  if (sizeof(stm_params) != count * sizeof(unsigned long long)) return stm_emu::PARAMETERS;
  stm_call call = {reinterpret_cast<void (*)(const stm_params)>(kernel), reinterpret_cast<const stm_params*>(words)};
  return stm_emu::run(stm_emulated_thread, &call, *how, *out);
}
