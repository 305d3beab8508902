//! What a call returns whose argument is the name of a value or of a reference: rustc finds which of the two the function takes.

use std::marker::PhantomData;

use super::method::never;

/// A call, as a closure of that argument, and the type of the value.
#[derive(Debug)]
pub struct Applied<F, A>(PhantomData<(F, A)>);

/// Stands for the call.
#[must_use]
pub fn applied<F, A>(_: F, _: A) -> Applied<F, A> {
    never()
}

/// The function takes the value. rustc tries this first, because a parameter for types is never a reference.
pub trait ByValue<R> {
    #[doc(hidden)]
    fn stm_result(&self) -> R {
        never()
    }
}

impl<F: FnOnce(A) -> R, A, R> ByValue<R> for &&Applied<F, A> {}

/// The function takes a reference to the value.
pub trait ByReference<'a, R> {
    #[doc(hidden)]
    fn stm_result(&self) -> R {
        never()
    }
}

impl<'a, F: FnOnce(&'a A) -> R, A: 'a, R> ByReference<'a, R> for &Applied<F, A> {}

/// The function takes what has references inside.
pub trait ByOther<X, R> {
    #[doc(hidden)]
    fn stm_result(&self) -> R {
        never()
    }
}

impl<F: FnOnce(X) -> R, A, X, R> ByOther<X, R> for Applied<F, A> {}

/// Stands for what the call returns: a closure of the argument, and the value. As a macro it is short where expressions contain each other.
#[doc(hidden)]
#[macro_export]
macro_rules! stm_applied {
    ($call:expr, $value:expr) => {{
        use $crate::__private::callee::{ByOther as _, ByReference as _, ByValue as _};
        (&&&$crate::__private::callee::applied($call, $value)).stm_result()
    }};
}
