// Runs every case from standard input and writes the results to standard output. HOST_CASE and HOST_RESULT name their
// types, and `run_case` converts one to the other.

#include <cstdio>
#include <vector>

int main() {
  std::vector<HOST_CASE> cases(4096);
  std::vector<HOST_RESULT> results(cases.size());
  while (size_t n = std::fread(cases.data(), sizeof(HOST_CASE), cases.size(), stdin)) {
    for (size_t i = 0; i < n; i++) results[i] = run_case(cases[i]);
    if (std::fwrite(results.data(), sizeof(HOST_RESULT), n, stdout) != n) return 2;
  }
  return std::fflush(stdout) == 0 && std::ferror(stdin) == 0 ? 0 : 2;
}
