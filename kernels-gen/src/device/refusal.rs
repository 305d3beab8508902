//! Whether an engine can run a procedure, by what the engine requires.

use super::engine::Requires;
use crate::spec::{ProcedureSpec, Role};
use std::fmt::{self, Display, Formatter};

/// Why an engine cannot run a procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It has no room for the elements that a transaction can access.
    TooManyElements {
        /// The most that it has room for.
        most: u64,
        /// The footprint of the procedure.
        elements: u64,
    },
    /// It has to know every address before the transaction runs.
    UnknownAddresses,
    /// It works on partitions alone.
    WholeArray {
        /// The parameter that takes it.
        parameter: &'static str,
    },
}

impl Requires {
    /// Returns why an engine with these requirements cannot run the procedure; `None` if it can.
    #[must_use]
    pub fn refusal(&self, procedure: &ProcedureSpec) -> Option<Refusal> {
        let facts = &procedure.facts;
        let elements = u64::from(facts.footprint());
        // Records are kept of transactions that write, so those that only read may be larger.
        if let Some(most) = self.max_footprint.filter(|most| !facts.read_only && elements > *most) {
            return Some(Refusal::TooManyElements { most, elements });
        }
        if self.known_addresses && !facts.orderable {
            return Some(Refusal::UnknownAddresses);
        }
        let whole = |role: Role| matches!(role, Role::Array(_));
        let param = procedure.params.iter().find(|param| self.partitions && whole(param.role))?;
        // A parameter of a record type has several components.
        let (parameter, _) = param.name.split_once('.').unwrap_or((param.name, ""));
        Some(Refusal::WholeArray { parameter })
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::TooManyElements { most, .. } => {
                write!(f, "at most {most} elements for each transaction that writes")
            }
            Refusal::UnknownAddresses => f.write_str("only with addresses that are known before a transaction runs"),
            Refusal::WholeArray { parameter } => write!(f, "only with partitions, and `{parameter}` is a whole array"),
        }
    }
}

#[cfg(test)]
mod tests;
