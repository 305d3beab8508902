//! The two handles of a thread: one for quick attempts and one for patient ones. They share the memory, which moves between them.

use std::fmt::Debug;
use std::mem;
use std::sync::Arc;

use kernels_gen::spec::ProcedureSpec;

use super::alarm::Alarm;
use super::attempt::Attempt;
use super::direct::Direct;
use super::handle::Tx;
use super::kind::{AnyMemory, InPlace, Kind, OnThreads, Patient};
use crate::print::Printer;

/// A quick kind, whose memory has a place in the patient one.
pub(crate) trait Quick: Kind {
    /// Returns memory of no arrays, to be exchanged.
    fn nothing<'a>() -> AnyMemory<'a>;

    fn within<'m, 'a>(memory: &'m mut AnyMemory<'a>) -> Option<&'m mut Self::Memory<'a>>;

    /// Undoes an attempt that was too quick.
    fn undo(memory: &mut Self::Memory<'_>);
}

impl Quick for OnThreads {
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

impl Quick for InPlace {
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
    quick: Tx<'a, K>,
    patient: Tx<'a>,
    /// Which of the two has the memory.
    is_patient: bool,
    /// Whether quick attempts are possible.
    can_hurry: bool,
}

impl<'a, K: Quick> Handles<'a, K> {
    pub(crate) fn new(
        memory: K::Memory<'a>,
        can_hurry: bool,
        alarm: &'a Alarm,
        printer: &Arc<Printer>,
    ) -> Handles<'a, K> {
        Handles {
            quick: Tx::new(memory, Some(alarm)).printing(printer),
            patient: Tx::<'a, Patient>::new(K::nothing(), Some(alarm)).printing(printer),
            is_patient: false,
            can_hurry,
        }
    }

    /// Returns the memory.
    #[inline]
    pub(crate) fn memory(&mut self) -> &mut K::Memory<'a> {
        match K::within(self.patient.memory()) {
            Some(memory) if self.is_patient => memory,
            _ => self.quick.memory(),
        }
    }

    /// Returns the handle for quick attempts at transactions of a procedure. `for_update`: see
    /// [`read_for_update`](super::attempt::read_for_update).
    #[inline]
    pub(crate) fn quick(&mut self, procedure: &'static ProcedureSpec, for_update: u64) -> &mut Tx<'a, K> {
        if self.is_patient {
            self.turn();
        }
        self.quick.prepare(procedure, for_update);
        &mut self.quick
    }

    /// Returns the handle for patient ones.
    #[inline]
    pub(crate) fn patient(&mut self, procedure: &'static ProcedureSpec, for_update: u64) -> &mut Tx<'a> {
        if !self.is_patient {
            self.turn();
        }
        self.patient.prepare(procedure, for_update);
        &mut self.patient
    }

    /// Returns whether quick attempts are possible.
    #[inline]
    pub(crate) fn can_hurry(&self) -> bool {
        self.can_hurry
    }

    /// Allows only patient attempts from now on.
    pub(crate) fn be_patient(&mut self) {
        self.can_hurry = false;
    }

    /// Moves the memory to the other handle.
    fn turn(&mut self) {
        if let Some(patient) = K::within(self.patient.memory()) {
            mem::swap(self.quick.memory(), patient);
        }
        self.is_patient = !self.is_patient;
    }
}
