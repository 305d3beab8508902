//! Names for shared arrays: `let mut best = &desks.lanes[0];`.
//!
//! The value of such a name is the number of the first component of the array. So an access by a name is one access for each array
//! that it can name, of which the number chooses one. A variable can name what it is made of, and what the variables can name whose
//! values it gets, at any time.

use std::collections::HashMap;
use std::rc::Rc;

use super::super::shape;
use super::binding::{ArrayParam, Arrays, NamedArray, NamedArrays};
use super::expander::{Expanded, Expander};
use crate::ir::flat::{Atom, Rvalue, StmtKind};
use crate::ir::open::{self, Arg, Function, OpenTy, Ty, TyId, walk};
use crate::ir::{ArrayId, Compare, VarId};
use crate::spec::{Scalar, Type};

impl<'p> Expander<'p> {
    /// Finds what the variables of the innermost function can name, once its parameters are bound.
    pub(super) fn find_named(&mut self) {
        let tx = &self.frame().resolved.program.tx;
        let mut lets = Vec::new();
        let mut named = NamedArrays { groups: (0..tx.vars.len() as u32).collect(), among: HashMap::new() };
        walk::each(&tx.body, &mut |stmt| {
            if let open::StmtKind::Let { var, value: open::Rvalue::Shared(array, fields) } = &stmt.what {
                lets.push((*var, *array, fields));
            }
        });
        if lets.is_empty() {
            return;
        }
        walk::each(&tx.body, &mut |stmt| join_values(tx, &mut named, stmt));
        let mut elements = HashMap::new();
        walk::each(&tx.body, &mut |stmt| {
            if let open::StmtKind::Choose { var, array, fields, .. } = &stmt.what {
                elements.insert(var.0, (*array, fields));
            }
        });
        // A name for a part of an array that a name names has another type, so this ends.
        loop {
            let mut more = false;
            for (var, array, fields) in &lets {
                let Some((found, ty)) = self.arrays_of(&named, &elements, *array, fields) else { continue };
                let group = named.group(*var);
                let known = named.among.entry((group, ty)).or_default();
                let before = known.len();
                known.extend(found);
                more |= known.len() != before;
            }
            if !more {
                break;
            }
        }
        self.frame_mut().named = named;
    }

