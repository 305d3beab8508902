//! Places: a local variable, or a part of it.

use syn::{Expr, ExprField, ExprIndex, Member};

use super::checks::TypeCheck;
use super::lower::{Lowered, Lowering, Resolution};
use super::notes::Note;
use super::places::PlaceExpr;
use super::source_span::At;
use super::text;
use crate::front::diag::Rule;
use crate::infer::Class;
use crate::ir::open::{Atom, Length, Rvalue, Step, StmtKind, TyId};
use crate::ir::{LocationId, VarId};
use crate::spec::LocationKind;

impl Lowering<'_> {
    /// Returns the place that an assignment changes, or that `&mut` passes.
    pub(super) fn place(&mut self, expr: &Expr) -> Option<PlaceExpr> {
        match expr {
            Expr::Paren(inner) => self.place(&inner.expr),
            Expr::Group(inner) => self.place(&inner.expr),
            Expr::Path(path) => {
                let name = path.path.get_ident().map(text::plain);
                let key = path.path.get_ident().map(text::key);
                match key.as_deref().and_then(|name| self.lookup(name)) {
                    Some(Resolution::Var(var)) => Some(self.whole(var)),
                    Some(other) => {
                        self.no_place(expr, &name.unwrap_or_default(), other);
                        None
                    }
                    None => {
                        self.unknown_name(expr, &text::source(expr));
                        None
                    }
                }
            }
            Expr::Unary(node) if matches!(node.op, syn::UnOp::Deref(_)) => self.dereferenced(expr, &node.expr),
            Expr::Field(node) => {
                if self.is_array(&node.base) {
                    let array = text::source(expr);
                    let message =
                        format!("shared data changes only through `tx`; write `tx.write(&{array}, index, value)?`");
                    self.diags.report(Rule::SharedState, expr, message);
                    return None;
                }
                let mut place = self.part_of(&node.base)?;
                let name = member(&node.member);
                if !self.has_field(place.ty, &name) {
                    self.no_field(place.ty, node, &name);
                    return None;
                }
                place.ty = self.field_type(place.ty, &name);
                place.steps.push(Step::Field(name));
                Some(place)
            }
            Expr::Index(node) => {
                if self.is_array(&node.expr) {
                    self.indexed_array(expr, node, true);
                    return None;
                }
                let place = self.part_of(&node.expr)?;
                let (index, element, location) = self.element(expr, node, place.ty);
                let mut place = place;
                place.ty = element;
                place.steps.push(Step::Element(index, location));
                Some(place)
            }
            _ => {
                let message =
                    "only a local variable or a part of one can be assigned; shared data changes with `tx.write`";
                self.diags.report(Rule::SharedState, expr, message);
                None
            }
        }
    }

    /// Returns the place before a `.` or `[`: a `&mut` parameter needs no `*` there.
    pub(super) fn part_of(&mut self, expr: &Expr) -> Option<PlaceExpr> {
        match self.bound(expr) {
            Some(Resolution::Place(var)) => Some(self.whole(var)),
            Some(Resolution::Alias(alias)) => Some(self.aliases[alias].clone()),
            _ => self.place(expr),
        }
    }

    fn dereferenced(&mut self, whole: &Expr, inner: &Expr) -> Option<PlaceExpr> {
        if let Some(Resolution::Place(var)) = self.bound(inner) {
            return Some(self.whole(var));
        }
        if let Some(Resolution::Alias(alias)) = self.bound(inner) {
            return Some(self.aliases[alias].clone());
        }
        let message = "`*` (a dereference) is for `&mut` parameters; values are passed by value: remove the `*`";
        self.diags.report(Rule::Expression, whole, message);
        None
    }

    fn whole(&self, var: VarId) -> PlaceExpr {
        PlaceExpr { var, steps: Vec::new(), ty: self.vars[var.0 as usize].ty, opened: Vec::new() }
    }

    /// Returns what a plain name is bound to.
    pub(super) fn bound(&self, expr: &Expr) -> Option<Resolution> {
        match super::tree::strip(expr) {
            Expr::Path(path) if path.qself.is_none() => self.lookup(&text::key(path.path.get_ident()?)),
            _ => None,
        }
    }

    pub(super) fn is_array(&self, expr: &Expr) -> bool {
        match super::tree::strip(expr) {
            name if self.named_element(name).is_some() => true,
            Expr::Field(field) => self.is_array(&field.base),
            Expr::Index(node) => self.has_arrays(&node.expr) && self.is_array(&node.expr),
            Expr::Reference(reference) => self.is_array(&reference.expr),
            other => matches!(self.bound(other), Some(Resolution::Array(_))),
        }
    }

    /// Returns the type of the elements of the shared array that a variable, or a part of one, names.
    pub(super) fn named_element(&self, expr: &Expr) -> Option<TyId> {
        match self.infer.class(self.place_type(expr)?) {
            Class::Shared(element) => Some(*element),
            _ => None,
        }
    }

    /// Returns whether the elements of a shared array may be arrays of their own: those of a field, or of an array of arrays.
    pub(super) fn has_arrays(&self, expr: &Expr) -> bool {
        match super::tree::strip(expr) {
            Expr::Field(_) | Expr::Index(_) => true,
            other => match self.bound(other) {
                Some(Resolution::Array(array)) => {
                    let is_param = (array.0 as usize) < self.param_types.len();
                    self.may_be_array(self.vars[array.0 as usize].ty, !is_param)
                }
                _ => self.named_element(other).is_some_and(|element| self.may_be_array(element, true)),
            },
        }
    }

    /// Returns whether the type is an array. `unknown`: or one that only rustc knows.
    fn may_be_array(&self, ty: TyId, unknown: bool) -> bool {
        match self.infer.class(ty) {
            Class::Array(..) => true,
            Class::Any => unknown,
            _ => false,
        }
    }

    fn no_place(&mut self, expr: &Expr, name: &str, binding: Resolution) {
        let message = match binding {
            Resolution::Array(_) => {
                format!("shared data changes only through `tx`; write `tx.write({name}, index, value)?`")
            }
            Resolution::Tx => "the handle cannot be replaced; use its methods".to_owned(),
            Resolution::Place(_) | Resolution::Alias(_) => format!("`{name}` is a reference; write `*{name}`"),
            Resolution::Var(_) | Resolution::Refused | Resolution::Unit => return,
        };
        self.diags.report(Rule::SharedState, expr, message);
    }

    /// Rejects `array[index]` on a shared array, which the engine would not see.
    fn indexed_array(&mut self, whole: &Expr, node: &ExprIndex, assigned: bool) {
        let (array, index) = (text::source(&node.expr), text::source(&node.index));
        let (rule, message) = match assigned {
            true => (
                Rule::SharedState,
                format!(
                    "shared data changes only through `tx`, because an attempt can be undone; \
                     write `tx.write({array}, {index}, value)?`"
                ),
            ),
            false => (
                Rule::Expression,
                format!(
                    "a shared array cannot be indexed, because the engine has to see each access; write `tx.read({array}, {index})?`"
                ),
            ),
        };
        self.diags.report(rule, whole, message);
    }

    /// Returns the present value of a place.
    pub(super) fn load(&mut self, place: &PlaceExpr, at: &impl At) -> Atom {
        let mut atom = Atom::Var(place.var);
        let mut ty = self.vars[place.var.0 as usize].ty;
        for (k, step) in place.steps.iter().enumerate() {
            let last = k + 1 == place.steps.len();
            let opened = place.opened.iter().find(|(step, _)| *step == k).map(|(_, ty)| *ty);
            let part = match step {
                Step::Field(name) => {
                    ty = if last { place.ty } else { self.field_type(ty, name) };
                    Rvalue::Field(atom, name.clone())
                }
                Step::Element(index, location) => {
                    ty = match opened {
                        _ if last => place.ty,
                        Some(ty) => ty,
                        None => self.element_type(ty),
                    };
                    Rvalue::Element(atom, index.clone(), *location)
                }
            };
            atom = self.temp(part, ty, at);
        }
        atom
    }

    /// Gives a place a value.
    pub(super) fn store(&mut self, place: PlaceExpr, value: Atom, at: &Expr) {
        self.push(StmtKind::Assign { var: place.var, steps: place.steps, value }, at);
    }

    /// Parses `value.field`.
    pub(super) fn field(&mut self, whole: &Expr, node: &ExprField) -> Lowered {
        if self.is_array(&node.base) {
            let array = text::of_expr(whole);
            let message = format!("`{array}` is a shared array; read an element with `tx.read(&{array}, index)?`");
            self.diags.report(Rule::SharedState, whole, message);
            return Lowered::Failed;
        }
        let value = self.operand(&node.base);
        let name = member(&node.member);
        let of = self.type_of(&value);
        if !self.has_field(of, &name) {
            self.no_field(of, node, &name);
            return Lowered::Failed;
        }
        let ty = self.field_type(of, &name);
        Lowered::Atom(self.temp(Rvalue::Field(value, name), ty, whole))
    }

    fn no_field(&mut self, of: TyId, node: &ExprField, name: &str) {
        let words = self.infer.words(self.infer.class(of));
        let message = format!("`{}` is {words}, which has no field `{name}`", text::source(&node.base));
        self.diags.report(Rule::Mismatch, &node.member, message);
    }

    /// Returns whether the type may have such a field: only rustc knows the fields of records.
    fn has_field(&self, of: TyId, name: &str) -> bool {
        match self.infer.class(of) {
            Class::Tuple(parts) => name.parse().is_ok_and(|k: usize| k < parts.len()),
            Class::Any | Class::Dead | Class::Named(_) => true,
            _ => false,
        }
    }

    /// Parses `array[index]`.
    pub(super) fn index_value(&mut self, whole: &Expr, node: &ExprIndex) -> Lowered {
        if self.is_array(&node.expr) {
            self.indexed_array(whole, node, false);
            return Lowered::Failed;
        }
        let array = self.operand(&node.expr);
        let array = self.settle(array, &node.expr, [&*node.index]);
        let ty = self.type_of(&array);
        let (index, element, location) = self.element(whole, node, ty);
        Lowered::Atom(self.temp(Rvalue::Element(array, index, location), element, whole))
    }

    /// Parses a value before a `.` or `[`: a `&mut` parameter needs no `*` there.
    pub(super) fn operand(&mut self, expr: &Expr) -> Atom {
        match self.bound(expr) {
            Some(Resolution::Place(var)) => Atom::Var(var),
            Some(Resolution::Alias(alias)) => {
                let place = self.aliases[alias].clone();
                self.load(&place, expr)
            }
            _ => self.scalar(expr),
        }
    }

    /// Returns the index, the type of the element, and the location.
    fn element(&mut self, whole: &Expr, node: &ExprIndex, array: TyId) -> (Atom, TyId, LocationId) {
        let index = self.scalar(&node.index);
        let index = self.freeze(index, &node.index);
        let (want, have) = (self.known(crate::spec::Scalar::Usize), self.type_of(&index));
        self.same(want, have, &node.index, |want, have| format!("an array is indexed by {want}, but this is {have}"));
        self.checks.operators.push((TypeCheck::Array(array), node.expr.source_span()));
        let element = self.element_type(array);
        let location = self.location(LocationKind::Element, text::of_expr(whole), whole);
        self.notes.expr(whole, Note::Element { location });
        (index, element, location)
    }

    pub(super) fn element_type(&mut self, array: TyId) -> TyId {
        if let Class::Array(element, _) = self.infer.class(array) {
            return *element;
        }
        let element = self.infer.fresh(Class::Any);
        if self.infer.is_later(array) {
            self.infer.mark_later(element);
        }
        let some = self.infer.fresh(Class::Array(element, Length::Open));
        // A value that is not an array is reported when the types are known.
        _ = self.infer.unify(array, some);
        element
    }
}

pub(super) fn member(member: &Member) -> String {
    match member {
        Member::Named(ident) => text::plain(ident),
        Member::Unnamed(index) => index.index.to_string(),
    }
}
