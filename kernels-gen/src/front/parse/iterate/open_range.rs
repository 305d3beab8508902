//! `for k in 0.. { if k == 8 { break; } .. }`: a range without an end, whose loop ends at a number that its body names. Written with that end,
//! its number of iterations is a constant.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{BinOp, Expr, ExprForLoop, Lit, Pat, Stmt};

use super::generated;
use crate::front::parse::tree::{FAULT, strip};

/// Returns the loop with an end; `None` where the body names none at its top.
pub(super) fn with_end(node: &ExprForLoop) -> Option<TokenStream> {
    let (Expr::Range(range), Pat::Ident(name)) = (strip(&node.expr), &*node.pat) else { return None };
    let start = range.start.as_ref().filter(|_| range.end.is_none())?;
    let first = number(start)?;
    let (before, end, op) = node.body.stmts.iter().enumerate().find_map(|(k, stmt)| {
        let Stmt::Expr(Expr::If(test), _) = stmt else { return None };
        let Expr::Binary(cond) = strip(&test.cond) else { return None };
        let is_counter = matches!(strip(&cond.left), Expr::Path(path) if path.path.is_ident(&name.ident));
        let leaves = match test.then_branch.stmts.last() {
            Some(Stmt::Expr(last, _)) => {
                matches!(last, Expr::Break(node) if node.label.is_none()) || matches!(last, Expr::Return(_))
            }
            _ => false,
        };
        let one = test.else_branch.is_none() && is_counter && leaves;
        one.then_some((k, &*cond.right, cond.op))
    })?;
    // Nothing leads around the test.
    if name.mutability.is_some() || has_continue(node.body.to_token_stream()) {
        return None;
    }
    let span = generated(node.for_token.span);
    let (label, pat, body) = (&node.label, &node.pat, &node.body);
    let whole = |last: TokenStream| quote_spanned!(span=> #label for #pat in #start..=#last #body);
    match (op, number(end)) {
        (BinOp::Eq(_) | BinOp::Ge(_), Some(last)) if last >= first => Some(whole(end.to_token_stream())),
        (BinOp::Gt(_), Some(last)) if last >= first && last < i128::from(u32::MAX) => {
            Some(whole(quote_spanned!(span=> #end + 1)))
        }
        (BinOp::Ge(_), None) if before == 0 && is_constant(end) => Some(whole(end.to_token_stream())),
        (BinOp::Eq(_), None) if is_constant(end) => {
            let (whole, fault) = (whole(end.to_token_stream()), proc_macro2::Ident::new(FAULT, span));
            Some(quote_spanned!(span=> { if #start > #end { #fault!("the loop does not end") } #whole }))
        }
        _ => None,
    }
}

fn number(expr: &Expr) -> Option<i128> {
    match strip(expr) {
        Expr::Lit(node) => match &node.lit {
            Lit::Int(int) => int.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

fn is_constant(expr: &Expr) -> bool {
    let last = match strip(expr) {
        Expr::Path(path) => path.path.segments.last(),
        Expr::Cast(node) => return is_constant(&node.expr),
        _ => None,
    };
    last.is_some_and(|last| !last.ident.to_string().chars().any(char::is_lowercase))
}

fn has_continue(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == "continue",
        TokenTree::Group(group) => has_continue(group.stream()),
        _ => false,
    })
}
