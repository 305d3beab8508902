//! The errors for Rust that has no meaning in a transaction, or none yet.

use syn::{Expr, Type};

use super::lower::{Lowered, Lowering};
use super::text;
use super::types::no_type;
use crate::front::diag::Rule;

impl Lowering<'_> {
    /// Reports that `what` cannot be used, and that `instead` can.
    pub(super) fn refuse(&mut self, at: &Expr, what: &str, instead: &str) -> Lowered {
        let message = format!("{what} cannot be used in a transaction; {instead}");
        self.diags.report(Rule::Expression, at, message);
        Lowered::Failed
    }

    /// Reports an expression of a kind that is not in the language.
    pub(super) fn unsupported(&mut self, expr: &Expr) -> Lowered {
        let (what, instead) = describe(expr);
        self.refuse(expr, what, instead)
    }

    pub(super) fn unknown_macro(&mut self, mac: &syn::Macro) -> Lowered {
        let name = text::source(&mac.path);
        let instead = match name.as_str() {
            "println" | "print" | "eprintln" | "eprint" | "dbg" => {
                "an attempt can run many times and anywhere; write `gpu_println!(\"..\", ..)`, which prints on both devices"
            }
            "vec" => "the device has no heap; use an array, as in `[0; 8]`",
            "format" | "write" | "writeln" => "the device has no strings; return numbers with `TxResult<T>`",
            _ => {
                "write the code itself; the allowed macros are `assert!`, `assert_eq!`, `assert_ne!`, the `debug_` forms, \
`panic!`, `unreachable!`, `todo!`, `unimplemented!`, `matches!`, `cfg!` and `gpu_println!`"
            }
        };
        self.diags.report(Rule::Macro, mac, format!("`{name}!` cannot be called in a transaction: {instead}"));
        Lowered::Failed
    }

    pub(super) fn bad_type(&mut self, ty: &Type) {
        self.diags.report(Rule::Type, ty, no_type(ty));
    }
}

/// Returns the kind of an expression in Rust's words, and the nearest thing that works.
fn describe(expr: &Expr) -> (&'static str, &'static str) {
    match expr {
        Expr::Async(_) | Expr::Await(_) => ("`async` code", "a transaction runs to its end; remove it"),
        Expr::Closure(_) => {
            let instead = "iterators, `Option` and `tx.update` take one; `let name = |x| ..` is written out where it is called, if it has no \
                           `move`, `return` and `?`, and if its name and those of the variables that it uses are declared once; or write a `#[gpu_fn]`";
            ("a closure here", instead)
        }
        Expr::Const(_) => ("a `const` block", "name a constant that is declared outside"),
        Expr::Infer(_) => ("`_` as an expression", "write a value, or `let _ = value`"),
        Expr::Let(_) => ("`let` in an expression", "it belongs directly after `if` or `while`, joined by `&&`"),
        Expr::Range(_) => (
            "a range here",
            "use it as in `for i in 0..n`; a part of an array has numbers as bounds, as in `total(&list[1..3])`, or is iterated over",
        ),
        Expr::Reference(node) if node.mutability.is_some() => (
            "`&mut` here",
            "it stands in a `let`, as in `let part = &mut list[2];`, which names the place itself, or is an argument of a `#[gpu_fn]`",
        ),
        Expr::RawAddr(_) | Expr::Reference(_) => (
            "a reference",
            "values are copied: remove the `&`; only `&mut` arguments of a `#[gpu_fn]` and arrays have one",
        ),
        Expr::TryBlock(_) => ("a `try` block", "`?` ends the attempt; remove the block"),
        Expr::Unsafe(_) => ("`unsafe`", "the body of a transaction is checked as a whole; remove it"),
        Expr::Yield(_) => ("`yield`", "a transaction runs to its end; remove it"),
        _ => ("this expression", "use literals, variables, operators, calls of `#[gpu_fn]`, `if`, `match` and loops"),
    }
}
