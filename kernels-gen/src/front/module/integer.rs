//! Whole numbers in a source file.

use syn::{Expr, ExprLit, ExprUnary, Lit, UnOp};

use super::error::{ModuleError, wrong};

/// Returns a whole number, perhaps with a sign.
pub(super) fn integer(expr: &Expr) -> Result<i128, ModuleError> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Int(value), .. }) => {
            value.base10_parse().map_err(|error| ModuleError(error.to_string()))
        }
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => integer(expr).map(|value| -value),
        Expr::Paren(inner) => integer(&inner.expr),
        _ => wrong("a constant expression that is no whole number"),
    }
}
