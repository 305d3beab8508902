#!/usr/bin/env bash
# Checks and measures everything on a machine with a GPU, which need not have Rust: ci/gpu.sh PROGRAMS LOGS [COMMIT]
#
# PROGRAMS is a folder with `bank` and `limits` (target/release/examples), `conformance` and `meaning` (made by tests/gpu.sh). What is
# printed goes into LOGS; docs/results says what for. Every program runs under a time limit.
set -uo pipefail
programs=$1 logs=$2 commit=${3:-unknown} device=cuda:0
mkdir -p "$logs"

# Each log begins with the commit, and says each command before what it printed.
say() { printf '\n$ %s\n' "$(basename "$1") ${*:2}"; timeout 120 "$@" 2>&1; }
log() { { echo "commit $commit"; "$@"; } | tee "$logs/$1.log"; }
bank() { say "$programs/bank" --device $device "$@"; }

# One engine after the other: one that cannot end costs its own time alone.
conformance() {
    for engine in $("$programs/bank" --engine '?' 2>&1 | sed -n 's/.*: //p' | tr -d ',.'); do
        STM_TEST_ENGINE=$engine STM_TEST_DEVICE=$device timeout 250 "$programs/conformance" 2>&1
    done
}

meaning() { STM_TEST_DEVICE=$device timeout 300 "$programs/meaning" --programs 10000 --seed 1 2>&1 | tail -n 40; }

runs() {
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
    bank --accounts 2500000 --transactions 16777216 --kinds transfer
    bank --accounts 2500000 --transactions 16777216
    bank --accounts 2500000 --transactions 1000000 --check
    bank --accounts 2500000 --transactions 1000000 --kinds transfer --check
    bank --accounts 1000 --transactions 1000000 --check
    bank --accounts 1000 --transactions 20000 --check --engine serial
    for accounts in 1 10 1000; do
        bank --accounts $accounts --transactions 1000000 --kinds transfer
        bank --accounts $accounts --transactions 1000000 --kinds transfer --threads 135168
    done
    bank --accounts 10 --transactions 200000 --threads 135168 --check
}

limits() {
    for accounts in 25000000 2500000 100000; do say "$programs/limits" --device $device --accounts $accounts; done
    say "$programs/limits" --device $device --accounts 1000 --transactions 1048576
}

rates() {
    for accounts in 10 100 1000 10000 100000 1000000 2500000 25000000; do
        local transactions=2000000
        if [ $accounts = 10 ]; then transactions=200000; fi
        if [ $accounts -ge 100000 ]; then transactions=16777216; fi
        bank --kinds transfer --json --accounts $accounts --transactions $transactions
    done
}

compile() {
    for kinds in transfer transfer,deposit,audit; do
        for run in 1 2 3 4 5; do
            STM_CACHE=off bank --kinds $kinds --accounts 1000 --transactions 100000 | sed -n "s/^ *time .*compile/cold $run, $kinds: compile/p"
        done
        for run in 0 1 2 3; do # run 0 fills the cache
            bank --kinds $kinds --accounts 1000 --transactions 100000 | sed -n "s/^ *time .*compile/disk cache $run, $kinds: compile/p"
        done
    done
}

sanitizer() {
    local memcheck
    memcheck=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -n 1)
    [ -n "$memcheck" ] || { echo "SKIPPED: compute-sanitizer is not here"; return; }
    say "$memcheck" "$programs/bank" --device $device --accounts 1000 --transactions 20000 --check
    say "$memcheck" "$programs/bank" --device $device --accounts 1000 --transactions 500 --check --engine serial
    STM_TEST_DEVICE=$device say "$memcheck" "$programs/conformance" zombie same_account lanes
}

for part in conformance runs limits rates compile sanitizer meaning; do log $part; done
