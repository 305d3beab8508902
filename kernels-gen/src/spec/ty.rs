//! The shapes of values.

use super::scalar::Scalar;
use super::traits::Traits;

/// The most components of a parameter, an element of an array, or the result of a transaction.
pub const MOST_COMPONENTS: usize = 4096;

/// The shape of a value that transactions can hold, pass and store, as `<T as GpuData>::TYPE` gives it.
///
/// On the device a value is its *components*: scalars in the order of declaration. An integer of 128 bits is two words, the low one
/// first. A tuple or record has the components of its fields,
/// an array those of its elements one after the other, an `Option` a `bool` (there is a value) and those of the value, a `Result` a `bool` (it is `Ok`) and those of both values,
/// an enum its discriminant, or the number of its variant and then the fields of all variants. `()` has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// A machine type.
    Scalar(Scalar),
    /// `()`.
    Unit,
    /// A tuple of at least one value.
    Tuple(&'static [Type]),
    /// `[T; N]`.
    Array(&'static Type, u64),
    /// `Option<T>`.
    Option(&'static Type),
    /// `Result<T, E>`.
    Result(&'static Type, &'static Type),
    /// A struct with `#[derive(GpuData)]`, or an enum with fields: [`Record::variants`].
    Record(&'static Record),
    /// An enum without fields with `#[derive(GpuData)]`.
    Enum(&'static Enum),
}

/// The name of the first field of an enum with fields: the number of the variant.
pub const VARIANT: &str = "variant";

/// After the name of a variant that could also be that of a struct.
pub const PERHAPS: char = '?';

/// A struct with `#[derive(GpuData)]`, or an enum with fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Record {
    /// Its name.
    pub name: &'static str,
    /// `module_path!()` where it is declared.
    pub module: &'static str,
    /// Its fields in the order of declaration; those of a tuple struct are named `0`, `1` and so on. An enum has [`VARIANT`], and
    /// then the fields of all variants, named `Circle.radius`; those of other variants than its own are 0.
    pub fields: &'static [(&'static str, Type)],
    /// The traits that it implements.
    pub traits: Traits,
}

/// An enum without fields with `#[derive(GpuData)]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Enum {
    /// Its name.
    pub name: &'static str,
    /// `module_path!()` where it is declared.
    pub module: &'static str,
    /// The type of its discriminants: that of `#[repr(..)]`, or `isize`.
    pub repr: Scalar,
    /// Its variants with their discriminants.
    pub variants: &'static [(&'static str, i128)],
    /// The traits that it implements.
    pub traits: Traits,
}

impl Record {
    /// Returns the variants with their numbers, if it is an enum with fields.
    #[must_use]
    pub fn variants(&self) -> Option<&'static Enum> {
        match self.fields {
            [(_, Type::Enum(of)), (name, _), ..] if name.contains('.') => Some(of),
            _ => None,
        }
    }
}

impl Type {
    /// Returns the number of components of a value, saturating.
    #[must_use]
    pub const fn components(self) -> usize {
        match self {
            Type::Scalar(Scalar::I128 | Scalar::U128) => 2,
            Type::Scalar(_) | Type::Enum(_) => 1,
            Type::Unit => 0,
            Type::Option(inner) => inner.components().saturating_add(1),
            Type::Result(ok, err) => ok.components().saturating_add(err.components()).saturating_add(1),
            Type::Array(element, length) => element.components().saturating_mul(length as usize),
            Type::Tuple(parts) => {
                let (mut sum, mut k) = (0_usize, 0);
                while k < parts.len() {
                    sum = sum.saturating_add(parts[k].components());
                    k += 1;
                }
                sum
            }
            Type::Record(record) => {
                let (mut sum, mut k) = (0_usize, 0);
                while k < record.fields.len() {
                    sum = sum.saturating_add(record.fields[k].1.components());
                    k += 1;
                }
                sum
            }
        }
    }

