//! Values as trees, and their conversion to words.

use super::frame::View;
use super::scalar::{Bits, mask, ordering};
use kernels_gen::spec::{Enum, PERHAPS, Record, Scalar, Type};

/// A value of the user's program.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Scalar(Scalar, Bits),
    /// The discriminant.
    Enum(&'static Enum, Bits),
    /// The parts; none for `()`.
    Tuple(Vec<Value>),
    Array(Vec<Value>),
    /// The value, if any, with its type.
    Option(Type, Option<Box<Value>>),
    /// The types of both values, whether it is `Ok`, and the value.
    Result((Type, Type), bool, Box<Value>),
    /// A name for a shared array.
    Shared(View),
    /// The fields in the order of declaration.
    Record(&'static Record, Vec<Value>),
}

pub(super) const UNIT: Value = Value::Tuple(Vec::new());

impl Value {
    pub(super) fn bool(value: bool) -> Value {
        Value::Scalar(Scalar::Bool, value.into())
    }

    /// Reads the value of a type from the words of its components; the unused words of `None` are dropped.
    pub(super) fn take(ty: Type, words: &mut impl FnMut() -> u64) -> Value {
        match ty {
            Type::Scalar(scalar) => {
                let low = Bits::from(words());
                let high = if scalar.is_wide() { Bits::from(words()) << 64 } else { 0 };
                Value::Scalar(scalar, (high | low) & mask(scalar))
            }
            Type::Enum(of) => Value::Enum(of, Bits::from(words()) & mask(of.repr)),
            Type::Unit => UNIT,
            Type::Tuple(parts) => Value::Tuple(parts.iter().map(|part| Value::take(*part, words)).collect()),
            Type::Array(element, length) => Value::Array((0..length).map(|_| Value::take(*element, words)).collect()),
            Type::Option(inner) => {
                let is_some = words() & 1 != 0;
                let value = Value::take(*inner, words);
                Value::Option(*inner, is_some.then(|| Box::new(value)))
            }
            Type::Result(ok, err) => {
                let is_ok = words() & 1 != 0;
                let (value, error) = (Value::take(*ok, words), Value::take(*err, words));
                Value::Result((*ok, *err), is_ok, Box::new(if is_ok { value } else { error }))
            }
            Type::Record(record) => {
                let fields = record.fields.iter().map(|(_, field)| Value::take(*field, words));
                Value::Record(record, fields.collect())
            }
        }
    }

    /// Writes the words of the components; those of `None` are 0.
    pub(super) fn put(&self, words: &mut Vec<u64>) {
        match self {
            Value::Scalar(scalar, bits) => {
                words.push(*bits as u64);
                words.extend(scalar.is_wide().then_some((bits >> 64) as u64));
            }
            Value::Enum(_, word) => words.push(*word as u64),
            Value::Tuple(parts) | Value::Array(parts) | Value::Record(_, parts) => {
                parts.iter().for_each(|part| part.put(words));
            }
            Value::Option(_, Some(value)) => {
                words.push(1);
                value.put(words);
            }
            Value::Result((ok, err), is_ok, value) => {
                words.push(u64::from(*is_ok));
                let before = words.len() + if *is_ok { 0 } else { ok.components() };
                words.resize(before, 0);
                value.put(words);
                words.resize(words.len() + if *is_ok { err.components() } else { 0 }, 0);
            }
            Value::Option(inner, None) => words.resize(words.len() + 1 + inner.components(), 0),
            // No name for an array leaves a transaction.
            Value::Shared(_) => {}
        }
    }

    /// Returns a scalar, or the discriminant of an enum: its type and its bits.
    pub(super) fn scalar(&self) -> Option<(Scalar, Bits)> {
        match self {
            Value::Scalar(scalar, word) => Some((*scalar, *word)),
            Value::Enum(of, word) => Some((of.repr, *word)),
            _ => None,
        }
    }

    /// Compares with `==` as a derived `PartialEq` does; `None` for values of different types.
    pub(super) fn equals(&self, other: &Value) -> Option<bool> {
        match (self, other) {
            (Value::Option(_, a), Value::Option(_, b)) => match (a, b) {
                (Some(a), Some(b)) => a.equals(b),
                (a, b) => Some(a.is_none() && b.is_none()),
            },
            (Value::Result(_, is_ok, a), Value::Result(_, other, b)) => {
                if is_ok == other {
                    a.equals(b)
                } else {
                    Some(false)
                }
            }
            (Value::Tuple(a), Value::Tuple(b))
            | (Value::Array(a), Value::Array(b))
            | (Value::Record(_, a), Value::Record(_, b)) => {
                let parts = a.iter().zip(b).map(|(a, b)| a.equals(b)).collect::<Option<Vec<bool>>>()?;
                (a.len() == b.len()).then(|| parts.into_iter().all(|equal| equal))
            }
            (a, b) => {
                let ((scalar, a), (other, b)) = (a.scalar()?, b.scalar()?);
                (scalar == other).then(|| ordering(scalar, a, b) == Some(std::cmp::Ordering::Equal))
            }
        }
    }

    /// Compares as a derived `PartialOrd` does.
    pub(super) fn order(&self, other: &Value) -> Option<std::cmp::Ordering> {
        match (self, other) {
            (Value::Option(_, a), Value::Option(_, b)) => match (a, b) {
                (Some(a), Some(b)) => a.order(b),
                (a, b) => Some(a.is_some().cmp(&b.is_some())),
            },
            (Value::Result(_, is_ok, a), Value::Result(_, other, b)) => match other.cmp(is_ok) {
                std::cmp::Ordering::Equal => a.order(b),
                order => Some(order),
            },
            (Value::Tuple(a), Value::Tuple(b))
            | (Value::Array(a), Value::Array(b))
            | (Value::Record(_, a), Value::Record(_, b)) => {
                let mut orders = a.iter().zip(b).map(|(a, b)| a.order(b));
                orders
                    .find(|order| *order != Some(std::cmp::Ordering::Equal))
                    .unwrap_or(Some(std::cmp::Ordering::Equal))
            }
            (a, b) => {
                let ((scalar, a), (_, b)) = (a.scalar()?, b.scalar()?);
                ordering(scalar, a, b)
            }
        }
    }

    /// Returns the part of that name.
    pub(super) fn field(&mut self, name: &str) -> Option<&mut Value> {
        match self {
            Value::Tuple(parts) => parts.get_mut(name.parse::<usize>().ok()?),
            Value::Option(_, held) if name == "Some.0" => held.as_deref_mut(),
            Value::Result(_, is_ok, held) if *is_ok == (name == "Ok.0") => Some(&mut **held),
            Value::Record(record, parts) => {
                let own = match (name.split_once(PERHAPS), record.variants()) {
                    (Some((_, field)), None) => field.trim_start_matches('.').to_owned(),
                    _ => name.replace(PERHAPS, ""),
                };
                parts.get_mut(record.fields.iter().position(|(field, _)| *field == own)?)
            }
            _ => None,
        }
    }
}
