//! Too little host memory: whichever allocation the system refuses, the result is an error that says so, and no abort.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use stm_runtime::prelude::*;
use stm_runtime::{Device, EmulatorOptions, Error};
use stm_tests::procedures::bank::{audit, transfer};
use stm_tests::skip::{emulated, skipped};

use super::children::{child, said};

/// The variable that gives the second process its device and its work.
const WORK: &str = "STM_TEST_WORK";
/// The number of limits between what the program itself needs and what the work needs.
const LIMITS: u64 = 12;

/// The input of the tests, which needs no allocation that could be refused.
static ZEROS: [i64; 400_000] = [0; 400_000];
static PAIRS: [(u8, u64); 200_000] = [(0, 0); 200_000];

/// Reads and writes many elements.
#[gpu_transaction(max_accesses = 60_000)]
fn gather(tx: &mut Tx, cells: &Shared<i64>, n: u32) -> TxResult<i64> {
    let mut sum = 0;
    for at in 0..n {
        sum += tx.read(cells, at)?;
        tx.write(cells, at, 1)?;
    }
    Ok(sum)
}

/// Adds one to an element of one byte.
#[gpu_transaction]
fn mark(tx: &mut Tx, cells: &Shared<u8>, at: u32) -> TxResult {
    tx.update(cells, at, |old| old + 1)
}

/// Rejects with a code of its own.
#[gpu_transaction]
fn refuse(tx: &mut Tx, cells: &Shared<i64>, at: u32) -> TxResult {
    let _ = tx.read(cells, at)?;
    tx.reject(at)
}

/// Does the work of that name, on that device, in the second process. Prints its memory, or the first error.
pub(super) fn work() {
    let work = std::env::var(WORK).unwrap_or_default();
    let (device, what) = work.split_once(' ').unwrap_or_default();
    println!("before {}", peak_kib("VmPeak:"));
    let ended = match device {
        "emulator" => Device::emulated(EmulatorOptions::fibers(1)).and_then(|device| run(&device, what)),
        "cuda" => Device::cuda(0).and_then(|device| run(&device, what)),
        "serial" => Device::cpu(1).with_engine("serial").and_then(|device| run(&device, what)),
        _ => run(&Device::cpu(2), what),
    };
    match ended {
        Ok(()) => println!("done {}", peak_kib("VmPeak:")),
        Err(error) => println!("error {error}"),
    }
}

fn run(device: &Device, what: &str) -> Result<(), Error> {
    match what {
        "arrays" => arrays(device),
        "one" => one(device),
        "once" => once(device),
        _ => batch(device, what),
    }
}

/// Creates, uses and copies an array of bytes. Prints how much more memory the process has had for each element.
fn once(device: &Device) -> Result<(), Error> {
    const MANY: usize = 8 << 20;
    let path = std::env::temp_dir().join(format!("stm-{}.array", std::process::id()));
    let elements = vec![7_u8; MANY];
    let before = peak_kib("VmHWM:");
    let more = || (1024 * (peak_kib("VmHWM:") - before)) as f64 / MANY as f64;
    // Few lock words, as they are on the device, too.
    let cells = device.shared_with(&elements, 1 << 12)?;
    print!("made {:.2} ", more());
    drop(elements);
    let mut batch = device.batch();
    batch.push(mark::call(&cells, MANY as u32 - 1));
    assert_eq!(batch.run()?.committed, 1);
    let saved = cells.save(&path).and_then(|()| device.load::<u8>(&path));
    let _ = std::fs::remove_file(&path);
    cells.fill(0)?;
    cells.copy_from(&saved?)?;
    assert_eq!(cells.read_range(MANY - 2..)?, [7, 8]);
    println!("all {:.2} ", more());
    Ok(())
}

/// Creates large arrays, and copies of them.
fn arrays(device: &Device) -> Result<(), Error> {
    let cells = device.shared(&ZEROS)?;
    let pairs = device.shared_with(&PAIRS, 8)?;
    let mut batch = device.batch();
    batch.push(transfer::call(&cells, 0, 1, 0));
    let report = batch.run_with(&RunOptions::new().check(true))?;
    assert_eq!(report.serializable(), Some(true), "{report}");
    assert_eq!((cells.to_vec()?.len(), pairs.to_vec()?.len()), (ZEROS.len(), PAIRS.len()));
    Ok(())
}

/// Runs one transaction with large sets.
fn one(device: &Device) -> Result<(), Error> {
    let cells = device.shared(&ZEROS[..60_000])?;
    let mut batch = device.batch();
    let ticket = batch.push(gather::call(&cells, 60_000));
    assert_eq!(batch.run()?.outcome(ticket), Outcome::Committed(0));
    Ok(())
}

/// Runs many transactions with every sort of outcome; `waits`: most of them wait, `checked`: with a proof.
fn batch(device: &Device, what: &str) -> Result<(), Error> {
    let cells = device.shared(&[10_i64; 1000])?;
    let mut batch = device.batch();
    // Emulated threads are slow.
    let transactions = if device.is_gpu() { 20_000 } else { 100_000 };
    for transaction in 0..transactions {
        match transaction % 8 {
            0 => _ = batch.push(refuse::call(&cells, transaction)),
            1 => _ = batch.push(refuse::call(&cells, transaction % 1000)),
            2 => _ = batch.push(audit::call(&cells, transaction % 900, 8)),
            // Its guard is never true.
            _ if what == "waits" => _ = batch.push(transfer::call(&cells, transaction % 1000, 0, 1 << 40)),
            _ => _ = batch.push(transfer::call(&cells, transaction % 1000, (transaction * 7 + 1) % 1000, 1)),
        }
    }
    let report = batch.run_with(&RunOptions::new().check(what == "checked"))?;
    assert_ne!(report.serializable(), Some(false), "{report}");
    assert_eq!(report.faulted, u64::from(transactions / 8 - 125), "{report}");
    Ok(())
}

