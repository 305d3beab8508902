#!/usr/bin/env bash
# The one test command: every test that this machine can run, and then what it could not run and why.
#
# Fetches NVRTC where there is none. Goes on after a failure; the exit status tells whether there was one.
set -euo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
times=$(mktemp)
trap 'rm -f "$log" "$times"' EXIT
status=0
part="" since=0

# Begins a part. Notes how long the one before took.
say() {
    end_part
    part=$* since=$SECONDS
    printf '\n== %s\n' "$*"
}

end_part() {
    [ -z "$part" ] || printf '%6d s  %s\n' $((SECONDS - since)) "$part" >>"$times"
}

# Runs a command, keeps its output for the summary, and remembers a failure.
run() {
    printf '$ %s\n' "$*"
    "$@" 2>&1 | tee -a "$log" | time_targets || status=1
}

# Passes on what cargo prints, and notes how long each program of tests took.
time_targets() {
    local target="" begin=0 line
    while IFS= read -r line; do
        printf '%s\n' "$line"
        case $line in
        "     Running "* | "   Doc-tests "*)
            end_target
            read -r target <<<"$line"
            begin=$SECONDS
            ;;
        esac
    done
    end_target
}

end_target() {
    [ -z "$target" ] || printf '%6d s      %s\n' $((SECONDS - begin)) "$target" >>"$times"
}

skipped() { printf 'SKIPPED: %s\n' "$*" | tee -a "$log"; }

say "the CUDA run-time compiler"
sh tests/fetch-nvrtc.sh || skipped "every compilation for real devices: NVRTC is not here and could not be fetched (see above)"

say "licences and sources of crates, on all platforms (cargo-deny)"
if cargo deny --version >/dev/null 2>&1; then
    run cargo deny check licenses bans sources
else
    skipped "licences and sources of crates for other platforms: cargo-deny is not here (cargo install --locked cargo-deny)"
fi

say "models of the CPU engine's atomics (loom)"
# Other flags mean another build of everything, hence a folder of its own.
run env RUSTFLAGS="${RUSTFLAGS:-} --cfg loom" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/loom" \
    cargo test -p stm-runtime --lib cpu::models

say "undefined behaviour in Rust (Miri)"
if cargo +nightly miri --version >/dev/null 2>&1; then
    run ci/miri.sh
else
    skipped "undefined behaviour in Rust: Miri is not here (rustup toolchain install nightly --component miri,rust-src)"
fi

say "unit tests, snapshots, compile-fail cases, emulator, conformance, examples"
# --show-output: a test that skips says so on its output, which passing tests otherwise keep to themselves.
run cargo test --workspace --all-features --no-fail-fast --lib --bins --examples --tests -- --show-output

say "what was skipped, and why"
if ! grep -h '^SKIPPED' "$log" | sort | uniq -c; then
    echo "nothing"
fi

say "examples in the documentation"
run cargo test --workspace --all-features --no-fail-fast --doc

say "how long it took"
# Parts, and above each those of its programs of tests that took five seconds or more.
awk '/ s  [^ ]/ || $1 >= 5' "$times"

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
