//! The order of the calls makes no new kernel, and everything that a run says stays with its procedure.

use std::sync::{Arc, Mutex};

use stm_runtime::prelude::*;
use stm_runtime::report::{Fault, Origin};
use stm_runtime::{Batch, Outcome, Report, RunOptions, Ticket};
use stm_tests::procedures::counters::increment;
use stm_tests::procedures::endings::{grow, nothing, refuse};
use stm_tests::{Backend, Environment};

use super::fibers;

/// Returns the element and adds one.
#[gpu_transaction]
fn take_ticket(tx: &mut Tx, tickets: &Shared<i64>, at: u32) -> TxResult<i64> {
    let number = tx.read(tickets, at)?;
    gpu_println!("ticket {} at {}", number, at);
    tx.write(tickets, at, number + 1)?;
    Ok(number)
}

/// Returns the element as it is.
#[gpu_transaction]
fn show(tx: &mut Tx, tickets: &Shared<i64>, first: u32, last: i8) -> TxResult<i8> {
    let number = tx.read(tickets, first)?;
    gpu_println!("shown {} of {}", number, last);
    Ok(last)
}

/// The tickets of the calls.
#[derive(Default)]
struct Calls {
    taken: Vec<Ticket<i64>>,
    shown: Vec<Ticket<i8>>,
    refused: Vec<Ticket<()>>,
    grown: Vec<Ticket<()>>,
    numbers: Vec<Ticket<u32>>,
}

const SORTS: usize = 6;
const CONFLICTING: usize = 200;

/// Fills a batch with a call of each sort, in that order.
fn fill(environment: &Environment, order: &[usize]) -> (Batch<'static>, Calls) {
    let (mut batch, mut calls) = (environment.batch(), Calls::default());
    let shared = |elements: &[i64]| environment.shared(elements).expect("room for numbers");
    let (tickets, others, counters) = (shared(&[40, 50]), shared(&[7, 8, 9]), shared(&[0]));
    let bytes: Shared<u8> = environment.shared(&[1, 255]).expect("room for bytes");
    for sort in order {
        match sort {
            0 => calls.taken.push(batch.push(take_ticket::call(&tickets, 1))),
            1 => calls.shown.push(batch.push(show::call(&others, 2, -3))),
            2 => calls.refused.push(batch.push(refuse::call(&others, 0, 8, 100))),
            3 => calls.grown.push(batch.push(grow::call(&bytes, 1, 1))),
            4 => calls.numbers.push(batch.push(nothing::call(77))),
            _ => (0..CONFLICTING).for_each(|_| _ = batch.push(increment::call(&counters, 0))),
        }
    }
    (batch, calls)
}

/// Runs the batch and returns its report and the lines that it printed, in alphabetical order.
fn run(environment: &Environment, batch: &Batch, check: bool) -> (Report, Vec<String>) {
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let sink = Arc::clone(&lines);
    let print = move |line: &str| sink.lock().expect("no panic while printing").push(line.to_owned());
    let options: RunOptions = environment.options().check(check).profile(true).print_to(print);
    let report = environment.run_with(batch, &options).expect("the run should end");
    let mut lines = std::mem::take(&mut *lines.lock().expect("no panic while printing"));
    lines.sort();
    lines.dedup();
    (report, lines)
}

/// Checks that everything is said of the procedure that did it.
fn is_right(report: &Report, calls: &Calls, lines: &[String]) {
    assert_eq!(report.committed, 3 + CONFLICTING as u64, "{report}");
    assert_eq!(report.outcome(calls.taken[0]), Outcome::Committed(50));
    assert_eq!(report.outcome(calls.shown[0]), Outcome::Committed(-3));
    assert_eq!(report.outcome(calls.numbers[0]), Outcome::Committed(77));
    assert_eq!(report.outcome(calls.refused[0]), Outcome::Rejected(7));
    assert!(matches!(report.outcome(calls.grown[0]), Outcome::Faulted(_)), "{report}");
    let [Fault { procedure: "grow", arguments, file, .. }] = report.faults.as_slice() else { panic!("{report}") };
    assert_eq!(arguments.as_slice(), [("at", "1".to_owned()), ("by", "1".to_owned())]);
    assert!(file.ends_with("endings.rs"), "{file}");
    assert_eq!(lines, ["shown 9 of -3", "ticket 50 at 1"]);
    assert!(report.conflict_locations.iter().all(|location| location.procedure == "increment"), "{report}");
    if report.conflicts.total() > 0 {
        assert!(!report.conflict_locations.is_empty(), "{report}");
    }
}

fn orders() -> impl Iterator<Item = Vec<usize>> {
    let rotated = (0..SORTS).map(|by| (0..SORTS).map(|at| (at + by) % SORTS).collect::<Vec<usize>>());
    rotated.flat_map(|order| [order.iter().rev().copied().collect(), order])
}

#[test]
fn every_order_of_the_calls_uses_one_kernel_and_reports_of_the_right_procedures() {
    let Some(environment) = fibers(Engine::PRIORITY, 3) else { return };
    let mut origins = Vec::new();
    for order in orders() {
        let (batch, calls) = fill(&environment, &order);
        let (report, lines) = run(&environment, &batch, true);
        is_right(&report, &calls, &lines);
        assert_eq!(report.serializable(), Some(true), "{order:?}: {report}");
        assert!(report.conflicts.total() > 0, "the increments should meet: {report}");
        origins.extend(report.units.iter().map(|unit| unit.origin));
    }
    assert_eq!(origins.len(), 2 * SORTS);
    assert!(origins[1..].iter().all(|origin| *origin == Origin::Memory), "{origins:?}");
}

#[test]
fn chunks_of_a_batch_in_another_order_keep_their_procedures() {
    let Some(environment) = fibers(Engine::PRIORITY, 4) else { return };
    for order in orders() {
        let (batch, calls) = fill(&environment, &order);
        let options = environment.options().chunk_size(7).print_to(|_| ());
        let report = environment.run_with(&batch, &options).expect("the run should end");
        assert_eq!(report.committed, 3 + CONFLICTING as u64, "{report}");
        assert_eq!(report.outcome(calls.taken[0]), Outcome::Committed(50), "{order:?}");
        assert_eq!(report.outcome(calls.shown[0]), Outcome::Committed(-3), "{order:?}");
        assert_eq!(report.outcome(calls.refused[0]), Outcome::Rejected(7), "{order:?}");
    }
}

#[test]
fn threads_of_the_host_report_of_the_right_procedures_too() {
    let environment = Environment::new(Backend::Cpu, Engine::PRIORITY).expect("every machine has processors");
    for order in orders() {
        let (batch, calls) = fill(&environment, &order);
        let (report, lines) = run(&environment, &batch, true);
        is_right(&report, &calls, &lines);
        assert_eq!(report.serializable(), Some(true), "{order:?}: {report}");
    }
}
