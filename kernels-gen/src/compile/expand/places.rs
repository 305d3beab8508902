//! Parts of variables: fields, elements, and combinations of both.

use super::super::shape;
use super::binding::{Binding, FlatPlace, IndexCheck, KnownElements};
use super::expander::{Expanded, Expander};
use crate::fault::FaultCode;
use crate::ir::flat::{Atom, Rvalue, StmtKind};
use crate::ir::open::{self, Step};
use crate::ir::{Compare, LocationId, VarId};
use crate::spec::{Scalar, Type};

impl<'p> Expander<'p> {
    /// Returns the place of a variable, if it is one and not a list of literals and other variables.
    pub(super) fn place(&self, var: VarId) -> Expanded<Option<FlatPlace>> {
        let ty = self.type_of(var)?;
        Ok(match &self.frame().vars[var.0 as usize] {
            Binding::Place(place) => Some(place.clone()),
            Binding::Value(atoms) => {
                let vars = atoms.iter().map(|atom| match atom {
                    Atom::Var(var) => Some(*var),
                    _ => None,
                });
                vars.collect::<Option<Vec<_>>>().map(|vars| FlatPlace { ty, vars, index: None, part: None })
            }
            Binding::Unknown => self.unknown(var)?,
        })
    }

    /// Returns the part of a variable that the steps lead to.
    pub(super) fn walk_steps(&mut self, var: VarId, steps: &[Step], check: IndexCheck) -> Expanded<FlatPlace> {
        let Some(mut place) = self.place(var)? else { return self.fail("only a variable can be changed") };
        for step in steps {
            place = match step {
                Step::Field(name) => match shape::field(place.ty, name) {
                    Some(part) => place.part(part),
                    None => return self.fail(format!("`{}` has no field `{name}`", place.ty)),
                },
                // The value of an `Option`, in a loop over what may be an array.
                Step::Element(..) if matches!(place.ty, Type::Option(_)) => match shape::field(place.ty, "Some.0") {
                    Some(part) => place.part(part),
                    None => return self.fail(format!("`{}` has no value", place.ty)),
                },
                Step::Element(index, location) => self.element_of(&place, index, *location, check)?,
            };
        }
        Ok(place)
    }

    /// Returns `place[index]`, checked.
    fn element_of(
        &mut self,
        place: &FlatPlace,
        index: &open::Atom,
        location: LocationId,
        check: IndexCheck,
    ) -> Expanded<FlatPlace> {
        let Type::Array(element, length) = place.ty else {
            return self.fail(format!("`{}` has no elements", place.ty));
        };
        let (index, location) = (self.scalar(index)?.0, self.location(location));
        let now = check == IndexCheck::Now || place.part.is_some();
        let index = if now { self.frozen(index, Scalar::Usize) } else { index };
        let on_use = check == IndexCheck::OnUse
            && place.index.is_none()
            && place.part.is_none()
            && !place.vars.is_empty()
            && shape::groups(*element).iter().all(|c| c.dims.is_empty());
        let index = match &place.part {
            Some((start, count)) => {
                let inside = self.compare(Compare::Lt, index.clone(), count.clone());
                self.fault_unless(inside, FaultCode::IndexOutOfRange, location);
                self.temp(Rvalue::Device("rs_wrapping_add".to_owned(), vec![start.clone(), index]), Scalar::Usize)
            }
            None => {
                if !on_use {
                    self.check_index(&index, length, location);
                }
                index
            }
        };
        let index = match &place.index {
            None => index,
            Some((outer, _)) => self.offset(outer.clone(), length, index),
        };
        Ok(FlatPlace { ty: *element, vars: place.vars.clone(), index: Some((index, location)), part: None })
    }

    /// Expands `let var = &of[start..end]`.
    pub(super) fn let_slice(
        &mut self,
        var: VarId,
        of: &open::Atom,
        [start, end]: [&open::Atom; 2],
        location: LocationId,
    ) -> Expanded<()> {
        let Some(mut place) = self.place_of(of)? else { return self.fail("only an array has elements") };
        let Type::Array(_, length) = place.ty else { return self.fail(format!("`{}` has no elements", place.ty)) };
        let (start, end, location) = (self.scalar(start)?.0, self.scalar(end)?.0, self.location(location));
        let (start, end) = (self.frozen(start, Scalar::Usize), self.frozen(end, Scalar::Usize));
        let (first, count) = place.part.unwrap_or((Atom::int(0, Scalar::Usize), Atom::int(length, Scalar::Usize)));
        for (low, high) in [(&start, &end), (&end, &count)] {
            let inside = self.compare(Compare::Le, low.clone(), high.clone());
            self.fault_unless(inside, FaultCode::IndexOutOfRange, location);
        }
        let [first, count] = [("rs_wrapping_add", first), ("rs_wrapping_sub", end)].map(|(function, atom)| {
            self.temp(Rvalue::Device(function.to_owned(), vec![atom, start.clone()]), Scalar::Usize)
        });
        place.part = Some((first, count));
        self.frame_mut().vars[var.0 as usize] = Binding::Place(place);
        Ok(())
    }

