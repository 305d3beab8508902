//! The history has every finished row once, and no other.

use crate::job::{COMMITTED, FAULTED, Job, RunOutput};
use crate::memory;
use crate::proof::history::WHAT;
use crate::proof::verdict::Violation;
use crate::proof::{History, Objection};

pub(super) fn completeness(job: &Job<'_>, output: &RunOutput, history: &History) -> Result<(), Objection> {
    let mut recorded = memory::filled(WHAT, job.rows, false)?;
    for i in 0..history.len() {
        let row = history.row(i);
        let wrong = match recorded.get_mut(row) {
            None => Some("is in the history and not in the table"),
            Some(true) => {
                mutant!("proof: a transaction may be in the history twice", Some("is in the history twice"), None)
            }
            Some(seen) => {
                *seen = true;
                let committed = output.status[row] == COMMITTED;
                let writes = history.entries(i).iter().any(|entry| entry.is_write());
                match is_final(output.status[row]) {
                    false => mutant!(
                        "proof: an unfinished transaction may be in the history",
                        Some("is in the history and not finished"),
                        None
                    ),
                    true => mutant!("proof: aborted transactions may have written", writes && !committed, false)
                        .then_some("wrote and did not commit"),
                }
            }
        };
        if let Some(what) = wrong {
            return Err(Violation::Incomplete { row, what }.into());
        }
    }
    let finished = |row: usize| is_final(output.status[row]);
    let is_missing = |row: usize| {
        mutant!("proof: a finished transaction may be missing in the history", finished(row) && !recorded[row], false)
    };
    let missing = (0..job.rows).find(|row| is_missing(*row));
    match missing {
        Some(row) => Err(Violation::Incomplete { row, what: "is finished and not in the history" }.into()),
        None => Ok(()),
    }
}

fn is_final(status: u8) -> bool {
    (COMMITTED..=FAULTED).contains(&status)
}
