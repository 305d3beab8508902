//! The calls that a choice of arrays is written out in.

use syn::{Expr, ExprGroup};

use super::name_of;
use crate::front::parse::tree::{TRIED, strip};

/// Returns whether an expression is `[a, b][1]`, with a number that the list has.
pub(super) fn is_constant_choice(expr: &Expr) -> bool {
    let Expr::Index(node) = strip(expr) else { return false };
    let (Expr::Array(list), Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(at), .. })) =
        (strip(&node.expr), strip(&node.index))
    else {
        return false;
    };
    at.base10_parse::<usize>().is_ok_and(|at| at < list.elems.len())
}

/// Returns the call with the array in place of the name.
pub(super) fn with(call: &Expr, name: &str, array: &Expr) -> Expr {
    let mut call = call.clone();
    let has_receiver = matches!(strip(&call), Expr::MethodCall(_));
    for (at, arg) in arguments(&mut call).into_iter().enumerate() {
        // Before a method, `&` would belong to all of the call.
        let whole = matches!(arg, Expr::Path(_)) && !(has_receiver && at == 0);
        if let Some(named) = root(arg).filter(|root| name_of(root).as_deref() == Some(name)) {
            let array = match strip(array) {
                Expr::Reference(node) if !whole => &node.expr,
                _ => array,
            };
            // A group, which rustc does not take for unnecessary parentheses.
            *named = Expr::Group(ExprGroup {
                attrs: Vec::new(),
                group_token: syn::token::Group::default(),
                expr: Box::new(array.clone()),
            });
        }
    }
    call
}

/// Returns the arguments of a call, with the receiver of a method, also before a `?`.
pub(super) fn arguments(expr: &mut Expr) -> Vec<&mut Expr> {
    match expr {
        Expr::Try(node) => arguments(&mut node.expr),
        Expr::Paren(node) => arguments(&mut node.expr),
        Expr::Call(node) => node.args.iter_mut().collect(),
        Expr::MethodCall(node) => match node.method == TRIED {
            true => arguments(&mut node.receiver),
            false => std::iter::once(&mut *node.receiver).chain(&mut node.args).collect(),
        },
        _ => Vec::new(),
    }
}

/// Returns the array in `&array.field` and `&array.marks[k]`, or the whole.
pub(super) fn fields_of(expr: &mut Expr) -> &mut Expr {
    if !is_of_field(expr) {
        return expr;
    }
    match expr {
        Expr::Reference(node) => fields_of(&mut node.expr),
        Expr::Index(node) => fields_of(&mut node.expr),
        Expr::Field(node) => fields_of(&mut node.base),
        other => other,
    }
}

fn is_of_field(expr: &Expr) -> bool {
    match expr {
        Expr::Field(_) => true,
        Expr::Reference(node) => is_of_field(&node.expr),
        Expr::Index(node) => is_of_field(&node.expr),
        _ => false,
    }
}

/// Returns the name in `rows`, `&rows`, `&rows.field` and `&rows.marks[k]`.
pub(super) fn root(expr: &mut Expr) -> Option<&mut Expr> {
    match expr {
        Expr::Reference(node) => root(&mut node.expr),
        Expr::Field(node) => root(&mut node.base),
        // An element of a field, which is an array of its own.
        Expr::Index(node) => match &*node.expr {
            Expr::Field(_) | Expr::Index(_) => root(&mut node.expr),
            _ => None,
        },
        Expr::Paren(node) => root(&mut node.expr),
        Expr::Path(_) => Some(expr),
        _ => None,
    }
}
