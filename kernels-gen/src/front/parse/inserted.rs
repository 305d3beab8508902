//! Methods of `Option` that give a `&mut` reference to its value: `get_or_insert`, and `as_mut` where patterns examine it. No other type
//! has them by chance; if one has, rustc says so.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Block, Expr, ExprMethodCall, Pat, Stmt};

use super::exchanged::is_plain;
use super::tree::{FAULT, PART, strip};

/// A call of `get_or_insert` or `get_or_insert_with`.
struct Inserted<'e> {
    option: &'e Expr,
    /// The statement that makes it `Some`.
    before: TokenStream,
    span: Span,
}

impl Inserted<'_> {
    fn of(expr: &Expr) -> Option<Inserted<'_>> {
        let Expr::MethodCall(call) = strip(expr) else { return None };
        let (option, span) = (strip(&call.receiver), Span::mixed_site().located_at(call.method.span()));
        let first = call.args.first().filter(|_| call.args.len() == 1 && is_plain(option))?;
        let new = Ident::new(&format!("{PART}new"), span);
        let before = match (call.method.to_string().as_str(), strip(first)) {
            ("get_or_insert", value) => {
                quote_spanned!(span=> let #new = #value; if #option.is_none() { #option = Some(#new); })
            }
            ("get_or_insert_with", Expr::Closure(with)) if with.inputs.is_empty() => {
                let value = &with.body;
                quote_spanned!(span=> if #option.is_none() { #option = Some(#value); })
            }
            ("get_or_insert_with", Expr::Path(with)) => {
                quote_spanned!(span=> if #option.is_none() { #option = Some(#with()); })
            }
            _ => return None,
        };
        Some(Inserted { option, before, span })
    }
}

/// Writes out `let count = option.get_or_insert(0);`, whose name stands for the value in its place.
pub(super) fn lets(block: &mut Block) {
    let one = |stmt: Stmt| {
        let Stmt::Local(local) = &stmt else { return vec![stmt] };
        let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init) else { return vec![stmt] };
        let Some(Inserted { option, before, span }) = Inserted::of(&init.expr) else { return vec![stmt] };
        let fault = Ident::new(FAULT, span);
        let new = quote_spanned! {span=>
            { #before }
            let Some(#name) = &mut #option else { #fault!("called `unwrap` on `None`") };
        };
        let written: Option<Block> = syn::parse2(quote_spanned!(span=> { #new })).ok();
        written.map_or_else(|| vec![stmt], |written| written.stmts)
    };
    block.stmts = std::mem::take(&mut block.stmts).into_iter().flat_map(one).collect();
}

/// Writes out `option.get_or_insert(value)`, also where it is assigned to.
pub(super) fn written_out(expr: &Expr) -> Option<Expr> {
    let left = match expr {
        Expr::Assign(node) => &node.left,
        Expr::Binary(node) if is_assignment(&node.op) => &node.left,
        _ => {
            let Inserted { option, before, span } = Inserted::of(expr)?;
            return syn::parse2(quote_spanned!(span=> { #before #option.unwrap() })).ok();
        }
    };
    let Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr: inner, .. }) = strip(left) else { return None };
    let Inserted { option, before, span } = Inserted::of(inner)?;
    let [place, value] = ["place", "value"].map(|name| Ident::new(&format!("{PART}{name}"), span));
    let (op, right) = match expr {
        Expr::Assign(node) => (quote_spanned!(span=> =), &node.right),
        Expr::Binary(node) => (quote::ToTokens::to_token_stream(&node.op), &node.right),
        _ => return None,
    };
    let tokens = quote_spanned! {span=> {
        let #value = #right;
        #before
        if let Some(#place) = &mut #option { *#place #op #value; }
    }};
    syn::parse2(tokens).ok()
}

/// Writes `option.as_mut()` as `&mut option` where patterns examine it, and `list.iter_mut().find(..)` as `list.get_mut(..)`.
pub(super) fn examined(value: &mut Expr) {
    if let Some(new) = found(value) {
        *value = new;
        return;
    }
    let Expr::MethodCall(ExprMethodCall { receiver, method, args, .. }) = strip(value) else { return };
    if method == "as_mut" && args.is_empty() && is_plain(receiver) {
        let span = value.span();
        if let Ok(new) = syn::parse2(quote_spanned!(span=> &mut #receiver)) {
            *value = new;
        }
    }
}

fn found(value: &Expr) -> Option<Expr> {
    let Expr::MethodCall(ExprMethodCall { receiver, method, args, .. }) = strip(value) else { return None };
    let (Expr::MethodCall(of), "find", 1) = (strip(receiver), method.to_string().as_str(), args.len()) else {
        return None;
    };
    let list = &of.receiver;
    if of.method != "iter_mut" || !of.args.is_empty() || !is_plain(list) {
        return None;
    }
    let span = Span::mixed_site().located_at(method.span());
    syn::parse2(quote_spanned!(span=> #list.get_mut(#list.iter().position(#args).unwrap_or(usize::MAX)))).ok()
}

fn is_assignment(op: &syn::BinOp) -> bool {
    quote::ToTokens::to_token_stream(op).to_string().trim_end().ends_with('=')
        && !matches!(op, syn::BinOp::Eq(_) | syn::BinOp::Ne(_) | syn::BinOp::Le(_) | syn::BinOp::Ge(_))
}
