#!/usr/bin/env bash
# Undefined behaviour in Rust, found by Miri: the unit tests that need no files, processes and foreign functions, and small
# batches on CPU threads in several interleavings, where threads also read stale values, as weak memory allows.
#
# Needs: rustup toolchain install nightly --component miri --component rust-src
set -euo pipefail
cd "$(dirname "$0")/.."

# Other flags rebuild everything, so they get a folder of their own.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/miri"

# Runs tests under Miri. Fewer passed tests than the first argument are an error: the names of modules below may have changed.
miri() {
    local least=$1 passed output
    shift
    output=$(mktemp)
    cargo +nightly miri test "$@" 2>&1 | tee "$output"
    passed=$(sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' "$output" | sort -n | tail -1)
    rm -f "$output"
    if [ "${passed:-0}" -lt "$least" ]; then
        echo "only ${passed:-0} tests ran, and not $least: see the names in ci/miri.sh"
        return 1
    fi
}

# The compiler leaks what lives as long as the program.
MIRIFLAGS="${MIRIFLAGS:-} -Zmiri-ignore-leaks" miri 20 -p kernels-gen --lib -- \
    analysis:: compile::shape compile::tests::wrong device::home abi:: emit:: infer::

miri 3 -p stm-interpreter --lib

miri 60 -p stm-runtime --no-default-features --lib -- \
    columns:: data:: digits:: element:: engine:: keymap:: outcome:: procedure:: \
    proof:: threads:: tx::limits:: tx::lock:: tx::sets:: user::kernel:: user::report::

MIRIFLAGS="${MIRIFLAGS:-} -Zmiri-many-seeds=0..2" miri 5 -p stm-runtime --no-default-features --test tiny
