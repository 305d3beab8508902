//! What to say about Rust that has no meaning in a transaction, or none yet.

use quote::ToTokens;
use syn::{Expr, Type};

use super::lower::{Lowering, Value};
use super::text;
use crate::diag::Rule;

impl Lowering<'_> {
    /// `what` cannot be used; `instead` can.
    pub(super) fn refuse(&mut self, at: &Expr, what: &str, instead: &str) -> Value {
        let message = format!("{what} cannot be used in a transaction in this version; {instead}");
        self.diags.report(Rule::Expression, at, message);
        Value::Failed
    }

    /// An expression of a kind that is not in the language.
    pub(super) fn unsupported(&mut self, expr: &Expr) -> Value {
        match expr {
            Expr::Macro(node) => self.macro_call(&node.mac),
            Expr::Call(node) => self.call(expr, node),
            Expr::Index(node) => {
                let (array, index) = (text::source(&node.expr), text::source(&node.index));
                let message = format!(
                    "indexing cannot be used in a transaction: the engine has to see each access; \
                     write `tx.read({array}, {index})?`"
                );
                self.diags.report(Rule::Expression, expr, message);
                Value::Failed
            }
            _ => {
                let (what, instead) = describe(expr);
                self.refuse(expr, what, instead)
            }
        }
    }

    pub(super) fn macro_call(&mut self, mac: &syn::Macro) -> Value {
        let name = text::source(&mac.path);
        let instead = match name.as_str() {
            "println" | "print" | "eprintln" | "eprint" | "dbg" => {
                "an attempt can run many times, and the device has no console; return the value with `TxResult<T>`"
            }
            "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq" | "debug_assert_ne" | "panic"
            | "unreachable" | "todo" | "unimplemented" => {
                "the device cannot unwind; write `if !condition { tx.reject(code)?; }`"
            }
            "matches" => "compare with `==`",
            _ => "write out what it stands for",
        };
        self.diags.report(Rule::Macro, mac, format!("`{name}!` cannot be called in a transaction: {instead}"));
        Value::Failed
    }

    fn call(&mut self, expr: &Expr, call: &syn::ExprCall) -> Value {
        let name = text::source(&call.func);
        let (rule, message) = if self.signature.name == name {
            let message = format!("`{name}` calls itself, and the device has no stack for that; write a loop");
            (Rule::Recursion, message)
        } else if name == "Ok" {
            let message = "`Ok(..)` is the result of the whole transaction; use it at the end or after `return`";
            (Rule::Result, message.to_owned())
        } else if name == "Err" {
            (Rule::Result, "an error is not made by hand; to give up for good, write `tx.reject(code)?`".to_owned())
        } else if let [argument] = call.args.iter().collect::<Vec<_>>().as_slice()
            && let Some(target) = name.strip_suffix("::from")
            && crate::spec::Scalar::from_rust(target).is_some()
        {
            let message =
                format!("`{name}` cannot be called in a transaction; write `{} as {target}`", text::source(argument));
            (Rule::Call, message)
        } else {
            let message = format!(
                "`{name}` cannot be called in a transaction, because its code is not known here; \
                 write its body here, or pass its result as a parameter"
            );
            (Rule::Call, message)
        };
        self.diags.report(rule, expr, message);
        Value::Failed
    }

    pub(super) fn bad_type(&mut self, ty: &Type) {
        let name = ty.to_token_stream().to_string().replace(' ', "");
        let instead = match name.as_str() {
            "char" => "use `u32` for the number of a character",
            "i128" | "u128" => "the widest integers on the device are `i64` and `u64`",
            "f16" | "f128" => "the floats on the device are `f32` and `f64`",
            "_" => "leave the type out, and it is inferred",
            _ => "use one of i8 to i64, u8 to u64, isize, usize, f32, f64, bool",
        };
        let message = format!("`{name}` is no type of a transaction in this version; {instead}");
        self.diags.report(Rule::Type, ty, message);
    }
}

/// The kind of an expression in Rust's words, and the nearest thing that works.
fn describe(expr: &Expr) -> (&'static str, &'static str) {
    match expr {
        Expr::Array(_) | Expr::Repeat(_) => ("an array", "use one variable for each element"),
        Expr::Async(_) | Expr::Await(_) => ("`async` code", "a transaction runs to its end; remove it"),
        Expr::Block(_) => ("a labelled block", "use `if`/`else`, or label a loop"),
        Expr::Closure(_) => ("a closure", "write its body at the place where it would be called"),
        Expr::Const(_) => ("a `const` block", "write the value"),
        Expr::Field(_) => ("a field access", "records are not there yet; use one region for each field"),
        Expr::Infer(_) => ("`_` as an expression", "write a value, or `let _ = value`"),
        Expr::Let(_) => ("`if let` and `while let`", "use `if` with a comparison"),
        Expr::Match(_) => ("`match`", "use `if`/`else if`/`else`"),
        Expr::Range(_) => ("a range outside of `for`", "use it as in `for i in 0..n`"),
        Expr::RawAddr(_) | Expr::Reference(_) => ("a reference", "values are passed by value; remove the `&`"),
        Expr::Struct(_) => ("a record", "use one variable for each field"),
        Expr::TryBlock(_) => ("a `try` block", "`?` ends the attempt; remove the block"),
        Expr::Tuple(_) => ("a tuple", "use one variable for each part"),
        Expr::Unsafe(_) => ("`unsafe`", "the body of a transaction is checked as a whole; remove it"),
        Expr::Yield(_) => ("`yield`", "a transaction runs to its end; remove it"),
        _ => ("this expression", "use literals, variables, operators, `if`, loops, and the methods of `tx`"),
    }
}
