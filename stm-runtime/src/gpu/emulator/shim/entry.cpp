// After the unit: the way in from Rust.

namespace {
void stm_emulated_thread(const void* parameters) { stm_run(*static_cast<const stm_params*>(parameters)); }
}  // namespace

// No exception may reach Rust.
extern "C" __attribute__((visibility("default"))) int stm_emulate(const unsigned long long* words,
                                                                  unsigned long long count, const stm_emu::options* how,
                                                                  stm_emu::outcome* out) noexcept {
  out->parameter_bytes = sizeof(stm_params);
  if (sizeof(stm_params) != count * sizeof(unsigned long long)) return stm_emu::PARAMETERS;
  return stm_emu::run(stm_emulated_thread, words, *how, *out);
}
