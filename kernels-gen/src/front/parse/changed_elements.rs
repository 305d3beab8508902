//! `for name in &mut place`, as `iter_mut().flatten()` writes it: the name is another name for each element of an array, or for the value
//! of an `Option`.

use syn::{Expr, ExprForLoop, ExprReference, Pat};

use super::lower::{Lowered, Lowering, Resolution};
use super::text;
use super::tree::strip;
use crate::infer::Class;
use crate::ir::Range;
use crate::ir::open::{Atom, Step, StmtKind};
use crate::spec::{LocationKind, Scalar};

/// Returns the reference in the head of such a loop.
pub(super) fn place_of(head: &Expr) -> Option<&ExprReference> {
    match strip(head) {
        Expr::Reference(node) if node.mutability.is_some() => Some(node),
        _ => None,
    }
}

impl Lowering<'_> {
    pub(super) fn changed_elements(&mut self, whole: &Expr, node: &ExprForLoop, head: &ExprReference) -> Lowered {
        let Some(place) = self.place(&head.expr) else { return Lowered::Failed };
        let array = self.load(&place, &head.expr);
        let Some((length, element)) = self.length_and_element(&array, &head.expr, true) else { return Lowered::Failed };
        let location = self.location(LocationKind::Element, text::of_expr(&head.expr), &head.expr);
        let usize = self.known(Scalar::Usize);
        let header = format!("for {} in {}", text::source(&node.pat), text::of_expr(&node.expr));
        let (id, loop_location) = self.enter_loop(whole, header, node.label.as_ref(), false);
        let (counter, index) = (self.var(None, usize, false), self.var(None, usize, false));
        let mut each = place.clone();
        each.ty = element;
        each.opened.push((each.steps.len(), element));
        each.steps.push(match self.infer.class(place.ty) {
            Class::Option(_) => Step::Field("Some.0".to_owned()),
            // Only rustc knows which of both it is: the index of the value of an `Option` is 0.
            _ => Step::Element(Atom::Var(index), location),
        });
        let (body, ()) = self.block(|this| {
            this.scoped(|this| {
                this.aliases.push(each);
                if let Pat::Ident(name) = &*node.pat {
                    this.bind(text::key(&name.ident), Resolution::Alias(this.aliases.len() - 1));
                }
                this.block_value(&node.body, None);
            });
        });
        self.loops.pop();
        let range = Range { start: Atom::Int(0, usize), end: length, inclusive: false, step: None, reversed: false };
        self.push(StmtKind::For { id, var: index, counter, range, body: body.stmts, location: loop_location }, whole);
        Lowered::Unit
    }
}
