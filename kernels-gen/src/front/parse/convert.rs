//! Conversions: `into`, the bytes of numbers, `then_some`, and what an `Option` gives away.

use quote::ToTokens;
use syn::{Expr, ExprMethodCall};

use super::checks::TypeCheck;
use super::external::Called;
use super::lower::{Lowered, Lowering, Resolution};
use super::notes::Note;
use super::place::member;
use super::source_span::At;
use super::text;
use super::tree::strip;
use crate::front::diag::Rule;
use crate::infer::Class;
use crate::ir::Logic;
use crate::ir::open::{Atom, Length, Rvalue, TyId};
use crate::spec::{LocationKind, Scalar};

impl Lowering<'_> {
    /// Parses `number.into()`: the type of the result is that of its use.
    pub(super) fn converted(&mut self, whole: &Expr, operand: Atom) -> Lowered {
        let from = self.type_of(&operand);
        let to = self.infer.fresh(Class::Any);
        self.checks.operators.push((TypeCheck::From(from, to), whole.source_span()));
        Lowered::Atom(self.temp(Rvalue::Cast(operand, to), to, whole))
    }

    /// Parses `value.into()` where the type of the result is written: a function of the user's program, or one of numbers.
    pub(super) fn converted_to(&mut self, whole: &Expr, of: syn::Type, value: &Expr) -> Lowered {
        let ty = self.written_type(&of);
        if self.signature.depends(&of.to_token_stream()).is_some() {
            let operand = self.scalar(value);
            return Lowered::Atom(self.temp(Rvalue::Cast(operand, ty), ty, whole));
        }
        let name = syn::Ident::new("from", whole.source_span().first);
        let result = self.user_call(whole, Called::Converts(Box::new(of), name), None, &[value], false);
        if let Lowered::Atom(atom) = &result {
            let have = self.type_of(atom);
            _ = self.infer.unify(ty, have);
        }
        result
    }

    /// Parses `condition.then_some(value)`.
    pub(super) fn then_some(&mut self, whole: &Expr, condition: Atom, args: &[&Expr]) -> Lowered {
        let [argument] = args else {
            self.wrong_count(whole, "then_some", 1);
            return Lowered::Failed;
        };
        self.expect(Scalar::Bool, &condition, whole, "the receiver of `then_some`");
        let value = self.scalar(argument);
        let inner = self.type_of(&value);
        let ty = self.infer.fresh(Class::Option(inner));
        Lowered::Atom(self.chosen(whole, condition, ty, (Rvalue::Some(value), Rvalue::None)))
    }

    /// Returns whether the expression is a place that is known to hold an `Option`. Nothing is evaluated for that.
    pub(super) fn is_option_place(&self, expr: &Expr) -> bool {
        self.place_type(expr).is_some_and(|ty| matches!(self.infer.class(ty), Class::Option(_)))
    }

    pub(super) fn place_type(&self, expr: &Expr) -> Option<TyId> {
        match strip(expr) {
            Expr::Index(node) => match self.infer.class(self.place_type(&node.expr)?) {
                Class::Array(element, _) => Some(*element),
                _ => None,
            },
            Expr::Field(node) => match self.infer.class(self.place_type(&node.base)?) {
                Class::Tuple(parts) => parts.get(member(&node.member).parse::<usize>().ok()?).copied(),
                _ => None,
            },
            Expr::Unary(node) if matches!(node.op, syn::UnOp::Deref(_)) => self.place_type(&node.expr),
            other => match self.bound(other)? {
                Resolution::Var(var) | Resolution::Place(var) => Some(self.vars[var.0 as usize].ty),
                Resolution::Alias(alias) => Some(self.aliases[alias].ty),
                _ => None,
            },
        }
    }

    /// Parses `option.take()` and `option.replace(value)`, which leave another value in their place.
    pub(super) fn exchange(&mut self, whole: &Expr, call: &ExprMethodCall) -> Lowered {
        let value = call.args.first().map(|arg| self.scalar(arg));
        let Some(place) = self.part_of(&call.receiver) else { return Lowered::Failed };
        let inner = match &value {
            Some(value) => self.type_of(value),
            None => self.infer.fresh(Class::Any),
        };
        if self.infer.is_later(place.ty) {
            self.infer.mark_later(inner);
        }
        let (option, method) = (self.infer.fresh(Class::Option(inner)), &call.method);
        self.same(place.ty, option, method, |have, _| {
            format!("`{method}` has a meaning for an `Option` here, but this is {have}")
        });
        self.notes.expr(whole, Note::Exchange);
        let old = self.load(&place, &call.receiver);
        let old = self.temp(Rvalue::Use(old), option, whole);
        let new = match value {
            Some(value) => Rvalue::Some(value),
            None => Rvalue::None,
        };
        let new = self.temp(new, option, whole);
        self.store(place, new, whole);
        Lowered::Atom(old)
    }

    /// Parses `u32::from_le_bytes(bytes)` and the like.
    pub(super) fn number_of(&mut self, whole: &Expr, name: &str, scalar: Scalar, args: &[&Expr]) -> Lowered {
        let ([argument], true) = (args, scalar.is_int()) else {
            self.diags.report(Rule::Method, whole, format!("`{name}` makes an integer of one array of bytes"));
            return Lowered::Failed;
        };
        let array = self.scalar(argument);
        let (ty, byte) = (self.known(scalar), self.known(Scalar::U8));
        let length = scalar.size();
        let want = self.infer.fresh(Class::Array(byte, Length::Known(length as u64)));
        let have = self.type_of(&array);
        self.same(want, have, *argument, |want, have| format!("`{name}` takes {want}, but this is {have}"));
        let mut number = Atom::Int(0, ty);
        for k in 0..length {
            let at = if name == "from_be_bytes" { length - 1 - k } else { k };
            let (usize, location) =
                (self.known(Scalar::Usize), self.location(LocationKind::Element, text::of_expr(whole), whole));
            let part = self.temp(Rvalue::Element(array.clone(), Atom::Int(at as i128, usize), location), byte, whole);
            let part = self.temp(Rvalue::Cast(part, ty), ty, whole);
            let part = self.shifted(whole, "wrapping_shl", (part, ty), k);
            number = self.temp(Rvalue::Logic(Logic::Or, number, part), ty, whole);
        }
        Lowered::Atom(number)
    }

    /// Returns the value shifted by a number of bytes.
    fn shifted(&mut self, whole: &Expr, method: &str, (value, ty): (Atom, TyId), bytes: usize) -> Atom {
        if bytes == 0 {
            return value;
        }
        let amount = Atom::Int(8 * bytes as i128, self.known(Scalar::U32));
        self.wrapping(whole, method, (value, ty), amount)
    }
}

/// Returns whether Rust has `To: From<From>`.
pub(super) fn has_from(from: Scalar, to: Scalar) -> bool {
    let wide = |s: Scalar| matches!(s, Scalar::Isize | Scalar::Usize);
    match (from, to) {
        (a, b) if a == b => true,
        (Scalar::Bool, to) => to.is_int() || to.is_float(),
        (from, Scalar::F32) if from.is_int() => from.size() <= 2 && !wide(from),
        (from, Scalar::F64) if from.is_int() => from.size() <= 4 && !wide(from),
        (Scalar::F32, Scalar::F64) => true,
        (Scalar::U8 | Scalar::U16, Scalar::Usize) | (Scalar::U8 | Scalar::I8 | Scalar::I16, Scalar::Isize) => true,
        (from, to) if from.is_int() && to.is_int() && !wide(from) && !wide(to) => {
            match (from.is_signed(), to.is_signed()) {
                (true, false) => false,
                (false, true) => from.size() < to.size(),
                _ => from.size() < to.size(),
            }
        }
        _ => false,
    }
}
