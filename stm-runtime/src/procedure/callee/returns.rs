//! Functions of traits without a receiver: what they return says of which type a call is.

use std::marker::PhantomData;

use super::method::Run;
use crate::tx::{Abort, Kind, Tx};

/// The host version of such a function. rustc knows `R` before it knows `F`, which depends on the type.
#[derive(Debug)]
pub struct Returns<R, F> {
    run: F,
    result: PhantomData<fn() -> R>,
}

impl<R, F> Returns<R, F> {
    /// Returns this host version.
    #[inline(always)]
    pub fn new(run: F) -> Self {
        Returns { run, result: PhantomData }
    }
}

#[diagnostic::do_not_recommend]
impl<K: Kind, R, F: FnOnce(u32, &mut Tx<'_, K>) -> Result<R, Abort>> Run<K, R> for Returns<R, F> {
    #[inline(always)]
    fn run(self, base: u32, tx: &mut Tx<'_, K>) -> Result<R, Abort> {
        (self.run)(base, tx)
    }
}
