//! The synchronization primitives of the CPU engine: the standard library's, or loom's models of them under `--cfg loom`.

#[cfg(loom)]
pub(crate) use loom::{
    hint::spin_loop,
    sync::Mutex,
    sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence},
    thread::yield_now,
};

#[cfg(not(loom))]
pub(crate) use std::{
    hint::spin_loop,
    sync::Mutex,
    sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence},
    thread::yield_now,
};
