//! Parts of arrays as arguments: `&list[1..3]` becomes an array of these elements. After `&mut`, a variable has them during the call, and
//! they go back into the array behind it: meanwhile rustc lets nothing else use the array.

use proc_macro2::{Ident, Literal, Span};
use quote::{format_ident, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprReference, Lit, RangeLimits, Token};

use super::exchanged::is_plain;
use super::iterate::ArrayNames;
use super::tree::{PART, strip};

/// The most elements of a part.
const MOST: u64 = 1024;

/// Returns a call, perhaps with `?`, whose arguments are whole arrays; `None` for other expressions.
pub(super) fn written_out(expr: &Expr, arrays: &ArrayNames) -> Option<Expr> {
    let mut call = expr.clone();
    let args = arguments(&mut call)?;
    let part = |arg: &Expr| Some((reference(arg)?.mutability.is_some(), part_of(reference(arg)?, arrays)?));
    let parts: Vec<_> = args.iter().map(part).collect();
    if parts.iter().all(Option::is_none) {
        return None;
    }
    let changes = parts.iter().flatten().any(|(exclusive, _)| *exclusive);
    let span = Span::mixed_site().located_at(expr.span());
    let (mut before, mut after) = (quote_spanned!(span=>), quote_spanned!(span=>));
    for (number, (arg, part)) in args.iter_mut().zip(parts).enumerate() {
        let name = format_ident!("{PART}{number}", span = span);
        match part {
            Some((exclusive, (array, elements))) => {
                let elements: Vec<_> = elements.map(|k| Literal::usize_unsuffixed(k as usize)).collect();
                let value = quote_spanned!(span=> [#(#array[#elements]),*]);
                if !exclusive {
                    *arg = syn::parse2(quote_spanned!(span=> &#value)).ok()?;
                    continue;
                }
                before.extend(quote_spanned!(span=> let mut #name = #value;));
                *arg = syn::parse2(quote_spanned!(span=> &mut #name)).ok()?;
                let own = (0..elements.len()).map(Literal::usize_unsuffixed);
                after.extend(quote_spanned!(span=> #(#array[#elements] = #name[#own];)*));
            }
            // Rust evaluates the arguments in their order.
            None if changes && !is_plain(reference(arg).map_or(arg, |node| &node.expr)) => {
                before.extend(quote_spanned!(span=> let #name = #arg;));
                *arg = syn::parse2(quote_spanned!(span=> #name)).ok()?;
            }
            None => {}
        }
    }
    if !changes {
        return Some(call);
    }
    let result = Ident::new(&format!("{PART}result"), span);
    syn::parse2(quote_spanned!(span=> { #before let #result = #call; #after #result })).ok()
}

fn arguments(call: &mut Expr) -> Option<&mut Punctuated<Expr, Token![,]>> {
    match call {
        Expr::Call(node) => Some(&mut node.args),
        Expr::MethodCall(node) => Some(&mut node.args),
        Expr::Try(node) if !matches!(*node.expr, Expr::Try(_)) => arguments(&mut node.expr),
        _ => None,
    }
}

fn reference(expr: &Expr) -> Option<&ExprReference> {
    match strip(expr) {
        Expr::Reference(node) => Some(node),
        _ => None,
    }
}

/// Returns the array and the indices of `array[1..3]`, if its bounds are numbers.
fn part_of(node: &ExprReference, arrays: &ArrayNames) -> Option<(Expr, std::ops::Range<u64>)> {
    let Expr::Index(index) = strip(&node.expr) else { return None };
    let Expr::Range(range) = strip(&index.index) else { return None };
    let array = (*index.expr).clone();
    let start = range.start.as_ref().map_or(Some(0), |start| number(start))?;
    let end = match &range.end {
        Some(end) => number(end)? + u64::from(matches!(range.limits, RangeLimits::Closed(_))),
        None => number(&arrays.length(&array)?)?,
    };
    (is_plain(&array) && start <= end && end - start <= MOST).then_some((array, start..end))
}

fn number(expr: &Expr) -> Option<u64> {
    match strip(expr) {
        Expr::Lit(syn::ExprLit { lit: Lit::Int(int), .. }) => int.base10_parse::<u32>().ok().map(u64::from),
        _ => None,
    }
}