    /// Returns the arrays that an array, or a field of one, can be, and the type of their elements.
    fn arrays_of(
        &self,
        named: &NamedArrays,
        elements: &HashMap<u32, (ArrayId, &'p Vec<String>)>,
        array: ArrayId,
        fields: &[String],
    ) -> Option<(Arrays, Type)> {
        let frame = self.frame();
        let (mut found, mut ty) = if let Some(array) = frame.arrays.get(&array.0) {
            (array.possible(), array.ty)
        } else if let Some((whole, fields)) = elements.get(&array.0) {
            let (whole, ty) = self.arrays_of(named, elements, *whole, fields)?;
            let Type::Array(element, count) = ty else { return None };
            (each_element(&whole, count, element.components() as u32), *element)
        } else {
            let tx = &frame.resolved.program.tx;
            let Ty::Shared(element) = tx.ty(tx.vars[array.0 as usize].ty) else { return None };
            let ty = frame.resolved.ty(*element)?;
            (named.among.get(&(named.group(VarId(array.0)), ty)).cloned().unwrap_or_default(), ty)
        };
        for name in fields {
            let part = shape::field(ty, name)?;
            found = found.into_iter().map(|(first, size)| (first + part.component as u32, size)).collect();
            ty = part.ty;
        }
        Some((found, ty))
    }

    /// Notes the array of a variable that names no other one.
    pub(super) fn names_always(&mut self, var: VarId, array: ArrayParam) {
        if !self.frame().resolved.program.tx.vars[var.0 as usize].mutable {
            self.frame_mut().arrays.insert(var.0, array);
        }
    }

    /// Does the same for a copy of a value, if that is the name of such a variable.
    pub(super) fn names_same(&mut self, var: VarId, value: &open::Atom) {
        if let open::Atom::Var(of) = value
            && let Some(array) = self.frame().arrays.get(&of.0).cloned()
        {
            self.names_always(var, array);
        }
    }

    /// Returns the array that a variable names.
    pub(super) fn named_array(&mut self, var: VarId) -> Expanded<ArrayParam> {
        let frame = self.frame();
        let tx = &frame.resolved.program.tx;
        let Ty::Shared(element) = tx.ty(tx.vars[var.0 as usize].ty) else {
            return self.fail("an array is expected here");
        };
        let Some(ty) = frame.resolved.ty(*element) else { return self.fail("the type of this array is not known") };
        let known = match frame.named.groups.is_empty() {
            true => None,
            false => frame.named.among.get(&(frame.named.group(var), ty)).cloned(),
        };
        let known = known.unwrap_or_default();
        let Some(part) = known.values().next().copied() else { return self.fail("this variable names no array") };
        if known.values().any(|other| *other != part) {
            return self.fail("this variable can name partitions of several sizes; use a variable for each");
        }
        let (first, _) = self.scalar(&open::Atom::Var(var))?;
        let first = self.frozen(first, Scalar::U32);
        let named = Some(NamedArray { first, among: known.into_keys().collect::<Rc<[u32]>>() });
        Ok(ArrayParam { ty, first: 0, named, part, chosen: Vec::new() })
    }

    /// Returns the number of the first component of an array.
    pub(super) fn number_of_array(&mut self, array: &ArrayParam) -> Atom {
        let constant = Atom::int(u64::from(array.first), Scalar::U32);
        let mut number = match (&array.named, array.first) {
            (None, _) => constant,
            (Some(named), 0) => named.first.clone(),
            (Some(named), _) => self.combined("rs_wrapping_add", named.first.clone(), constant),
        };
        for chosen in &array.chosen {
            let index = self.temp(Rvalue::Cast(chosen.index.clone(), Scalar::U32), Scalar::U32);
            let size = Atom::int(u64::from(chosen.components), Scalar::U32);
            let offset = self.combined("rs_wrapping_mul", index, size);
            number = self.combined("rs_wrapping_add", number, offset);
        }
        number
    }

    fn combined(&mut self, function: &str, a: Atom, b: Atom) -> Atom {
        self.temp(Rvalue::Device(function.to_owned(), vec![a, b]), Scalar::U32)
    }

    /// Adds the statements for each array that a name can name, half by half.
    pub(super) fn each_named(
        &mut self,
        array: &ArrayParam,
        inside: &mut dyn FnMut(&mut Self, u32) -> Expanded<()>,
    ) -> Expanded<()> {
        let Some(NamedArray { first, among }) = &array.named else { return inside(self, array.first) };
        self.check_written()?;
        if let [one] = **among {
            return inside(self, one + array.first);
        }
        let (low, high) = among.split_at(among.len() / 2);
        let (at, middle) = (self.at, Atom::int(u64::from(high[0]), Scalar::U32));
        let is_low = self.compare(Compare::Lt, first.clone(), middle);
        let half = |among: &[u32]| ArrayParam {
            named: Some(NamedArray { first: first.clone(), among: among.into() }),
            ..array.clone()
        };
        let then = self.nested(|this| this.each_named(&half(low), inside))?;
        let other = self.nested(|this| this.each_named(&half(high), inside))?;
        self.at = at;
        self.push(StmtKind::If { condition: is_low, then, other });
        Ok(())
    }

    /// Expands `let var = array.len()`.
    pub(super) fn let_length(&mut self, var: VarId, array: u32) -> Expanded<()> {
        // The fields of a record, and the elements of an array, have the length of the whole.
        let array = ArrayParam { chosen: Vec::new(), ..self.array(array, &[])? };
        if let Some(part) = array.part {
            return self.define(var, Rvalue::Use(Atom::int(part, Scalar::Usize)));
        }
        if array.named.is_none() {
            return self.define(var, Rvalue::Length(ArrayId(array.first)));
        }
        let length = self.var(None, Scalar::Usize, None, false);
        self.push(StmtKind::Declare { var: length });
        self.each_named(&array, &mut |this, first| {
            let value = this.temp(Rvalue::Length(ArrayId(first)), Scalar::Usize);
            this.push(StmtKind::Assign { var: length, value });
            Ok(())
        })?;
        self.define(var, Rvalue::Use(Atom::Var(length)))
    }
}

impl ArrayParam {
    /// Returns the arrays that it can be.
    fn possible(&self) -> Arrays {
        let mut arrays: Arrays = match &self.named {
            Some(named) => named.among.iter().map(|first| (first + self.first, self.part)).collect(),
            None => [(self.first, self.part)].into(),
        };
        for chosen in &self.chosen {
            arrays = each_element(&arrays, chosen.count, chosen.components);
        }
        arrays
    }
}

/// Returns the elements of arrays of arrays.
fn each_element(arrays: &Arrays, count: u64, components: u32) -> Arrays {
    (0..count as u32).flat_map(|k| arrays.iter().map(move |(first, size)| (first + k * components, *size))).collect()
}

/// Joins the variables that exchange names of arrays in a statement.
fn join_values(tx: &Function, named: &mut NamedArrays, stmt: &open::Stmt) {
    let atoms: Vec<&open::Atom> = match &stmt.what {
        open::StmtKind::Let { value, .. } => value.atoms(),
        open::StmtKind::Assign { value, .. } => vec![value],
        open::StmtKind::Call { args, .. } => args
            .iter()
            .filter_map(|arg| match arg {
                Arg::Value(atom) | Arg::Receiver(_, _, atom) => Some(atom),
                _ => None,
            })
            .collect(),
        _ => return,
    };
    let used = atoms.into_iter().filter_map(|atom| match atom {
        open::Atom::Var(var) => Some(*var),
        _ => None,
    });
    let all: Vec<VarId> =
        stmt.vars().into_iter().chain(used).filter(|var| may_name(tx, tx.vars[var.0 as usize].ty)).collect();
    all.windows(2).for_each(|pair| named.join(pair[0], pair[1]));
}

/// Returns whether a value of the type can have a name of an array in it.
fn may_name(tx: &Function, ty: TyId) -> bool {
    match tx.ty(ty) {
        Ty::Shared(_) | Ty::Open(OpenTy::Any) => true,
        Ty::Tuple(parts) => parts.iter().any(|part| may_name(tx, *part)),
        Ty::Array(part, _) | Ty::Option(part) => may_name(tx, *part),
        Ty::Result(ok, err) => may_name(tx, *ok) || may_name(tx, *err),
        Ty::Scalar(_) | Ty::Unit | Ty::Same(_) | Ty::Named(_) | Ty::Open(_) => false,
    }
}
