//! `list.get_mut(k)`, `list.first_mut()`, `list.last_mut()` where patterns examine them: the name in `Some(name)` is another name for the
//! element.

use syn::{Expr, ExprMethodCall};

use super::lower::Lowering;
use super::notes::Note;
use super::places::PlaceExpr;
use super::text;
use super::tree::strip;
use crate::infer::Class;
use crate::ir::Compare;
use crate::ir::open::{Atom, Rvalue, Step, StmtKind};
use crate::spec::{LocationKind, Scalar};

/// Returns the call of such a method.
fn call_of(expr: &Expr) -> Option<&ExprMethodCall> {
    let Expr::MethodCall(call) = strip(expr) else { return None };
    let arguments = match call.method.to_string().as_str() {
        "first_mut" | "last_mut" => 0,
        "get_mut" => 1,
        _ => return None,
    };
    (call.args.len() == arguments && call.turbofish.is_none()).then_some(call)
}

impl Lowering<'_> {
    /// Returns whether the expression is such a call on a variable that can change, or on a part of one.
    pub(super) fn lends_element(&self, expr: &Expr) -> bool {
        let changes =
            |call: &ExprMethodCall| self.root(&call.receiver).is_some_and(|var| self.vars[var.0 as usize].mutable);
        call_of(expr).is_some_and(changes)
    }

    /// Parses such a call, and notes where the element lies.
    pub(super) fn lent_element(&mut self, expr: &Expr) -> Option<Atom> {
        let call = call_of(expr).filter(|_| self.lends_element(expr))?;
        let mut place = self.part_of(&call.receiver)?;
        self.notes.expr(strip(expr), Note::Exchange);
        let (element, at) = (self.element_type(place.ty), &call.method);
        let index = self.index_of(call, &place);
        let array = self.load(&place, &call.receiver);
        let length = self.length_of(&array, at);
        let truth = self.known(Scalar::Bool);
        let condition = self.temp(Rvalue::Compare(Compare::Lt, index.clone(), length), truth, at);
        let option = self.infer.fresh(Class::Option(element));
        let var = self.var(None, option, true);
        self.push(StmtKind::Declare { var }, at);
        let location = self.location(LocationKind::Element, text::of_expr(expr), at);
        place.steps.push(Step::Element(index, location));
        place.ty = element;
        let assign = |value| StmtKind::Assign { var, steps: Vec::new(), value };
        let (then, ()) = self.block(|this| {
            let value = this.load(&place, expr);
            let some = this.temp(Rvalue::Some(value), option, at);
            this.push(assign(some), at);
        });
        let (other, ()) = self.block(|this| {
            let none = this.temp(Rvalue::None, option, at);
            this.push(assign(none), at);
        });
        self.push(StmtKind::If { condition, then: then.stmts, other: other.stmts }, at);
        let value = self.temp(Rvalue::Use(Atom::Var(var)), option, at);
        if let Atom::Var(value) = value {
            self.elements.insert(value, place);
        }
        Some(value)
    }

    fn index_of(&mut self, call: &ExprMethodCall, place: &PlaceExpr) -> Atom {
        let (usize, at) = (self.known(Scalar::Usize), &call.method);
        match call.args.first() {
            Some(index) => {
                let atom = self.scalar(index);
                self.expect(Scalar::Usize, &atom, index, "the index of an element");
                self.freeze(atom, index)
            }
            None if call.method == "first_mut" => Atom::Int(0, usize),
            None => {
                let array = self.load(place, &call.receiver);
                let length = self.length_of(&array, at);
                // Of an array without elements, no index is less than the length.
                let location = self.location(LocationKind::Arithmetic, "len".to_owned(), at);
                let less = Rvalue::Method("wrapping_sub".to_owned(), vec![length, Atom::Int(1, usize)], location);
                self.temp(less, usize, at)
            }
        }
    }
}
