//! The errors of a source file.

use std::fmt::{self, Display, Formatter};

/// The reason why a source file gives no programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleError(pub(super) String);

impl Display for ModuleError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ModuleError {}

pub(super) fn wrong<T>(what: impl Into<String>) -> Result<T, ModuleError> {
    Err(ModuleError(what.into()))
}
