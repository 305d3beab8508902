#!/usr/bin/env bash
# Checks and measures everything, or some parts of it, on a machine with a GPU, which need not have Rust:
# [LIMIT=SECONDS] ci/gpu.sh PROGRAMS LOGS [COMMIT [PART ..]]
#
# PROGRAMS is a folder with `bank`, `bench`, `cookbook`, `figures`, `limits` and `ways` (target/release/examples), and `conformance`, `meaning` and
# `printing` (made by tests/gpu.sh). The output goes into LOGS, a file for each part; docs/results describes their use.
# `summary.log` there, printed at the end, has the time of each part and what failed or timed out. LIMIT is per run, by default 120.
set -uo pipefail
programs=$1 logs=$2 commit=${3:-unknown} device=${STM_TEST_DEVICE:-cuda:0} limit=${LIMIT:-120}
shift $(($# < 3 ? $# : 3))
mkdir -p "$logs"
summary=$logs/summary.log

# within SECONDS COMMAND ..: runs a command; if it times out or fails, the summary names it.
within() {
    local seconds=$1 command status
    command=$(typed "${@:2}")
    timeout -k 10 "$seconds" "${@:2}" 2>&1
    status=$?
    case $status in
        0) ;;
        124 | 137) echo "TIMED OUT after $seconds s: $command" ;;
        *) echo "FAILED with status $status: $command" ;;
    esac | tee -a "${noted:-$summary}"
    return $status
}

# Prints a command as a user would type it, without the folders of programs.
typed() { echo "$(basename "$1")" "${@:2}" | sed "s|$programs/||g"; }

# Runs a command and prints it before its output.
say() { printf '\n$ %s\n' "$(typed "$@")"; within "$limit" "$@"; }
bank() { say "$programs/bank" --device "$device" "$@"; }
log() {
    local begin=$SECONDS
    { echo "commit $commit"; "$1"; } 2>&1 | tee "$logs/$1.log"
    echo "== $1: $((SECONDS - begin)) s" >>"$summary"
}

# each FUNCTION WORD ..: runs the function with each word, many at a time, because most of their time goes to the processor. Each
# prints into a log of its own; the logs are joined in order when all are done.
each() {
    local word part=${FUNCNAME[1]} at_once=${at_once:-32}
    for word in "${@:2}"; do
        while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do wait -n; done
        one "$1" "$part" "$word" >"$logs/$part.$word.log" &
    done
    wait
    for word in "${@:2}"; do cat "$logs/$part.$word.log"; done
}

# Runs the function with one word and prints a line for the summary, in place of the notes of its commands.
one() {
    local begin=$SECONDS result=pass counts
    noted=/dev/null "$1" "$3"
    case $? in
        0) ;;
        124 | 137) result="TIMED OUT" ;;
        *) result=FAILED ;;
    esac
    counts=$(sed -n 's/^conformance: //p' "$logs/$2.$3.log")
    [ -n "$counts" ] || [ "$2" != conformance ] || counts="$(grep -c '^test .* ok$' "$logs/$2.$3.log") passed before"
    printf '%-12s %-14s %-9s %4d s  %s\n' "$2" "$3" "$result" $((SECONDS - begin)) "$counts" >>"$summary"
}

# Lists the engines for arrays without partitions; `local` accepts only partitions.
engines() { "$programs/bench" list | sed -n '/^Engines/,$s/^  \([a-z-]*\) .*/\1/p' | grep -v '^local$'; }

# shellcheck disable=SC2046 # names of engines are words
# Four engines at a time: for transactions that read much, the driver reserves up to 30 GB for some of them.
conformance() { at_once=4 each conform $(engines) local 'csmv(validation=0)' 'csmv(validation=0,batches=0)' 'csmv(batches=0)'; }
conform() { STM_TEST_ENGINE=$1 STM_TEST_DEVICE=$device within 400 "$programs/conformance"; }

# Ten million transactions of each engine (a million without parts of csmv) with a proof of their order, four engines at a time: the
# rates mean nothing, and with more at a time those on few accounts do not end.
# shellcheck disable=SC2046
checks() { at_once=4 each check $(engines) 'csmv(validation=0)' 'csmv(validation=0,batches=0)'; }
check() {
    local accounts worst=0 rows=10000000
    case $1 in csmv\(*) rows=1000000 ;; esac
    for accounts in 2500000 6000 16; do
        limit=$((4 * limit)) bank --engine "$1" --accounts $accounts --transactions $rows --procedures transfer --check || worst=$?
    done
    return $worst
}

