//! Conflicts counted by source line.

use crate::environment::{Backend, Environment};
use crate::expect;
use crate::failure::TestResult;
use crate::procedures::bank::{audit, transfer_between_found};

/// The conflict counts by line name lines of the transactions that had them, and their sum is at most the number of conflicts.
pub(super) fn conflicts_by_line(environment: &Environment) -> TestResult {
    let accounts = environment.shared(&[100_000_i64; 4])?;
    let mut batch = environment.batch();
    for transaction in 0..environment.transactions(400) as u32 {
        if transaction % 4 == 3 {
            batch.push(audit::call(&accounts, 0, 4));
        } else {
            batch.push(transfer_between_found::call(&accounts, &accounts, transaction % 2, 1));
        }
    }
    let report = environment.run_all_with(&batch, &environment.options().profile(true))?;
    let counted: u64 = report.conflict_locations.iter().map(|location| location.conflicts).sum();
    expect!(counted <= report.conflicts.total(), "{counted} by line of {}", report.conflicts.total());
    for location in &report.conflict_locations {
        expect!(location.conflicts > 0 && location.file.ends_with("procedures/bank.rs"), "counted: {location:?}");
        expect!(
            ["accounts", "balance", "from", "to"].iter().any(|name| location.text.contains(name)),
            "counted: {location:?}"
        );
    }
    // Fibers switch within transactions. Threads of the host need not, where there are few.
    if environment.is_concurrent() && matches!(environment.backend, Backend::EmulatedFibers { .. }) {
        expect!(report.conflicts.total() > 0, "nobody was in anybody's way\n{report}");
        expect!(counted > 0, "no conflict has a line\n{report}");
    }
    Ok(())
}
