//! The parts of a shared array: the arrays of its components.

use crate::backend::{Array, Device};

/// The common properties of all components of an array.
#[derive(Debug, Clone)]
pub(crate) struct About {
    pub(crate) device: Device,
    /// Elements of the whole array.
    pub(crate) extent: usize,
    /// Elements of a partition, if indices count within one; 0 if they count in the whole array.
    pub(crate) part: usize,
    /// The first element that is visible on the host.
    pub(crate) first: usize,
    /// The number of visible elements.
    pub(crate) len: usize,
    pub(crate) coverage_log2: u32,
}

impl About {
    pub(super) fn of(device: &Device, array: &Array) -> About {
        let (extent, part) = (array.len(), array.part());
        let len = if part == 0 { extent } else { part };
        About { device: device.clone(), extent, part, first: 0, len, coverage_log2: array.coverage_log2() }
    }
}

/// One component: its array, and the array's index among those of the run.
#[derive(Debug, Clone)]
pub(crate) struct Component {
    pub(crate) array: Array,
    pub(crate) place: u32,
}

/// The components of a `Shared`, from which each part takes its own.
#[doc(hidden)]
#[derive(Debug)]
pub struct Parts<'a> {
    pub(super) components: &'a [Component],
    pub(super) about: &'a About,
}
