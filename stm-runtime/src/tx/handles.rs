//! The two handles of a thread: one for the fast path and one for the slow path. They share the memory, which moves between them.

use std::fmt::Debug;
use std::mem;
use std::sync::Arc;

use kernels_gen::spec::ProcedureSpec;

use super::alarm::Alarm;
use super::attempt::Attempt;
use super::direct::Direct;
use super::handle::Tx;
use super::kind::{AnyMemory, InPlace, Kind, OnThreads, SlowPath};
use crate::print::Printer;

/// A kind for the fast path, whose memory has a place in that of the slow path.
pub(crate) trait FastPath: Kind {
    /// Returns memory of no arrays, to be exchanged.
    fn nothing<'a>() -> AnyMemory<'a>;

    fn within<'m, 'a>(memory: &'m mut AnyMemory<'a>) -> Option<&'m mut Self::Memory<'a>>;

    /// Undoes an attempt that needs the slow path.
    fn undo(memory: &mut Self::Memory<'_>);
}

impl FastPath for OnThreads {
    fn nothing<'a>() -> AnyMemory<'a> {
        AnyMemory::Threaded(Attempt::new(Vec::new(), 0))
    }

    fn within<'m, 'a>(memory: &'m mut AnyMemory<'a>) -> Option<&'m mut Attempt<'a>> {
        if let AnyMemory::Threaded(attempt) = memory { Some(attempt) } else { None }
    }

    fn undo(memory: &mut Attempt<'_>) {
        memory.release();
    }
}

impl FastPath for InPlace {
    fn nothing<'a>() -> AnyMemory<'a> {
        AnyMemory::Direct(Direct::new(Vec::new()))
    }

    fn within<'m, 'a>(memory: &'m mut AnyMemory<'a>) -> Option<&'m mut Direct<'a>> {
        if let AnyMemory::Direct(direct) = memory { Some(direct) } else { None }
    }

    fn undo(memory: &mut Direct<'_>) {
        memory.roll_back();
    }
}

/// The handles.
#[derive(Debug)]
pub(crate) struct Handles<'a, K: Kind> {
    fast: Tx<'a, K>,
    slow: Tx<'a>,
    /// Which of the two has the memory.
    is_on_slow_path: bool,
    /// Whether the fast path may be taken.
    has_fast_path: bool,
}

impl<'a, K: FastPath> Handles<'a, K> {
    pub(crate) fn new(
        memory: K::Memory<'a>,
        has_fast_path: bool,
        alarm: &'a Alarm,
        printer: &Arc<Printer>,
    ) -> Handles<'a, K> {
        Handles {
            fast: Tx::new(memory, Some(alarm)).printing(printer),
            slow: Tx::<'a, SlowPath>::new(K::nothing(), Some(alarm)).printing(printer),
            is_on_slow_path: false,
            has_fast_path,
        }
    }

    /// Returns the memory.
    #[inline]
    pub(crate) fn memory(&mut self) -> &mut K::Memory<'a> {
        match K::within(self.slow.memory()) {
            Some(memory) if self.is_on_slow_path => memory,
            _ => self.fast.memory(),
        }
    }

    /// Returns the handle for attempts on the fast path at transactions of a procedure. `for_update` has a bit for
    /// each location whose reads take the lock.
    #[inline]
    pub(crate) fn fast(&mut self, procedure: &'static ProcedureSpec, for_update: u64) -> &mut Tx<'a, K> {
        if self.is_on_slow_path {
            self.turn();
        }
        self.fast.prepare(procedure, for_update);
        &mut self.fast
    }

    /// Returns the handle for attempts on the slow path.
    #[inline]
    pub(crate) fn slow(&mut self, procedure: &'static ProcedureSpec, for_update: u64) -> &mut Tx<'a> {
        if !self.is_on_slow_path {
            self.turn();
        }
        self.slow.prepare(procedure, for_update);
        &mut self.slow
    }

    /// Returns whether the fast path may be taken.
    #[inline]
    pub(crate) fn has_fast_path(&self) -> bool {
        self.has_fast_path
    }

    /// Takes the slow path from now on.
    pub(crate) fn leave_fast_path(&mut self) {
        self.has_fast_path = false;
    }

    /// Moves the memory to the other handle.
    fn turn(&mut self) {
        if let Some(slow) = K::within(self.slow.memory()) {
            mem::swap(self.fast.memory(), slow);
        }
        self.is_on_slow_path = !self.is_on_slow_path;
    }
}
