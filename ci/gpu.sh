#!/usr/bin/env bash
# Checks and measures everything, or some parts of it, on a machine with a GPU, which need not have Rust:
# ci/gpu.sh PROGRAMS LOGS [COMMIT [PART ..]]
#
# PROGRAMS is a folder with `bank`, `bench`, `figures` and `limits` (target/release/examples), `conformance` and `meaning` (made by
# tests/gpu.sh). What is printed goes into LOGS; docs/results says what for. Every program runs under a time limit.
set -uo pipefail
programs=$1 logs=$2 commit=${3:-unknown} device=${STM_TEST_DEVICE:-cuda:0}
shift $(($# < 3 ? $# : 3))
mkdir -p "$logs"

# Each log begins with the commit, and says each command before what it printed.
say() { printf '\n$ %s\n' "$(basename "$1") ${*:2}"; timeout 120 "$@" 2>&1; }
log() { { echo "commit $commit"; "$@"; } | tee "$logs/$1.log"; }
bank() { say "$programs/bank" --device $device "$@"; }

# Those that take arrays in one piece; `local` takes parts alone.
engines() { "$programs/bench" list | sed -n '/^Engines/,$s/^  \([a-z-]*\) .*/\1/p' | grep -v '^local$'; }

# One engine after the other: one that cannot end costs its own time alone.
conformance() {
    for engine in $(engines) local; do
        STM_TEST_ENGINE=$engine STM_TEST_DEVICE=$device timeout 250 "$programs/conformance" 2>&1
    done
}

# Ten million transactions of each engine with a proof of their order. Serial ones take a second a million.
checks() {
    for accounts in 2500000 6000 16; do
        for engine in $(engines); do
            bank --engine "$engine" --accounts $accounts --transactions 10000000 --kinds transfer --check
        done
    done
}

# What the page on engines shows: rates over accounts and shares of readers, every engine in the same run.
compare() {
    say "$programs/bench" list
    for accounts in 16 6000 2500000; do
        timeout 400 "$programs/bench" sweep bank --device $device --accounts $accounts --axis read-only=0,50,90,99 \
            --engines "$(engines | paste -sd,)" --runs 3 --time-limit 3 --json
    done
    timeout 400 "$programs/bench" sweep bank-scan --device $device --axis read-only=1,50,90,99 \
        --engines "$(engines | paste -sd,)" --runs 3 --time-limit 3 --json
    for benchmark in hashtable kmeans genetic; do
        say "$programs/bench" compare $benchmark --device $device --runs 3 --time-limit 3
    done
    say "$programs/bank" --device $device --engine auto --accounts 25000000 --transactions 16777216 --kinds transfer
    say "$programs/bank" --device $device --engine auto --accounts 1000 --transactions 16777216 --kinds transfer
}

# The papers' figures, as data and pictures.
figures() { timeout 1500 "$programs/figures" --all --device $device --runs 3 --resume --out "$logs/figures" 2>&1; }

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
    for engine in $(engines); do
        say "$memcheck" "$programs/bank" --device $device --accounts 1000 --transactions 5000 --check --engine "$engine"
    done
    say "$memcheck" "$programs/bench" run hashtable --device $device --engine local --parts 64 --transactions 16384 --runs 1 --warmup 0
    STM_TEST_DEVICE=$device say "$memcheck" "$programs/conformance" zombie same_account lanes
}

[ $# -gt 0 ] || set -- conformance checks runs limits rates compare compile sanitizer meaning figures
for part in "$@"; do log "$part"; done
