//! Comparisons of compound values: by their parts, as derived traits do.

use super::super::{alike, shape};
use super::binding::FlatPlace;
use super::expander::{Expanded, Expander};
use crate::ir::flat::{Atom, Rvalue};
use crate::ir::{Compare, LocationId, VarId, open};
use crate::spec::{Scalar, Type};

impl<'p> Expander<'p> {
    pub(super) fn let_compare(&mut self, var: VarId, op: Compare, a: &open::Atom, b: &open::Atom) -> Expanded<()> {
        let ((ty, a), (other, b)) = (self.value(a)?, self.value(b)?);
        let ordered = !matches!(op, Compare::Eq | Compare::Ne);
        self.compares_parts(ty, ordered)?;
        if let ([a], [b], Some(_)) = (a.as_slice(), b.as_slice(), shape::scalar(ty)) {
            return self.define(var, Rvalue::Compare(op, a.clone(), b.clone()));
        }
        if ty != other {
            return self.fail(format!("there is no `{}` for `{ty}` and `{other}` in a transaction", op.rust()));
        }
        if ordered {
            let value = self.ordered(op, ty, &a, &b);
            return self.define(var, Rvalue::Use(value));
        }
        let equal = self.equal(ty, &a, &b);
        let value = if op == Compare::Ne { self.not(equal) } else { equal };
        self.define(var, Rvalue::Use(value))
    }

    /// Checks that the types of the user's program in this one are compared by their parts.
    pub(super) fn compares_parts(&mut self, ty: Type, ordered: bool) -> Expanded<()> {
        if !self.compared.insert((ty, ordered)) {
            return Ok(());
        }
        match alike::other(ty, ordered) {
            None => Ok(()),
            Some(of) => self.fail(format!(
                "`{of}` has a `{}` of its own, and the device would compare it field by field; derive it, or compare with a `#[gpu_fn]`",
                if ordered { "PartialOrd" } else { "PartialEq" }
            )),
        }
    }

    /// Compares as a derived `PartialOrd` does: the first parts that are not equal decide.
    pub(super) fn ordered(&mut self, op: Compare, ty: Type, a: &[Atom], b: &[Atom]) -> Atom {
        let strict = if matches!(op, Compare::Lt | Compare::Le) { Compare::Lt } else { Compare::Gt };
        let parts = match ty {
            Type::Unit => return Atom::Bool(op != strict),
            Type::Scalar(_) | Type::Enum(_) => return self.compare(op, a[0].clone(), b[0].clone()),
            Type::Option(inner) => {
                let more = self.compare(strict, a[0].clone(), b[0].clone());
                let inner = self.ordered(op, *inner, &a[1..], &b[1..]);
                let held = self.of_held(&a[0], &b[0], inner, Atom::Bool(op != strict));
                return self.or(more, held);
            }
            Type::Result(ok, err) => {
                // `Ok` is the first variant.
                let more = self.compare(strict, b[0].clone(), a[0].clone());
                let values = 1 + shape::width(*ok);
                let good = self.ordered(op, *ok, &a[1..values], &b[1..values]);
                let bad = self.ordered(op, *err, &a[values..], &b[values..]);
                let held = self.of_held(&a[0], &b[0], good, bad);
                return self.or(more, held);
            }
            Type::Array(element, length) => {
                let element = |k| (*element, self.element_at(*element, a, k), self.element_at(*element, b, k));
                (0..length).map(element).collect::<Vec<_>>()
            }
            Type::Tuple(_) | Type::Record(_) => {
                let mut first = 0;
                let part = |(_, part): (String, Type)| {
                    let range = first..first + shape::width(part);
                    first = range.end;
                    (part, a[range.clone()].to_vec(), b[range].to_vec())
                };
                shape::parts(ty).into_iter().map(part).collect()
            }
        };
        let (mut equal, mut found, last) = (Atom::Bool(true), Atom::Bool(false), parts.len());
        for (k, (part, a, b)) in parts.iter().enumerate() {
            let decided = self.ordered(if k + 1 == last { op } else { strict }, *part, a, b);
            let decided = self.and(equal.clone(), decided);
            found = self.or(found, decided);
            if k + 1 < last {
                let same = self.equal(*part, a, b);
                equal = self.and(equal, same);
            }
        }
        if last == 0 { Atom::Bool(op != strict) } else { found }
    }

    /// Returns `first` where both conditions hold, `second` where none holds, and `false` otherwise.
    fn of_held(&mut self, a: &Atom, b: &Atom, first: Atom, second: Atom) -> Atom {
        let (both, some) = (self.and(a.clone(), b.clone()), self.or(a.clone(), b.clone()));
        let none = self.not(some);
        let (first, second) = (self.and(both, first), self.and(none, second));
        self.or(first, second)
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
        self.load(&FlatPlace { ty: element, vars, index: Some((index, LocationId(0))), part: None })
    }
}

/// Returns the variant of an enum with fields, if it is a constant: the fields of others are equal where the variant is.
fn known_variant(ty: Type, atoms: &[Atom]) -> Option<&'static str> {
    let (Type::Record(record), Some(Atom::Int(number, _))) = (ty, atoms.first()) else { return None };
    record.variants()?.variants.iter().find(|(_, known)| known == number).map(|(name, _)| *name)
}
