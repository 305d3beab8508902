//! `split_at`, `split_first` and `split_last` of arrays: each is a `let` of parts.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprMethodCall, ItemFn, Pat, Stmt};

use super::tree::{GENERATED, strip};

/// Writes out the `let` and `if let` statements of a function that split an array.
pub(super) fn written_out(item: &mut ItemFn) {
    Splits(0).visit_block_mut(&mut item.block);
}

struct Splits(u32);

impl VisitMut for Splits {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let mut stmts = Vec::new();
        for stmt in std::mem::take(&mut block.stmts) {
            match self.of_let(&stmt).and_then(|tokens| syn::parse2::<Block>(quote!({ #tokens })).ok()) {
                Some(new) => stmts.extend(new.stmts),
                None => stmts.push(stmt),
            }
        }
        block.stmts = stmts;
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_expr_if_mut(&mut self, node: &mut syn::ExprIf) {
        if let Expr::Let(condition) = &*node.cond
            && let Some(pair) = inside(&condition.pat, "Some")
            && let Some((array, lets)) = first_or_last(pair, &condition.expr, condition.let_token.span)
        {
            let (span, then) = (generated(condition.let_token.span), &node.then_branch);
            if let (Ok(condition), Ok(then)) = (
                syn::parse2(quote_spanned!(span=> #array.len() != 0)),
                syn::parse2(quote_spanned!(span=> { #lets #then })),
            ) {
                (*node.cond, node.then_branch) = (condition, then);
            }
        }
        visit_mut::visit_expr_if_mut(self, node);
    }
}

impl Splits {
    fn of_let(&mut self, stmt: &Stmt) -> Option<TokenStream> {
        let Stmt::Local(local) = stmt else { return None };
        let (init, span) = (local.init.as_ref()?, generated(local.let_token.span));
        if let Some((_, other)) = &init.diverge {
            let (array, lets) = first_or_last(inside(&local.pat, "Some")?, &init.expr, local.let_token.span)?;
            return Some(quote_spanned!(span=> if #array.len() == 0 #other #lets));
        }
        let Expr::MethodCall(call) = strip(&init.expr) else { return None };
        if call.method == "unwrap" {
            let (array, lets) = first_or_last(&local.pat, &call.receiver, local.let_token.span)?;
            return Some(quote_spanned!(span=> assert!(#array.len() != 0); #lets));
        }
        let (array, [left, right]) = (place(call)?, pair(&local.pat)?);
        let at = call.args.first().filter(|_| call.method == "split_at")?;
        self.0 += 1;
        let name = Ident::new(&format!("{GENERATED}split_{}", self.0), span);
        let left = name_of(left, &quote_spanned!(span=> &#array[..#name]), span)?;
        let right = name_of(right, &quote_spanned!(span=> &#array[#name..]), span)?;
        Some(quote_spanned!(span=> let #name: usize = #at; #left #right))
    }
}

/// Returns the array of `array.split_first()`, and the declarations of what the pattern of the pair names.
fn first_or_last<'e>(pat: &Pat, expr: &'e Expr, at: Span) -> Option<(&'e Expr, TokenStream)> {
    let (Expr::MethodCall(call), [one, rest], span) = (strip(expr), pair(pat)?, generated(at)) else { return None };
    let array = place(call).filter(|_| call.args.is_empty())?;
    let (element, part) = match call.method.to_string().as_str() {
        "split_first" => (quote_spanned!(span=> &#array[0]), quote_spanned!(span=> &#array[1..])),
        "split_last" => {
            let last = quote_spanned!(span=> #array.len() - 1);
            (quote_spanned!(span=> &#array[#last]), quote_spanned!(span=> &#array[..#last]))
        }
        _ => return None,
    };
    let rest = name_of(rest, &part, span)?;
    let (one, value) = match one {
        Pat::Reference(node) => (&*node.pat, quote_spanned!(span=> *#element)),
        one => (one, element),
    };
    let value = if let Pat::Ident(_) | Pat::Wild(_) = one { value } else { return None };
    Some((array, quote_spanned!(span=> let #one = #value; #rest)))
}

fn name_of(pat: &Pat, part: &TokenStream, span: Span) -> Option<TokenStream> {
    match pat {
        Pat::Wild(_) => Some(quote_spanned!(span=> let _ = #part;)),
        Pat::Ident(name) if name.subpat.is_none() => Some(quote_spanned!(span=> let #name = #part;)),
        _ => None,
    }
}

/// Returns the receiver, if it is a variable or a field of one.
fn place(call: &ExprMethodCall) -> Option<&Expr> {
    fn is_place(expr: &Expr) -> bool {
        match strip(expr) {
            Expr::Path(path) => path.path.get_ident().is_some(),
            Expr::Field(node) => is_place(&node.base),
            _ => false,
        }
    }
    Some(strip(&call.receiver)).filter(|receiver| is_place(receiver))
}

fn inside<'p>(pat: &'p Pat, variant: &str) -> Option<&'p Pat> {
    match pat {
        Pat::TupleStruct(node) if node.path.is_ident(variant) => node.elems.first(),
        _ => None,
    }
}

fn pair(pat: &Pat) -> Option<[&Pat; 2]> {
    match pat {
        Pat::Tuple(node) => match node.elems.iter().collect::<Vec<_>>().as_slice() {
            [one, two] => Some([*one, *two]),
            _ => None,
        },
        _ => None,
    }
}

fn generated(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}
