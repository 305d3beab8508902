//! Conflicts counted by source line.

use crate::expect;
use crate::failure::Verdict;
use crate::ground::{Backend, Ground};
use crate::kinds::bank::{audit, transfer};

/// The counts by line name lines of the transactions that met them, and are no more than there were conflicts.
pub(super) fn conflicts_by_line(ground: &Ground) -> Verdict {
    let accounts = ground.shared(&[100_000_i64; 2])?;
    let mut table = ground.table();
    table.profile(true);
    for row in 0..ground.rows(400) as u32 {
        if row % 4 == 3 {
            table.push(audit::call(&accounts, 0, 2));
        } else {
            table.push(transfer::call(&accounts, row % 2, (row + 1) % 2, 1));
        }
    }
    let report = ground.run_all(&table)?;
    let counted: u64 = report.conflict_sites.iter().map(|site| site.conflicts).sum();
    expect!(counted <= report.conflicts.total(), "{counted} by line of {}", report.conflicts.total());
    for site in &report.conflict_sites {
        expect!(site.conflicts > 0 && site.file.ends_with("kinds/bank.rs"), "counted: {site:?}");
        expect!(site.text.contains("accounts") || site.text.contains("balance"), "counted: {site:?}");
    }
    // Fibers switch within transactions. Threads of the host need not, where there are few.
    if ground.is_concurrent() && matches!(ground.backend, Backend::EmulatedFibers { .. }) {
        expect!(report.conflicts.total() > 0, "nobody was in anybody's way\n{report}");
        expect!(counted > 0, "no conflict has a line\n{report}");
    }
    Ok(())
}
