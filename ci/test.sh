#!/usr/bin/env bash
# The one test command: every test that this machine can run, and then what it could not run and why.
#
# Fetches NVRTC where there is none. Goes on after a failure; the exit status tells whether there was one.
set -euo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0

say() { printf '\n== %s\n' "$*"; }

# Runs a command, keeps its output for the summary, and remembers a failure.
run() {
    printf '$ %s\n' "$*"
    "$@" 2>&1 | tee -a "$log" || status=1
}

skipped() { printf 'SKIPPED: %s\n' "$*" | tee -a "$log"; }

say "the CUDA run-time compiler"
sh tests/fetch-nvrtc.sh || skipped "every compilation for real devices: NVRTC is not here and could not be fetched (see above)"

say "models of the CPU engine's atomics (loom)"
# Other flags mean another build of everything, hence a folder of its own.
run env RUSTFLAGS="${RUSTFLAGS:-} --cfg loom" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/loom" \
    cargo test -p stm-runtime --lib cpu::models

say "unit tests, snapshots, compile-fail cases, emulator, conformance, examples"
# --show-output: a test that skips says so on its output, which passing tests otherwise keep to themselves.
run cargo test --workspace --all-features --no-fail-fast --lib --bins --examples --tests -- --show-output

say "what was skipped, and why"
if ! grep -h '^SKIPPED' "$log" | sort | uniq -c; then
    echo "nothing"
fi

say "examples in the documentation"
run cargo test --workspace --all-features --no-fail-fast --doc

# Last, where whoever reads the end of a long output finds it.
say "what failed"
if [ "$status" = 0 ]; then
    echo "nothing"
else
    # What tests that failed have printed, and the lines that name them; tests that passed have errors and panics to show, too.
    awk '/^failures:$/ { on = 1 }
        on || /^FAILED/ || /^error(\[E|: could not compile|: test failed|: [0-9]+ targets? failed)/
        /^test result:/ { on = 0 }' "$log"
fi
exit "$status"
