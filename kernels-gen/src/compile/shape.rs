//! How a compound value lies in variables of scalars and arrays of scalars.
//!
//! A value has *components*: as its leaves, but all elements of an array are one component, an array. So an array of records
//! is one array for each leaf of the record, and an array of arrays is one array, row after row.

use crate::spec::{Scalar, Type};

/// One variable's share of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Component {
    /// The path below the value, as part of a name: ``, `_price`, `_0`.
    pub(super) path: String,
    /// The type of it, or of its elements.
    pub(super) scalar: Scalar,
    /// The lengths of the arrays around it, outermost first.
    pub(super) dims: Vec<u64>,
}

impl Component {
    /// How many scalars it holds, if it is an array.
    pub(super) fn length(&self) -> Option<u64> {
        (!self.dims.is_empty()).then(|| self.dims.iter().fold(1_u64, |n, dim| n.saturating_mul(*dim)))
    }
}

/// The components of a value, in order.
pub(super) fn components(ty: Type) -> Vec<Component> {
    let mut found = Vec::new();
    walk(ty, "", &[], &mut found);
    found
}

fn walk(ty: Type, path: &str, dims: &[u64], found: &mut Vec<Component>) {
    match ty {
        Type::Unit => {}
        Type::Scalar(scalar) => found.push(Component { path: path.to_owned(), scalar, dims: dims.to_vec() }),
        Type::Enum(of) => found.push(Component { path: path.to_owned(), scalar: of.repr, dims: dims.to_vec() }),
        Type::Option(inner) => {
            walk(Type::Scalar(Scalar::Bool), &format!("{path}_is_some"), dims, found);
            walk(*inner, &format!("{path}_some"), dims, found);
        }
        Type::Array(element, length) => walk(*element, path, &[dims, &[length]].concat(), found),
        Type::Tuple(_) | Type::Record(_) => {
            parts(ty).into_iter().for_each(|(name, part)| walk(part, &format!("{path}_{name}"), dims, found));
        }
    }
}

/// The fields of a record, or the parts of a tuple, with their names.
pub(super) fn parts(ty: Type) -> Vec<(String, Type)> {
    match ty {
        Type::Tuple(parts) => parts.iter().enumerate().map(|(k, part)| (k.to_string(), *part)).collect(),
        Type::Record(record) => record.fields.iter().map(|(name, part)| ((*name).to_owned(), *part)).collect(),
        _ => Vec::new(),
    }
}

/// How many components a value has.
pub(super) fn width(ty: Type) -> usize {
    match ty {
        Type::Unit => 0,
        Type::Scalar(_) | Type::Enum(_) => 1,
        Type::Option(inner) => 1 + width(*inner),
        Type::Array(element, _) => width(*element),
        Type::Tuple(_) | Type::Record(_) => parts(ty).into_iter().map(|(_, part)| width(part)).sum(),
    }
}

/// One scalar on the device.
pub(super) fn scalar(ty: Type) -> Option<Scalar> {
    match ty {
        Type::Scalar(scalar) => Some(scalar),
        Type::Enum(of) => Some(of.repr),
        _ => None,
    }
}

/// A part of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) ty: Type,
    /// Its first component among those of the whole.
    pub(super) component: usize,
    /// Its first leaf among those of the whole.
    pub(super) leaf: usize,
}

/// The field of that name.
pub(super) fn field(ty: Type, name: &str) -> Option<Part> {
    let (mut component, mut leaf) = (0, 0);
    for (this, part) in parts(ty) {
        if this == name {
            return Some(Part { ty: part, component, leaf });
        }
        component += width(part);
        leaf += part.leaves();
    }
    None
}

/// The value inside an `Option`.
pub(super) fn inner(ty: Type) -> Option<Part> {
    match ty {
        Type::Option(inner) => Some(Part { ty: *inner, component: 1, leaf: 1 }),
        _ => None,
    }
}

/// Where each leaf lies, in order of the leaves: the component, and the index in it if it is an array.
pub(super) fn leaves(ty: Type) -> Vec<(usize, u64)> {
    let mut found = Vec::new();
    place_leaves(ty, 0, 0, &mut found);
    found
}

fn place_leaves(ty: Type, first: usize, index: u64, found: &mut Vec<(usize, u64)>) {
    match ty {
        Type::Unit => {}
        Type::Scalar(_) | Type::Enum(_) => found.push((first, index)),
        Type::Option(inner) => {
            found.push((first, index));
            place_leaves(*inner, first + 1, index, found);
        }
        Type::Array(element, length) => {
            (0..length).for_each(|k| place_leaves(*element, first, index * length + k, found));
        }
        Type::Tuple(_) | Type::Record(_) => {
            let mut first = first;
            for (_, part) in parts(ty) {
                place_leaves(part, first, index, found);
                first += width(part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTE: Type = Type::Scalar(Scalar::U8);
    const WORD: Type = Type::Scalar(Scalar::U64);
    const ROW: Type = Type::Array(&BYTE, 2);
    const PAIR: Type = Type::Tuple(&[WORD, ROW]);

    #[test]
    fn arrays_of_compounds_are_compounds_of_arrays() {
        let ty = Type::Array(&PAIR, 3);
        let shown: Vec<_> = components(ty).into_iter().map(|c| (c.path.clone(), c.scalar, c.length())).collect();
        assert_eq!(shown, [("_0".to_owned(), Scalar::U64, Some(3)), ("_1".to_owned(), Scalar::U8, Some(6))]);
        assert_eq!(leaves(ty), [(0, 0), (1, 0), (1, 1), (0, 1), (1, 2), (1, 3), (0, 2), (1, 4), (1, 5)]);
        assert_eq!((width(ty), ty.leaves()), (2, 9));
    }

    #[test]
    fn parts_follow_each_other() {
        let ty = Type::Tuple(&[Type::Option(&PAIR), Type::Unit, BYTE]);
        assert_eq!(field(ty, "2"), Some(Part { ty: BYTE, component: 3, leaf: 4 }));
        assert_eq!(field(ty, "3"), None);
        assert_eq!(inner(Type::Option(&BYTE)).map(|part| part.component), Some(1));
    }
}