    /// Calls `visit` for each component in order, with its path below the value: ``, `.price`, `.0`, `[3]`, `.is_some`.
    pub fn each_component(self, path: &str, visit: &mut impl FnMut(String, Scalar)) {
        match self {
            Type::Scalar(scalar) if scalar.is_wide() => {
                ["low", "high"].iter().for_each(|half| visit(format!("{path}.{half}"), Scalar::U64));
            }
            Type::Scalar(scalar) => visit(path.to_owned(), scalar),
            Type::Enum(of) => visit(path.to_owned(), of.repr),
            Type::Unit => {}
            Type::Option(inner) => {
                visit(format!("{path}.is_some"), Scalar::Bool);
                inner.each_component(&format!("{path}.some"), visit);
            }
            Type::Result(ok, err) => {
                visit(format!("{path}.is_ok"), Scalar::Bool);
                ok.each_component(&format!("{path}.ok"), visit);
                err.each_component(&format!("{path}.err"), visit);
            }
            Type::Array(element, length) => {
                (0..length).for_each(|k| element.each_component(&format!("{path}[{k}]"), visit));
            }
            Type::Tuple(parts) => {
                parts.iter().enumerate().for_each(|(k, part)| part.each_component(&format!("{path}.{k}"), visit));
            }
            Type::Record(record) => {
                record.fields.iter().for_each(|(name, ty)| ty.each_component(&format!("{path}.{name}"), visit));
            }
        }
    }

    /// Calls `visit` for the scalar of each component in order.
    pub fn each_scalar(self, visit: &mut impl FnMut(Scalar)) {
        match self {
            Type::Scalar(scalar) if scalar.is_wide() => (0..2).for_each(|_| visit(Scalar::U64)),
            Type::Scalar(scalar) => visit(scalar),
            Type::Enum(of) => visit(of.repr),
            Type::Unit => {}
            Type::Option(inner) => {
                visit(Scalar::Bool);
                inner.each_scalar(visit);
            }
            Type::Result(ok, err) => {
                visit(Scalar::Bool);
                ok.each_scalar(visit);
                err.each_scalar(visit);
            }
            Type::Array(element, length) => (0..length).for_each(|_| element.each_scalar(visit)),
            Type::Tuple(parts) => parts.iter().for_each(|part| part.each_scalar(visit)),
            Type::Record(record) => record.fields.iter().for_each(|(_, ty)| ty.each_scalar(visit)),
        }
    }

    /// Returns the words of `Default::default()`; `None` if the user's program has none for the type.
    #[must_use]
    pub fn default_words(self) -> Option<Vec<u64>> {
        match self {
            Type::Scalar(_) | Type::Unit | Type::Option(_) => Some(vec![0; self.components()]),
            Type::Tuple(parts) => {
                let parts = parts.iter().map(|part| part.default_words()).collect::<Option<Vec<_>>>()?;
                Some(parts.concat())
            }
            Type::Array(element, length) => Some(element.default_words()?.repeat(length as usize)),
            Type::Result(..) => None,
            Type::Record(Record { traits, .. }) | Type::Enum(Enum { traits, .. }) => {
                traits.default.map(|of| of(self.components()))
            }
        }
    }

    /// Returns the scalars of the components, in order.
    #[must_use]
    pub fn scalars(self) -> Vec<Scalar> {
        let mut scalars = Vec::new();
        self.each_scalar(&mut |scalar| scalars.push(scalar));
        scalars
    }
}

impl std::fmt::Display for Type {
    /// Prints the type as Rust writes it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::Scalar(scalar) => f.write_str(scalar.rust()),
            Type::Unit => f.write_str("()"),
            Type::Tuple([only]) => write!(f, "({only},)"),
            Type::Tuple(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    write!(f, "{}{part}", if k == 0 { "(" } else { ", " })?;
                }
                f.write_str(")")
            }
            Type::Array(element, length) => write!(f, "[{element}; {length}]"),
            Type::Option(inner) => write!(f, "Option<{inner}>"),
            Type::Result(ok, err) => write!(f, "Result<{ok}, {err}>"),
            Type::Record(record) => f.write_str(record.name),
            Type::Enum(of) => f.write_str(of.name),
        }
    }
}
