#!/bin/sh
# Puts the conformance suite, the random programs and the test of printing into target/gpu-suite as three small programs, for a
# machine that has a GPU and no Rust.
#
# There: STM_TEST_DEVICE=cuda:0 [STM_NVRTC=<folder of libnvrtc>] ./conformance [words of scenario names]
#        with STM_TEST_ENGINE=<name> and STM_TEST_SHARD=1/3, one engine or a share of the scenarios
#        STM_TEST_DEVICE=cuda:0 [STM_NVRTC=<folder of libnvrtc>] ./meaning --programs 10000 --seed 1
#        STM_TEST_DEVICE=cuda:0 [STM_NVRTC=<folder of libnvrtc>] ./printing
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
out=$root/target/gpu-suite

cd "$root"
mkdir -p "$out"
# rustc takes minutes for all the random programs of the test at this level; further programs are generated at run time.
export STM_MEANING_PROGRAMS="${STM_MEANING_PROGRAMS:-64}"
for name in conformance meaning printing; do
    program=$(cargo test --release -p stm-tests --test $name --no-run --message-format=json |
        sed -n 's/.*"name":"'$name'".*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
    [ -n "$program" ] || { echo "cargo built no $name" >&2; exit 1; }
    strip -o "$out/$name" "$program"
    echo "$out/$name"
done