/// Returns the largest size of memory so far that the process has mapped (`VmPeak:`), or has used (`VmHWM:`).
fn peak_kib(which: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(which)).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}

/// Starts the second process with a limit on all memory that it maps.
fn second(work: &str, cache: &Path, kib: Option<u64>) -> Output {
    let inner = child("memory", &[(WORK, Path::new(work)), ("STM_CACHE", cache)]);
    let mut command = Command::new("sh");
    let limit = kib.map_or("unlimited".to_owned(), |kib| kib.to_string());
    command.args(["-c", "ulimit -v \"$0\" && exec \"$@\"", &limit]).arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    // The arenas that libc reserves for each thread would take most of the limit.
    command.env("MALLOC_ARENA_MAX", "1").output().expect("a shell")
}

/// Returns the number after a word.
fn number(text: &str, word: &str) -> Option<u64> {
    text.split_once(word)?.1.lines().next()?.parse().ok()
}

/// Runs the work with less and less memory. Returns the names of the failed allocations.
fn short_of(work: &str) -> BTreeSet<String> {
    let cache = tempfile::tempdir().expect("a folder");
    // Twice: the first run of an emulated unit compiles it, which takes memory of its own.
    let free = [(); 2].map(|()| said(&second(work, cache.path(), None)));
    let (Some(before), Some(after)) = (number(&free[1], "before "), number(&free[1], "done ")) else {
        panic!("{work}: {}", free[1]);
    };
    let mut short = BTreeSet::new();
    for step in 1..LIMITS {
        let kib = before + (after - before) * step / LIMITS;
        let output = second(work, cache.path(), Some(kib));
        let text = said(&output);
        let has_ending = output.status.success() && (text.contains("error ") || text.contains("done "));
        assert!(has_ending, "{work} with {kib} of {before} to {after} KiB: {:?}\n{text}", output.status);
        if let Some((_, what)) = text.split_once("error not enough host memory for ") {
            short.extend(what.split_once(" (").map(|(what, _)| what.to_owned()));
        }
    }
    short
}

#[test]
fn too_little_host_memory_is_an_error_whatever_it_is_for() {
    if cfg!(not(target_os = "linux")) {
        return skipped("too little host memory", "the limit is that of Linux");
    }
    // The devices in parallel: this is the longest test of the program, and it ends last.
    let of_device = |device| {
        let mut all = BTreeSet::new();
        for what in ["arrays", "one", "transactions", "waits", "checked"] {
            let short = short_of(&format!("{device} {what}"));
            println!("{device} {what}: {short:?}");
            assert!(!short.is_empty(), "{device} {what} found memory for all");
            all.extend(short);
        }
        all
    };
    let all: BTreeSet<String> = std::thread::scope(|scope| {
        let devices = ["cpu", "serial"].map(|device| scope.spawn(move || of_device(device)));
        devices.into_iter().flat_map(|device| device.join().expect("no device panics")).collect()
    });
    assert!(all.len() >= 6, "{all:?}");
}

#[test]
fn too_little_host_memory_is_an_error_in_the_emulator() {
    if emulated("too little host memory in the emulator", EmulatorOptions::threads()).is_none() {
        return;
    }
    for what in ["arrays", "transactions", "checked"] {
        println!("emulator {what}: {:?}", short_of(&format!("emulator {what}")));
    }
}

#[test]
fn arrays_of_a_device_have_no_second_copy_in_host_memory() {
    if cfg!(not(target_os = "linux")) || Device::emulated(EmulatorOptions::threads()).is_err() {
        return skipped("arrays without a second copy", "the peak is that of Linux, and of an emulated device");
    }
    let cache = tempfile::tempdir().expect("a folder");
    let text = said(&second("emulator once", cache.path(), None));
    let more = |word: &str| text.split_once(word)?.1.split(' ').next()?.parse::<f64>().ok();
    let (Some(made), Some(all)) = (more("made "), more("all ")) else { panic!("{text}") };
    // Memory of the emulated device is that of the host, and has the elements once, later twice. A piece takes as much; words would take 8.
    assert!((1.0..3.0).contains(&made) && all < 6.0, "{text}");
}

#[test]
fn more_than_any_machine_has_is_an_error_at_once() {
    let device = Device::cpu(1);
    let accounts = device.shared(&[1_i64; 4]).unwrap();
    let mut batch = device.batch();
    for transactions in [usize::MAX, usize::MAX / 2, usize::MAX / 16] {
        // Of an empty batch, and of one with a transaction.
        let error = batch.reserve(transactions).unwrap_err();
        assert!(matches!(error, Error::HostMemory { .. }), "{error}");
        assert!(error.to_string().contains("not enough host memory for"), "{error}");
        batch.push(transfer::call(&accounts, 0, 1, 0));
    }
    assert_eq!(batch.run().unwrap().committed, 3);
}
