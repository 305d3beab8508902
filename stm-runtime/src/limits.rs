//! What a kind states about itself and an attempt must keep to: loop iterations, and accesses inside loops.
//!
//! The rule for accesses: where `max_accesses` is stated, the distinct elements whose first access stands in a loop count
//! against it. Every engine counts in this way, so that a transaction faults on all of them or on none.

use kernels_gen::fault::FaultCode;
use kernels_gen::spec::{KindSpec, SiteKind};

use crate::keymap::KeyMap;
use crate::tx::Abort;

/// The limits of the running kind, and what its attempt used of them.
#[derive(Debug)]
pub(crate) struct Limits {
    kind: Option<&'static KindSpec>,
    iterations_left: u32,
    /// Accesses are counted: the kind states their number.
    counts: bool,
    /// Elements met so far.
    met: KeyMap,
    in_loops: u32,
}

impl Limits {
    pub(crate) fn new() -> Limits {
        Limits { kind: None, iterations_left: u32::MAX, counts: false, met: KeyMap::default(), in_loops: 0 }
    }

    /// Starts an attempt of a kind.
    #[inline]
    pub(crate) fn begin(&mut self, kind: &'static KindSpec) {
        self.kind = Some(kind);
        self.iterations_left = kind.max_iterations;
        self.counts = kind.facts.stated;
        if self.counts {
            self.met.clear();
            self.in_loops = 0;
        }
    }

    /// Counts a loop iteration.
    #[inline]
    pub(crate) fn iteration(&mut self, site: u32) -> Result<(), Abort> {
        match self.iterations_left.checked_sub(1) {
            Some(left) => {
                self.iterations_left = left;
                Ok(())
            }
            None => Err(Abort::fault(FaultCode::TooManyIterations, site)),
        }
    }

    /// Accesses are counted.
    #[inline]
    pub(crate) fn counts(&self) -> bool {
        self.counts
    }

    /// Counts an access to an element that exists.
    pub(crate) fn access(&mut self, region: u32, index: u64, site: u32) -> Result<(), Abort> {
        let (Some(kind), true) = (self.kind, self.met.insert(u64::from(region) << 48 | index, 0)) else {
            return Ok(());
        };
        let in_loop = kind.sites.get(site as usize).is_some_and(|site| {
            matches!(site.what, SiteKind::Read { in_loop: true } | SiteKind::Write { in_loop: true })
        });
        self.in_loops += u32::from(in_loop);
        if in_loop && self.in_loops > kind.facts.indexed {
            return Err(Abort::fault(FaultCode::TooManyAccesses, site));
        }
        Ok(())
    }
}
