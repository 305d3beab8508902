//! The stack that the functions of a batch need.
//!
//! rustc puts the variables of a function on the stack and, without optimization, some copies of them. The compiler of procedures
//! knows the bytes of all variables of a procedure, including temporaries and the variables of its helpers. The stack is a multiple
//! of that.

use std::{io, panic, thread};

use crate::backend::Job;
use crate::error::Error;
use crate::{inside, threads};

/// Bytes for the runtime below the function, and for what the system puts on the stack.
const BASE: usize = 1 << 20;
/// The ratio of a function's stack to the bytes of its variables. Without optimization, functions that pass arrays by value took
/// 1.3 times as much.
const COPIES: usize = 4;
/// A function with at most this many bytes of variables runs on the stack of any caller, as long as that has 128 KiB.
const SUITS_CALLERS: u64 = 8 << 10;

/// The stacks of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stack {
    /// Bytes of a thread's stack.
    pub(crate) bytes: usize,
    /// Whether the thread that runs the batch may run transactions too, whatever its stack.
    pub(crate) suits_callers: bool,
}

impl Stack {
    /// Returns the stacks for the functions of a job.
    pub(crate) fn of(job: &Job<'_>) -> Stack {
        Stack::for_variables(job.procedures.iter().map(|procedure| procedure.spec.variables).max().unwrap_or(0))
    }

    fn for_variables(variables: u64) -> Stack {
        let copies = usize::try_from(variables).unwrap_or(usize::MAX).saturating_mul(COPIES);
        Stack { bytes: BASE.saturating_add(copies), suits_callers: variables <= SUITS_CALLERS }
    }

    /// Returns the error for a thread that the system refused.
    pub(crate) fn refused(self, why: &io::Error) -> Error {
        Error::NoThread { stack: self.bytes as u64, why: why.to_string() }
    }
}

/// Runs functions of a job's transactions on a stack that has room for them: the caller's, or that of a new thread.
pub(crate) fn with_stack<T: Send>(job: &Job<'_>, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    let stack = Stack::of(job);
    if stack.suits_callers {
        return Ok(work());
    }
    thread::scope(|scope| {
        let inside = || {
            let _inside = inside::enter();
            work()
        };
        let other = threads::spawn(scope, stack.bytes, inside).map_err(|why| stack.refused(&why))?;
        Ok(other.join().unwrap_or_else(|panic| panic::resume_unwind(panic)))
    })
}
