//! What the desugared tree has that no user writes, and small questions about the tree.

use syn::{Expr, Pat, PatIdent};

use super::text;

/// `stm_fault!("message")`: a panic.
pub(super) const FAULT: &str = "stm_fault";
/// `stm_print("format", a, b)`: `gpu_println!`.
pub(super) const PRINT: &str = "stm_print";
/// `stm_failed!()`: an expression whose error is reported already.
pub(super) const FAILED: &str = "stm_failed";
/// `stm_ordered(value)`: a value of a type that has `Ord`.
pub(super) const ORDERED: &str = "stm_ordered";
/// `Item::stm_into(value)`: `value.into()` where an `Item` is needed.
pub(crate) const INTO: &str = "stm_into";
/// The name of the index of `tx.update`.
pub(super) const INDEX: &str = "stm_index";
/// The prefix of the names of the parts of an assignment to several places.
pub(super) const PART: &str = "stm_part_";
/// In the `match` that a method of both `Option` and `Result` becomes: `Some` or `Ok`.
pub(crate) const GOOD: &str = "stm_it_good";
/// In such a `match`: `None`, or `Err` with its value.
pub(crate) const BAD: &str = "stm_it_bad";
/// `value.stm_tried()`: a `?` in a closure that is one of the function.
pub(super) const TRIED: &str = "stm_tried";
/// `value.stm_lost()`: a `?` in a closure, of the handle, that nothing passes on.
pub(super) const LOST: &str = "stm_lost";
/// The prefix of the names in the loops of iterators.
pub(super) const GENERATED: &str = "stm_it_";

/// Returns the expression without parentheses.
pub(super) fn strip(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(inner) => strip(&inner.expr),
        Expr::Group(inner) => strip(&inner.expr),
        other => other,
    }
}

/// Removes the invisible delimiters that come with a fragment of a `macro_rules!`.
pub(super) fn ungrouped(expr: Expr) -> Expr {
    match expr {
        Expr::Group(group) => ungrouped(*group.expr),
        expr => expr,
    }
}

/// Returns whether Rust's naming makes it a constant or variant instead of a variable. Where the naming misleads, rustc reports
/// an error: the printed pattern binds lower-case names in a form that no constant can have.
pub(crate) fn is_constant(ident: &PatIdent) -> bool {
    let name = text::plain(&ident.ident);
    ident.by_ref.is_none() && ident.mutability.is_none() && name.chars().next().is_some_and(char::is_uppercase)
}

/// Returns the variables that a pattern declares.
pub(super) fn names(pat: &Pat) -> Vec<String> {
    struct Finder(Vec<String>);
    impl<'ast> syn::visit::Visit<'ast> for Finder {
        fn visit_pat_ident(&mut self, node: &'ast PatIdent) {
            if !is_constant(node) {
                self.0.push(text::key(&node.ident));
            }
            syn::visit::visit_pat_ident(self, node);
        }
    }
    let mut finder = Finder(Vec::new());
    syn::visit::Visit::visit_pat(&mut finder, pat);
    finder.0
}
