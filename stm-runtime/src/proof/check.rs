//! The history has every finished transaction once, and no other.

use super::objection::Objection;
use super::verdict::Violation;
use crate::backend::Job;
use crate::memory;
use crate::outcome::history::WHAT;
use crate::outcome::{COMMITTED, FAULTED, History, RunOutput};

pub(super) fn completeness(job: &Job<'_>, output: &RunOutput, history: &History) -> Result<(), Objection> {
    let mut recorded = memory::filled(WHAT, job.transactions, false)?;
    for i in 0..history.len() {
        let transaction = history.transaction(i);
        let wrong = match recorded.get_mut(transaction) {
            None => Some("is in the history and not in the batch"),
            Some(true) => {
                mutant!("proof: a transaction may be in the history twice", Some("is in the history twice"), None)
            }
            Some(seen) => {
                *seen = true;
                let committed = output.status[transaction] == COMMITTED;
                let writes = history.entries(i).iter().any(|entry| entry.is_write());
                match is_final(output.status[transaction]) {
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
            return Err(Violation::Incomplete { transaction, what }.into());
        }
    }
    let finished = |transaction: usize| is_final(output.status[transaction]);
    let is_missing = |transaction: usize| {
        mutant!(
            "proof: a finished transaction may be missing in the history",
            finished(transaction) && !recorded[transaction],
            false
        )
    };
    let missing = (0..job.transactions).find(|transaction| is_missing(*transaction));
    match missing {
        Some(transaction) => {
            Err(Violation::Incomplete { transaction, what: "is finished and not in the history" }.into())
        }
        None => Ok(()),
    }
}

pub(super) fn is_final(status: u8) -> bool {
    (COMMITTED..=FAULTED).contains(&status)
}
