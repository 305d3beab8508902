//! `loop { .. break Ok(x); .. }` as the result of a function: such a `break` is a `return`, so its value is what a result can be.

use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprReturn, ItemFn, Label, ReturnType, Stmt};

/// Writes out the loops, and the labelled blocks, whose value a function returns.
pub(super) fn written_out(item: &mut ItemFn) {
    if !matches!(item.sig.output, ReturnType::Default) {
        last_of(&mut item.block);
    }
}

fn last_of(block: &mut Block) {
    if let Some(Stmt::Expr(last, None)) = block.stmts.last_mut() {
        result(last);
    }
}

fn result(expr: &mut Expr) {
    match expr {
        Expr::Paren(node) => result(&mut node.expr),
        Expr::Group(node) => result(&mut node.expr),
        Expr::If(node) => {
            last_of(&mut node.then_branch);
            if let Some((_, other)) = &mut node.else_branch {
                result(other);
            }
        }
        Expr::Match(node) => node.arms.iter_mut().for_each(|arm| result(&mut arm.body)),
        Expr::Block(node) => {
            returned(&mut node.label, &mut node.block, false);
            last_of(&mut node.block);
        }
        Expr::Loop(node) => returned(&mut node.label, &mut node.body, true),
        _ => {}
    }
}

/// Replaces the `break` with a value of a loop or a labelled block, and takes a label away that nothing names any more.
fn returned(label: &mut Option<Label>, block: &mut Block, is_loop: bool) {
    let name = label.as_ref().map(|label| label.name.ident.clone());
    let mut breaks = Breaks { label: name, is_loop, inner: 0, named: false };
    breaks.visit_block_mut(block);
    if !breaks.named {
        *label = None;
    }
}

struct Breaks {
    label: Option<syn::Ident>,
    is_loop: bool,
    /// The number of loops around, inside of this one.
    inner: u32,
    /// Whether the label is still used.
    named: bool,
}

impl Breaks {
    fn within(&mut self, inside: impl FnOnce(&mut Self)) {
        self.inner += 1;
        inside(self);
        self.inner -= 1;
    }
}

impl VisitMut for Breaks {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        if let Expr::Continue(node) = expr {
            self.named |= node.label.as_ref().is_some_and(|label| Some(&label.ident) == self.label.as_ref());
        }
        let Expr::Break(node) = expr else { return };
        let leaves = match &node.label {
            Some(label) => Some(&label.ident) == self.label.as_ref(),
            None => self.is_loop && self.inner == 0,
        };
        if !leaves {
            return;
        }
        match node.expr.take() {
            Some(value) => {
                let return_token = syn::Token![return](node.break_token.span);
                *expr = Expr::Return(ExprReturn { attrs: Vec::new(), return_token, expr: Some(value) });
            }
            None => self.named |= node.label.is_some(),
        }
    }

    fn visit_expr_loop_mut(&mut self, node: &mut syn::ExprLoop) {
        self.within(|this| visit_mut::visit_expr_loop_mut(this, node));
    }

    fn visit_expr_while_mut(&mut self, node: &mut syn::ExprWhile) {
        self.within(|this| visit_mut::visit_expr_while_mut(this, node));
    }

    fn visit_expr_for_loop_mut(&mut self, node: &mut syn::ExprForLoop) {
        self.within(|this| visit_mut::visit_expr_for_loop_mut(this, node));
    }

    /// What a closure returns is not the result of the function.
    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
