//! Patterns of arrays.

use syn::{Pat, PatSlice};

use super::lower::Lowering;
use super::text;
use crate::front::diag::Rule;
use crate::infer::Class;
use crate::ir::LocationId;
use crate::ir::open::{Atom, Length, Rvalue, Step, TyId, rest_field};
use crate::spec::{LocationKind, Scalar};

impl Lowering<'_> {
    /// Returns the elements that `[a, .., b]` examines. rustc ensures that the array has them.
    pub(super) fn elements_of<'p>(
        &mut self,
        pat: &'p PatSlice,
        of: TyId,
        value: &Atom,
    ) -> Option<Vec<(&'p Pat, Atom)>> {
        if self.is_part(value) {
            return Some(self.elements_of_part(pat, of, value));
        }
        let elems: Vec<&Pat> = pat.elems.iter().collect();
        let rest = elems.iter().position(|elem| is_rest(elem));
        let element = self.infer.fresh(Class::Any);
        if self.infer.is_later(of) {
            self.infer.mark_later(element);
        }
        let length = if rest.is_some() { Length::Open } else { Length::Known(elems.len() as u64) };
        let array = self.infer.fresh(Class::Array(element, length));
        self.same_pattern(of, array, pat, |value, pattern| {
            format!("the value is {value}, but the pattern is {pattern}")
        });
        let known = match self.infer.class(of) {
            Class::Array(_, Length::Known(length)) => Some(*length),
            _ => None,
        };
        let mut parts = Vec::new();
        let named = |elem: &&Pat| matches!(elem, Pat::Ident(_));
        if let Some((rest, name)) = rest.and_then(|rest| Some((rest, *elems.get(rest).filter(|elem| named(elem))?))) {
            let value = self.rest_of(name, (rest, elems.len() - rest - 1), (element, known), value)?;
            parts.push((name, value));
        }
        for (k, elem) in elems.iter().enumerate().filter(|(k, _)| Some(*k) != rest) {
            let usize = self.known(Scalar::Usize);
            let location = self.location(LocationKind::Element, text::source(*elem), *elem);
            let index = match (rest, known) {
                (Some(rest), Some(length)) if k > rest => {
                    Atom::Int(i128::from(length.saturating_sub((elems.len() - k) as u64)), usize)
                }
                // Only rustc knows the length.
                (Some(rest), None) if k > rest => self.position_from_end(value, elems.len() - k, (location, elem)),
                _ => Atom::Int(k as i128, usize),
            };
            let part = (Rvalue::Element(value.clone(), index.clone(), location), Step::Element(index, location));
            parts.push((*elem, self.examined_part(value, part, element, elem)));
        }
        Some(parts)
    }

    /// Returns the position of an element that is `before` elements before the end of an array.
    fn position_from_end(&mut self, array: &Atom, before: usize, (location, at): (LocationId, &Pat)) -> Atom {
        let length = self.length_of(array, at);
        let usize = self.known(Scalar::Usize);
        let args = vec![length, Atom::Int(before as i128, usize)];
        self.temp(Rvalue::Method("wrapping_sub".to_owned(), args, location), usize, at)
    }

    /// Returns whether only rustc knows the length of an array.
    fn has_open_length(&mut self, array: &Atom) -> bool {
        let ty = self.type_of(array);
        self.infer.is_later(ty) && matches!(self.infer.class(ty), Class::Array(_, Length::Open))
    }

    /// Returns the array that `rest @ ..` names: all elements but some before and some after it.
    fn rest_of(
        &mut self,
        name: &Pat,
        (before, after): (usize, usize),
        (element, known): (TyId, Option<u64>),
        value: &Atom,
    ) -> Option<Atom> {
        let changes = matches!(value, Atom::Var(var) if self.places.contains_key(var));
        if !changes && self.has_open_length(value) {
            return Some(self.open_rest(name, (before, after), element, value));
        }
        let Some(end) = known.and_then(|known| known.checked_sub(after as u64)).filter(|_| !changes) else {
            let message = if changes {
                "the rest of an array has no name where the array changes; use `..`, and the index"
            } else {
                "the length of the array is not known here; declare its type before, as in `let a: [u32; 4]`, or write `..` without a \
                 name, and `a[1..]` where the rest is used"
            };
            self.diags.report(Rule::Pattern, name, message);
            return None;
        };
        let usize = self.known(Scalar::Usize);
        let location = self.location(LocationKind::Element, text::source(name), name);
        let atoms: Vec<Atom> = (before as u64..end)
            .map(|k| {
                let index = Atom::Int(i128::from(k), usize);
                self.temp(Rvalue::Element(value.clone(), index, location), element, name)
            })
            .collect();
        let array = self.infer.fresh(Class::Array(element, Length::Known(atoms.len() as u64)));
        Some(self.temp(Rvalue::Array(atoms), array, name))
    }

    /// Returns that array where only rustc knows how many elements remain.
    fn open_rest(&mut self, name: &Pat, (before, after): (usize, usize), element: TyId, value: &Atom) -> Atom {
        let (of, field) = (self.type_of(value), rest_field(before, after));
        let ty = self.field_type(of, &field);
        let array = self.infer.fresh(Class::Array(element, Length::Open));
        self.same_pattern(ty, array, name, |value, _| format!("the rest of an array is {value}"));
        self.temp(Rvalue::Field(value.clone(), field), ty, name)
    }
}

pub(super) fn is_rest(pat: &Pat) -> bool {
    match pat {
        Pat::Rest(_) => true,
        Pat::Ident(ident) => ident.subpat.as_ref().is_some_and(|(_, inner)| is_rest(inner)),
        _ => false,
    }
}
