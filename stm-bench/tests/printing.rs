//! A benchmark whose transactions print, through the whole command line. A program of its own: it is its own child.

use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use stm_bench::prelude::*;
use stm_runtime::prelude::*;

#[gpu_transaction]
fn count(tx: &mut Tx, counters: &Shared<u64>, which: u32) -> TxResult {
    gpu_println!("counts {which}");
    tx.update(counters, which, |count| count + 1)
}

/// Counts, and prints each count.
#[derive(Clone, Args)]
struct Prints {}

impl Benchmark for Prints {
    const NAME: &'static str = "prints";
    const SUMMARY: &'static str = "counts, and prints each count";
    const SOURCE: &'static str = "a test";
    type State = Shared<u64>;
    type Transaction = u32;

    fn setup(&self, device: &Device, _: u64) -> Result<Shared<u64>, Error> {
        device.shared(&[0; 10])
    }

    fn transaction(&self, rng: &mut Rng, _: u64) -> u32 {
        rng.random_range(0..10)
    }

    fn push(&self, counters: &Shared<u64>, which: u32, batch: &mut Batch) {
        batch.push(count::call(counters, which));
    }

    fn check(&self, counters: &Shared<u64>, _: &Report, transactions: &[u32]) -> Result<(), String> {
        let counted: u64 = counters.to_vec().map_err(|why| why.to_string())?.iter().sum();
        (counted == transactions.len() as u64)
            .then_some(())
            .ok_or_else(|| format!("{counted} of {} are counted", transactions.len()))
    }
}

/// Far more than the test takes: threads that wait for each other's output would wait for ever.
const PATIENCE: Duration = Duration::from_secs(120);

/// Marks a process of this program as the child.
const CHILD: &str = "STM_TEST_CHILD";

fn main() -> ExitCode {
    if std::env::var_os(CHILD).is_some() {
        return stm_bench::main::<Prints>();
    }
    let program = std::env::current_exe().expect("this program has a path");
    let words = "run prints --device cpu:4 --transactions 500 --runs 2 --warmup 0";
    let mut child = Command::new(program);
    let mut child =
        child.args(words.split(' ')).env(CHILD, "1").stdout(Stdio::piped()).spawn().expect("it should start");
    let mut out = child.stdout.take().expect("it is a pipe");
    let reader = std::thread::spawn(move || std::io::read_to_string(&mut out).expect("it prints text"));
    let begin = Instant::now();
    let status = loop {
        match child.try_wait().expect("it can be asked") {
            Some(status) => break status,
            None if begin.elapsed() > PATIENCE => {
                let _ = child.kill();
                panic!("the program did not end: its threads wait for its own output");
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let text = reader.join().expect("it reads to the end");
    assert!(status.success(), "{status}: {text}");
    let counts = text.lines().filter(|line| line.starts_with("counts ")).count();
    assert!(counts >= 2 * 500, "{counts} lines of transactions in\n{text}");
    println!("test a_benchmark_that_prints_ends ... ok");
    ExitCode::SUCCESS
}
