//! Conflicts counted by source line.

use crate::environment::{Backend, Environment};
use crate::expect;
use crate::failure::TestResult;
use crate::procedures::bank::{audit, transfer};

/// The conflict counts by line name lines of the transactions that had them, and their sum is at most the number of conflicts.
pub(super) fn conflicts_by_line(environment: &Environment) -> TestResult {
    let accounts = environment.shared(&[100_000_i64; 2])?;
    let mut batch = environment.batch();
    for transaction in 0..environment.transactions(400) as u32 {
        if transaction % 4 == 3 {
            batch.push(audit::call(&accounts, 0, 2));
        } else {
            batch.push(transfer::call(&accounts, transaction % 2, (transaction + 1) % 2, 1));
        }
    }
    let report = environment.run_all_with(&batch, &environment.options().profile(true))?;
    let counted: u64 = report.conflict_locations.iter().map(|location| location.conflicts).sum();
    expect!(counted <= report.conflicts.total(), "{counted} by line of {}", report.conflicts.total());
    for location in &report.conflict_locations {
        expect!(location.conflicts > 0 && location.file.ends_with("procedures/bank.rs"), "counted: {location:?}");
        // Only accesses conflict: a sum with conflicts would have those of another line.
        expect!(![" + ", " - "].iter().any(|sign| location.text.contains(sign)), "counted at a sum: {location:?}");
        expect!(location.text.contains("accounts") || location.text.contains("balance"), "counted: {location:?}");
    }
    // Without locks, transfers are in nobody's way.
    let takes_locks = !environment.engine.spec().finishes_in_visits();
    // Fibers switch within transactions. Threads of the host need not, where there are few.
    if takes_locks && environment.is_concurrent() && matches!(environment.backend, Backend::EmulatedFibers { .. }) {
        expect!(report.conflicts.total() > 0, "nobody was in anybody's way\n{report}");
        expect!(counted > 0, "no conflict has a line\n{report}");
    }
    Ok(())
}
