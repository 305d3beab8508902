//! The kinds of memory that the verbs of a transaction work on.
//!
//! The function of a transaction is compiled once for each kind. Two kinds are for the fast path: an access is a few instructions in
//! the function itself, and what takes more than that ends the attempt. Then the transaction takes the slow path, which can do
//! everything. So the functions of the fast path call nothing, and the compiler keeps addresses and values in registers from access to access.

use std::fmt::Debug;

use super::abort::Abort;
use super::access::Memory;
use super::attempt::Attempt;
use super::direct::Direct;
use super::prefetch::{Prefetcher, Touched};
use super::sequential::Sequential;
use crate::sync::AtomicU64;

/// A kind of memory. It is a type without a lifetime, so that functions for it are constants.
#[doc(hidden)]
pub trait Kind: Debug + 'static {
    /// The memory of a thread's transactions.
    type Memory<'a>: Memory;
}

/// The arrays of the threaded engine, under locks.
#[doc(hidden)]
#[derive(Debug)]
pub enum OnThreads {}

/// The arrays themselves, for one transaction at a time.
#[doc(hidden)]
#[derive(Debug)]
pub enum InPlace {}

/// Any memory: the slow path.
#[doc(hidden)]
#[derive(Debug)]
pub enum SlowPath {}

impl Kind for OnThreads {
    type Memory<'a> = Attempt<'a>;
}

impl Kind for InPlace {
    type Memory<'a> = Direct<'a>;
}

impl Kind for SlowPath {
    type Memory<'a> = AnyMemory<'a>;
}

/// Memory of any kind.
#[doc(hidden)]
#[derive(Debug)]
#[repr(u8)]
pub enum AnyMemory<'a> {
    /// The threaded engine.
    Threaded(Attempt<'a>),
    /// One transaction at a time, on the arrays themselves.
    Direct(Direct<'a>),
    /// One transaction at a time, on plain words: the reference.
    Alone(Sequential),
    /// No memory: the function only shows the elements that it will use.
    Prefetcher(Prefetcher<'a>),
}

impl Memory for AnyMemory<'_> {
    const IS_FAST: bool = false;

    #[inline]
    fn prepare(&mut self, for_update: u64) {
        match self {
            AnyMemory::Threaded(attempt) => attempt.prepare(for_update),
            AnyMemory::Direct(direct) => direct.prepare(for_update),
            AnyMemory::Alone(_) | AnyMemory::Prefetcher(_) => {}
        }
    }

    #[inline]
    fn begin(&mut self) {
        match self {
            AnyMemory::Threaded(attempt) => attempt.begin(),
            AnyMemory::Direct(direct) => direct.begin_slowly(),
            AnyMemory::Alone(_) | AnyMemory::Prefetcher(_) => {}
        }
    }

    fn read_at_once(&mut self, _: u32, _: u64, _: u32) -> Option<u64> {
        None
    }

    fn write_at_once(&mut self, _: u32, _: u64, _: u64, _: u32) -> bool {
        false
    }

    #[inline]
    fn read(&mut self, array: u32, index: u64, location: u32, is_last: bool) -> Result<u64, Abort> {
        match self {
            AnyMemory::Threaded(attempt) => attempt.read(array, index, location, is_last),
            AnyMemory::Direct(direct) => direct.read(array, index, location, is_last),
            AnyMemory::Alone(state) => state.read(array, index, location),
            AnyMemory::Prefetcher(prefetcher) => {
                prefetcher.collect(Touched { array, index, location, writes: false }, is_last)
            }
        }
    }

    #[inline]
    fn write(&mut self, array: u32, index: u64, word: u64, location: u32, is_last: bool) -> Result<(), Abort> {
        match self {
            AnyMemory::Threaded(attempt) => attempt.write(array, index, word, location, is_last),
            AnyMemory::Direct(direct) => direct.write(array, index, word, location, is_last),
            AnyMemory::Alone(state) => state.write(array, index, word, location),
            AnyMemory::Prefetcher(prefetcher) => {
                prefetcher.collect(Touched { array, index, location, writes: true }, is_last).map(|_| ())
            }
        }
    }

    #[inline]
    fn plain_row(&self, array: u32, index: u64, components: usize) -> Option<&[AtomicU64]> {
        if let AnyMemory::Direct(direct) = self { direct.plain_row(array, index, components) } else { None }
    }

    #[inline]
    fn has_rows(&self, array: u32, components: usize) -> bool {
        match self {
            AnyMemory::Threaded(attempt) => attempt.has_rows(array, components),
            _ => false,
        }
    }

    #[inline]
    fn read_row(&mut self, array: u32, index: u64, location: u32, words: &mut [u64]) -> Result<(), Abort> {
        match self {
            AnyMemory::Threaded(attempt) => attempt.read_row(array, index, location, words),
            _ => Err(Abort::NEEDS_SLOW_PATH),
        }
    }

    #[inline]
    fn write_row(&mut self, array: u32, index: u64, location: u32, words: &[u64]) -> Result<(), Abort> {
        match self {
            AnyMemory::Threaded(attempt) => attempt.write_row(array, index, location, words),
            _ => Err(Abort::NEEDS_SLOW_PATH),
        }
    }

    #[inline]
    fn commit(&mut self) -> Result<bool, Abort> {
        match self {
            AnyMemory::Threaded(attempt) => attempt.commit_slowly(),
            AnyMemory::Direct(direct) => direct.commit(),
            AnyMemory::Alone(_) | AnyMemory::Prefetcher(_) => Ok(false),
        }
    }

    #[inline]
    fn look(&mut self) -> Result<(), Abort> {
        match self {
            AnyMemory::Threaded(attempt) => attempt.look(),
            _ => Ok(()),
        }
    }

    #[inline]
    fn is_blind(&self) -> bool {
        matches!(self, AnyMemory::Prefetcher(_))
    }
}
