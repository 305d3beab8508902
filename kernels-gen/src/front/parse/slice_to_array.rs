//! `list[k..k + 4].try_into().unwrap()`: the array of that many elements.

use proc_macro2::{Literal, Span};
use quote::{ToTokens, quote_spanned};
use syn::{BinOp, Expr, ExprRange, RangeLimits};

use super::exchanged::is_plain;
use super::tree::strip;

/// The most elements that are written out.
const MOST: u64 = 64;

/// Returns the array, if the number of elements can be seen.
pub(super) fn written_out(expr: &Expr) -> Option<Expr> {
    let Expr::MethodCall(last) = expr else { return None };
    let Expr::MethodCall(call) = strip(&last.receiver) else { return None };
    let Expr::Index(part) = strip(&call.receiver) else { return None };
    let Expr::Range(range) = strip(&part.index) else { return None };
    let tried = call.method == "try_into" && call.args.is_empty();
    if !tried || !matches!(last.method.to_string().as_str(), "unwrap" | "expect") || !is_plain(&part.expr) {
        return None;
    }
    let (start, count) = elements(range)?;
    let (list, span) = (&part.expr, Span::mixed_site().located_at(call.method.span()));
    let each = (0..count).map(|k| {
        let k = Literal::u64_unsuffixed(k);
        match start {
            Some(start) => quote_spanned!(span=> #list[#start + #k]),
            None => quote_spanned!(span=> #list[#k]),
        }
    });
    // Rust computes the end first.
    let end = range.end.as_deref().filter(|end| matches!(strip(end), Expr::Binary(_)));
    let end = end.map(|end| quote_spanned!(span=> let _ = #end;));
    syn::parse2(quote_spanned!(span=> { #end [#(#each),*] })).ok()
}

/// Returns where a range begins, and its length: of `2..6`, `..4`, `k..k + 4`.
fn elements(range: &ExprRange) -> Option<(Option<&Expr>, u64)> {
    let end = range.end.as_deref().map(strip)?;
    let start = range.start.as_deref().map(strip);
    let of_start = |expr: &Expr| start.is_some_and(|start| source(strip(expr)) == source(start));
    let difference = match (number(end), end) {
        (Some(end), _) => end.checked_sub(start.map_or(Some(0), number)?)?,
        (None, Expr::Binary(sum)) if matches!(sum.op, BinOp::Add(_)) && of_start(&sum.left) => number(&sum.right)?,
        _ => return None,
    };
    let count = difference + u64::from(matches!(range.limits, RangeLimits::Closed(_)));
    (start.is_none_or(is_plain) && (1..=MOST).contains(&count)).then_some((start, count))
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
