// Runs every case that comes in on standard input and writes the results to standard output.

#include <cstdio>
#include <vector>

int main() {
  std::vector<prelude_case> cases(4096);
  std::vector<prelude_result> results(cases.size());
  while (size_t n = std::fread(cases.data(), sizeof(prelude_case), cases.size(), stdin)) {
    for (size_t i = 0; i < n; i++) results[i] = run_case(cases[i]);
    if (std::fwrite(results.data(), sizeof(prelude_result), n, stdout) != n) return 2;
  }
  return std::fflush(stdout) == 0 && std::ferror(stdin) == 0 ? 0 : 2;
}
