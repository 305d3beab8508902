//! What is wrong with a kind.

use std::fmt::{self, Display, Formatter};

use super::load::Program;
use crate::analysis::Trouble;
use crate::ir::Loc;

/// Why a kind cannot run on a device, found when it was compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindError {
    /// The transaction's name.
    pub kind: String,
    /// The source file: of the transaction, or of a function that it calls.
    pub file: String,
    /// The line in it, from 1; 0 where it is not known.
    pub line: u32,
    /// What is wrong, and what to write instead.
    pub message: String,
    /// What is wrong with its footprint, and which access is to blame, where it is that.
    pub footprint: Option<(Trouble, Loc)>,
}

impl KindError {
    /// Something about a function as a whole.
    pub(super) fn at(program: &Program, message: impl Into<String>) -> KindError {
        let tx = &program.tx;
        KindError {
            kind: tx.name.clone(),
            file: tx.file.clone(),
            line: tx.at.line,
            message: message.into(),
            footprint: None,
        }
    }
}

impl Display for KindError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: transaction `{}`: {}", self.file, self.line, self.kind, self.message)
    }
}

impl std::error::Error for KindError {}
