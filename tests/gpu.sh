#!/bin/sh
# Puts the conformance suite into target/gpu-suite as one small program, for a machine that has a GPU and no Rust.
#
# There: STM_TEST_DEVICE=cuda:0 [STM_NVRTC=<folder of libnvrtc>] ./conformance [words of scenario names]
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
out=$root/target/gpu-suite

cd "$root"
program=$(cargo test --release -p stm-tests --test conformance --no-run --message-format=json |
    sed -n 's/.*"name":"conformance".*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
[ -n "$program" ] || { echo "cargo built no conformance suite" >&2; exit 1; }
mkdir -p "$out"
strip -o "$out/conformance" "$program"
echo "$out/conformance"
