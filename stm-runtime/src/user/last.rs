//! The specialization of a batch's last transaction: as a rule, the next one has the same.

use std::ops::Range;

use crate::backend::Array;
use crate::procedure::Procedure;

/// The specialization of the last transaction, as it is compared with that of the next one.
#[derive(Debug, Default)]
pub(super) struct Last {
    procedure: Option<&'static Procedure>,
    /// The identities of its arrays, which the batch holds.
    arrays: Vec<u64>,
    /// Its number in the batch.
    pub(super) number: usize,
    /// The columns of its procedure.
    pub(super) columns: Range<usize>,
}

impl Last {
    #[inline(always)]
    pub(super) fn is<const ARRAYS: usize>(&self, procedure: &'static Procedure, arrays: &[&Array; ARRAYS]) -> bool {
        self.procedure.is_some_and(|last| std::ptr::eq(last, procedure))
            && <&[u64; ARRAYS]>::try_from(&self.arrays[..])
                .is_ok_and(|known| (0..ARRAYS).all(|at| known[at] == arrays[at].identity()))
    }

    /// Returns none, with the memory of this.
    pub(super) fn emptied(mut self) -> Last {
        self.arrays.clear();
        Last { arrays: self.arrays, ..Last::default() }
    }

    /// Returns whether there is no such specialization.
    pub(super) fn is_none(&self) -> bool {
        self.procedure.is_none()
    }

    /// Makes another specialization the last one. The batch holds its arrays.
    pub(super) fn set(
        &mut self,
        procedure: &'static Procedure,
        arrays: &[&Array],
        number: usize,
        columns: Range<usize>,
    ) {
        self.arrays.clear();
        self.arrays.extend(arrays.iter().map(|array| array.identity()));
        (self.procedure, self.number, self.columns) = (Some(procedure), number, columns);
    }
}
