#!/usr/bin/env bash
# The test command: ci/test.sh [--all]
#
# Without an option, the quick check during work, about five minutes on two cores once everything is built: unit tests, the
# language, snapshots, rejected programs, house rules, the conformance suite on CPU threads, on seeded CPU threads and with one seed
# of fibers under the default engine, ten mutants, and one variant of units under NVRTC.
#
# With --all, every test that this machine can run, about 40 minutes on two cores: the above under every engine and in every
# variant, and licences, versions, loom, Miri, sanitizers, random programs, random calls, examples and documentation.
#
# Fetches NVRTC if it is missing. Continues after a failure; the exit status tells whether there was one. Prints at the end what
# could not run and why, how long it took, and what failed.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' ci/test.sh; }

all=no
for word in "$@"; do
    case $word in
        --all) all=yes ;;
        -h | --help) usage; exit 0 ;;
        *) printf 'ci/test.sh: no option `%s`\n\n' "$word" >&2; usage >&2; exit 2 ;;
    esac
done

log=$(mktemp)
times=$(mktemp)
trap 'rm -f "$log" "$times"' EXIT
status=0
part="" since=0

# Begins a part. Notes the duration of the previous one.
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

# Forwards the output of cargo, and notes the duration of each test program.
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

# Runs tests of all packages, built with all features, so that both ways to call this script share one build. Arguments after `--`
# are for the tests. Options of cargo can be in CARGO_OPTIONS. --show-output: shows the message of skipped tests, which passing tests
# otherwise hide.
tests() {
    local options=() words=()
    while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1"); shift; done
    [ $# -eq 0 ] || { shift; words=("$@"); }
    run cargo ${CARGO_OPTIONS:-} test --workspace --all-features --no-fail-fast "${options[@]}" -- --show-output "${words[@]}"
}

quick() {
    say "unit tests, language, snapshots, rejected programs, house rules"
    tests --lib --test language --test snapshots --test ui --test tidy

    say "conformance on CPU threads"
    tests --test conformance -- cpu:: cpu-seeded::

    say "conformance with one seed of fibers, under the default engine"
    STM_TEST_DEVICE=fibers STM_TEST_ENGINE=default STM_TEST_SEEDS=1 tests --test conformance

    say "ten mutants"
    STM_TEST_MUTANTS=10 tests --test mutants

    say "one variant of units under NVRTC"
    STM_TEST_QUICK=1 tests --test nvrtc -- everything_compiles_without_warnings
}

everything() {
    say "licences and sources of crates, on all platforms (cargo-deny)"
    if cargo deny --version >/dev/null 2>&1; then
        run cargo deny check licenses bans sources
    else
        skipped "licences and sources of crates for other platforms: cargo-deny is not here (cargo install --locked cargo-deny)"
    fi

    say "changes that break users (cargo-semver-checks)"
    # The tag of the last release is what they are compared with.
    local released
    released=$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null || true)
    if [ -z "$released" ]; then
        skipped "changes that break users: nothing was released, so no tag \`v..\` is there to compare with"
    elif cargo semver-checks --version >/dev/null 2>&1; then
        run cargo semver-checks -p stm-runtime -p gpu-transactions -p stm-bench --baseline-rev "$released"
    else
        skipped "changes that break users: cargo-semver-checks is not here (cargo install --locked cargo-semver-checks)"
    fi

    say "a dry run of publishing"
    # Without compiling: the test `packages` builds a program with the packed crates.
    if cargo update --dry-run --quiet 2>/dev/null; then
        run cargo publish --workspace --dry-run --no-verify --allow-dirty --quiet
    else
        skipped "a dry run of publishing: the registry cannot be reached"
    fi

    say "the oldest supported Rust"
    local oldest
    oldest=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
    if cargo "+$oldest" --version >/dev/null 2>&1; then
        # Another compiler rebuilds everything, so it gets a folder of its own. Only what users get, without code.
        run env CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/oldest" \
            cargo "+$oldest" check --locked -p gpu-transactions --all-features
    else
        skipped "the oldest supported Rust: $oldest is not here (rustup toolchain install $oldest --profile minimal)"
    fi

    say "models of the CPU engine's atomics (loom)"
    # Other flags rebuild programs. With a target they do not rebuild macros.
    run env RUSTFLAGS="${RUSTFLAGS:-} --cfg loom" cargo test -p stm-runtime --lib \
        --target "$(rustc -vV | sed -n 's/^host: //p')" cpu::models

    say "undefined behaviour in Rust (Miri)"
    if cargo +nightly miri --version >/dev/null 2>&1; then
        run ci/miri.sh
    else
        skipped "undefined behaviour in Rust: Miri is not here (rustup toolchain install nightly --component miri,rust-src)"
    fi

    say "unit tests, snapshots, compile-fail cases, emulator, conformance, examples"
    tests --lib --bins --examples --tests

    say "examples in the documentation"
    run cargo ${CARGO_OPTIONS:-} test --workspace --all-features --no-fail-fast --doc
}

say "the CUDA run-time compiler"
sh tests/fetch-nvrtc.sh || skipped "every compilation for real devices: NVRTC is not here and could not be fetched (see above)"

if [ "$all" = yes ]; then everything; else quick; fi

say "what was skipped, and why"
# Where tests run one at a time, their names precede the word.
if ! grep -ho 'SKIPPED.*' "$log" | sort | uniq -c; then
    echo "nothing"
fi

say "how long it took"
# Prints the parts, each after those of its test programs that took five seconds or more.
awk '/ s  [^ ]/ || $1 >= 5' "$times"

# Last, at the end of a long output.
say "what failed"
if [ "$status" = 0 ]; then
    echo "nothing"
else
    # Prints the output of failed tests, and the lines that name them; passed tests can print errors and panics, too.
    awk '/^failures:$/ { on = 1 }
        on || /^FAILED/ || /^error(\[E|: could not compile|: test failed|: [0-9]+ targets? failed)/
        /^test result:/ { on = 0 }' "$log"
fi
exit "$status"