    /// Returns a part of an array, if the atom is one: it is passed on as it is, and has a length of its own.
    pub(super) fn slice(&self, atom: &open::Atom) -> Option<&FlatPlace> {
        let open::Atom::Var(var) = atom else { return None };
        match &self.frame().vars[var.0 as usize] {
            Binding::Place(place) => Some(place).filter(|place| place.part.is_some()),
            _ => None,
        }
    }

    pub(super) fn check_index(&mut self, index: &Atom, length: u64, location: LocationId) {
        if matches!(index, Atom::Int(value, _) if *value >= 0 && *value < i128::from(length)) {
            return;
        }
        let length = Atom::int(length, Scalar::Usize);
        let inside = self.temp(Rvalue::Compare(Compare::Lt, index.clone(), length), Scalar::Bool);
        self.fault_unless(inside, FaultCode::IndexOutOfRange, location);
    }

    /// Returns `outer * length + inner`, which is in range because its parts are.
    fn offset(&mut self, outer: Atom, length: u64, inner: Atom) -> Atom {
        if let (Atom::Int(outer, _), Atom::Int(inner, _)) = (&outer, &inner) {
            let sum = outer * i128::from(length) + inner;
            return Atom::int(sum as u64, Scalar::Usize);
        }
        let row = match (&outer, length) {
            (_, 1) => outer,
            (Atom::Int(outer, _), _) => Atom::int((outer * i128::from(length)) as u64, Scalar::Usize),
            _ => {
                let length = Atom::int(length, Scalar::Usize);
                self.temp(Rvalue::Device("rs_wrapping_mul".to_owned(), vec![outer, length]), Scalar::Usize)
            }
        };
        match (&row, &inner) {
            (_, Atom::Int(0, _)) => row,
            (Atom::Int(0, _), _) => inner,
            _ => self.temp(Rvalue::Device("rs_wrapping_add".to_owned(), vec![row, inner]), Scalar::Usize),
        }
    }

    /// Returns the present value of an atom, for later use.
    pub(super) fn frozen(&mut self, atom: Atom, scalar: Scalar) -> Atom {
        if self.is_stable(&atom) { atom } else { self.temp(Rvalue::Use(atom), scalar) }
    }

    /// Returns the present groups of a place.
    pub(super) fn load(&mut self, place: &FlatPlace) -> Vec<Atom> {
        let groups = shape::groups(place.ty);
        let mut atoms = Vec::new();
        for (var, group) in place.vars.iter().zip(groups) {
            atoms.push(match (&place.index, group.length()) {
                (None, _) => Atom::Var(*var),
                (Some((index, location)), None) => self.element(*var, index, *location),
                (Some((index, location)), Some(length)) => {
                    let elements = (0..length).map(|k| {
                        let k = Atom::int(k, Scalar::Usize);
                        let index = self.offset(index.clone(), length, k);
                        self.element(*var, &index, *location)
                    });
                    let elements = elements.collect();
                    let row = self.var(None, group.scalar, Some(length), true);
                    self.let_array(row, elements);
                    Atom::Var(row)
                }
            });
        }
        atoms
    }

    /// Returns one element of an array of scalars.
    pub(super) fn element(&mut self, array: VarId, index: &Atom, location: LocationId) -> Atom {
        if let Some(known) = self.known_element(array, index) {
            return known;
        }
        let scalar = self.flat.var(array).scalar;
        self.temp(Rvalue::Element(array, index.clone(), location), scalar)
    }

    fn known_element(&self, array: VarId, index: &Atom) -> Option<Atom> {
        let Atom::Int(index, _) = index else { return None };
        let length = self.flat.var(array).length?;
        if *index < 0 || *index >= i128::from(length) {
            return None;
        }
        match self.known.get(&array)? {
            KnownElements::All(atom) => Some(atom.clone()),
            KnownElements::Each(atoms) => atoms.get(*index as usize).cloned(),
        }
    }

    /// Returns all elements of an array of scalars. They exist, so the location is never reported.
    pub(super) fn elements(&mut self, array: &Atom) -> Vec<Atom> {
        let Atom::Var(var) = array else { return Vec::new() };
        let length = self.flat.var(*var).length.unwrap_or(0);
        (0..length).map(|k| self.element(*var, &Atom::int(k, Scalar::Usize), LocationId(0))).collect()
    }

