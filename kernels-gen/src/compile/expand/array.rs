//! Reads and writes: one for each component of the element, all at the same source location.

use super::super::shape::{self, Group};
use super::binding::{ArrayParam, Binding, Chosen};
use super::expander::{Expanded, Expander};
use crate::ir::flat::{Atom, Rvalue, StmtKind};
use crate::ir::{ArrayId, Compare, LocationId, VarId, open};
use crate::spec::{LocationKind, Scalar, Type};

impl<'p> Expander<'p> {
    /// Returns the array, or the components of it that hold a field of its records.
    pub(super) fn array(&mut self, array: u32, fields: &[String]) -> Expanded<ArrayParam> {
        let mut found = match self.frame().arrays.get(&array).cloned() {
            Some(found) => found,
            None => self.named_array(VarId(array))?,
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

    /// Expands `let array = &arrays[index]`.
    pub(super) fn choose_array(
        &mut self,
        var: VarId,
        (array, fields): (u32, &[String]),
        index: &open::Atom,
        location: LocationId,
    ) -> Expanded<()> {
        let mut array = self.array(array, fields)?;
        let Type::Array(element, count) = array.ty else {
            return self.fail(format!("`{}` has no elements", array.ty));
        };
        let (index, location) = (self.scalar(index)?.0, self.location(location));
        let index = self.frozen(index, Scalar::Usize);
        self.check_index(&index, count, location);
        array.chosen.push(Chosen { index, count, components: element.components() as u32 });
        self.frame_mut().arrays.insert(var.0, ArrayParam { ty: *element, ..array });
        Ok(())
    }

    /// Adds the statements for each array that this one can be, of which the indices choose one.
    pub(super) fn each_array(
        &mut self,
        array: &ArrayParam,
        inside: &mut dyn FnMut(&mut Self, u32) -> Expanded<()>,
    ) -> Expanded<()> {
        match array.chosen.split_last() {
            None => self.each_named(array, inside),
            Some((last, rest)) => {
                let whole = ArrayParam { chosen: rest.to_vec(), ..array.clone() };
                self.each_element(&whole, last, (0, last.count), inside)
            }
        }
    }

    /// Does the same for the elements of `whole` with these numbers, half by half.
    fn each_element(
        &mut self,
        whole: &ArrayParam,
        chosen: &Chosen,
        (start, end): (u64, u64),
        inside: &mut dyn FnMut(&mut Self, u32) -> Expanded<()>,
    ) -> Expanded<()> {
        self.check_written()?;
        if end - start <= 1 {
            let first = whole.first + start as u32 * chosen.components;
            return self.each_array(&ArrayParam { first, ..whole.clone() }, inside);
        }
        let (at, middle) = (self.at, start + (end - start) / 2);
        let low = self.compare(Compare::Lt, chosen.index.clone(), Atom::int(middle, Scalar::Usize));
        let then = self.nested(|this| this.each_element(whole, chosen, (start, middle), inside))?;
        let other = self.nested(|this| this.each_element(whole, chosen, (middle, end), inside))?;
        self.at = at;
        self.push(StmtKind::If { condition: low, then, other });
        Ok(())
    }

    pub(super) fn read(
        &mut self,
        var: VarId,
        (array, fields): (u32, &[String]),
        index: &open::Atom,
        location: LocationId,
    ) -> Expanded<()> {
        let array = self.array(array, fields)?;
        let (index, location) = (self.place_in(&array, index)?, self.access_location(location));
        let Binding::Value(own) = self.frame().vars[var.0 as usize].clone() else { return self.unknown(var) };
        if own.len() != shape::width(array.ty) {
            return self.fail("two types do not agree in this line");
        }
        if array.chosen.is_empty() && array.named.is_none() {
            self.read_into(&own, (array.ty, array.first), &index, location);
            return Ok(());
        }
        for own in &own {
            if let Atom::Var(var) = own {
                self.push(StmtKind::Declare { var: *var });
            }
        }
        self.each_array(&array, &mut |this, first| {
            let groups = shape::groups(array.ty).into_iter();
            let read: Vec<_> =
                groups.map(|group| Atom::Var(this.var(None, group.scalar, group.length(), true))).collect();
            this.read_into(&read, (array.ty, first), &index, location);
            for (own, value) in own.iter().zip(read) {
                if let Atom::Var(var) = own {
                    this.push(StmtKind::Assign { var: *var, value });
                }
            }
            Ok(())
        })
    }

    /// Reads an element of an array whose first component this is into variables for its groups.
    fn read_into(&mut self, own: &[Atom], (ty, first): (Type, u32), index: &Atom, location: LocationId) {
        let groups = shape::groups(ty);
        let mut columns: Vec<Vec<Atom>> = vec![Vec::new(); own.len()];
        for (component, (group, _)) in shape::components(ty).into_iter().enumerate() {
            let Group { scalar, dims, .. } = &groups[group];
            let var = match &own[group] {
                Atom::Var(own) if dims.is_empty() && !scalar.is_wide() => *own,
                _ => self.var(None, if scalar.is_wide() { Scalar::U64 } else { *scalar }, None, true),
            };
            let array = ArrayId(first + component as u32);
            self.push(StmtKind::Read { var, array, index: index.clone(), location });
            columns[group].push(Atom::Var(var));
        }
        for ((own, group), column) in own.iter().zip(groups).zip(columns) {
            let Atom::Var(own) = *own else { continue };
            match self.of_words(group.scalar, column).as_slice() {
                column if !group.dims.is_empty() => self.let_array(own, column.to_vec()),
                [one] if group.scalar.is_wide() => {
                    self.push(StmtKind::Let { var: own, value: Rvalue::Use(one.clone()) });
                }
                _ => {}
            }
        }
    }

    pub(super) fn write(
        &mut self,
        (array, fields): (u32, &[String]),
        index: &open::Atom,
        value: &open::Atom,
        location: LocationId,
    ) -> Expanded<()> {
        let array = self.array(array, fields)?;
        let (index, location) = (self.place_in(&array, index)?, self.access_location(location));
        let (ty, atoms) = self.value(value)?;
        if shape::width(ty) != shape::width(array.ty) {
            return self.fail(format!("the elements are `{}`, but this value is `{ty}`", array.ty));
        }
        let values = self.component_atoms(array.ty, &atoms);
        self.each_array(&array, &mut |this, first| {
            for (array, value) in (first..).map(ArrayId).zip(&values) {
                this.push(StmtKind::Write { array, index: index.clone(), value: value.clone(), location });
            }
            Ok(())
        })
    }

    /// Returns the index of an element in the whole array. An index outside of the partition becomes one outside of the array.
    fn place_in(&mut self, array: &ArrayParam, index: &open::Atom) -> Expanded<Atom> {
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
