//! Runs that need several launches: launches are made short for that, or threads always lose conflicts. The engine's algorithm
//! is unchanged, and CPU threads have no launches.

use stm_runtime::{Outcome, UnresolvedReason};

use crate::environment::Environment;
use crate::failure::{Failure, TestResult};
use crate::procedures::counters::{increment, look};
use crate::procedures::guards::{pass_on, raise_flag};
use crate::variants::{ALONE, SHORT_LAUNCHES, Variant};
use crate::{expect_all, expect_eq};

fn with(environment: &Environment, variant: &Variant) -> Result<Environment, Failure> {
    let is_cpu = environment.backend.is_cpu();
    let engine = if is_cpu { environment.engine } else { variant.of(environment.engine).map_err(Failure::Error)? };
    Ok(environment.under(engine))
}

/// No attempt succeeds while several threads run: then one thread runs alone, and everything commits.
pub(super) fn threads_give_way(environment: &Environment) -> TestResult {
    let environment = &with(environment, &ALONE)?;
    let counters = environment.shared(&[0_i64; 4])?;
    let mut batch = environment.batch();
    (0..20).for_each(|transaction| _ = batch.push(increment::call(&counters, transaction % 4)));
    environment.run_all(&batch)?;
    expect_eq!(counters.to_vec()?, [5; 4], "counters");
    Ok(())
}

/// All transactions wait for one that is so far back in the batch that the first launch does not reach it. A thread passes over the
/// procedures by name, so the one with the flag comes last there, too.
pub(super) fn enabled_after_a_launch(environment: &Environment) -> TestResult {
    let environment = &with(environment, &SHORT_LAUNCHES)?;
    let flags = environment.shared(&[0_u32; 3])?;
    let mut batch = environment.batch();
    let waits: Vec<_> = (0..40).map(|_| batch.push(pass_on::call(&flags, 0, 2))).collect();
    let never = batch.push(pass_on::call(&flags, 1, 2));
    batch.push(raise_flag::call(&flags, 0));
    let report = environment.run_with(&batch, &environment.options().threads(1))?;
    expect_eq!((report.committed, report.unresolved), (41, 1), "committed and unresolved\n{report}\n");
    expect_eq!(report.outcome(never), Outcome::Unresolved(UnresolvedReason::GuardNeverHeld), "what waits for ever");
    expect_all!(report, waits, (), "what waited");
    Ok(())
}

/// Chunks of several launches each: the device memory of one chunk must not affect the next.
pub(super) fn chunks_of_several_launches(environment: &Environment) -> TestResult {
    let environment = &with(environment, &SHORT_LAUNCHES)?;
    let counters = environment.shared(&[0_i64; 2])?;
    let mut batch = environment.batch();
    let mut looks = Vec::new();
    for _ in 0..40 {
        batch.push(increment::call(&counters, 0));
        looks.push(batch.push(look::call(&counters, 1)));
    }
    let report = environment.run_all_with(&batch, &environment.options().threads(1).chunk_size(40))?;
    expect_all!(report, looks, 0, "looks at a counter to which nothing is added");
    expect_eq!(counters.to_vec()?, [40, 0], "counters");
    Ok(())
}
