//! Tests that every check detects a state that is wrong in a single word.

use clap::{Args, Command};
use stm_bench::{Benchmark, Rng, SeedableRng};
use stm_runtime::prelude::*;

use super::genetic::Solution;
use super::kmeans::Centre;
use super::*;

/// Overwrites one word of an array without the knowledge of the benchmark.
#[gpu_transaction(instantiate(bool, u8, u32, u64, i64))]
fn put<T>(tx: &mut Tx, array: &Shared<T>, at: u32, value: T) -> TxResult {
    tx.write(array, at, value)
}

/// Overwrites one element of a partition.
#[gpu_transaction(instantiate(u32, Centre, Solution))]
fn put_in_part<T>(tx: &mut Tx, part: &Partition<T, 256>, at: u32, value: T) -> TxResult {
    tx.write(part, at, value)
}

/// A benchmark after a run.
struct Ran<B: Benchmark> {
    device: Device,
    of: B,
    state: B::State,
    report: Report,
    transactions: Vec<B::Transaction>,
}

/// Returns the parameters of a command line.
fn parameters<B: Args>(arguments: &str) -> B {
    let command = B::augment_args(Command::new("benchmark").no_binary_name(true));
    let matches = command.try_get_matches_from(arguments.split_whitespace()).unwrap_or_else(|why| panic!("{why}"));
    B::from_arg_matches(&matches).unwrap_or_else(|why| panic!("{why}"))
}

/// Runs a benchmark, which must pass its check.
fn ran<B: Benchmark>(arguments: &str, transactions: u64) -> Ran<B> {
    let (of, device) = (parameters::<B>(arguments), Device::cpu(2));
    let mut rng = Rng::seed_from_u64(11);
    let mut transactions: Vec<B::Transaction> =
        (0..transactions).map(|number| of.transaction(&mut rng, number)).collect();
    of.arrange(&mut transactions);
    let state = of.setup(&device, 11).unwrap();
    let mut batch = device.batch();
    transactions.iter().for_each(|transaction| of.push(&state, *transaction, &mut batch));
    let report = batch.run().unwrap();
    assert_eq!(of.check(&state, &report, &transactions), Ok(()), "{arguments}");
    Ran { device, of, state, report, transactions }
}

impl<B: Benchmark> Ran<B> {
    /// Runs one more transaction, and returns the result of the check.
    fn after<const ARRAYS: usize, const VALUES: usize>(
        &self,
        call: impl Fn(&B::State) -> stm_runtime::Call<'_, (), ARRAYS, VALUES>,
    ) -> String {
        let mut batch = self.device.batch();
        batch.push(call(&self.state));
        assert_eq!(batch.run().unwrap().committed, 1);
        self.of.check(&self.state, &self.report, &self.transactions).expect_err("the check should refuse this")
    }
}

/// Asserts that a text has a part.
#[track_caller]
fn says(text: &str, part: &str) {
    assert!(text.contains(part), "{text}");
}

#[test]
fn of_banks() {
    let run = ran::<Bank>("--accounts 50", 500);
    assert!(run.report.postponements > 0 && run.report.is_complete(), "{}", run.report);
    let held = run.state.0.to_vec().unwrap()[7];
    says(&run.after(|state| put::<i64>::call(&state.0, 7, held + 1)), "account 7 holds");

    let run = ran::<BankScan>("--accounts 50", 500);
    says(&run.after(|accounts| put::<i64>::call(accounts, 3, 1_000)), "account 3 holds 1000");
}

#[test]
fn of_a_vacation() {
    let run = ran::<Vacation>("--customers 90 --types 3 --rooms 9 --apart 4", 501);
    says(&run.after(|state| put::<u32>::call(&state.free, 1, 5)), "word 1 of the rooms is 5 and not 0");
    let run = ran::<Vacation>("--customers 90 --types 3 --rooms 9 --apart 4", 501);
    says(&run.after(|state| put::<u32>::call(&state.booked, 8, 77)), "customer 8 has type 77");
}

#[test]
fn of_a_buffer() {
    let mut run = ran::<BoundedBuffer>("--producers 2 --consumers 3 --capacity 4", 205);
    let first = run
        .transactions
        .iter_mut()
        .find(|transaction| matches!(transaction, bounded_buffer::Transaction::Put(0)))
        .unwrap();
    *first = bounded_buffer::Transaction::Put(1);
    let said = run.after(|state| put::<u64>::call(&state.ring, 0, 0));
    says(&said, "went in");
    says(&run.after(|state| put::<u32>::call(&state.ends, 0, 7)), "the counters do not say 100 out, 100 in, 2");
}

#[test]
fn of_ycsb() {
    let run = ran::<Ycsb>("--workload f --records 40 --operations 4", 300);
    says(&run.after(|records| put::<u64>::call(records, 5, 1_000_000)), "record 5 counts 1000000 of ");
    let run = ran::<Ycsb>("--workload a --records 40 --operations 4", 300);
    let written = run.state.to_vec().unwrap().iter().position(|value| *value != 0).unwrap() as u32;
    says(&run.after(|records| put::<u64>::call(records, written, 0)), "has its first value");
    says(&run.after(|records| put::<u64>::call(records, written, 999)), "nobody who committed wrote that");
}

