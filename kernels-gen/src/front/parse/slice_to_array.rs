//! The length of the array that `list[k..k + 4].try_into()` makes, where the range shows it and nothing else says it.

use proc_macro2::Literal;
use quote::ToTokens;
use syn::{BinOp, Expr, ExprRange, RangeLimits};

use super::exchanged::is_plain;
use super::tree::strip;

/// Writes the type of the array into such a call.
pub(super) fn length_written(expr: &mut Expr) {
    let Expr::MethodCall(call) = expr else { return };
    let Expr::Index(part) = strip(&call.receiver) else { return };
    let Expr::Range(range) = strip(&part.index) else { return };
    let is_open = call.method == "try_into" && call.args.is_empty() && call.turbofish.is_none();
    if let Some(length) = elements(range).filter(|_| is_open) {
        let length = Literal::u64_unsuffixed(length);
        call.turbofish = Some(syn::parse_quote!(::<[_; #length]>));
    }
}

/// Returns the length of a range: of `2..6`, `..4`, `k..k + 4`.
fn elements(range: &ExprRange) -> Option<u64> {
    let end = range.end.as_deref().map(strip)?;
    let start = range.start.as_deref().map(strip);
    let of_start = |expr: &Expr| start.is_some_and(|start| is_plain(start) && source(strip(expr)) == source(start));
    let difference = match (number(end), end) {
        (Some(end), _) => end.checked_sub(start.map_or(Some(0), number)?)?,
        (None, Expr::Binary(sum)) if matches!(sum.op, BinOp::Add(_)) && of_start(&sum.left) => number(&sum.right)?,
        _ => return None,
    };
    Some(difference + u64::from(matches!(range.limits, RangeLimits::Closed(_)))).filter(|length| *length > 0)
}

fn source(expr: &Expr) -> String {
    expr.to_token_stream().to_string()
}

fn number(expr: &Expr) -> Option<u64> {
    match strip(expr) {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => number.base10_parse().ok(),
        _ => None,
    }
}
