//! Literals and the associated constants of integer types.

use syn::{Expr, ExprPath, Lit, LitInt};

use super::checks::{Number, range};
use super::lower::{Lowered, Lowering};
use super::notes::Note;
use crate::front::diag::{Rule, SourceSpan};
use crate::infer::Class;
use crate::ir::open::{Atom, TyId};
use crate::spec::Scalar;

impl Lowering<'_> {
    /// Parses a literal with the `-` before it, if there is one: `-128` is one value. `hint` is the type of a cast around
    /// it.
    pub(super) fn literal(&mut self, expr: &Expr, lit: &Lit, minus: Option<&Expr>, hint: Option<Scalar>) -> Lowered {
        let negative = minus.is_some();
        let whole = SourceSpan::of(minus.unwrap_or(expr));
        match lit {
            Lit::Int(int) => self.int(expr, int, (negative, whole), hint),
            Lit::Float(float) => self.float(expr, float.base10_digits(), float.suffix(), (negative, whole), hint),
            Lit::Bool(value) if !negative => Lowered::Atom(Atom::Bool(value.value)),
            Lit::Byte(byte) if !negative => {
                let ty = self.known(Scalar::U8);
                Lowered::Atom(Atom::Int(i128::from(byte.value()), ty))
            }
            Lit::Char(letter) if !negative => {
                let ty = self.named_type(&syn::parse_quote!(::core::primitive::char));
                Lowered::Atom(Atom::Int(i128::from(u32::from(letter.value())), ty))
            }
            Lit::Bool(_) | Lit::Byte(_) | Lit::Char(_) => {
                self.refuse(expr, "`-` before this literal", "write a number")
            }
            Lit::Str(_) | Lit::ByteStr(_) | Lit::CStr(_) => {
                self.refuse(expr, "a string", "pass numbers, and keep texts on the host")
            }
            _ => self.refuse(expr, "this literal", "write a whole number, a float, or a boolean"),
        }
    }

    /// Parses a literal of a pattern: its type is that of the value, so no type is written back.
    pub(super) fn literal_of(&mut self, expr: &Expr, lit: &Lit, minus: Option<&Expr>) -> Lowered {
        let value = self.literal(expr, lit, minus, None);
        self.notes.forget(expr);
        value
    }

    fn int(
        &mut self,
        expr: &Expr,
        int: &LitInt,
        (negative, whole): (bool, SourceSpan),
        hint: Option<Scalar>,
    ) -> Lowered {
        if matches!(int.suffix(), "f32" | "f64") {
            return self.float(expr, int.base10_digits(), int.suffix(), (negative, whole), hint);
        }
        let hint = hint.filter(|s| s.is_int());
        let Some(ty) = self.literal_type(expr, int.suffix(), Class::Int, hint) else { return Lowered::Failed };
        // In a pattern the sign can be part of the literal.
        let signed = int.base10_digits().strip_prefix('-');
        let negative = negative || signed.is_some();
        let Ok(digits) = signed.unwrap_or(int.base10_digits()).parse::<u128>() else {
            self.diags.report(Rule::Literal, int, format!("{int} fits no integer type; the widest are 128 bits"));
            return Lowered::Failed;
        };
        self.checks.literals.push((Number::Int(negative, digits), ty, whole));
        let value = digits as i128;
        Lowered::Atom(Atom::Int(if negative { value.wrapping_neg() } else { value }, ty))
    }

    fn float(
        &mut self,
        expr: &Expr,
        digits: &str,
        suffix: &str,
        (negative, whole): (bool, SourceSpan),
        hint: Option<Scalar>,
    ) -> Lowered {
        let hint = hint.filter(|s| s.is_float());
        let Some(ty) = self.literal_type(expr, suffix, Class::Float, hint) else { return Lowered::Failed };
        let sign = if negative { "-" } else { "" };
        let text = format!("{sign}{digits}");
        self.checks.literals.push((Number::Float(text.clone()), ty, whole));
        Lowered::Atom(Atom::Float(text, ty))
    }

    /// Returns the type from the suffix, from the cast around it, or a new one of the class.
    fn literal_type(&mut self, expr: &Expr, suffix: &str, class: Class, hint: Option<Scalar>) -> Option<TyId> {
        if suffix.is_empty() {
            let ty = self.infer.fresh(hint.map_or(class, Class::Known));
            self.notes.expr(expr, Note::Literal(ty));
            return Some(ty);
        }
        let Some(scalar) = Scalar::from_rust(suffix).filter(|s| *s != Scalar::Bool) else {
            let instead = match suffix.starts_with('f') {
                true => "the floats are `f32` and `f64`",
                false => "use one of 8 to 128 bits, as in `7_u64`",
            };
            let message = format!("there is no type `{suffix}` on the device; {instead}");
            self.diags.report(Rule::Literal, expr, message);
            return None;
        };
        Some(self.known(scalar))
    }

    /// Parses `u32::MAX` and the like; `None` where the path is something else.
    pub(super) fn associated(&mut self, path: &ExprPath) -> Option<Lowered> {
        let segments: Vec<String> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
        let [ty, name] = segments.as_slice() else { return None };
        let scalar = Scalar::from_rust(ty)?;
        let (least, most) = range(scalar)?;
        let (value, scalar) = match name.as_str() {
            "MIN" => (least, scalar),
            "MAX" => (most, scalar),
            "BITS" => (8 * scalar.size() as i128, Scalar::U32),
            _ => return None,
        };
        let ty = self.known(scalar);
        Some(Lowered::Atom(Atom::Int(value, ty)))
    }

    /// Gives a literal the type of an argument of `min`, `max` or `clamp`: they are methods of a trait.
    pub(super) fn agree_on_literal(&mut self, name: &str, literal: TyId, args: &[Atom]) {
        if matches!(self.infer.class(literal), Class::Int) && matches!(name, "min" | "max" | "clamp") {
            for atom in args {
                let ty = self.type_of(atom);
                _ = self.infer.unify(literal, ty);
            }
        }
    }
}

#[cfg(test)]
mod tests;
