//! Methods: those of scalars come from the table that the device shares, those of `Option` and arrays are expanded here.

use super::super::resolve::{path_scalar, short_name};
use super::super::shape;
use super::expander::{Expanded, Expander};
use crate::fault::FaultCode;
use crate::ir::flat::{Atom, Rvalue, StmtKind};
use crate::ir::{Compare, LocationId, Logic, UnaryOp, VarId, open};
use crate::methods::{BYTES, Method, MethodResult};
use crate::spec::{Scalar, Type};

impl<'p> Expander<'p> {
    pub(super) fn let_method(
        &mut self,
        var: VarId,
        name: &str,
        args: &[open::Atom],
        location: LocationId,
    ) -> Expanded<()> {
        let short = short_name(name);
        if let Some(scalar) = path_scalar(name) {
            return self.scalar_method(var, (scalar, short), args, location);
        }
        let Some(receiver) = args.first() else { return self.fail(format!("`{name}` is called on nothing")) };
        let ty = self.atom_type(receiver)?;
        if let ("max" | "min", [a, b], false) = (short, args, matches!(ty, Type::Scalar(_))) {
            return self.greater_or_less(var, short == "max", a, b);
        }
        match ty {
            Type::Option(_) => self.option_method(var, short, args, location),
            Type::Result(ok, _) => self.result_method(var, (short, *ok), args, location),
            Type::Array(_, length) if short == "len" => {
                let own = self.slice(receiver).and_then(|place| place.part.clone());
                let length = own.map_or_else(|| Atom::int(length, Scalar::Usize), |(_, count)| count);
                self.bind(var, vec![length])
            }
            Type::Scalar(Scalar::Bool) if short == "then_some" => self.then_some(var, args),
            ty => match shape::scalar(ty) {
                Some(scalar) => self.scalar_method(var, (scalar, short), args, location),
                None => self.no_method(ty, short),
            },
        }
    }

    /// Expands `max` and `min` of values that are no numbers: of equal ones, `max` gives the second and `min` the first.
    fn greater_or_less(&mut self, var: VarId, max: bool, a: &open::Atom, b: &open::Atom) -> Expanded<()> {
        let ((ty, a), (_, b)) = (self.value(a)?, self.value(b)?);
        self.compares_parts(ty, true)?;
        let greater = self.ordered(Compare::Gt, ty, &a, &b);
        let (first, second) = if max { (a, b) } else { (b, a) };
        let chosen = self.choose(&greater, ty, first, second);
        self.bind(var, chosen)
    }

    fn no_method<T>(&self, ty: impl std::fmt::Display, name: &str) -> Expanded<T> {
        self.fail(format!("`{ty}` has no method `{name}` that transactions can call; write it as a `#[gpu_fn]`"))
    }

    fn scalar_method(
        &mut self,
        var: VarId,
        (scalar, name): (Scalar, &str),
        args: &[open::Atom],
        location: LocationId,
    ) -> Expanded<()> {
        if let (true, [number]) = (BYTES.contains(&name) && scalar.is_int(), args) {
            return self.bytes_of(var, (scalar, name), number);
        }
        let Some(method) = Method::find(name, scalar) else { return self.no_method(scalar.rust(), name) };
        let args = args.iter().map(|arg| Ok(self.scalar(arg)?.0)).collect::<Expanded<Vec<_>>>()?;
        // A position from the end of an array, whose length is a number here.
        if let ("wrapping_sub", Scalar::Usize, [Atom::Int(length, _), Atom::Int(before, _)]) = (name, scalar, &args[..])
            && length >= before
        {
            return self.bind(var, vec![Atom::Int(length - before, scalar)]);
        }
        let location = self.location(location);
        let (always, when_checked) = method.fault_parts();
        for (function, checked) in always.map(|f| (f, false)).into_iter().chain(when_checked.map(|f| (f, true))) {
            self.push(StmtKind::FaultIf { function, args: args.clone(), checked, location });
        }
        let parts = method.parts(scalar);
        if let (MethodResult::One(_), [(function, _)]) = (method.result, parts.as_slice()) {
            return self.define(var, Rvalue::Device(function.clone(), args));
        }
        let mut atoms: Vec<Atom> = Vec::new();
        for (function, part) in parts {
            atoms.push(self.temp(Rvalue::Device(function, args.clone()), part));
        }
        self.bind(var, atoms)
    }