#[test]
fn of_a_cache() {
    const ARGUMENTS: &str = "--slots 16 --keys 40 --gets 50";
    let run = ran::<Memcached>(ARGUMENTS, 300);
    says(&run.after(|cache| put::<u64>::call(&cache.values[2], 0, 1)), "nobody who committed put that");

    // The second slot of a set becomes a copy of the first.
    let run = ran::<Memcached>(ARGUMENTS, 300);
    let (keys, values) = (run.state.keys.to_vec().unwrap(), run.state.values.to_vec().unwrap());
    assert_ne!(keys[0].0, 0);
    let mut batch = run.device.batch();
    batch.push(put::<u64>::call(&run.state.keys.0, 1, keys[0].0));
    batch.push(put::<u64>::call(&run.state.keys.1, 1, keys[0].1));
    for (k, word) in values[0].into_iter().enumerate() {
        batch.push(put::<u64>::call(&run.state.values[k], 1, word));
    }
    batch.run().unwrap();
    says(&run.after(|cache| put::<u32>::call(&cache.used, 1, 9)), "is in the cache twice");
}

#[test]
fn of_work_groups() {
    let run = ran::<Hashtable>("--parts 2 --buckets 16", 512);
    says(&run.after(|cells| put_in_part::<u32>::call(cells.part(1), 44, 0)), "cell 300 holds 0 and not");

    let run = ran::<Kmeans>("--parts 2 --centres 4", 512);
    let one = Centre { points: 1, ..Centre::default() };
    says(
        &run.after(|centres| put_in_part::<Centre>::call(centres.part(0), 2, one)),
        "centre 2 has Centre { points: 1,",
    );

    let run = ran::<Genetic>("--parts 1 --solutions 8", 20);
    let strange = Solution { objects: 0, distance: 5_000 };
    says(
        &run.after(|solutions| put_in_part::<Solution>::call(solutions.now.part(0), 0, strange)),
        "its distance is another",
    );
}

#[test]
fn of_a_skip_list() {
    const ARGUMENTS: &str = "--entries 40 --keys 80 --pool 1000";
    let run = ran::<Skiplist>(ARGUMENTS, 300);
    let end = u64::from(u32::MAX) << 32;
    says(&run.after(|list| put::<u64>::call(&list.links, 0, end)), "is on level 1 and not on the lowest");

    // Removes the first node of the lowest level, if it is on that level alone.
    let run = ran::<Skiplist>(ARGUMENTS, 300);
    let links = run.state.links.to_vec().unwrap();
    let second = links[(links[0] as u32 * 5) as usize];
    says(&run.after(|list| put::<u64>::call(&list.links, 0, second)), "0 times in the list");
}

const TPCC: &str = "--warehouses 2 --customers 20 --items 40 --room 400 --rollbacks 10";

#[test]
fn of_tpcc() {
    let run = ran::<Tpcc>(TPCC, 400);
    let ended = (run.report.rejected, run.report.faulted, run.report.unresolved);
    assert!(ended.0 > 5 && ended.0 < 60 && (ended.1, ended.2) == (0, 0), "{}", run.report);
    let ytd = run.state.districts.ytd.to_vec().unwrap()[3];
    says(&run.after(|state| put::<i64>::call(&state.districts.ytd, 3, ytd + 1)), "condition 1: warehouse 0 has ");
    let run = ran::<Tpcc>(TPCC, 400);
    says(
        &run.after(|state| put::<u32>::call(&state.districts.next_order, 5, 9_999)),
        "condition 2: the next order is 9999",
    );
    // The second order of the first district is no longer among those that were not delivered, or its last line is gone.
    let run = ran::<Tpcc>(TPCC, 400);
    says(&run.after(|state| put::<u32>::call(&state.new_orders.order, 1, 0)), "condition 3: the orders from 3001 to ");
    let run = ran::<Tpcc>(TPCC, 400);
    says(&run.after(|state| put::<u32>::call(&state.order_lines.order, 4, 0)), "condition 4: the orders have ");
}

#[test]
fn of_the_rows_of_tpcc() {
    let run = ran::<Tpcc>(TPCC, 400);
    says(&run.after(|state| put::<u32>::call(&state.customers.payments, 7, 99)), "row 7 of customer is ");
    let run = ran::<Tpcc>(TPCC, 400);
    says(&run.after(|state| put::<i64>::call(&state.history.amount, 390, 1)), "row 390 of history is ");
    let run = ran::<Tpcc>(TPCC, 400);
    says(&run.after(|state| put::<bool>::call(&state.orders.all_local, 0, false)), "row 0 of order is ");
    let run = ran::<Tpcc>(TPCC, 400);
    let held = run.state.stocks.quantity.to_vec().unwrap()[60];
    let other = if held == 50 { 51 } else { 50 };
    says(
        &run.after(|state| put::<u8>::call(&state.stocks.quantity, 60, other)),
        "a stock is Stock { item: 20, warehouse: 1",
    );
}

