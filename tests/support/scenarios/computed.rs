//! Columns that are computed from the transactions' indices, columns that are found where an earlier run left them, and outcomes that
//! are only counted.

use std::iter::repeat_n;

use stm_runtime::options::Outcomes;
use stm_runtime::{Engine, Outcome, UnresolvedReason};

use crate::environment::Environment;
use crate::expect_eq;
use crate::failure::TestResult;
use crate::procedures::endings::refuse;
use crate::procedures::guards::pass_on;
use crate::procedures::types::{add_short, add_wide};

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
        flags.write_range(last as usize, &[1])?;
        environment.run_all_with(&batch, &options)?;
        expect_eq!(flags.to_vec()?, [1; 25], "flags");
    }
    Ok(())
}

/// A batch runs again, grows, and is filled anew with as many transactions; another one of the same size runs in between. That has
/// nothing to do with the engine.
pub(super) fn columns_stay_for_later_runs(environment: &Environment) -> TestResult {
    let environment = &environment.under(Engine::default());
    let sums = environment.shared(&[0_i64; 64])?;
    let (steps, places): (Vec<i64>, Vec<u32>) = (0..48).map(|k| (1 << (k % 6), k % 24)).unzip();
    let (mut batch, mut other) = (environment.device.batch(), environment.device.batch());
    batch.push_columns(add_wide::columns(&sums, &steps, &places))?;
    other.push_columns(add_wide::columns(&sums, vec![-7; 48], 16..64))?;
    for each in [&batch, &other, &batch, &batch] {
        environment.run_all(each)?;
    }
    batch.push(add_wide::call(&sums, 5, 30));
    environment.run_all(&batch)?;
    let mut expected = [0; 64];
    (0..48).for_each(|k| expected[k % 24] += 4 << (k % 6));
    expected[16..].iter_mut().for_each(|sum| *sum -= 7);
    expected[30] += 5;
    expect_eq!(sums.to_vec()?, expected, "sums");
    batch.clear();
    batch.push_columns(add_wide::columns(&sums, vec![100; 49], (0..49).collect::<Vec<u32>>()))?;
    environment.run_all(&batch)?;
    (0..49).for_each(|at| expected[at] += 100);
    expect_eq!(sums.to_vec()?, expected, "sums of the batch that was filled anew");
    Ok(())
}

/// Outcomes are only counted, where all commit, and where some are rejected. That has nothing to do with the engine.
pub(super) fn outcomes_are_only_counted(environment: &Environment) -> TestResult {
    let unchecked = environment.under(Engine::default()).unchecked();
    for options in [unchecked.options(), unchecked.options().chunk_size(9)] {
        let options = options.outcomes(Outcomes::Counted);
        let (sums, numbers) = (environment.shared(&[0_i64; 32])?, environment.shared(&[0_i64; 8])?);
        let mut batch = environment.device.batch();
        let shorts = batch.push_columns(add_short::columns(&sums, 0..24, 0..24))?;
        let third = || shorts.get(3).expect("there are 24");
        for rejected in [0, 8] {
            let (least, most) = (repeat_n(1, rejected as usize), repeat_n(9, rejected as usize));
            batch.push_columns(refuse::columns(&numbers, 0..rejected, least, most))?;
            let report = unchecked.run_with(&batch, &options)?;
            let endings = (report.committed, report.rejected, report.faulted, report.unresolved);
            expect_eq!(endings, (24, rejected.into(), 0, 0), "endings\n{report}\n");
            expect_eq!((report.statuses().len(), report.codes.len()), (0, 0), "what is there");
            expect_eq!(report.outcome(third()), Outcome::Unresolved(UnresolvedReason::OnlyCounted), "an outcome");
            let results = (report.results(&shorts).flatten().count(), report.result_column(&shorts));
            expect_eq!(results, (0, None), "results");
        }
        expect_eq!((sums.to_vec()?[23], numbers.to_vec()?), (2 * 23, vec![0; 8]), "elements");
        if !environment.is_emulated() {
            let report = batch.run_with(&options.check(true))?;
            expect_eq!(report.outcome(third()), Outcome::Committed(3), "a proof needs all of them");
        }
        let report = unchecked.run_with(&batch, &unchecked.options())?;
        expect_eq!(report.codes.get(&7), Some(&8), "codes are counted where each outcome is there\n{report}\n");
    }
    Ok(())
}
