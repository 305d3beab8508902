//! Results that stay on the device, and are the arguments of a later batch there.

use stm_runtime::options::Outcomes;
use stm_runtime::{DeviceColumn, Engine, GpuData, Outcome, Report, RunOptions, Tickets};

use crate::environment::Environment;
use crate::failure::{Failure, TestResult};
use crate::procedures::endings::nothing;
use crate::procedures::guards::{raise_flag, wait_only};
use crate::procedures::readers::follow;
use crate::procedures::types::{add_short, add_wide};
use crate::{expect, expect_eq};

/// Results of one component and of two, of several widths, of transactions of which some wait for later chunks and some never end. With a
/// proof, and in chunks. That has nothing to do with the engine.
pub(super) fn results_stay_on_the_device(environment: &Environment) -> TestResult {
    // No engine knows where its results stay.
    if environment.engine.name() != Engine::default().name() {
        return Ok(());
    }
    for options in [environment.options(), environment.options().check(false).chunk_size(11)] {
        results_stay(environment, &options.outcomes(Outcomes::ResultsStay))?;
    }
    Ok(())
}

fn there<R: GpuData>(report: &Report, tickets: &Tickets<R>) -> Result<DeviceColumn<R>, Failure> {
    report.results_there(tickets)?.ok_or_else(|| Failure::Outcome("results have not stayed".into()))
}

fn results_stay(environment: &Environment, options: &RunOptions) -> TestResult {
    let device = &environment.device;
    let (sums, flags) = (environment.shared(&[0_i64; 32])?, environment.shared(&[0_u32; 24])?);
    let (next, accounts) = (environment.shared(&[1_u32, 2, 0])?, environment.shared(&[7_i64, 8, 9])?);
    let mut batch = device.batch();
    // Those of the odd ones are never raised.
    let waits = batch.push_columns(wait_only::columns(&flags, 0..24))?;
    let shorts = batch.push_columns(add_short::columns(&sums, 0..24, -4..20))?;
    let numbers = batch.push_columns(nothing::columns(40..44))?;
    batch.push_columns(raise_flag::columns(&flags, (0..24).step_by(2).collect::<Vec<u32>>()))?;
    // The last one is alone in its chunk.
    let ends = batch.push_columns(follow::columns(&next, &accounts, &[0, 9, 1], &[1, 1, 4]))?;
    let report = batch.run_with(options)?;
    expect!(report.serializable() != Some(false), "the proof\n{report}");
    let endings = (report.committed, report.faulted, report.unresolved);
    expect_eq!(endings, (12 + 2 + 24 + 4 + 12, 1, 12), "endings\n{report}\n");
    let of_waits: Vec<u32> = (0..24).map(|at| u32::from(at % 2 == 0)).collect();
    let stayed = there(&report, &waits)?;
    expect_eq!(stayed.to_vec()?, of_waits, "results, and zeros of those that wait");
    let results: Vec<Option<u32>> = of_waits.iter().map(|result| (*result > 0).then_some(*result)).collect();
    expect_eq!(report.results(&waits).collect::<Vec<_>>(), results, "results, one by one");
    let walks = there(&report, &ends)?;
    expect_eq!(walks.to_vec()?, [(1, 8), (0, 0), (2, 9)], "results of two components");
    let last = ends.get(2).expect("there are three");
    expect_eq!(report.outcome(last), Outcome::Committed((2, 9)), "an outcome");
    expect_eq!(
        report.result_column(&numbers).map(|list| list.into_owned()),
        Some(vec![40, 41, 42, 43]),
        "a list of results"
    );

    let changes = there(&report, &shorts)?;
    let places = there(&report, &numbers)?;
    drop((report, batch));
    let mut batch = device.batch();
    batch.push_columns(add_wide::columns(&sums, &changes, stayed.clone()))?;
    batch.push_columns(wait_only::columns(&flags, stayed.range(1..2)?))?;
    let report = batch.run_with(options)?;
    expect_eq!(report.committed, 25, "what is called with results\n{report}\n");
    let mut expected: Vec<i64> = (0..32).map(|at| if at < 24 { at - 4 } else { 0 }).collect();
    (0..24).for_each(|at| expected[usize::from(at % 2 == 0)] += at - 4);
    expect_eq!(sums.to_vec()?, expected, "sums");
    expect_eq!(places.to_vec()?, [40, 41, 42, 43], "a column that outlives its report");
    Ok(())
}