#[test]
fn of_tpcc_without_room() {
    let few: Tpcc = parameters("--warehouses 1 --customers 20 --items 40 --payments 0 --room 1");
    let (device, transactions) = (Device::cpu(2), stm_bench::generate(&few, 300, 1));
    let state = few.setup(&device, 1).unwrap();
    let mut batch = device.batch();
    transactions.iter().for_each(|transaction| few.push(&state, *transaction, &mut batch));
    let report = batch.run().unwrap();
    let refused = few.check(&state, &report, &transactions).unwrap_err();
    says(&refused, "the tables are too small: use `--room 300`");
    let refused = Tpcc { room: 300, ..few }.check(&state, &report, &transactions).unwrap_err();
    says(&refused, "a district is too small");
}

#[test]
fn of_smallbank() {
    // Some payments and withdrawals are not covered.
    let run = ran::<Smallbank>("--customers 30 --hot 4 --start 1000", 500);
    assert!(run.report.rejected > 0 && run.report.committed > 300, "{}", run.report);
    let held = run.state.savings.to_vec().unwrap()[7];
    says(&run.after(|state| put::<i64>::call(&state.savings, 7, held + 1)), "customer 7 has ");
    let run = ran::<Smallbank>("--customers 30", 100);
    says(&run.after(|state| put::<i64>::call(&state.checking, 29, 1)), "customer 29 has 1 in checking and not ");
}

#[test]
fn of_a_list() {
    const ARGUMENTS: &str = "--entries 30 --keys 60 --pool 500";
    // The head's successor is skipped.
    let run = ran::<List>(&format!("{ARGUMENTS} --updates 60"), 300);
    let nodes = run.state.to_vec().unwrap();
    let second = nodes[nodes[0].next as usize].next;
    says(&run.after(|nodes| put::<u32>::call(&nodes.next, 0, second)), "is 0 times in the list, by what was done 1");
    // A cycle: the last node before the tail leads back to the first.
    let run = ran::<List>(&format!("{ARGUMENTS} --updates 60"), 300);
    let next = run.state.next.to_vec().unwrap();
    let last =
        std::iter::successors(Some(next[0]), |node| Some(next[*node as usize])).find(|node| next[*node as usize] == 1);
    says(&run.after(|nodes| put::<u32>::call(&nodes.next, last.unwrap(), next[0])), " follows Some(");
    // A node that no transaction has inserted.
    let run = ran::<List>(&format!("{ARGUMENTS} --updates 60"), 300);
    says(&run.after(|nodes| put::<u32>::call(&nodes.key, 450, 3)), "node 450 is Node { key: 3");
    // Another key in the first node, by which keys still ascend.
    let run = ran::<List>(&format!("{ARGUMENTS} --updates 0"), 300);
    says(&run.after(|nodes| put::<u32>::call(&nodes.key, 2, 1)), "node 2 is Node { key: 1");
}

#[test]
fn of_a_chain() {
    for arguments in ["--length 40", "--order forward", "--order backward --chains 3", "--chains 7 --length 100"] {
        let run = ran::<Chain>(arguments, 50);
        assert!(run.report.postponements > 0 || arguments.contains("forward"), "{arguments}: {}", run.report);
        says(&run.after(|is_set| put::<bool>::call(is_set, 2, false)), "element 2 should be set");
    }
    let run = ran::<Chain>("--length 60", 50);
    says(&run.after(|is_set| put::<bool>::call(is_set, 51, true)), "element 51 should be clear");
}

/// Each size is a separate procedure, and each must compile and run.
#[test]
fn of_every_size() {
    let sizes = |least: u32, most: u32| (least.ilog2()..=most.ilog2()).map(|log| 1 << log);
    for size in sizes(2, 128) {
        for most in [0, 16] {
            ran::<Bank>(&format!("--accounts 300 --read-only 50 --touched {size} --written-out {most}"), 20);
        }
    }
    for accounts in [60, 1_000, 6_000, 7_000] {
        ran::<BankScan>(&format!("--accounts {accounts}"), 8);
    }
    for size in sizes(1, 16) {
        for workload in ["a", "b", "c", "f"] {
            let arguments = format!("--records 100 --workload {workload} --operations {size}");
            ran::<Ycsb>(&format!("{arguments} --written-out 0"), 20);
            ran::<Ycsb>(&format!("{arguments} --written-out 16"), 20);
        }
    }
    for size in sizes(4, 256) {
        ran::<Memcached>(&format!("--slots 512 --keys 600 --gets 50 --ways {size}"), 20);
        ran::<Memcached>(&format!("--slots 512 --keys 600 --gets 50 --ways {size} --touch"), 20);
    }
    for size in sizes(2, 256) {
        ran::<Hashtable>(&format!("--parts 1 --buckets {size}"), 256);
    }
    for keys in [100, 1_000, 8_000, 30_000, 100_000] {
        ran::<Skiplist>(&format!("--keys {keys} --entries {} --fanout 2 --pool 100000", keys / 2), 30);
    }
    for keys in [100, 101, 1_000, 10_000] {
        ran::<List>(&format!("--keys {keys} --entries {keys} --updates 50 --pool 20000"), 30);
    }
}
