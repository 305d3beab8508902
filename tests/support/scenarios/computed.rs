//! Columns that are computed from the transactions' indices, columns that are found where an earlier run left them, and outcomes that
//! are only counted.

use std::iter::repeat_n;

use stm_runtime::options::Outcomes;
use stm_runtime::{Outcome, UnresolvedReason};

use crate::environment::Environment;
use crate::failure::TestResult;
use crate::procedures::endings::refuse;
use crate::procedures::guards::{pass_on, raise_flag};
use crate::procedures::types::{add_short, add_wide};
use crate::{expect, expect_eq};

/// Ranges, and one value for all, of one procedure and of several; in one piece, and in chunks of which some wait for later ones.
pub(super) fn columns_are_computed(environment: &Environment) -> TestResult {
    let count = 24_u16;
    let last = u32::from(count);
    for options in [environment.options(), environment.options().chunk_size(7)] {
        let (sums, flags) = (environment.shared(&[0_i64; 32])?, environment.shared(&[0_u32; 25])?);
        let mut batch = environment.device.batch();
        let shorts = batch.push_columns(add_short::columns(&sums, 3..3 + count, -2..22))?;
        let report = environment.run_all_with(&batch, &options)?;
        let results: Vec<Option<i64>> = report.results(&shorts).collect();
        expect_eq!(results, (-2..22).map(Some).collect::<Vec<_>>(), "each adds its own number");
        batch.push_columns(add_short::columns(&sums, repeat_n(1, 2), 22..24))?;
        batch.push_columns(add_wide::columns(&sums, repeat_n(-1000, last as usize), 0..last))?;
        batch.push_columns(pass_on::columns(&flags, 1..last + 1, 0..last))?;
        let waiting = environment.run_with(&batch, &options)?;
        expect_eq!((waiting.committed, waiting.unresolved), (2 * 24 + 2, 24), "nothing raises a flag\n{waiting}\n");
        let listed = &waiting.unresolved_transactions[5];
        expect_eq!(listed.arguments, [("from", "6".to_owned()), ("to", "5".to_owned())], "arguments");
        let mut expected = [0_i64; 32];
        (0..27)
            .for_each(|at| expected[at] += if at >= 3 { 2 * (at as i64 - 5) } else { 0 } - 1000 * i64::from(at < 24));
        expected[1] += 22 + 23;
        expect_eq!(sums.to_vec()?, expected, "sums of two runs");
        batch.push(raise_flag::call(&flags, last));
        environment.run_all_with(&batch, &options)?;
        expect_eq!(flags.to_vec()?, [1; 25], "flags");
    }
    Ok(())
}

/// A batch runs again, grows, and is filled anew with as many transactions; another one of the same size runs in between.
pub(super) fn columns_stay_for_later_runs(environment: &Environment) -> TestResult {
    let sums = environment.shared(&[0_i64; 64])?;
    let (steps, places): (Vec<i64>, Vec<u32>) = (0..48).map(|k| (1 << (k % 6), k % 24)).unzip();
    let (mut batch, mut other) = (environment.device.batch(), environment.device.batch());
    batch.push_columns(add_wide::columns(&sums, &steps, &places))?;
    other.push_columns(add_wide::columns(&sums, vec![-7; 48], 16..64))?;
    for each in [&batch, &other, &batch, &batch] {
        environment.run_all(each)?;
    }
    batch.push(add_short::call(&sums, 30, 5));
    environment.run_all(&batch)?;
    let mut expected = [0; 64];
    (0..48).for_each(|k| expected[k % 24] += 4 << (k % 6));
    expected[16..].iter_mut().for_each(|sum| *sum -= 7);
    expected[30] += 5;
    expect_eq!(sums.to_vec()?, expected, "sums");
    batch.clear();
    let steps = vec![100; 48];
    let mut batch = batch.cleared();
    batch.push_columns(add_wide::columns(&sums, &steps, 0..48))?;
    environment.run_all(&batch)?;
    (0..48).for_each(|at| expected[at] += 100);
    expect_eq!(sums.to_vec()?, expected, "sums of the batch that was filled anew");
    Ok(())
}

/// Outcomes are only counted: where all commit, where some are rejected, and where some wait.
pub(super) fn outcomes_are_only_counted(environment: &Environment) -> TestResult {
    for options in [environment.options(), environment.options().chunk_size(9)] {
        let options = options.outcomes(Outcomes::Counted);
        let (sums, flags) = (environment.shared(&[0_i64; 32])?, environment.shared(&[0_u32; 25])?);
        let mut batch = environment.device.batch();
        let shorts = batch.push_columns(add_short::columns(&sums, 0..24, 0..24))?;
        for rejected in [0, 8] {
            batch.push_columns(refuse::columns(&flags, &vec![0; rejected]))?;
            let report = environment.run_with(&batch, &options)?;
            expect_eq!(
                (report.committed, report.rejected, report.faulted),
                (24, rejected as u64, 0),
                "endings\n{report}\n"
            );
            // A proof needs all of them.
            let are_there = report.proof.is_some();
            expect_eq!(
                (report.statuses().len(), report.codes.is_empty()),
                if are_there { (24 + rejected, rejected == 0) } else { (0, true) },
                "what is there"
            );
            let outcome = report.outcome(shorts.get(3).expect("there are 24"));
            let expected =
                if are_there { Outcome::Committed(3) } else { Outcome::Unresolved(UnresolvedReason::OnlyCounted) };
            expect_eq!(outcome, expected, "an outcome");
            expect_eq!(report.results(&shorts).last(), Some(are_there.then_some(23)), "a result");
            expect_eq!(report.result_column(&shorts).is_some(), are_there, "results");
        }
        batch.push_columns(pass_on::columns(&flags, 1..25, 0..24))?;
        let report = environment.run_with(&batch, &options)?;
        expect_eq!((report.committed, report.rejected, report.unresolved), (24, 8, 24), "endings\n{report}\n");
        expect_eq!(report.unresolved_transactions[0].transaction, 32, "the first that waits");
        expect!(report.plan.iter().map(|step| step.finished).sum::<u64>() <= 32, "what has finished\n{report}");
        expect_eq!(sums.to_vec()?[23], 3 * 23, "a sum");
    }
    Ok(())
}