# The data of the page on engines: rates over accounts and shares of readers, every engine in the same run.
compare() {
    local all
    all=$(engines | paste -sd,)
    say "$programs/bench" list
    for accounts in 16 6000 2500000; do
        within 400 "$programs/bench" sweep bank --device "$device" --accounts $accounts --axis read-only=0,50,90,99 \
            --transactions 200000 --engines "$all" --runs 3 --time-limit 3 --json
    done
    within 400 "$programs/bench" sweep bank-scan --device "$device" --axis read-only=1,50,99 --transactions 10000 --lanes 32 \
        --engines "$all" --runs 3 --time-limit 3 --json
    for benchmark in hashtable kmeans genetic; do
        say "$programs/bench" compare $benchmark --device "$device" --runs 3 --time-limit 3
    done
    bank --engine auto --accounts 25000000 --transactions 16777216 --procedures transfer
    bank --engine auto --accounts 1000 --transactions 16777216 --procedures transfer
}

# The papers' figures, as data and pictures.
figures() { within 1500 "$programs/figures" --all --device "$device" --runs 3 --time-limit 5 --resume --out "$logs/figures"; }

meaning() { STM_TEST_DEVICE=$device within 600 "$programs/meaning" --programs 10000 --seed 1 | tail -n 40; }

printing() { STM_TEST_DEVICE=$device within 400 "$programs/printing"; }

runs() {
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
    bank --accounts 2500000 --transactions 16777216 --procedures transfer
    bank --accounts 2500000 --transactions 16777216
    bank --accounts 2500000 --transactions 1000000 --check
    bank --accounts 2500000 --transactions 1000000 --procedures transfer --check
    bank --accounts 1000 --transactions 1000000 --check
    bank --accounts 1000 --transactions 20000 --check --engine serial
    for accounts in 1 10 1000; do
        bank --accounts $accounts --transactions 1000000 --procedures transfer
        bank --accounts $accounts --transactions 1000000 --procedures transfer --threads 135168
    done
    bank --accounts 10 --transactions 200000 --threads 135168 --check
}

# The rates of the programs in docs/guide/cookbook.md.
cookbook() { say "$programs/cookbook" --device "$device" --runs 11; }

limits() {
    for accounts in 25000000 2500000 100000; do say "$programs/limits" --device "$device" --accounts $accounts; done
    say "$programs/limits" --device "$device" --accounts 1000 --transactions 1048576
    say "$programs/limits" --device "$device" --interop
}

# Every way in, beside code by hand on the cores of the same machine.
ways() {
    for accounts in 2500000 1000; do limit=300 say "$programs/ways" --device "$device" --accounts $accounts; done
}

rates() {
    for accounts in 10 100 1000 10000 100000 1000000 2500000 25000000; do
        local transactions=2000000
        if [ $accounts = 10 ]; then transactions=200000; fi
        if [ $accounts -ge 100000 ]; then transactions=16777216; fi
        bank --procedures transfer --json --accounts $accounts --transactions $transactions
    done
}

compile() {
    local procedures run
    for procedures in transfer transfer,deposit,audit; do
        for run in 1 2 3 4 5 6 7 8 9 10; do STM_CACHE=off compiled "cold $run" $procedures; done | with_median "cold, $procedures"
        compiled "disk cache, to be filled" $procedures
        for run in 1 2 3; do compiled "disk cache $run" $procedures; done | with_median "disk cache, $procedures"
    done
}

# Prints the line of a run that gives the time to compile its kernel.
compiled() {
    bank --procedures "$2" --accounts 1000 --transactions 100000 | sed -n "s/^ *time .*compile/$1, $2: compile/p"
}

# Prints these lines, and the median of their first times.
with_median() {
    local lines
    lines=$(cat)
    echo "$lines"
    echo "$lines" | sed -n 's/.*: compile \([0-9.]*\) ms.*/\1/p' | sort -n | awk -v of="$1" \
        '{ ms[NR] = $1 } END { if (NR) print "median of " NR ", " of ": " (ms[int((NR + 1) / 2)] + ms[int(NR / 2) + 1]) / 2 " ms" }'
}

# shellcheck disable=SC2046 # names of engines are words
sanitizer() {
    local memcheck limit=400
    memcheck=$(command -v compute-sanitizer /usr/local/cuda*/bin/compute-sanitizer | head -n 1)
    [ -n "$memcheck" ] || { echo "SKIPPED: compute-sanitizer is not here" | tee -a "$summary"; return; }
    each sanitize $(engines) local scenarios
}

# Runs one engine on a bank, the engine for partitions on partitions, or scenarios under all engines.
sanitize() {
    local check=("$memcheck" --error-exitcode 9)
    case $1 in
        scenarios) STM_TEST_DEVICE=$device say "${check[@]}" "$programs/conformance" zombie same_account lanes ;;
        local) say "${check[@]}" "$programs/bench" run hashtable --device "$device" --engine local --parts 64 --transactions 16384 --runs 1 --warmup 0 ;;
        *) say "${check[@]}" "$programs/bank" --device "$device" --accounts 1000 --transactions 5000 --check --engine "$1" ;;
    esac
}

[ $# -gt 0 ] || set -- conformance checks runs limits ways cookbook rates compare compile sanitizer meaning printing figures
echo "commit $commit on $device" >"$summary"
for part in "$@"; do log "$part"; done
echo
cat "$summary"
! grep -qE 'FAILED|TIMED OUT' "$summary"
