//! Reads and writes: one for each component of the element, all at the same source location.

use super::super::shape::{self, Group};
use super::binding::{ArrayParam, Binding};
use super::expander::{Expanded, Expander};
use crate::ir::flat::{Atom, Rvalue, StmtKind};
use crate::ir::{ArrayId, LocationId, VarId, open};
use crate::spec::{LocationKind, Scalar, Type};

impl<'p> Expander<'p> {
    /// Returns the array, or the components of it that hold a field of its records.
    pub(super) fn array(&self, array: u32, fields: &[String]) -> Expanded<ArrayParam> {
        let Some(mut found) = self.frame().arrays.get(&array).copied() else {
            return self.fail("an array is expected here");
        };
        for name in fields {
            let Some(part) = shape::field(found.ty, name) else {
                return self.fail(format!("`{}` has no field `{name}`", found.ty));
            };
            found = ArrayParam { ty: part.ty, first: found.first + part.component as u32, ..found };
        }
        if found.ty.components() == 0 {
            return self.fail(format!("a `{}` has no data to store, so it cannot have an array", found.ty));
        }
        Ok(found)
    }

    pub(super) fn read(
        &mut self,
        var: VarId,
        (array, fields): (u32, &[String]),
        index: &open::Atom,
        location: LocationId,
    ) -> Expanded<()> {
        let array = self.array(array, fields)?;
        let (index, location) = (self.place_in(array, index)?, self.access_location(location));
        let Binding::Value(own) = self.frame().vars[var.0 as usize].clone() else { return self.unknown(var) };
        let groups = shape::groups(array.ty);
        if own.len() != groups.len() {
            return self.fail("two types do not agree in this line");
        }
        let mut columns: Vec<Vec<Atom>> = vec![Vec::new(); own.len()];
        for (component, (group, _)) in shape::components(array.ty).into_iter().enumerate() {
            let Group { scalar, dims, .. } = &groups[group];
            let var = match &own[group] {
                Atom::Var(own) if dims.is_empty() && !scalar.is_wide() => *own,
                _ => self.var(None, if scalar.is_wide() { Scalar::U64 } else { *scalar }, None, true),
            };
            let array = ArrayId(array.first + component as u32);
            self.push(StmtKind::Read { var, array, index: index.clone(), location });
            columns[group].push(Atom::Var(var));
        }
        for ((own, group), column) in own.into_iter().zip(groups).zip(columns) {
            let Atom::Var(own) = own else { continue };
            match self.of_words(group.scalar, column).as_slice() {
                column if !group.dims.is_empty() => self.let_array(own, column.to_vec()),
                [one] if group.scalar.is_wide() => {
                    self.push(StmtKind::Let { var: own, value: Rvalue::Use(one.clone()) });
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn write(
        &mut self,
        (array, fields): (u32, &[String]),
        index: &open::Atom,
        value: &open::Atom,
        location: LocationId,
    ) -> Expanded<()> {
        let array = self.array(array, fields)?;
        let (index, location) = (self.place_in(array, index)?, self.access_location(location));
        let (ty, atoms) = self.value(value)?;
        if shape::width(ty) != shape::width(array.ty) {
            return self.fail(format!("the elements are `{}`, but this value is `{ty}`", array.ty));
        }
        for (component, value) in self.component_atoms(array.ty, &atoms).into_iter().enumerate() {
            let array = ArrayId(array.first + component as u32);
            self.push(StmtKind::Write { array, index: index.clone(), value, location });
        }
        Ok(())
    }

    /// Returns the index of an element in the whole array. An index outside of the partition becomes one outside of the array.
    fn place_in(&mut self, array: ArrayParam, index: &open::Atom) -> Expanded<Atom> {
        let (index, scalar) = self.scalar(index)?;
        let (Some(size), Some(part)) = (array.part, self.part) else { return Ok(index) };
        let index = match scalar {
            Scalar::U64 => index,
            _ => self.temp(Rvalue::Device("rs_index".to_owned(), vec![index]), Scalar::U64),
        };
        let args = vec![Atom::Var(part), Atom::int(size, Scalar::U64), index];
        Ok(self.temp(Rvalue::Device("rs_part_index".to_owned(), args), Scalar::U64))
    }

    /// Returns the components of a value in order.
    pub(super) fn component_atoms(&mut self, ty: Type, atoms: &[Atom]) -> Vec<Atom> {
        let columns: Vec<Vec<Atom>> = atoms
            .iter()
            .map(|atom| if self.is_array(atom) { self.elements(atom) } else { vec![atom.clone()] })
            .collect();
        let component = |(group, index): &(usize, u64)| columns.get(*group)?.get(*index as usize).cloned();
        let places = shape::components(ty);
        let mut atoms: Vec<Atom> = places.iter().filter_map(component).collect();
        for k in 0..atoms.len() {
            if self.flat.atom_type(&atoms[k]).is_wide() {
                let is_high = k > 0 && places[k - 1] == places[k];
                atoms[k] = match (&atoms[k], if is_high { "rs_high_word" } else { "rs_low_word" }) {
                    (Atom::Int(value, _), _) => Atom::int((value >> if is_high { 64 } else { 0 }) as u64, Scalar::U64),
                    (value, half) => self.temp(Rvalue::Device(half.to_owned(), vec![value.clone()]), Scalar::U64),
                };
            }
        }
        atoms
    }

    /// Returns the values of a group whose components these are: of a wide integer, the two words of each.
    pub(super) fn of_words(&mut self, scalar: Scalar, column: Vec<Atom>) -> Vec<Atom> {
        if !scalar.is_wide() {
            return column;
        }
        let function = format!("rs_wide<{}>", scalar.cuda());
        column.chunks(2).map(|words| self.temp(Rvalue::Device(function.clone(), words.to_vec()), scalar)).collect()
    }

    /// Returns the location of a read or write. A call can have moved it into a loop.
    fn access_location(&mut self, location: LocationId) -> LocationId {
        let location = self.location(location);
        if let LocationKind::Read { in_loop } | LocationKind::Write { in_loop } =
            &mut self.flat.locations[location.0 as usize].decl.what
        {
            *in_loop = self.looping > 0;
        }
        location
    }
}
