//! The ends of conditions: the expressions whose values one of `if`, `match` and blocks can give.

use syn::{Expr, Ident, Stmt};

use super::tree::{FAULT, strip};

/// Returns the ends of an expression that give a value; `None` if one of its ends gives `()`.
pub(super) fn ends(expr: &Expr) -> Option<Vec<&Expr>> {
    let mut found = Vec::new();
    collect(expr, &mut found).then_some(found)
}

fn collect<'e>(expr: &'e Expr, found: &mut Vec<&'e Expr>) -> bool {
    match strip(expr) {
        other if leaves(other) => true,
        Expr::If(node) => {
            let Some((_, other)) = &node.else_branch else { return false };
            last(&node.then_branch, found) && collect(other, found)
        }
        Expr::Match(node) => node.arms.iter().all(|arm| collect(&arm.body, found)),
        Expr::Block(node) if node.label.is_none() => last(&node.block, found),
        end => {
            found.push(end);
            true
        }
    }
}

fn last<'e>(block: &'e syn::Block, found: &mut Vec<&'e Expr>) -> bool {
    match block.stmts.last() {
        Some(Stmt::Expr(last, None)) => collect(last, found),
        Some(Stmt::Expr(last, Some(_))) => leaves(last),
        _ => false,
    }
}

/// Returns whether an expression certainly leaves, and gives no value.
pub(super) fn leaves(expr: &Expr) -> bool {
    match strip(expr) {
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => true,
        Expr::Macro(node) => panics(&node.mac),
        Expr::Block(node) if node.label.is_none() => match node.block.stmts.last() {
            Some(Stmt::Expr(last, _)) => leaves(last),
            Some(Stmt::Macro(node)) => panics(&node.mac),
            _ => false,
        },
        _ => false,
    }
}

fn panics(mac: &syn::Macro) -> bool {
    let name = mac.path.get_ident().map(Ident::to_string).unwrap_or_default();
    [FAULT, "panic", "unreachable", "todo", "unimplemented"].contains(&name.as_str())
}
