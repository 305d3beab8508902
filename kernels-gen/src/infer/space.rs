//! The space that a value takes, in Rust and on the device.

use std::collections::HashMap;

use super::class::{Class, DEEPEST_TYPE, parts};
use super::unify::Infer;
use crate::ir::open::{Length, TyId};
use crate::spec::{Scalar, Type};

/// The largest number of parts of a type, written out as a tree with each array's element once.
const MOST_PARTS: u64 = 16_384;

/// The message for a type that [`Space::is_unwieldy`].
pub(crate) const UNWIELDY: &str = "the type of this value nests more than 64 deep, or has more than 16384 parts when it is written \
                                   out; keep the parts in variables of their own";

/// The space of a value of a type. Sums that are too large stay at the greatest number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Space {
    /// Bytes in Rust, including the padding at the end.
    pub(crate) bytes: u64,
    align: u64,
    /// Bytes of the scalars alone.
    scalars: u64,
    /// Bytes of its arrays on the device, where only arrays of the source are arrays.
    pub(crate) arrays: u64,
    /// The depth of nesting.
    depth: u32,
    /// The number of parts of the type, written out.
    parts: u64,
}

impl Space {
    /// The space of a type that takes none or is not known.
    pub(crate) const NONE: Space = Space { bytes: 0, align: 1, scalars: 0, arrays: 0, depth: 0, parts: 1 };

    fn scalar(scalar: Scalar) -> Space {
        let size = scalar.size() as u64;
        Space { bytes: size, align: size, scalars: size, ..Space::NONE }
    }

    /// Combines the fields of a record: Rust orders them so that only the end is padded.
    fn together(parts: impl IntoIterator<Item = Space>) -> Space {
        let mut sum = Space::NONE;
        for part in parts {
            sum.bytes = sum.bytes.saturating_add(part.bytes);
            sum.align = sum.align.max(part.align);
            sum.scalars = sum.scalars.saturating_add(part.scalars);
            sum.arrays = sum.arrays.saturating_add(part.arrays);
            sum.depth = sum.depth.max(part.depth.saturating_add(1));
            sum.parts = sum.parts.saturating_add(part.parts);
        }
        sum.bytes = sum.bytes.checked_next_multiple_of(sum.align).unwrap_or(u64::MAX);
        sum
    }

    fn array(element: Space, length: u64) -> Space {
        Space {
            bytes: element.bytes.saturating_mul(length),
            align: element.align,
            scalars: element.scalars.saturating_mul(length),
            arrays: element.scalars.saturating_mul(length),
            depth: element.depth.saturating_add(1),
            parts: element.parts.saturating_add(1),
        }
    }

    /// Returns the space of an `Option`. Its tag counts as a scalar, although rustc sometimes needs none.
    fn option(inner: Space) -> Space {
        Space::together([Space { bytes: inner.align, align: inner.align, ..Space::scalar(Scalar::Bool) }, inner])
    }

    /// Returns the space of a `Result`, where the device keeps both values.
    fn result(ok: Space, err: Space) -> Space {
        Space::together([Space::option(ok), err])
    }

    /// Returns the space of a value whose type rustc resolved.
    pub(crate) fn of(ty: Type) -> Space {
        match ty {
            Type::Unit => Space::NONE,
            Type::Scalar(scalar) => Space::scalar(scalar),
            Type::Enum(of) => Space::scalar(of.repr),
            Type::Option(inner) => Space::option(Space::of(*inner)),
            Type::Result(ok, err) => Space::result(Space::of(*ok), Space::of(*err)),
            Type::Array(element, length) => Space::array(Space::of(*element), length),
            Type::Tuple(parts) => Space::together(parts.iter().map(|part| Space::of(*part))),
            Type::Record(record) => Space::together(record.fields.iter().map(|(_, part)| Space::of(*part))),
        }
    }

    /// Returns whether the type nests too deep, or has too many parts, for passes over it as a tree.
    pub(crate) fn is_unwieldy(self) -> bool {
        self.depth > DEEPEST_TYPE || self.parts > MOST_PARTS
    }
}

impl Infer {
    /// Returns the space of each type, by number, as far as it is known; `named` gives that of the user's types.
    pub(crate) fn spaces(&self, named: impl Fn(u32) -> Space) -> Vec<Space> {
        let mut known: HashMap<TyId, Space> = HashMap::new();
        for ty in 0..self.count() {
            self.find_space(self.root(TyId(ty)), &named, &mut known);
        }
        (0..self.count()).map(|ty| known[&self.root(TyId(ty))]).collect()
    }

    /// Finds the space of each type after its parts, without recursion, because types may nest as deep as the source is long.
    fn find_space(&self, ty: TyId, named: &impl Fn(u32) -> Space, known: &mut HashMap<TyId, Space>) {
        let mut left = vec![ty];
        while let Some(ty) = left.last().copied() {
            let unknown = parts(self.class(ty)).into_iter().map(|part| self.root(part));
            let before = left.len();
            left.extend(unknown.filter(|part| !known.contains_key(part)));
            if left.len() == before {
                let space = self.space_of(ty, named, known);
                known.insert(ty, space);
                left.pop();
            }
        }
    }

    fn space_of(&self, ty: TyId, named: &impl Fn(u32) -> Space, known: &HashMap<TyId, Space>) -> Space {
        let part = |ty: &TyId| known[&self.root(*ty)];
        match self.class(ty) {
            Class::Any | Class::Dead | Class::Unit => Space::NONE,
            Class::Int | Class::Float if self.is_later(ty) => Space::NONE,
            Class::Int => Space::scalar(Scalar::I32),
            Class::Float => Space::scalar(Scalar::F64),
            Class::Known(scalar) => Space::scalar(*scalar),
            Class::Named(number) => named(*number),
            Class::Shared(_) => Space::scalar(Scalar::U32),
            Class::Option(inner) => Space::option(part(inner)),
            Class::Result(ok, err) => Space::result(part(ok), part(err)),
            Class::Tuple(parts) => Space::together(parts.iter().map(part)),
            Class::Array(element, Length::Known(length)) => Space::array(part(element), *length),
            Class::Array(element, _) => Space::array(part(element), 0),
        }
    }
}

#[cfg(test)]
mod tests;