    /// Expands `number.to_le_bytes()` and the like.
    fn bytes_of(&mut self, var: VarId, (scalar, name): (Scalar, &str), number: &open::Atom) -> Expanded<()> {
        let ((number, _), shift) = (self.scalar(number)?, Method::find("wrapping_shr", scalar));
        let Some((shift, _)) = shift.and_then(|method| method.parts(scalar).into_iter().next()) else {
            return self.no_method(scalar.rust(), name);
        };
        let mut bytes = Vec::new();
        for k in 0..scalar.size() {
            let shifted = match k {
                0 => number.clone(),
                k => {
                    let args = vec![number.clone(), Atom::Int(8 * k as i128, Scalar::U32)];
                    self.temp(Rvalue::Device(shift.clone(), args), scalar)
                }
            };
            bytes.push(self.temp(Rvalue::Cast(shifted, Scalar::U8), Scalar::U8));
        }
        if name == "to_be_bytes" {
            bytes.reverse();
        }
        for own in self.own_arrays(var)? {
            self.let_array(own, bytes.clone());
        }
        Ok(())
    }

    fn then_some(&mut self, var: VarId, args: &[open::Atom]) -> Expanded<()> {
        let [condition, value] = args else { return self.no_method("bool", "then_some") };
        let (condition, _) = self.scalar(condition)?;
        let (ty, value) = self.value(value)?;
        let zeros = self.zeros(ty);
        let value = self.choose(&condition, ty, value, zeros);
        self.bind(var, [vec![condition], value].concat())
    }

    /// Expands a method of a `Result`. Those that it shares with `Option` look at its `Ok` alone.
    fn result_method(
        &mut self,
        var: VarId,
        (name, ok): (&str, Type),
        args: &[open::Atom],
        location: LocationId,
    ) -> Expanded<()> {
        let (_, result) = self.value(&args[0])?;
        let values = 1 + shape::width(ok);
        match name {
            "is_ok" => self.define(var, Rvalue::Use(result[0].clone())),
            "is_err" => self.define(var, Rvalue::Unary(UnaryOp::Not, result[0].clone(), None)),
            "ok" => self.bind(var, result[..values].to_vec()),
            "err" => {
                let is_err = self.not(result[0].clone());
                self.bind(var, [vec![is_err], result[values..].to_vec()].concat())
            }
            _ => self.option_method(var, name, args, location),
        }
    }

    fn option_method(&mut self, var: VarId, name: &str, args: &[open::Atom], location: LocationId) -> Expanded<()> {
        let (ty, option) = self.value(&args[0])?;
        let (Some(part), Some((is_some, inner))) = (shape::inner(ty), option.split_first()) else {
            return self.no_method(ty, name);
        };
        let (is_some, inner) = (is_some.clone(), inner[..shape::width(part.ty)].to_vec());
        let other = args.get(1).filter(|_| name != "expect").map(|arg| self.value(arg)).transpose()?;
        match (name, other) {
            ("is_some", _) => self.define(var, Rvalue::Use(is_some)),
            ("len", _) => self.define(var, Rvalue::Cast(is_some, Scalar::Usize)),
            ("is_none", _) => self.define(var, Rvalue::Unary(UnaryOp::Not, is_some, None)),
            ("unwrap" | "expect", _) => {
                let location = self.location(location);
                self.fault_unless(is_some, FaultCode::Unwrap, location);
                self.bind(var, inner)
            }
            // The components of `None` are 0, which is the default of a value made of scalars.
            ("unwrap_or_default", _) if is_plain(part.ty) => self.bind(var, inner),
            ("unwrap_or_default", _) => {
                let default = self.default_of(part.ty)?;
                let chosen = self.choose(&is_some, part.ty, inner, default);
                self.bind(var, chosen)
            }
            ("unwrap_or", Some((_, other))) => {
                let chosen = self.choose(&is_some, part.ty, inner, other);
                self.bind(var, chosen)
            }
            ("or", Some((_, other))) => {
                let some = self.or(is_some.clone(), other[0].clone());
                let value = self.choose(&is_some, part.ty, inner, other[1..].to_vec());
                self.bind(var, [vec![some], value].concat())
            }
            ("xor", Some((_, other))) => {
                let one = self.temp(Rvalue::Logic(Logic::Xor, is_some.clone(), other[0].clone()), Scalar::Bool);
                let value = self.choose(&is_some, part.ty, inner, other[1..].to_vec());
                let zeros = self.zeros(part.ty);
                let value = self.choose(&one, part.ty, value, zeros);
                self.bind(var, [vec![one], value].concat())
            }
            ("and", Some((other_ty, other))) => {
                let zeros = self.zeros(other_ty);
                let chosen = self.choose(&is_some, other_ty, other, zeros);
                self.bind(var, chosen)
            }
            _ => self.no_method(ty, name),
        }
    }
}

/// Returns whether its default is the value whose components are all 0.
fn is_plain(ty: Type) -> bool {
    match ty {
        Type::Scalar(_) | Type::Unit | Type::Option(_) => true,
        Type::Array(element, _) => is_plain(*element),
        Type::Tuple(parts) => parts.iter().all(|part| is_plain(*part)),
        Type::Record(_) | Type::Enum(_) | Type::Result(..) => false,
    }
}
