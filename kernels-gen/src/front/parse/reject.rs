//! What to say about Rust that has no meaning in a transaction, or none yet.

use syn::{Expr, Type};

use super::lower::{Lowering, Value};
use super::text;
use crate::front::diag::Rule;

impl Lowering<'_> {
    /// `what` cannot be used; `instead` can.
    pub(super) fn refuse(&mut self, at: &Expr, what: &str, instead: &str) -> Value {
        let message = format!("{what} cannot be used in a transaction; {instead}");
        self.diags.report(Rule::Expression, at, message);
        Value::Failed
    }

    /// An expression of a kind that is not in the language.
    pub(super) fn unsupported(&mut self, expr: &Expr) -> Value {
        let (what, instead) = describe(expr);
        self.refuse(expr, what, instead)
    }

    pub(super) fn unknown_macro(&mut self, mac: &syn::Macro) -> Value {
        let name = text::source(&mac.path);
        let instead = match name.as_str() {
            "println" | "print" | "eprintln" | "eprint" | "dbg" => {
                "an attempt can run many times and anywhere; write `gpu_println!(\"..\", ..)`, which prints on both devices"
            }
            "vec" => "the device has no heap; use an array, as in `[0; 8]`",
            "format" | "write" | "writeln" => "the device has no strings; return numbers with `TxResult<T>`",
            _ => {
                "write out what it stands for; known are `assert!`, `assert_eq!`, `assert_ne!`, `debug_assert!` and its \
                  kin, `panic!`, `unreachable!`, `todo!`, `unimplemented!`, `matches!`, `cfg!` and `gpu_println!`"
            }
        };
        self.diags.report(Rule::Macro, mac, format!("`{name}!` cannot be called in a transaction: {instead}"));
        Value::Failed
    }

    pub(super) fn bad_type(&mut self, ty: &Type) {
        self.diags.report(Rule::Type, ty, no_type(ty));
    }
}

/// What to say of a type that is none of the device.
pub(crate) fn no_type(ty: &Type) -> String {
    let name = text::type_source(ty);
    let last = match ty {
        Type::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default(),
        _ => String::new(),
    };
    let instead = match last.as_str() {
        "char" => "use `u32` for the number of a character",
        "i128" | "u128" => "the widest integers on the device are `i64` and `u64`",
        "f16" | "f128" => "the floats on the device are `f32` and `f64`",
        "str" | "String" => "the device has no strings; use numbers, and keep texts on the host",
        "Vec" | "Box" | "Rc" | "Arc" | "HashMap" => "the device has no heap; use an array or an array",
        _ if name.starts_with('[') => "an array has a constant length; write it, as in `[u32; 4]`",
        _ if name.starts_with('&') => "values are copied, so there are no references; remove the `&`",
        _ => {
            "use i8 to i64, u8 to u64, isize, usize, f32, f64, bool, tuples, arrays, `Option`, or a type with \
             `#[derive(GpuData)]`"
        }
    };
    format!("`{name}` is no type of the device; {instead}")
}

/// The kind of an expression in Rust's words, and the nearest thing that works.
fn describe(expr: &Expr) -> (&'static str, &'static str) {
    match expr {
        Expr::Async(_) | Expr::Await(_) => ("`async` code", "a transaction runs to its end; remove it"),
        Expr::Closure(_) => {
            ("a closure", "only `tx.update(array, index, |value| ..)?` takes one; write a `#[gpu_fn]` for other uses")
        }
        Expr::Const(_) => ("a `const` block", "name a constant that is declared outside"),
        Expr::Infer(_) => ("`_` as an expression", "write a value, or `let _ = value`"),
        Expr::Let(_) => ("`let` in an expression", "it belongs directly after `if` or `while`, joined by `&&`"),
        Expr::Range(_) => ("a range outside of `for`", "use it as in `for i in 0..n`"),
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
