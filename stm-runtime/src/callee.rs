//! What generated code asks of a function that a transaction calls: at compile time, so that rustc says at the call what is
//! wrong with it.

use kernels_gen::spec::Source;

/// The source of what did not compile.
pub const NOTHING: Source = Source { ir: &[], module: "", checked: false, types: &[], constants: &[], functions: &[] };

/// A function with `#[gpu_fn]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no `#[gpu_fn]`",
    label = "a transaction calls functions with `#[gpu_fn]`",
    note = "a transaction cannot call another one: move what both do into a function with `#[gpu_fn]`"
)]
pub trait Callee {
    /// How many sites it has, with those of the functions that it calls.
    const SITES: u32;
}

/// It returns a `TxResult`, as `?` behind the call says.
#[diagnostic::on_unimplemented(
    message = "`{Self}` returns no `TxResult`",
    label = "remove the `?`; at the end of a function, write `Ok(..)` around the call"
)]
pub trait Tries {
    #[doc(hidden)]
    const OK: () = ();
}

/// It returns no `TxResult`: there is no `?` behind the call.
#[diagnostic::on_unimplemented(
    message = "the result of `{Self}` is not passed on",
    label = "write `?` behind the call",
    note = "it returns a `TxResult`, and without `?` the attempt would go on after a conflict"
)]
pub trait Plain {
    #[doc(hidden)]
    const OK: () = ();
}

/// Its first parameter is the handle, as the call has it.
#[diagnostic::on_unimplemented(message = "`{Self}` takes no handle", label = "leave out the first argument")]
pub trait TakesTx {
    #[doc(hidden)]
    const OK: () = ();
}

/// It has no handle, as the call has none.
#[diagnostic::on_unimplemented(
    message = "`{Self}` takes the handle",
    label = "pass it as the first argument, as in `{Self}(tx, ..)`"
)]
pub trait TakesNoTx {
    #[doc(hidden)]
    const OK: () = ();
}

/// A type that the attribute of a generic transaction lists.
#[diagnostic::on_unimplemented(
    message = "the transaction is not compiled for `{Self}`",
    label = "not one of the types that its attribute lists",
    note = "add it there: `#[gpu_transaction(instantiate(.., {Self}))]`"
)]
pub trait Listed<Transaction> {}

/// Functions of which each calls the next, while their sites are counted.
#[derive(Debug)]
pub struct Chain<'a> {
    function: &'static str,
    outer: Option<&'a Chain<'a>>,
}

impl<'a> Chain<'a> {
    /// Nothing is counted yet.
    pub const EMPTY: Chain<'static> = Chain { function: "", outer: None };

    /// The function is called by the last one.
    #[must_use]
    pub const fn with(&'a self, function: &'static str) -> Chain<'a> {
        Chain { function, outer: Some(self) }
    }

    /// The function is in the chain already, so that its sites would be counted without end.
    #[must_use]
    pub const fn has(&self, function: &'static str) -> bool {
        let mut at = self;
        while let Some(outer) = at.outer {
            if order(at.function, function) == 0 {
                return true;
            }
            at = outer;
        }
        false
    }

    /// The chain starts with the function, which comes before all others: of each circle, one function reports it.
    #[must_use]
    pub const fn starts_with_least(&self, function: &'static str) -> bool {
        let (mut at, mut first) = (self, "");
        while let Some(outer) = at.outer {
            if order(at.function, function) < 0 {
                return false;
            }
            first = at.function;
            at = outer;
        }
        order(first, function) == 0
    }
}

/// Below, at or above 0, as `a` is less than, equal to or greater than `b`.
const fn order(a: &str, b: &str) -> i32 {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut k = 0;
    while k < a.len() && k < b.len() {
        if a[k] != b[k] {
            return a[k] as i32 - b[k] as i32;
        }
        k += 1;
    }
    a.len() as i32 - b.len() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_found_and_reported_once() {
        let (a, b);
        a = Chain::EMPTY.with("a");
        b = a.with("b");
        assert!(!Chain::EMPTY.has("a"));
        assert!(b.has("a") && b.has("b") && !b.has("c"));
        assert!(b.starts_with_least("a") && !b.starts_with_least("b"));
        let other = Chain::EMPTY.with("b");
        assert!(!other.with("a").starts_with_least("b"));
        assert!(order("ab", "abc") < 0 && order("b", "ab") > 0 && order("x", "x") == 0);
    }
}
