//! All sorts of procedures in one batch, on shared arrays: ordered locking, read-only, and addresses that are read.

use stm_runtime::{Batch, Outcome, Shared, Ticket};

use crate::environment::{Dice, Environment};
use crate::failure::TestResult;
use crate::procedures::bank::{audit, deposit, transfer, transfer_found};
use crate::procedures::counters::increment_run;
use crate::procedures::pairs::follow;
use crate::procedures::sets::{read_again, set_pair, write_twice};
use crate::{expect, expect_eq};

/// Fills a batch with random calls of every sort on the same few elements. The proof decides whether the run was correct.
fn fill(batch: &mut Batch, places: &Shared<u32>, cells: &Shared<i64>, transactions: usize, seed: u64) {
    let mut dice = Dice::new(seed);
    let n = cells.len();
    for _ in 0..transactions {
        let (a, b) = (dice.index(n), dice.index(n));
        match dice.below(10) {
            0 | 1 => ignore(batch.push(transfer::call(cells, a, b, 1))),
            2 => ignore(batch.push(transfer_found::call(places, cells, a, b, 1))),
            3 => ignore(batch.push(deposit::call(cells, a, 1))),
            4 => ignore(batch.push(audit::call(cells, 0, n as u32))),
            5 => ignore(batch.push(follow::call(cells, a, b))),
            6 => ignore(batch.push(set_pair::call(cells, dice.index(n / 2), 1000))),
            7 => ignore(batch.push(write_twice::call(cells, a, b, 2000))),
            8 => ignore(batch.push(read_again::call(cells, a, 3))),
            _ => {
                let len = dice.below(n.min(8)) + 1;
                ignore(batch.push(increment_run::call(cells, dice.index(n - len + 1), len as u32)));
            }
        }
    }
}

/// Accepts tickets of several types.
fn ignore<R>(_: Ticket<R>) {}

pub(super) fn everything_at_once(environment: &Environment) -> TestResult {
    let places = environment.shared(&[0_u32, 1, 2, 3, 4, 5])?;
    let cells = environment.shared(&[1000_i64; 6])?;
    let mut batch = environment.batch();
    fill(&mut batch, &places, &cells, environment.transactions(300), 41);
    let report = environment.run(&batch)?;
    expect_eq!(report.committed + report.unresolved, batch.len() as u64, "committed and unresolved\n{report}\n");
    expect!(report.faulted + report.rejected == 0, "faults or rejects\n{report}");
    Ok(())
}

/// The same calls on arrays with coarser locks; and on two arrays at once, one of them twice in a call.
pub(super) fn random_coverage(environment: &Environment) -> TestResult {
    for (coverage, seed) in [(2, 42), (8, 43)] {
        let places = environment.device.shared_with(&[3_u32, 2, 1, 0, 4, 5, 7, 6], coverage)?;
        let cells = environment.device.shared_with(&[1000_i64; 8], coverage)?;
        let others = environment.shared(&[500_i64; 4])?;
        let mut batch = environment.batch();
        fill(&mut batch, &places, &cells, environment.transactions(150), seed);
        fill(&mut batch, &places, &others, 0, seed);
        let last = batch.push(audit::call(&others, 0, 4));
        let report = environment.run(&batch)?;
        expect_eq!(report.committed + report.unresolved, batch.len() as u64, "committed and unresolved\n{report}\n");
        expect_eq!(report.outcome(last), Outcome::Committed(2000), "the array that nobody wrote");
    }
    Ok(())
}
