//! The layout of a compound value in variables of scalars and arrays of scalars.
//!
//! A value has *groups*. Groups are its components, except that all elements of an array form one group, an array. An array of
//! records is therefore one array for each component of the record, and an array of arrays is one array in row-major order.

use crate::spec::{PERHAPS, Scalar, Type, VARIANT};

/// The part of a value that one variable holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// The path below the value, as part of a name: ``, `_price`, `_0`.
    pub(super) path: String,
    /// Its type, or the type of its elements.
    pub(super) scalar: Scalar,
    /// The lengths of the enclosing arrays, outermost first.
    pub(super) dims: Vec<u64>,
}

impl Group {
    /// Returns the number of its scalars, if it is an array.
    pub(super) fn length(&self) -> Option<u64> {
        (!self.dims.is_empty()).then(|| self.dims.iter().fold(1_u64, |n, dim| n.saturating_mul(*dim)))
    }
}

/// Returns the groups of a value, in order.
pub(super) fn groups(ty: Type) -> Vec<Group> {
    let mut found = Vec::new();
    walk(ty, "", &[], &mut found);
    found
}

fn walk(ty: Type, path: &str, dims: &[u64], found: &mut Vec<Group>) {
    match ty {
        Type::Unit => {}
        Type::Scalar(scalar) => found.push(Group { path: path.to_owned(), scalar, dims: dims.to_vec() }),
        Type::Enum(of) => found.push(Group { path: path.to_owned(), scalar: of.repr, dims: dims.to_vec() }),
        Type::Option(inner) => {
            walk(Type::Scalar(Scalar::Bool), &format!("{path}_is_some"), dims, found);
            walk(*inner, &format!("{path}_some"), dims, found);
        }
        Type::Array(element, length) => walk(*element, path, &[dims, &[length]].concat(), found),
        Type::Tuple(_) | Type::Record(_) | Type::Result(..) => {
            parts(ty)
                .into_iter()
                .for_each(|(name, part)| walk(part, &format!("{path}_{}", name.replace('.', "_")), dims, found));
        }
    }
}

/// Returns the fields of a record or `Result`, or the parts of a tuple, with their names.
pub(super) fn parts(ty: Type) -> Vec<(String, Type)> {
    match ty {
        Type::Tuple(parts) => parts.iter().enumerate().map(|(k, part)| (k.to_string(), *part)).collect(),
        Type::Record(record) => record.fields.iter().map(|(name, part)| ((*name).to_owned(), *part)).collect(),
        Type::Result(ok, err) => {
            vec![(VARIANT.to_owned(), Type::Scalar(Scalar::Bool)), ("Ok.0".to_owned(), *ok), ("Err.0".to_owned(), *err)]
        }
        _ => Vec::new(),
    }
}

/// Returns the number of groups of a value.
pub(super) fn width(ty: Type) -> usize {
    match ty {
        Type::Unit => 0,
        Type::Scalar(_) | Type::Enum(_) => 1,
        Type::Option(inner) => 1 + width(*inner),
        Type::Array(element, _) => width(*element),
        Type::Tuple(_) | Type::Record(_) | Type::Result(..) => parts(ty).into_iter().map(|(_, part)| width(part)).sum(),
    }
}

/// Returns the scalar type of a value that is one scalar on the device.
pub(super) fn scalar(ty: Type) -> Option<Scalar> {
    match ty {
        Type::Scalar(scalar) => Some(scalar),
        Type::Enum(of) => Some(of.repr),
        _ => None,
    }
}

/// Returns the number of a variant of an enum with fields or of a `Result`, as a scalar.
pub(super) fn variant(ty: Type, name: &str) -> Option<(i128, Scalar)> {
    let record = match ty {
        Type::Record(record) => record,
        Type::Result(..) => return Some((i128::from(name == "Ok"), Scalar::Bool)),
        _ => return None,
    };
    let of = record.variants()?;
    let name = name.trim_end_matches(PERHAPS);
    of.variants.iter().find(|(variant, _)| *variant == name).map(|(_, number)| (*number, of.repr))
}

/// Returns whether the type is an enum with fields.
pub(super) fn has_variants(ty: Type) -> bool {
    matches!(ty, Type::Record(record) if record.variants().is_some())
}

/// Returns the field that the macro names, which could not know whether the type is an enum.
pub(super) fn own_name(ty: Type, name: &str) -> String {
    match name.split_once(PERHAPS) {
        Some((_, field)) if !has_variants(ty) => field.trim_start_matches('.').to_owned(),
        _ => name.replace(PERHAPS, ""),
    }
}

/// A part of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ValuePart {
    pub(super) ty: Type,
    /// Its first group among those of the whole.
    pub(super) group: usize,
    /// Its first component among those of the whole.
    pub(super) component: usize,
}

/// Returns the field of that name. An element of an array, `[3]`, is one of a shared array: it has components, and no groups.
pub(super) fn field(ty: Type, name: &str) -> Option<ValuePart> {
    if let Type::Array(element, length) = ty {
        let k = name.strip_prefix('[')?.strip_suffix(']')?.parse::<usize>().ok().filter(|k| (*k as u64) < length)?;
        return Some(ValuePart { ty: *element, group: 0, component: k.checked_mul(element.components())? });
    }
    if name.contains(PERHAPS) {
        return field(ty, &own_name(ty, name));
    }
    if let (Type::Option(_), "Some.0") = (ty, name) {
        return inner(ty);
    }
    let (mut group, mut component) = (0, 0);
    for (this, part) in parts(ty) {
        if this == name {
            return Some(ValuePart { ty: part, group, component });
        }
        group += width(part);
        component += part.components();
    }
    None
}

/// Returns the value inside an `Option` or an `Ok`.
pub(super) fn inner(ty: Type) -> Option<ValuePart> {
    match ty {
        Type::Option(inner) | Type::Result(inner, _) => Some(ValuePart { ty: *inner, group: 1, component: 1 }),
        _ => None,
    }
}

/// Returns the group of each component, in order, and the index of the value in it if the group is an array. The two words of a wide
/// integer follow each other, with the same group and index.
pub(super) fn components(ty: Type) -> Vec<(usize, u64)> {
    let mut found = Vec::new();
    place_components(ty, 0, 0, &mut found);
    found
}

fn place_components(ty: Type, first: usize, index: u64, found: &mut Vec<(usize, u64)>) {
    match ty {
        Type::Unit => {}
        Type::Scalar(_) | Type::Enum(_) => found.extend(vec![(first, index); ty.components()]),
        Type::Option(inner) => {
            found.push((first, index));
            place_components(*inner, first + 1, index, found);
        }
        Type::Array(element, length) => {
            (0..length).for_each(|k| place_components(*element, first, index * length + k, found));
        }
        Type::Tuple(_) | Type::Record(_) | Type::Result(..) => {
            let mut first = first;
            for (_, part) in parts(ty) {
                place_components(part, first, index, found);
                first += width(part);
            }
        }
    }
}

#[cfg(test)]
mod tests;
