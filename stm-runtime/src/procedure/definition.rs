//! One annotated function at run time: its source, compiled when it is first needed, and the function itself.

use std::fmt;
use std::sync::OnceLock;

use kernels_gen::compile::{self, ProcedureError};
use kernels_gen::spec::{ProcedureSpec, Source};

use super::arguments::Arguments;
use super::attempts::Attempts;
use crate::backend::CompiledProcedure;
use crate::error::Error;
use crate::tx::{Claim, Ended, InPlace, Kind, OnThreads, SlowPath, Tx};

/// Attempts the transactions of a claim: reads the arguments of each, and calls the user's function.
#[doc(hidden)]
pub type ProcedureFn<K> = fn(&mut Tx<'_, K>, &mut Claim<'_>, &Arguments<'_>) -> Ended;

/// The user's function, compiled for each kind of memory.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct HostFunctions {
    pub(super) on_threads: ProcedureFn<OnThreads>,
    pub(super) in_place: ProcedureFn<InPlace>,
    pub(super) slow: ProcedureFn<SlowPath>,
}

impl HostFunctions {
    /// Functions that do nothing, and commit: for tests and tools.
    pub const IDLE: HostFunctions = HostFunctions::new(idle, idle, idle);

    /// Returns the functions. Generated code passes one function three times.
    #[must_use]
    pub const fn new(
        on_threads: ProcedureFn<OnThreads>,
        in_place: ProcedureFn<InPlace>,
        slow: ProcedureFn<SlowPath>,
    ) -> HostFunctions {
        HostFunctions { on_threads, in_place, slow }
    }
}

fn idle<K: Kind>(tx: &mut Tx<'_, K>, claim: &mut Claim<'_>, _: &Arguments<'_>) -> Ended {
    Attempts::new(tx, claim).each(|_, _| Ok(()))
}

/// One annotated function: its source for the compiler, and the function itself for CPU threads.
///
/// The macro prints it; user code sees it only as an opaque handle.
pub struct Procedure {
    name: &'static str,
    origin: Origin,
    compiled: OnceLock<Result<ProcedureSpec, ProcedureError>>,
    run: HostFunctions,
}

enum Origin {
    Source(&'static Source),
    Ready(&'static ProcedureSpec),
}

impl Procedure {
    /// Returns a procedure that is compiled when it is first needed.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(name: &'static str, source: &'static Source, run: HostFunctions) -> Procedure {
        Procedure { name, origin: Origin::Source(source), compiled: OnceLock::new(), run }
    }

    /// Returns a compiled procedure: for tests and tools.
    #[doc(hidden)]
    #[must_use]
    pub const fn ready(spec: &'static ProcedureSpec, run: HostFunctions) -> Procedure {
        Procedure { name: spec.name, origin: Origin::Ready(spec), compiled: OnceLock::new(), run }
    }

    /// Returns the function's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the compiled form. Compiles at the first call.
    ///
    /// # Errors
    /// The compiler's error, the same each time.
    #[doc(hidden)]
    pub fn spec(&self) -> Result<&ProcedureSpec, &ProcedureError> {
        match self.origin {
            Origin::Ready(spec) => Ok(spec),
            Origin::Source(source) => self.compiled.get_or_init(|| compile::procedure(source)).as_ref(),
        }
    }

    /// Returns the procedure for use in batches.
    pub(crate) fn compiled(&'static self) -> Result<CompiledProcedure, Error> {
        let spec = self.spec().map_err(|error| Error::Procedure(error.clone()))?;
        Ok(CompiledProcedure { spec })
    }

    /// Returns the functions for this host.
    pub(crate) fn run(&self) -> HostFunctions {
        self.run
    }

    /// Returns the source that the macro recorded, unless the procedure was compiled elsewhere.
    pub(crate) fn source(&self) -> Option<&'static Source> {
        match self.origin {
            Origin::Source(source) => Some(source),
            Origin::Ready(_) => None,
        }
    }
}

impl fmt::Debug for Procedure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Procedure").field(&self.name).finish()
    }
}
