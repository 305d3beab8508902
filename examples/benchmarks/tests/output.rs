//! Checks that the command lines of the kit end like other tools when their output is closed, and keep what they measured.

#[allow(dead_code, unreachable_pub, reason = "other tests use the rest of it")]
#[path = "../../tests/support/mod.rs"]
mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use support::{closed, ends_as_other_tools, full, program, run, run_with};

const SMALL: &str = "--device cpu:2 --transactions 300 --runs 1 --warmup 0";

#[test]
fn programs_end_where_their_output_is_gone() {
    for words in ["list", "list --json", "--help", "run transfers --help", "kernel transfers", "doctor --device cpu"] {
        ends_as_other_tools("bench", words);
    }
    for words in ["run transfers", "run transfers --json", "compare transfers --csv"] {
        // It prints more on standard error than the error of the output.
        let Some(ended) = run("bench", &format!("{words} {SMALL}"), closed()) else { return };
        assert_eq!(ended.code, Some(141), "{words}: {}", ended.err);
        assert!(!ended.err.contains("panicked") && !ended.err.contains("standard output"), "{words}: {}", ended.err);
        let Some(full) = full() else { continue };
        let Some(ended) = run("bench", &format!("{words} {SMALL}"), full) else { return };
        assert_eq!(ended.code, Some(1), "{words}: {}", ended.err);
        assert!(ended.err.ends_with("bench: cannot write to standard output: No space left on device (os error 28)\n"));
    }
    ends_as_other_tools("figures", "--list");
    ends_as_other_tools("figures", "--help");
    ends_as_other_tools("own_benchmark", "list");
}

#[test]
fn nobody_needs_standard_error() {
    for error in [Some(closed()), full()].into_iter().flatten() {
        // It prints remarks, on engines that are the same here.
        let words = format!("compare transfers {SMALL}");
        let Some(ended) = run_with("bench", &words, Stdio::piped(), error) else { return };
        assert_eq!(ended.code, Some(0));
        assert_eq!(ended.out.matches(" ok ").count(), 2, "{}", ended.out);
    }
}

#[test]
fn a_sweep_whose_output_is_gone_keeps_its_results() {
    let folder = tempfile::tempdir().expect("there is a place for files");
    let out = folder.path().join("sweep");
    let sweep = format!("sweep transfers --axis accounts=10,20 {SMALL} --json --out {}", out.display());
    let Some(ended) = run("bench", &sweep, closed()) else { return };
    assert_eq!(ended.code, Some(141), "{}", ended.err);
    assert_eq!(lines(&out), 1 + 2 * 2, "a session, and two algorithms at two places");
    for file in ["index.html", "cells.csv", "throughput.svg"] {
        assert!(out.join(file).exists(), "{file}");
    }
}

#[test]
fn one_process_at_a_time_keeps_results_in_a_folder() {
    let folder = tempfile::tempdir().expect("there is a place for files");
    let options = format!("--device cpu:2 --transactions 20000 --runs 1 --warmup 0 --out {}", folder.path().display());
    let Some(mut first) = program("bench") else { return };
    // Far more than it can measure.
    let many: Vec<String> = (10..2000).map(|accounts| accounts.to_string()).collect();
    let axis = format!("accounts={}", many.join(","));
    first.args(["sweep", "transfers", "--axis", &axis]).args(options.split_whitespace());
    let mut first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it should start");
    while lines(folder.path()) < 2 {
        assert!(first.try_wait().expect("it can be asked").is_none(), "it has much to do");
        std::thread::sleep(Duration::from_millis(20));
    }

    let small = format!("sweep transfers --axis accounts=10,5 {options} --json");
    for words in [format!("{small} --resume"), format!("{small} --overwrite"), small.clone()] {
        let ended = run("bench", &words, Stdio::piped()).expect("it is built");
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{words}: {}", ended.err);
        assert!(ended.err.contains("another process keeps its results there"), "{words}: {}", ended.err);
    }
    first.kill().expect("it is still at work");
    let _ = first.wait();

    let ended = run("bench", &format!("{small} --resume"), Stdio::piped()).expect("it is built");
    assert_eq!(ended.code, Some(0), "what a killed process held is free: {}", ended.err);
    let cells = fs::read_to_string(folder.path().join("cells.jsonl")).expect("it is text");
    for accounts in [10, 5] {
        assert_eq!(cells.matches(&format!("\"accounts\":\"{accounts}\"")).count(), 2, "each algorithm once");
    }
}

/// Simulates a full disk for a process without privileges: files end after some blocks.
#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_and_leaves_whole_lines() {
    let Some(bench) = program("bench") else { return };
    let folder = tempfile::tempdir().expect("there is a place for files");
    let words =
        format!("sweep transfers --axis accounts=10,20,30,40,50 {SMALL} --json --out {}", folder.path().display());
    let mut limited = Command::new("sh");
    // Blocks of 512 bytes. A signal would end the program unless it is ignored.
    limited.args(["-c", "trap '' XFSZ; ulimit -f 6; exec \"$@\"", "sh"]).arg(bench.get_program());
    let output = limited.args(words.split_whitespace()).output().expect("there is a shell");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("cannot write ") && err.contains("cells.jsonl") && !err.contains("panicked"), "{err}");
    let kept = fs::read(folder.path().join("cells.jsonl")).expect("it is there");
    assert!(kept.ends_with(b"\n") && kept.len() > 1000, "{} bytes", kept.len());
    let ended = run("bench", &format!("{words} --resume"), Stdio::piped()).expect("it is built");
    assert_eq!(ended.code, Some(0), "{}", ended.err);
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    let file = tempfile::NamedTempFile::new().expect("there is a place for files");
    let below = file.path().join("folder");
    for out in [below.as_path(), Path::new("/proc/sweep")] {
        let words = format!("sweep transfers --axis accounts=10 {SMALL} --json --out {}", out.display());
        let Some(ended) = run("bench", &words, Stdio::piped()) else { return };
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{}", ended.err);
        assert!(ended.err.starts_with("bench: cannot create "), "{}", ended.err);
    }
}

fn lines(folder: &Path) -> usize {
    fs::read_to_string(folder.join("cells.jsonl")).unwrap_or_default().lines().count()
}
