//! Expansion of the values of `let`.

use super::super::shape;
use super::binding::{Binding, KnownElements};
use super::expander::{Expanded, Expander};
use crate::ir::flat::{Atom, Rvalue, StmtKind};
use crate::ir::open::{self, TyId};
use crate::ir::{Compare, UnaryOp, VarId};
use crate::spec::{PERHAPS, Scalar, Type};

impl<'p> Expander<'p> {
    pub(super) fn let_stmt(&mut self, var: VarId, value: &open::Rvalue, rest: &[open::Stmt]) -> Expanded<()> {
        match value {
            open::Rvalue::Use(a) if self.slice(a).is_some() => {
                if let Some(place) = self.slice(a).cloned() {
                    self.frame_mut().vars[var.0 as usize] = Binding::Place(place);
                }
                Ok(())
            }
            open::Rvalue::Slice(of, start, end, location) => self.let_slice(var, of, [start, end], *location),
            open::Rvalue::Use(a) => {
                self.names_same(var, a);
                let (ty, atoms) = self.value(a)?;
                match (shape::scalar(ty), atoms.as_slice()) {
                    (Some(_), [atom]) => self.define(var, Rvalue::Use(atom.clone())),
                    _ => self.bind(var, atoms),
                }
            }
            open::Rvalue::Unary(op, a, location) => {
                let (a, scalar) = self.number(a)?;
                self.operator(op.rust(), scalar, !(scalar.is_float() && *op == UnaryOp::Not))?;
                let location = location.filter(|_| scalar.is_int()).map(|location| self.location(location));
                self.define(var, Rvalue::Unary(*op, a, location))
            }
            open::Rvalue::Arith(op, a, b, location) => {
                let ((a, scalar), (b, _)) = (self.number(a)?, self.number(b)?);
                self.operator(op.rust(), scalar, scalar != Scalar::Bool && !(op.is_shift() && scalar.is_float()))?;
                let location = location.filter(|_| scalar.is_int()).map(|location| self.location(location));
                self.define(var, Rvalue::Arith(*op, a, b, location))
            }
            open::Rvalue::Logic(op, a, b) => {
                let ((a, scalar), (b, _)) = (self.scalar(a)?, self.scalar(b)?);
                self.operator(op.rust(), scalar, !scalar.is_float())?;
                self.define(var, Rvalue::Logic(*op, a, b))
            }
            open::Rvalue::Compare(op, a, b) => self.let_compare(var, *op, a, b),
            open::Rvalue::Cast(a, to) => self.let_cast(var, a, *to),
            open::Rvalue::Array(atoms) => self.let_elements(var, atoms),
            open::Rvalue::Repeat(a) => self.let_repeat(var, a),
            // Its index is 0, because the loop around it goes over its length.
            open::Rvalue::Element(a, ..) if matches!(self.atom_type(a)?, Type::Option(_)) => {
                let part = self.option(a)?;
                self.let_part(var, a, part, rest)
            }
            open::Rvalue::Element(a, index, location) => self.let_element(var, (a, index), *location, rest),
            open::Rvalue::Tuple(parts) => {
                let mut atoms = Vec::new();
                for part in parts {
                    atoms.extend(self.value(part)?.1);
                }
                self.bind(var, atoms)
            }
            open::Rvalue::Record(fields, base) => self.let_record(var, fields, base.as_ref()),
            open::Rvalue::Variant(name, fields) => self.let_variant(var, name, fields),
            open::Rvalue::IsVariant(a, name) => {
                let (ty, atoms) = self.value(a)?;
                if name.ends_with(PERHAPS) && !shape::has_variants(ty) {
                    return self.define(var, Rvalue::Use(Atom::Bool(true)));
                }
                let (number, _) = self.number_of(ty, name)?;
                self.define(var, Rvalue::Compare(Compare::Eq, atoms[0].clone(), number))
            }
            open::Rvalue::Some(a) => {
                let (_, inner) = self.value(a)?;
                self.bind(var, [vec![Atom::Bool(true)], inner].concat())
            }
            open::Rvalue::None => {
                let ty = self.type_of(var)?;
                let zeros = self.zeros(ty);
                self.bind(var, zeros)
            }
            open::Rvalue::Field(a, name) => {
                let ty = self.atom_type(a)?;
                if let Some(without) = open::rest_of_field(name) {
                    return self.let_rest(var, a, without);
                }
                match shape::field(ty, name) {
                    Some(part) => self.let_part(var, a, part, rest),
                    None => self.fail(format!("`{ty}` has no field `{name}`")),
                }
            }
            open::Rvalue::IsSome(a) => {
                self.option(a)?;
                let part = shape::ValuePart { ty: Type::Scalar(Scalar::Bool), group: 0, component: 0 };
                self.let_part(var, a, part, rest)
            }
            open::Rvalue::Inner(a) => {
                let part = self.option(a)?;
                self.let_part(var, a, part, rest)
            }
            open::Rvalue::Constant(constant) => self.let_constant(var, *constant),
            open::Rvalue::Default => {
                let ty = self.type_of(var)?;
                let atoms = self.default_of(ty)?;
                self.bind(var, atoms)
            }
            open::Rvalue::Shared(array, fields) => {
                let array = self.array(array.0, fields)?;
                let number = self.number_of_array(&array);
                self.names_always(var, array);
                self.define(var, Rvalue::Use(number))
            }
            open::Rvalue::Length(array) => self.let_length(var, array.0),
            open::Rvalue::Method(name, args, location) => self.let_method(var, name, args, *location),
        }
    }

