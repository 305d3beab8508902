//! Parts of arrays: `&list[a..b]` is a view of the array, with a length of its own, and slices in patterns.

use syn::{Expr, ExprIndex, ExprRange, Pat, PatSlice, RangeLimits};

use super::checks::TypeCheck;
use super::lower::{Lowered, Lowering, Resolution};
use super::notes::Note;
use super::source_span::At;
use super::text;
use super::tree::strip;
use super::types::is_length_of_slice;
use crate::front::diag::SourceSpan;
use crate::infer::Class;
use crate::ir::open::{Atom, Rvalue, StmtKind, TyId};
use crate::ir::{Compare, VarId};
use crate::spec::{LocationKind, Scalar};

/// Returns the array and the range of `array[a..b]`.
pub(super) fn part_of(expr: &Expr) -> Option<(&ExprIndex, &ExprRange)> {
    match strip(expr) {
        Expr::Index(node) => match strip(&node.index) {
            Expr::Range(range) => Some((node, range)),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the array and the range of `&array[a..b]`.
pub(super) fn of_reference(expr: &Expr) -> Option<(&ExprIndex, &ExprRange)> {
    match strip(expr) {
        Expr::Reference(node) if node.mutability.is_none() => part_of(&node.expr),
        _ => None,
    }
}

impl Lowering<'_> {
    /// Parses `array[a..b]` behind a `&`.
    pub(super) fn part(&mut self, whole: &Expr, (node, range): (&ExprIndex, &ExprRange)) -> Atom {
        let array = self.operand(&node.expr);
        let usize = self.known(Scalar::Usize);
        let bound = |this: &mut Self, expr: &Expr| {
            let value = this.scalar(expr);
            this.expect(Scalar::Usize, &value, expr, "a bound of a slice");
            this.freeze(value, expr)
        };
        let start = range.start.as_ref().map_or(Atom::Int(0, usize), |start| bound(self, start));
        let end = range.end.as_ref().map(|end| bound(self, end));
        let end = match (end, range.limits) {
            (Some(end), RangeLimits::HalfOpen(_)) => end,
            (Some(end), RangeLimits::Closed(_)) => {
                self.wrapping(whole, "wrapping_add", (end, usize), Atom::Int(1, usize))
            }
            (None, _) => self.length_of(&array, whole),
        };
        let ty = self.type_of(&array);
        self.checks.operators.push((TypeCheck::Array(ty), node.expr.source_span()));
        self.element_type(ty);
        let location = self.location(LocationKind::Element, text::of_expr(whole), whole);
        self.notes.expr(strip(whole), Note::Part { location });
        self.view(Rvalue::Slice(array, start, end, location), ty, whole)
    }

    fn view(&mut self, value: Rvalue, ty: TyId, at: &impl At) -> Atom {
        let atom = self.temp(value, ty, at);
        if let Atom::Var(var) = atom {
            self.parts.insert(var);
        }
        atom
    }

    /// Parses `let part = &array[a..b];`, and another name for a shared reference. The name is a reference, as that of a parameter is.
    pub(super) fn names_part(&mut self, pat: &Pat, init: &Expr) -> bool {
        let pat = match pat {
            Pat::Paren(node) => &node.pat,
            other => other,
        };
        if let (Pat::Ident(ident), Some(Resolution::Place(var))) = (pat, self.bound(init))
            && (self.is_part(&Atom::Var(var)) || self.is_reference(init) == Some(false))
            && ident.mutability.is_none()
        {
            self.bind(text::key(&ident.ident), Resolution::Place(var));
            return true;
        }
        let (Pat::Ident(ident), Expr::Reference(node)) = (pat, strip(init)) else { return false };
        let Some(part) = part_of(&node.expr).filter(|_| node.mutability.is_none() && ident.subpat.is_none()) else {
            return false;
        };
        if self.is_array(&part.0.expr) {
            return false;
        }
        let atom = self.part(&node.expr, part);
        if let Atom::Var(var) = atom {
            self.bind(text::key(&ident.ident), Resolution::Place(var));
        }
        true
    }

    /// Returns whether the length of an array is known only when the function is called, or runs.
    pub(super) fn is_part(&self, value: &Atom) -> bool {
        let Atom::Var(var) = value else { return false };
        let of_slice = |ty: &syn::Type| matches!(ty, syn::Type::Array(array) if is_length_of_slice(&array.len));
        self.parts.contains(var) || self.signature.params.get(var.0 as usize).is_some_and(|param| of_slice(&param.of))
    }

    /// Names the rest of a slice. Returns whether the value is one.
    pub(super) fn names_rest(&mut self, ident: &syn::PatIdent, value: &Atom, pat: &Pat) -> bool {
        match value {
            Atom::Var(var) if self.parts.contains(var) => {
                self.bind(text::key(&ident.ident), Resolution::Place(*var));
                self.notes.reference(pat);
                true
            }
            _ => false,
        }
    }

    pub(super) fn is_array_value(&mut self, value: &Atom) -> bool {
        let ty = self.type_of(value);
        matches!(self.infer.class(ty), Class::Array(..))
    }

    /// Parses `array.is_empty()`.
    pub(super) fn is_empty(&mut self, whole: &Expr, array: &Atom) -> Lowered {
        let (length, truth) = (self.length_of(array, whole), self.known(Scalar::Bool));
        let zero = Atom::Int(0, self.known(Scalar::Usize));
        Lowered::Atom(self.temp(Rvalue::Compare(Compare::Eq, length, zero), truth, whole))
    }

    pub(super) fn length_of(&mut self, array: &Atom, at: &impl At) -> Atom {
        let usize = self.known(Scalar::Usize);
        let location = self.location(LocationKind::Arithmetic, "len".to_owned(), at);
        self.temp(Rvalue::Method("len".to_owned(), vec![array.clone()], location), usize, at)
    }

    /// Returns whether a slice has the length that a pattern needs, and its elements match.
    pub(super) fn slice_test(&mut self, pat: &Pat, node: &PatSlice, value: &Atom) -> Option<Atom> {
        let rest = node.elems.iter().any(super::pattern_parts::is_rest);
        let (usize, truth) = (self.known(Scalar::Usize), self.known(Scalar::Bool));
        let least = Atom::Int((node.elems.len() - usize::from(rest)) as i128, usize);
        let length = self.length_of(value, pat);
        let op = if rest { Compare::Ge } else { Compare::Eq };
        let fits = self.temp(Rvalue::Compare(op, length, least), truth, pat);
        let (mut block, inner) = self.block(|this| {
            let of = this.type_of(value);
            let parts = this.elements_of(node, of, value)?;
            this.all(parts, pat)
        });
        let Some(inner) = inner else { return Some(fits) };
        let var: VarId = self.var(None, truth, true);
        self.push(StmtKind::Let { var, value: Rvalue::Use(Atom::Bool(false)) }, pat);
        let at = self.loc(pat);
        block.stmts.push(crate::ir::open::Stmt { what: StmtKind::Assign { var, steps: Vec::new(), value: inner }, at });
        self.push(StmtKind::If { condition: fits, then: block.stmts, other: Vec::new() }, pat);
        Some(Atom::Var(var))
    }

    /// Returns the elements of a slice that a pattern examines, where it has the length for them.
    pub(super) fn elements_of_part<'p>(&mut self, node: &'p PatSlice, of: TyId, value: &Atom) -> Vec<(&'p Pat, Atom)> {
        let element = self.element_type(of);
        let (usize, count) = (self.known(Scalar::Usize), node.elems.len());
        let rest = node.elems.iter().position(super::pattern_parts::is_rest);
        let length = self.length_of(value, &SourceSpan::of(node));
        let mut parts = Vec::new();
        for (k, pat) in node.elems.iter().enumerate() {
            let location = self.location(LocationKind::Element, text::source(pat), pat);
            let from_end = |this: &mut Self, before: usize| {
                let args = vec![length.clone(), Atom::Int(before as i128, usize)];
                this.temp(Rvalue::Method("wrapping_sub".to_owned(), args, location), usize, pat)
            };
            match rest {
                Some(rest) if k == rest => {
                    if let Pat::Ident(_) = pat {
                        let end = from_end(self, count - rest - 1);
                        let start = Atom::Int(rest as i128, usize);
                        let ty = self.type_of(value);
                        parts.push((pat, self.view(Rvalue::Slice(value.clone(), start, end, location), ty, pat)));
                    }
                }
                _ => {
                    let index = match rest {
                        Some(rest) if k > rest => from_end(self, count - k),
                        _ => Atom::Int(k as i128, usize),
                    };
                    parts.push((pat, self.temp(Rvalue::Element(value.clone(), index, location), element, pat)));
                }
            }
        }
        parts
    }
}
