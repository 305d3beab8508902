//! Marks threads that work on a run or hold an array.
//!
//! Such a thread must not wait for an array: the run that holds the array may itself wait for this thread, directly or through
//! other runs. So a thread that is inside gets an error where other threads wait. Progress functions, the functions of
//! transactions, functions that lines are printed to, and the user code that these call all run inside.

use std::cell::Cell;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Keeps the current thread inside until it is dropped.
#[derive(Debug)]
pub(crate) struct Inside {
    was_inside: bool,
    /// Not `Send`: the mark belongs to the thread that set it.
    _here: std::marker::PhantomData<*const ()>,
}

/// Marks the current thread as inside.
pub(crate) fn enter() -> Inside {
    Inside { was_inside: INSIDE.replace(true), _here: std::marker::PhantomData }
}

/// Returns true if the current thread is inside.
pub(crate) fn is_inside() -> bool {
    INSIDE.get()
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.set(self.was_inside);
    }
}