    fn operator(&self, sign: &str, scalar: Scalar, exists: bool) -> Expanded<()> {
        match exists {
            true => Ok(()),
            false => self.fail(format!("there is no `{sign}` for `{}`", scalar.rust())),
        }
    }

    /// Adds `let var = value` of one scalar.
    pub(super) fn define(&mut self, var: VarId, value: Rvalue) -> Expanded<()> {
        let var = self.own(var)?;
        self.push(StmtKind::Let { var, value });
        Ok(())
    }

    /// Binds `let var = ..` to these groups, without a copy if neither they nor the variable ever change.
    pub(super) fn bind(&mut self, var: VarId, atoms: Vec<Atom>) -> Expanded<()> {
        let decl = &self.frame().resolved.program.tx.vars[var.0 as usize];
        if !decl.mutable && atoms.iter().all(|atom| self.is_stable(atom)) {
            self.frame_mut().vars[var.0 as usize] = Binding::Value(atoms);
            return Ok(());
        }
        let Binding::Value(own) = self.frame().vars[var.0 as usize].clone() else { return self.unknown(var) };
        if own.len() != atoms.len() {
            return self.fail("two types do not agree in this line");
        }
        for (own, atom) in own.into_iter().zip(atoms) {
            if let Atom::Var(var) = own {
                self.push(StmtKind::Let { var, value: Rvalue::Use(atom) });
            }
        }
        Ok(())
    }

    pub(super) fn atom_type(&mut self, atom: &open::Atom) -> Expanded<Type> {
        match atom {
            open::Atom::Var(var) => self.type_of(*var),
            _ => self.value(atom).map(|(ty, _)| ty),
        }
    }

    /// Returns the value inside an `Option` or an `Ok`.
    pub(super) fn option(&mut self, atom: &open::Atom) -> Expanded<shape::ValuePart> {
        let ty = self.atom_type(atom)?;
        shape::inner(ty).ok_or_else(|| self.error(format!("an `Option` is expected here, but this is `{ty}`")))
    }

    fn let_cast(&mut self, var: VarId, a: &open::Atom, to: TyId) -> Expanded<()> {
        let own = "`into` gives only numbers, booleans and `char`s here; for a type of yours write `Item::from(value)`, or the type of the \
                   variable, as in `let item: Item = value.into();`";
        let given = self.atom_type(a)?;
        let to = match self.frame().resolved.ty(to) {
            Some(Type::Scalar(to)) => to,
            // A `char`: rustc allows no other cast to an enum.
            Some(Type::Enum(of)) => of.repr,
            _ => return self.fail(own),
        };
        if shape::scalar(given).is_none() {
            return self.fail(own);
        }
        let (a, from) = self.scalar(a)?;
        let exists = from == to || to != Scalar::Bool && !(from == Scalar::Bool && to.is_float());
        if !exists {
            return self.fail(format!("Rust has no cast from `{}` to `{}`", from.rust(), to.rust()));
        }
        self.define(var, Rvalue::Cast(a, to))
    }

    fn let_record(&mut self, var: VarId, fields: &[(String, open::Atom)], base: Option<&open::Atom>) -> Expanded<()> {
        let ty = self.type_of(var)?;
        let base = base.map(|base| self.value(base)).transpose()?;
        let mut atoms = Vec::new();
        let mut first = 0;
        for (name, part) in shape::parts(ty) {
            let width = shape::width(part);
            match (fields.iter().find(|(field, _)| *field == name), &base) {
                (Some((_, atom)), _) => atoms.extend(self.value(atom)?.1),
                (None, Some((_, base))) if base.len() >= first + width => {
                    atoms.extend_from_slice(&base[first..first + width]);
                }
                _ => return self.fail(format!("`{ty}` needs a value for its field `{name}`")),
            }
            first += width;
        }
        self.bind(var, atoms)
    }

