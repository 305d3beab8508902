//! `==` and `!=` of compound values: they compare each part, as a derived `PartialEq` does.

use super::super::shape;
use super::binding::FlatPlace;
use super::expander::{Expanded, Expander};
use crate::ir::flat::{Atom, Rvalue};
use crate::ir::{Compare, LocationId, VarId, open};
use crate::spec::{Scalar, Type};

impl<'p> Expander<'p> {
    pub(super) fn let_compare(&mut self, var: VarId, op: Compare, a: &open::Atom, b: &open::Atom) -> Expanded<()> {
        let ((ty, a), (other, b)) = (self.value(a)?, self.value(b)?);
        if let ([a], [b], Some(_)) = (a.as_slice(), b.as_slice(), shape::scalar(ty)) {
            return self.define(var, Rvalue::Compare(op, a.clone(), b.clone()));
        }
        if ty == other && is_ordered(ty) && !matches!(op, Compare::Eq | Compare::Ne) {
            let value = self.ordered(op, ty, &a, &b);
            return self.define(var, Rvalue::Use(value));
        }
        if ty != other || !matches!(op, Compare::Eq | Compare::Ne) {
            return self.fail(format!("there is no `{}` for `{ty}` and `{other}` in a transaction", op.rust()));
        }
        let equal = self.equal(ty, &a, &b);
        let value = if op == Compare::Ne { self.not(equal) } else { equal };
        self.define(var, Rvalue::Use(value))
    }

    /// Compares tuples as Rust does: the first parts that are not equal decide.
    fn ordered(&mut self, op: Compare, ty: Type, a: &[Atom], b: &[Atom]) -> Atom {
        let Type::Tuple(parts) = ty else { return self.compare(op, a[0].clone(), b[0].clone()) };
        let strict = if matches!(op, Compare::Lt | Compare::Le) { Compare::Lt } else { Compare::Gt };
        let (mut equal, mut found, mut first) = (Atom::Bool(true), Atom::Bool(false), 0);
        for (k, part) in parts.iter().enumerate() {
            let range = first..first + shape::width(*part);
            let (a, b) = (&a[range.clone()], &b[range.clone()]);
            let decided = self.ordered(if k + 1 == parts.len() { op } else { strict }, *part, a, b);
            let decided = self.and(equal.clone(), decided);
            found = self.or(found, decided);
            if k + 1 < parts.len() {
                let same = self.equal(*part, a, b);
                equal = self.and(equal, same);
            }
            first = range.end;
        }
        found
    }

    fn equal(&mut self, ty: Type, a: &[Atom], b: &[Atom]) -> Atom {
        match ty {
            Type::Unit => Atom::Bool(true),
            Type::Scalar(_) | Type::Enum(_) => self.compare(Compare::Eq, a[0].clone(), b[0].clone()),
            Type::Option(inner) => {
                let both = self.compare(Compare::Eq, a[0].clone(), b[0].clone());
                let inner = self.equal(*inner, &a[1..], &b[1..]);
                let none = self.not(a[0].clone());
                let value = self.or(none, inner);
                self.and(both, value)
            }
            Type::Array(element, length) => self.equal_elements(*element, length, a, b),
            Type::Tuple(_) | Type::Record(_) | Type::Result(..) => {
                let (mut all, mut first) = (Atom::Bool(true), 0);
                let only = known_variant(ty, a).or_else(|| known_variant(ty, b));
                for (name, part) in shape::parts(ty) {
                    let range = first..first + shape::width(part);
                    if only.is_some_and(|only| name.split_once('.').is_some_and(|(variant, _)| variant != only)) {
                        first = range.end;
                        continue;
                    }
                    let equal = self.equal(part, &a[range.clone()], &b[range.clone()]);
                    all = self.and(all, equal);
                    first = range.end;
                }
                all
            }
        }
    }

    fn equal_elements(&mut self, element: Type, length: u64, a: &[Atom], b: &[Atom]) -> Atom {
        let mut all = Atom::Bool(true);
        for k in 0..length {
            let (a, b) = (self.element_at(element, a, k), self.element_at(element, b, k));
            let equal = self.equal(element, &a, &b);
            all = self.and(all, equal);
        }
        all
    }

    /// Returns the groups of an element that is known to exist.
    pub(super) fn element_at(&mut self, element: Type, array: &[Atom], k: u64) -> Vec<Atom> {
        let vars = array.iter().filter_map(|atom| match atom {
            Atom::Var(var) => Some(*var),
            _ => None,
        });
        let vars = vars.collect();
        let index = Atom::int(k, Scalar::Usize);
        self.load(&FlatPlace { ty: element, vars, index: Some((index, LocationId(0))) })
    }
}

/// Returns whether the device knows the order of the values: that of numbers and of tuples of them.
fn is_ordered(ty: Type) -> bool {
    match ty {
        Type::Scalar(_) => true,
        Type::Tuple(parts) => parts.iter().all(|part| is_ordered(*part)),
        _ => false,
    }
}

/// Returns the variant of an enum with fields, if it is a constant: the fields of others are equal where the variant is.
fn known_variant(ty: Type, atoms: &[Atom]) -> Option<&'static str> {
    let (Type::Record(record), Some(Atom::Int(number, _))) = (ty, atoms.first()) else { return None };
    record.variants()?.variants.iter().find(|(_, known)| known == number).map(|(name, _)| *name)
}