    /// Gives a place a value.
    pub(super) fn store(&mut self, place: &FlatPlace, atoms: Vec<Atom>) {
        for ((var, group), value) in place.vars.iter().zip(shape::groups(place.ty)).zip(atoms) {
            let var = *var;
            match (&place.index, group.length()) {
                (None, _) => self.push(StmtKind::Assign { var, value }),
                (Some((index, location)), None) => {
                    self.assign_element(var, index.clone(), value, *location);
                }
                (Some((index, location)), Some(length)) => {
                    for (k, value) in self.elements(&value).into_iter().enumerate() {
                        let k = Atom::int(k as u64, Scalar::Usize);
                        let index = self.offset(index.clone(), length, k);
                        self.assign_element(var, index, value, *location);
                    }
                }
            }
        }
    }

    fn assign_element(&mut self, array: VarId, index: Atom, value: Atom, location: LocationId) {
        self.push(StmtKind::AssignElement { array, index, value, location });
    }

    pub(super) fn assign(&mut self, var: VarId, steps: &[Step], value: &open::Atom) -> Expanded<()> {
        let (_, atoms) = self.value(value)?;
        let place = self.walk_steps(var, steps, IndexCheck::OnUse)?;
        self.store(&place, atoms);
        Ok(())
    }

    /// Expands `let var = of[index]`.
    pub(super) fn let_element(
        &mut self,
        var: VarId,
        (of, index): (&open::Atom, &open::Atom),
        location: LocationId,
        rest: &[open::Stmt],
    ) -> Expanded<()> {
        let Some(place) = self.place_of(of)? else { return self.fail("only an array has elements") };
        let compound = !matches!(place.ty, Type::Array(element, _) if shape::scalar(*element).is_some());
        let check = if compound { IndexCheck::Now } else { IndexCheck::OnUse };
        let element = self.element_of(&place, index, location, check)?;
        self.let_place(var, element, rest)
    }

    /// Expands `let var = of.part`.
    pub(super) fn let_part(
        &mut self,
        var: VarId,
        of: &open::Atom,
        part: shape::ValuePart,
        rest: &[open::Stmt],
    ) -> Expanded<()> {
        if let Some(place) = self.place_of(of)? {
            return self.let_place(var, place.part(part), rest);
        }
        let (_, atoms) = self.value(of)?;
        let atoms = atoms[part.group..part.group + shape::width(part.ty)].to_vec();
        self.bind(var, atoms)
    }

    fn place_of(&self, atom: &open::Atom) -> Expanded<Option<FlatPlace>> {
        match atom {
            open::Atom::Var(var) => self.place(*var),
            _ => Ok(None),
        }
    }

    /// Expands `let var = place`, without a copy if `var` is only used to access a part of it.
    fn let_place(&mut self, var: VarId, place: FlatPlace, rest: &[open::Stmt]) -> Expanded<()> {
        let stable = place.index.is_none() && place.vars.iter().all(|var| self.is_stable(&Atom::Var(*var)));
        let worth = place.index.is_some() && shape::width(place.ty) > 1 || place.has_arrays();
        if !stable && worth && self.leads_on(var, rest) {
            self.frame_mut().vars[var.0 as usize] = Binding::Place(place);
            return Ok(());
        }
        if let (Some((index, location)), [array], Some(_)) =
            (&place.index, place.vars.as_slice(), shape::scalar(place.ty))
            && self.known_element(*array, index).is_none()
        {
            let value = Rvalue::Element(*array, index.clone(), *location);
            return self.define(var, value);
        }
        let atoms = self.load(&place);
        self.bind(var, atoms)
    }

    /// Returns whether the only use of a temporary is to access a part of it, before anything can change.
    fn leads_on(&self, var: VarId, rest: &[open::Stmt]) -> bool {
        let frame = self.frame();
        let tx = &frame.resolved.program.tx;
        if tx.vars[var.0 as usize].name.is_some() || frame.uses[var.0 as usize] != 1 {
            return false;
        }
        for stmt in rest {
            let open::StmtKind::Let { value, .. } = &stmt.what else { return false };
            match value {
                // The rest of an array is a copy.
                open::Rvalue::Field(_, name) if open::rest_of_field(name).is_some() => return false,
                open::Rvalue::Field(open::Atom::Var(of), _) | open::Rvalue::Element(open::Atom::Var(of), ..)
                    if *of == var =>
                {
                    return true;
                }
                other if other.atoms().contains(&&open::Atom::Var(var)) => return false,
                _ => {}
            }
        }
        false
    }
}