    /// Returns the number of a variant, and its name with a dot, which those of its fields begin with.
    fn number_of(&self, ty: Type, name: &str) -> Expanded<(Atom, String)> {
        match shape::variant(ty, name) {
            Some((number, Scalar::Bool)) => Ok((Atom::Bool(number != 0), format!("{name}."))),
            Some((number, scalar)) => Ok((Atom::Int(number, scalar), format!("{name}."))),
            None => self.fail(format!("`{ty}` has no variant `{name}` with fields")),
        }
    }

    /// The fields of other variants are 0.
    fn let_variant(&mut self, var: VarId, name: &str, fields: &[(String, open::Atom)]) -> Expanded<()> {
        let ty = self.type_of(var)?;
        if name.ends_with(PERHAPS) {
            let fields: Vec<_> = fields.iter().map(|(name, atom)| (shape::own_name(ty, name), atom.clone())).collect();
            return match shape::has_variants(ty) {
                true => self.let_variant(var, name.trim_end_matches(PERHAPS), &fields),
                false => self.let_record(var, &fields, None),
            };
        }
        let (number, own) = self.number_of(ty, name)?;
        let mut atoms = vec![number];
        for (name, part) in shape::parts(ty).into_iter().skip(1) {
            match fields.iter().find(|(field, _)| *field == name) {
                Some((_, atom)) => atoms.extend(self.value(atom)?.1),
                None if name.starts_with(&own) => {
                    return self.fail(format!("`{ty}` needs a value for its field `{name}`"));
                }
                None => atoms.extend(self.zeros(part)),
            }
        }
        self.bind(var, atoms)
    }

    fn let_elements(&mut self, var: VarId, elements: &[open::Atom]) -> Expanded<()> {
        let ty = self.type_of(var)?;
        let mut columns: Vec<Vec<Atom>> = vec![Vec::new(); shape::width(ty)];
        for element in elements {
            let (_, atoms) = self.value(element)?;
            for (column, atom) in columns.iter_mut().zip(atoms) {
                match self.is_array(&atom) {
                    true => column.extend(self.elements(&atom)),
                    false => column.push(atom),
                }
            }
        }
        for (own, column) in self.own_arrays(var)?.into_iter().zip(columns) {
            self.let_array(own, column);
        }
        Ok(())
    }

    /// Expands what remains of an array without some elements at its start and its end.
    fn let_rest(&mut self, var: VarId, array: &open::Atom, (before, after): (usize, usize)) -> Expanded<()> {
        let (ty, atoms) = self.value(array)?;
        let Type::Array(_, length) = ty else { return self.fail(format!("`{ty}` has no elements")) };
        for (own, atom) in self.own_arrays(var)?.into_iter().zip(atoms) {
            let elements = self.elements(&atom);
            // A nested array is one array of all its scalars.
            let scalars = elements.len().checked_div(length as usize).unwrap_or_default();
            let end = elements.len().saturating_sub(after * scalars);
            self.let_array(own, elements.into_iter().take(end).skip(before * scalars).collect());
        }
        Ok(())
    }

    /// Expands an array whose elements are all the same.
    fn let_repeat(&mut self, var: VarId, element: &open::Atom) -> Expanded<()> {
        let (_, atoms) = self.value(element)?;
        for (own, atom) in self.own_arrays(var)?.into_iter().zip(atoms) {
            let row = match &atom {
                Atom::Var(row) if self.is_array(&atom) => Some(*row),
                _ => None,
            };
            match (row, row.and_then(|row| self.known.get(&row))) {
                (None, _) => self.let_repeated(own, atom),
                (Some(_), Some(KnownElements::All(inner))) => {
                    let inner = inner.clone();
                    self.let_repeated(own, inner);
                }
                (Some(row), _) => {
                    let elements = self.elements(&atom);
                    let (whole, part) = (self.flat.var(own).scalars(), self.flat.var(row).scalars());
                    let times = whole.checked_div(part).unwrap_or_default();
                    let elements = (0..times).flat_map(|_| elements.clone()).collect();
                    self.let_array(own, elements);
                }
            }
        }
        Ok(())
    }

    pub(super) fn let_repeated(&mut self, var: VarId, atom: Atom) {
        if self.is_stable(&Atom::Var(var)) && self.is_stable(&atom) {
            self.known.insert(var, KnownElements::All(atom.clone()));
        }
        self.push(StmtKind::Let { var, value: Rvalue::Repeat(atom) });
    }

    pub(super) fn is_array(&self, atom: &Atom) -> bool {
        matches!(atom, Atom::Var(var) if self.flat.var(*var).length.is_some())
    }

    /// Returns the variables of the flat form that stand for an array variable.
    pub(super) fn own_arrays(&self, var: VarId) -> Expanded<Vec<VarId>> {
        match self.place(var)? {
            Some(place) => Ok(place.vars),
            None => self.unknown(var),
        }
    }
}
