//! What the threads of the CPU engine synchronize with: the standard library's, or loom's models of it under `--cfg loom`.

#[cfg(loom)]
pub(crate) use loom::{
    hint::spin_loop,
    sync::Mutex,
    sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
};

#[cfg(not(loom))]
pub(crate) use std::{
    hint::spin_loop,
    sync::Mutex,
    sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
};
