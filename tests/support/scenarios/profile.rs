//! Profiles of conflicts: by source line, by element, and by who was in the way.

use stm_runtime::Report;

use crate::environment::{Backend, Environment};
use crate::failure::TestResult;
use crate::procedures::bank::{audit, transfer};
use crate::procedures::locals::{COUNTERS, count};
use crate::{expect, expect_eq};

/// Accounts: the first two are hot, and the last one is empty.
const ACCOUNTS: u32 = 16;

/// Every conflict and every wait is in the profile. Lines, elements and functions are those of the transactions that had them.
pub(super) fn conflicts_are_profiled(environment: &Environment) -> TestResult {
    let mut initial = vec![100_000_i64; ACCOUNTS as usize];
    initial[ACCOUNTS as usize - 1] = 0;
    let [others, accounts] = [environment.shared(&[100_i64; 8])?, environment.shared(&initial)?];
    let transactions = environment.transactions(400) as u32;
    let mut batch = environment.batch();
    batch.push(transfer::call(&others, 0, 1, 1));
    (0..20).for_each(|_| _ = batch.push(transfer::call(&accounts, ACCOUNTS - 1, 2, 1)));
    for transaction in 0..transactions {
        match transaction % 4 {
            3 => _ = batch.push(audit::call(&accounts, 0, 2)),
            2 => _ = batch.push(transfer::call(&accounts, 2 + transaction / 4 % 6, 8 + transaction / 4 % 6, 1)),
            _ => _ = batch.push(transfer::call(&accounts, transaction % 2, (transaction + 1) % 2, 1)),
        }
    }
    batch.push(transfer::call(&accounts, 2, ACCOUNTS - 1, 20));
    let report = environment.run_all_with(&batch, &environment.options().profile(true))?;
    lines_are_those_of_accesses(&report)?;
    counts_add_up(environment, &report)?;

    let profile = report.profile.as_ref().expect("the run was profiled");
    let committed = |name: &str| profile.procedures.iter().find(|of| of.procedure == name).map(|of| of.committed);
    expect_eq!(committed("audit"), Some(u64::from(transactions / 4)), "committed audits");
    expect_eq!(committed("transfer"), Some(report.committed - u64::from(transactions / 4)), "committed transfers");
    for element in &profile.elements {
        let is_there = element.index + element.elements <= ACCOUNTS as usize;
        expect!(is_there && element.array == 1 && element.parameter == "accounts", "where: {element}\n{report}");
        expect_eq!(element.uncertain, 0, "few elements have an entry each\n{report}");
    }
    // Readers hold nothing, unless the engine locks what is read.
    let holders = profile.procedures.iter().flat_map(|of| &of.holders).filter_map(|holder| holder.procedure);
    let file = environment.engine.spec().file;
    let has_invisible_readers = ["priority", "pr_stm", "istm", "jvstm"].into_iter().any(|name| file.contains(name));
    if has_invisible_readers || matches!(environment.backend, Backend::Cpu) {
        expect!(holders.clone().all(|holder| holder == "transfer"), "an audit was in the way\n{report}");
    }
    // Without locks, transfers are in nobody's way.
    let takes_locks = !environment.engine.spec().finishes_in_visits();
    // Fibers switch within transactions. Threads of the host need not, where there are few.
    if takes_locks && environment.is_concurrent() && matches!(environment.backend, Backend::EmulatedFibers { .. }) {
        expect!(!report.conflict_locations.is_empty(), "no conflict has a line\n{report}");
        expect!(
            profile.elements.first().is_some_and(|most| most.index < 2),
            "the hot accounts are not first\n{report}"
        );
        expect!(holders.count() > 0, "nobody was in the way\n{report}");
    }
    Ok(())
}

/// The same for partitions, whose elements lie in the memory of a block.
pub(super) fn conflicts_in_partitions(environment: &Environment) -> TestResult {
    let counters = environment.device.partitioned::<u32, COUNTERS>(&[0; 3 * COUNTERS])?;
    let mut batch = environment.batch();
    for transaction in 0..environment.transactions(200) {
        batch.push(count::call(&counters.part(transaction as u32 % 2 + 1)?, 1));
    }
    let report = environment.run_all_with(&batch, &environment.options().profile(true))?;
    counts_add_up(environment, &report)?;
    let profile = report.profile.as_ref().expect("the run was profiled");
    let counted = [COUNTERS + 1, 2 * COUNTERS + 1];
    for element in &profile.elements {
        let range = element.index..element.index + element.elements;
        expect!(counted.iter().any(|at| range.contains(at)), "nobody accesses {element}\n{report}");
    }
    Ok(())
}

fn counts_add_up(environment: &Environment, report: &Report) -> TestResult {
    let profile = report.profile.as_ref().expect("the run was profiled");
    let total = report.conflicts.total();
    let by_procedure: u64 = profile.procedures.iter().map(|of| of.conflicts).sum();
    expect_eq!(by_procedure, total, "conflicts by function\n{report}");
    for of in &profile.procedures {
        let by_holder: u64 = of.holders.iter().map(|holder| holder.conflicts).sum();
        expect_eq!(by_holder, of.conflicts, "conflicts by holder\n{report}");
    }
    let by_element: u64 = profile.elements.iter().map(|element| element.conflicts + element.uncertain).sum();
    expect!(by_element <= total, "{by_element} by element of {total}\n{report}");
    let waits: u64 = profile.procedures.iter().map(|of| of.waits).sum();
    if environment.engine.spec().finishes_in_visits() {
        expect!(waits <= report.postponements, "{waits} waits of {}\n{report}", report.postponements);
    } else {
        expect_eq!(waits, report.postponements, "waits\n{report}");
    }
    Ok(())
}

fn lines_are_those_of_accesses(report: &Report) -> TestResult {
    let counted: u64 = report.conflict_locations.iter().map(|location| location.conflicts).sum();
    expect!(counted <= report.conflicts.total(), "{counted} by line of {}", report.conflicts.total());
    for location in &report.conflict_locations {
        expect!(location.conflicts > 0 && location.file.ends_with("procedures/bank.rs"), "counted: {location:?}");
        // Only accesses conflict: a sum with conflicts would have those of another line.
        expect!(![" + ", " - "].iter().any(|sign| location.text.contains(sign)), "counted at a sum: {location:?}");
        expect!(location.text.contains("accounts") || location.text.contains("balance"), "counted: {location:?}");
    }
    Ok(())
}
