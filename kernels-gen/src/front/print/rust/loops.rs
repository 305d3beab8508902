//! Loops, whose iterations count against the limits.

use quote::quote_spanned;
use syn::{Expr, Stmt};

use super::{Rewriter, generated};
use crate::front::parse::has_let;
use crate::ir::LocationId;

impl Rewriter<'_> {
    pub(super) fn count_iterations(&self, expr: &mut Expr, location: LocationId) {
        if let Expr::While(node) = expr
            && has_let(&node.cond)
        {
            return *expr = self.count_looks(node, location);
        }
        let body = match expr {
            Expr::While(node) => &mut node.body,
            Expr::Loop(node) => &mut node.body,
            Expr::ForLoop(node) => &mut node.body,
            _ => return,
        };
        let (handle, location, span) = (self.handle, self.location(location), generated(body.brace_token.span.open()));
        let count = Expr::Verbatim(quote_spanned!(span=> #handle.iteration_at(#location)?));
        body.stmts.insert(0, Stmt::Expr(count, Some(syn::token::Semi(span))));
    }

    /// Counts each test of a `while let`. The device also counts the last one, which fails, because its loop ends inside.
    fn count_looks(&self, node: &syn::ExprWhile, location: LocationId) -> Expr {
        let (handle, location, span) = (self.handle, self.location(location), generated(node.while_token.span));
        let syn::ExprWhile { label, cond, body, .. } = node;
        Expr::Verbatim(quote_spanned! {span=>
            #label loop { #handle.iteration_at(#location)?; if #cond #body else { break } }
        })
    }
}
