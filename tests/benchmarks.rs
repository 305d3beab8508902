//! The papers' benchmarks in small sizes: their invariants hold on CPU threads and in the emulator, with a proof of the history,
//! and each check refuses a state in which nothing happened.

use benchmarks as marks;
use clap::{Args, Command};
use stm_bench::{Benchmark, Rng, SeedableRng};
use stm_runtime::Engine;
use stm_tests::skip::skipped;
use stm_tests::{Backend, Environment, Failure, TestResult, engines_for_whole_arrays, expect};

/// Returns the parameters of a command line.
fn parameters<B: Args>(arguments: &str) -> B {
    let command = B::augment_args(Command::new("benchmark").no_binary_name(true));
    let matches = command.try_get_matches_from(arguments.split_whitespace()).unwrap_or_else(|why| panic!("{why}"));
    B::from_arg_matches(&matches).unwrap_or_else(|why| panic!("{why}"))
}

/// Runs once. The invariant must hold for the result; and, if the result always differs from the initial state, not for that.
fn run<B: Benchmark>(of: &B, transactions: u64, components: Components, environment: &Environment) -> TestResult {
    let mut rng = Rng::seed_from_u64(7);
    let mut transactions: Vec<B::Transaction> =
        (0..transactions).map(|number| of.transaction(&mut rng, number)).collect();
    of.arrange(&mut transactions);
    let state = of.setup(&environment.device, 7)?;
    let mut batch = environment.batch();
    transactions.iter().for_each(|transaction| of.push(&state, *transaction, &mut batch));
    let report = environment.run(&batch)?;
    if let Err(why) = of.check(&state, &report, &transactions) {
        return Err(Failure::Outcome(format!("{} on {environment}, {}: {why}\n{report}", B::NAME, environment.engine)));
    }
    let untouched = of.setup(&environment.device, 7)?;
    let refused = components == Components::Anything || of.check(&untouched, &report, &transactions).is_err();
    expect!(refused, "{} accepts a state in which nothing happened", B::NAME);
    Ok(())
}

/// The effect of a run on the initial state.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Components {
    /// The final state always differs.
    Traces,
    /// The final state may be the same.
    Anything,
}

/// Runs a benchmark on CPU threads, with many transactions, and in the emulator under these engines, or under `STM_TEST_ENGINE`.
fn everywhere<B: Benchmark>(arguments: &str, transactions: u64, engines: &[&str]) {
    everywhere_and_components::<B>(Components::Traces, arguments, transactions, engines);
}

fn everywhere_and_components<B: Benchmark>(
    components: Components,
    arguments: &str,
    transactions: u64,
    engines: &[&str],
) {
    let of: B = parameters(arguments);
    let on = |transactions, backend, engine: &str| match Environment::new(backend, engine.parse().unwrap()) {
        Ok(environment) => {
            run(&of, transactions, components, &environment).unwrap_or_else(|failure| panic!("{failure}"))
        }
        Err(why) => skipped(&format!("benchmark {} on {backend}", B::NAME), &why.to_string()),
    };
    on(9 * transactions, Backend::Cpu, Engine::default().name());
    let asked = std::env::var("STM_TEST_ENGINE").ok().filter(|name| !name.is_empty());
    let engines = asked.as_deref().map_or_else(|| engines.to_vec(), |name| vec![name]);
    engines.into_iter().for_each(|engine| on(transactions, Backend::EmulatedThreads, engine));
}

#[test]
fn bank() {
    // The number of transfers is odd: one is not reversed.
    everywhere::<marks::Bank>("--accounts 100 --touched 4 --semantic 80", 1_001, &["priority"]);
    let mixed = "--accounts 100 --start 20 --read-only 20 --order sorted";
    everywhere_and_components::<marks::Bank>(Components::Anything, mixed, 1_000, &[]);
}

#[test]
fn bank_scan() {
    everywhere::<marks::BankScan>("--accounts 40", 500, &["jvstm"]);
}

#[test]
fn vacation() {
    const SMALL: &str = "--customers 200 --types 4 --rooms 9 --apart 8";
    // The number of transactions is odd: one booking has no cancellation, and its customer keeps the room.
    everywhere::<marks::Vacation>(&format!("{SMALL} --coverage 4"), 1_001, &["pr-stm"]);
    let some_give_up = format!("{SMALL} --semantic 60 --read-only 20 --order sorted");
    everywhere_and_components::<marks::Vacation>(Components::Anything, &some_give_up, 1_000, &[]);
}

#[test]
fn bounded_buffer() {
    let every: Vec<&str> = engines_for_whole_arrays().map(Engine::name).collect();
    everywhere::<marks::BoundedBuffer>("--producers 3 --consumers 4 --capacity 5", 200, &every);
}

#[test]
fn ycsb() {
    everywhere::<marks::Ycsb>("--workload a --records 50 --operations 4", 400, &["priority"]);
    everywhere::<marks::Ycsb>("--workload f --records 50 --theta 0.5", 200, &["csmv"]);
    everywhere::<marks::Ycsb>("--workload b --records 50 --operations 8 --theta 0", 400, &[]);
}

#[test]
fn memcached() {
    everywhere::<marks::Memcached>("--slots 32 --keys 60 --gets 60 --theta 0.5", 400, &["pr-stm"]);
    everywhere::<marks::Memcached>("--slots 30 --ways 16 --keys 60 --gets 60 --touch", 400, &[]);
}

#[test]
fn hashtable() {
    everywhere::<marks::Hashtable>("--parts 2 --buckets 32", 600, &["local", "estm"]);
}

#[test]
fn kmeans() {
    everywhere::<marks::Kmeans>("--parts 2 --centres 8", 600, &["local"]);
}

#[test]
fn genetic() {
    everywhere::<marks::Genetic>("--parts 2 --solutions 16", 600, &["gpu-stm"]);
}

#[test]
fn skiplist() {
    everywhere::<marks::Skiplist>("--entries 40 --keys 80 --fanout 2 --pool 5000", 400, &["priority"]);
}

#[test]
fn tpcc() {
    const SMALL: &str = "--customers 20 --items 40 --room 2000 --rollbacks 5";
    everywhere::<marks::Tpcc>(&format!("{SMALL} --warehouses 2 --remote-items 10"), 200, &["priority"]);
    everywhere::<marks::Tpcc>(&format!("{SMALL} --warehouses 1 --payments 0"), 100, &[]);
}

#[test]
fn smallbank() {
    everywhere::<marks::Smallbank>("--customers 40 --hot 5 --start 1500", 400, &["priority"]);
}

#[test]
fn list() {
    everywhere::<marks::List>("--entries 30 --keys 60 --updates 50 --pool 5000", 400, &["priority"]);
}

#[test]
fn chain() {
    for order in ["shuffled", "forward", "backward"] {
        everywhere::<marks::Chain>(&format!("--chains 2 --length 20 --order {order}"), 40, &["priority"]);
    }
    everywhere::<marks::Chain>("--length 2000", 250, &[]);
}
