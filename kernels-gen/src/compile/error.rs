//! The errors of a procedure.

use std::fmt::{self, Display, Formatter};

use crate::Trouble;
use crate::ir::PositionId;
use crate::ir::open::Function;

/// An error of a procedure that cannot run on a device, found when it was compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcedureError {
    /// The name of the transaction.
    pub procedure: String,
    /// The source file: of the transaction, or of a function that it calls.
    pub file: String,
    /// The line in the file, from 1; 0 where it is not known.
    pub line: u32,
    /// The problem, and what to write instead.
    pub message: String,
    /// The rule that the procedure breaks, if the rule has a page of its own.
    pub rule: Option<Trouble>,
    /// The part that causes the error, if it is not the function as a whole.
    pub at: Option<Blame>,
}

/// The part that causes an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blame {
    /// The parameter of that number, not counting `tx`.
    Param(u32),
    /// The type of the result.
    Result,
    /// The statement at this position of the intermediate form.
    Statement(PositionId),
}

impl ProcedureError {
    /// Returns the code of the broken rule, as `STM0053`, if the rule has one. Each code has a page in `docs/errors`.
    #[must_use]
    pub fn code(&self) -> Option<&'static str> {
        self.rule.map(Trouble::code)
    }

    /// Returns an error about a function as a whole.
    pub(super) fn at(tx: &Function, message: impl Into<String>) -> ProcedureError {
        ProcedureError {
            procedure: tx.name.clone(),
            file: tx.file.clone(),
            line: tx.at.line,
            message: message.into(),
            rule: None,
            at: None,
        }
    }

    /// Returns an error for a rule that a function as a whole breaks.
    pub(super) fn rule(tx: &Function, trouble: Trouble, message: impl Into<String>) -> ProcedureError {
        ProcedureError { rule: Some(trouble), ..ProcedureError::at(tx, message) }
    }
}

impl Display for ProcedureError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: transaction `{}`: ", self.file, self.line, self.procedure)?;
        if let Some(code) = self.code() {
            write!(f, "{code}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ProcedureError {}
