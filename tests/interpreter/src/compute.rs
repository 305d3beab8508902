//! Computation of the values of `let`.

use std::cmp::Ordering;

use super::frame::CallFrame;
use super::scalar::Bits;
use super::stop::{Done, Stop, broken};
use super::value::{UNIT, Value};
use super::{methods, scalar};
use kernels_gen::compile::{path_scalar, short_name};
use kernels_gen::fault::FaultCode;
use kernels_gen::ir::open::{Atom, ConstId, Rvalue, TyId, rest_of_field};
use kernels_gen::ir::{Compare, LocationId, VarId};
use kernels_gen::methods::BYTES;
use kernels_gen::spec::{PERHAPS, Record, Scalar, Type};

impl CallFrame<'_> {
    /// Returns the value that `var` gets.
    pub(super) fn compute(&mut self, var: VarId, value: &Rvalue, checked: bool) -> Done<Value> {
        match value {
            Rvalue::Use(a) => self.atom(a),
            Rvalue::Unary(op, a, location) => {
                let (ty, a) = self.scalar(a)?;
                self.fault_at(*location, scalar::unary(*op, ty, a, checked)).map(|word| Value::Scalar(ty, word))
            }
            Rvalue::Arith(op, a, b, location) => {
                let ((ty, a), (other, b)) = (self.scalar(a)?, self.scalar(b)?);
                if !op.is_shift() && other != ty {
                    return broken("an operator on two types");
                }
                self.fault_at(*location, scalar::arith(*op, ty, a, b, checked)).map(|word| Value::Scalar(ty, word))
            }
            Rvalue::Logic(op, a, b) => {
                let ((ty, a), (_, b)) = (self.scalar(a)?, self.scalar(b)?);
                Ok(Value::Scalar(ty, scalar::logic(*op, a, b)))
            }
            Rvalue::Compare(op, a, b) => self.compare(*op, a, b),
            Rvalue::Cast(a, to) => self.cast(a, *to),
            Rvalue::Array(atoms) => self.atoms(atoms).map(Value::Array),
            Rvalue::Repeat(a) => {
                let Type::Array(_, length) = self.type_of(var)? else { return broken("`[a; n]` is no array") };
                Ok(Value::Array(vec![self.atom(a)?; length as usize]))
            }
            Rvalue::Element(a, index, location) => self.element(a, index, *location),
            Rvalue::Slice(a, start, end, location) => self.slice(a, [start, end], *location),
            Rvalue::Tuple(atoms) => self.atoms(atoms).map(Value::Tuple),
            Rvalue::Record(fields, base) => self.record(var, fields, base.as_ref()),
            Rvalue::Variant(name, fields) => self.variant(var, name, fields),
            Rvalue::IsVariant(a, name) => match self.atom(a)? {
                Value::Record(record, _) if name.ends_with(PERHAPS) && record.variants().is_none() => {
                    Ok(Value::bool(true))
                }
                Value::Record(record, parts) if record.variants().is_some() => {
                    Ok(Value::bool(parts.first().and_then(Value::scalar) == Some(number_of(record, name)?)))
                }
                Value::Result(_, is_ok, _) => Ok(Value::bool(is_ok == (name == "Ok"))),
                _ => broken("an enum with fields is expected"),
            },
            Rvalue::Some(a) => {
                let Type::Option(inner) = self.type_of(var)? else { return broken("`Some` is no `Option`") };
                Ok(Value::Option(*inner, Some(Box::new(self.atom(a)?))))
            }
            Rvalue::None => match self.type_of(var)? {
                Type::Option(inner) => Ok(Value::Option(*inner, None)),
                _ => broken("`None` is no `Option`"),
            },
            Rvalue::Field(a, name) => match (self.atom(a)?, name.as_str()) {
                (Value::Result((_, err), is_ok, value), "Err.0") => {
                    Ok(if is_ok { Value::take(err, &mut || 0) } else { *value })
                }
                (Value::Array(elements), name) => match rest_of_field(name) {
                    Some((before, after)) => {
                        let kept = elements.len().saturating_sub(before + after);
                        Ok(Value::Array(elements.into_iter().skip(before).take(kept).collect()))
                    }
                    None => broken(format!("an array has no field `{name}`")),
                },
                (mut value, _) => match value.field(name) {
                    Some(part) => Ok(part.clone()),
                    None => broken(format!("there is no field `{name}`")),
                },
            },
            Rvalue::IsSome(a) => Ok(Value::bool(self.option(a)?.1.is_some())),
            Rvalue::Inner(a) => self.inner(a),
            Rvalue::Constant(constant) => self.constant(*constant),
            Rvalue::Default => default_of(self.type_of(var)?),
            Rvalue::Method(name, args, location) => self.method(name, args, *location, checked),
            Rvalue::Shared(array, fields) => Ok(Value::Shared(self.array(*array, fields)?)),
            Rvalue::Length(_) => broken("a length without a memory"),
        }
    }

    fn atoms(&self, atoms: &[Atom]) -> Done<Vec<Value>> {
        atoms.iter().map(|atom| self.atom(atom)).collect()
    }

    /// Turns an error into a fault at a location; an operation without a location cannot fault.
    fn fault_at<T>(&self, location: Option<LocationId>, result: Result<T, FaultCode>) -> Done<T> {
        result.map_err(|code| match location {
            Some(location) => Stop::Faulted(code, self.location(location)),
            None => Stop::Broken(format!("{code} without a location")),
        })
    }

    fn compare(&self, op: Compare, a: &Atom, b: &Atom) -> Done<Value> {
        let (a, b) = (self.atom(a)?, self.atom(b)?);
        if let Compare::Eq | Compare::Ne = op {
            return match a.equals(&b) {
                Some(equal) => Ok(Value::bool(equal == (op == Compare::Eq))),
                None => broken("two types are compared"),
            };
        }
        let ordering = a.order(&b);
        Ok(Value::bool(match op {
            Compare::Lt => ordering == Some(Ordering::Less),
            Compare::Gt => ordering == Some(Ordering::Greater),
            Compare::Le => matches!(ordering, Some(Ordering::Less | Ordering::Equal)),
            _ => matches!(ordering, Some(Ordering::Greater | Ordering::Equal)),
        }))
    }

    fn cast(&self, a: &Atom, to: TyId) -> Done<Value> {
        let (from, word) = self.scalar(a)?;
        match self.ty(to)? {
            Type::Scalar(to) => Ok(Value::Scalar(to, scalar::cast(from, to, word))),
            Type::Enum(of) => Ok(Value::Enum(of, scalar::cast(from, of.repr, word))),
            other => broken(format!("a cast to `{other}`")),
        }
    }

    fn record(&self, var: VarId, fields: &[(String, Atom)], base: Option<&Atom>) -> Done<Value> {
        let Type::Record(record) = self.type_of(var)? else { return broken("a record expression is no record") };
        let mut base = base.map(|base| self.atom(base)).transpose()?;
        let mut parts = Vec::new();
        for (name, _) in record.fields {
            let given = fields.iter().find(|(field, _)| field == name).map(|(_, atom)| self.atom(atom)).transpose()?;
            match given.or_else(|| base.as_mut().and_then(|base| base.field(name)).cloned()) {
                Some(part) => parts.push(part),
                None => return broken(format!("the field `{name}` has no value")),
            }
        }
        Ok(Value::Record(record, parts))
    }

    fn variant(&self, var: VarId, name: &str, given: &[(String, Atom)]) -> Done<Value> {
        let record = match (self.type_of(var)?, given) {
            (Type::Record(record), _) if name.ends_with(PERHAPS) && record.variants().is_none() => {
                let given: Vec<_> = given
                    .iter()
                    .map(|(name, atom)| (name.rsplit('.').next().unwrap_or_default().to_owned(), atom.clone()))
                    .collect();
                return self.record(var, &given, None);
            }
            (Type::Record(record), _) => record,
            (Type::Result(ok, err), [(_, value)]) => {
                return Ok(Value::Result((*ok, *err), name == "Ok", Box::new(self.atom(value)?)));
            }
            _ => return broken("a variant is no enum with fields"),
        };
        let (_, number) = number_of(record, name)?;
        // All other fields are 0, and those that are given replace them.
        let mut words = std::iter::once(number as u64);
        let mut value = Value::take(Type::Record(record), &mut || words.next().unwrap_or(0));
        for (name, atom) in given {
            match value.field(name) {
                Some(field) => *field = self.atom(atom)?,
                None => return broken(format!("there is no field `{name}`")),
            }
        }
        Ok(value)
    }

    fn option(&self, atom: &Atom) -> Done<(Type, Option<Value>)> {
        match self.atom(atom)? {
            Value::Option(inner, value) => Ok((inner, value.map(|value| *value))),
            Value::Result((ok, _), is_ok, value) => Ok((ok, is_ok.then_some(*value))),
            _ => broken("an `Option` is expected"),
        }
    }

    /// Returns the value in an `Option`. Tests of patterns also access it in a `None`, and do not use the result.
    fn inner(&self, atom: &Atom) -> Done<Value> {
        let (inner, value) = self.option(atom)?;
        Ok(value.unwrap_or_else(|| Value::take(inner, &mut || 0)))
    }

    fn constant(&self, constant: ConstId) -> Done<Value> {
        let constant = &self.resolved.program.constants[constant.0 as usize];
        let mut words = constant.words.iter().copied();
        Ok(Value::take(constant.ty, &mut || words.next().unwrap_or(0)))
    }

    fn method(&self, name: &str, args: &[Atom], location: LocationId, checked: bool) -> Done<Value> {
        let short = short_name(name);
        let values = self.atoms(args)?;
        let receiver = path_scalar(name).or_else(|| values.first()?.scalar().map(|(scalar, _)| scalar));
        match (values.as_slice(), short) {
            ([a, b], "max" | "min") if !matches!(a, Value::Scalar(..)) => {
                let greater = a.order(b) == Some(Ordering::Greater);
                Ok(if greater == (short == "max") { a.clone() } else { b.clone() })
            }
            ([Value::Option(inner, option), rest @ ..], _) => {
                self.option_method(short, (*inner, option), rest, location)
            }
            ([Value::Result((ok, err), is_ok, value), rest @ ..], _) => {
                let (good, bad) = (is_ok.then(|| value.clone()), (!is_ok).then(|| value.clone()));
                match short {
                    "is_ok" => Ok(Value::bool(*is_ok)),
                    "is_err" => Ok(Value::bool(!is_ok)),
                    "ok" => Ok(Value::Option(*ok, good)),
                    "err" => Ok(Value::Option(*err, bad)),
                    _ => self.option_method(short, (*ok, &good), rest, location),
                }
            }
            ([Value::Array(elements)], "len") => Ok(Value::Scalar(Scalar::Usize, elements.len() as Bits)),
            ([Value::Scalar(scalar, number)], name) if BYTES.contains(&name) => {
                let mut bytes = number.to_le_bytes()[..scalar.size()].to_vec();
                if name == "to_be_bytes" {
                    bytes.reverse();
                }
                Ok(Value::Array(bytes.into_iter().map(|byte| Value::Scalar(Scalar::U8, byte.into())).collect()))
            }
            ([Value::Scalar(Scalar::Bool, condition), value], "then_some") => {
                let ty = self.atom_type(&args[1])?;
                Ok(Value::Option(ty, (*condition != 0).then(|| Box::new(value.clone()))))
            }
            _ => {
                let mut words = [0; 3];
                for (word, value) in words.iter_mut().zip(&values) {
                    *word = value.scalar().map_or(0, |(_, word)| word);
                }
                match receiver.and_then(|receiver| methods::scalar(short, receiver, words, checked)) {
                    Some(result) => self.fault_at(Some(location), result),
                    None => broken(format!("there is no method `{name}`")),
                }
            }
        }
    }

    fn atom_type(&self, atom: &Atom) -> Done<Type> {
        match atom {
            Atom::Var(var) => self.type_of(*var),
            Atom::Int(_, ty) | Atom::Float(_, ty) | Atom::Bits(_, ty) => self.ty(*ty),
            Atom::Bool(_) => Ok(Type::Scalar(Scalar::Bool)),
            Atom::Unit => Ok(Type::Unit),
        }
    }

    fn option_method(
        &self,
        name: &str,
        (inner, option): (Type, &Option<Box<Value>>),
        rest: &[Value],
        location: LocationId,
    ) -> Done<Value> {
        let some = option.as_deref().cloned();
        match (name, rest) {
            ("is_some", []) => Ok(Value::bool(some.is_some())),
            ("len", []) => Ok(Value::Scalar(Scalar::Usize, some.is_some() as Bits)),
            ("is_none", []) => Ok(Value::bool(some.is_none())),
            ("unwrap" | "expect", _) => self.fault_at(Some(location), some.ok_or(FaultCode::Unwrap)),
            ("unwrap_or", [other]) => Ok(some.unwrap_or_else(|| other.clone())),
            ("unwrap_or_default", []) => some.map_or_else(|| default_of(inner), Ok),
            ("and", [other @ Value::Option(of, _)]) => {
                Ok(if some.is_some() { other.clone() } else { Value::Option(*of, None) })
            }
            ("or" | "xor", [Value::Option(_, other)]) => {
                let other = other.as_deref().cloned();
                let chosen = match (name, some, other) {
                    ("xor", Some(_), Some(_)) => None,
                    (_, some, other) => some.or(other),
                };
                Ok(Value::Option(inner, chosen.map(Box::new)))
            }
            _ => broken(format!("`Option` has no method `{name}`")),
        }
    }

    /// Returns the value of a `return`.
    pub(super) fn returned(&self, atoms: &[Atom]) -> Done<Value> {
        match atoms {
            [] => Ok(UNIT),
            [one] => self.atom(one),
            _ => broken("one value is returned"),
        }
    }
}

fn default_of(ty: Type) -> Done<Value> {
    let Some(words) = ty.default_words() else { return broken(format!("the default of `{ty}` is not known")) };
    let mut words = words.into_iter();
    Ok(Value::take(ty, &mut || words.next().unwrap_or(0)))
}

/// Returns the type and the bits of the number of a variant.
fn number_of(record: &Record, name: &str) -> Done<(Scalar, Bits)> {
    let (of, name) = (record.variants(), name.trim_end_matches(PERHAPS));
    match of.and_then(|of| Some((of.repr, of.variants.iter().find(|(variant, _)| *variant == name)?.1))) {
        Some((scalar, number)) => Ok((scalar, super::scalar::wrap(scalar, number))),
        None => broken(format!("there is no variant `{name}`")),
    }
}
