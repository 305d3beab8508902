//! Values by the words of their components, as Rust prints them.

use std::fmt::{self, Debug, Display, Formatter};

use kernels_gen::spec::{Enum, How, Scalar, Type};

use super::value::value_of;

/// A value that a device has printed: `{}` and `{:?}` format it like the value itself.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub(crate) ty: Type,
    /// One word for each component of the type.
    pub(crate) words: &'a [u64],
}

/// Traits a scalar by a trait.
macro_rules! scalar {
    ($scalar:expr, $words:expr, $f:expr, $trait:ident, $($name:ident $type:ident)*) => {
        match $scalar {
            $(Scalar::$name => $trait::fmt(&value_of::<$type>($words.iter().copied()), $f),)*
        }
    };
    ($scalar:expr, $words:expr, $f:expr, $trait:ident) => {
        scalar!(
            $scalar, $words, $f, $trait, I8 i8 I16 i16 I32 i32 I64 i64 Isize isize U8 u8 U16 u16 U32 u32 U64 u64 Usize usize
            F32 f32 F64 f64 Bool bool I128 i128 U128 u128
        )
    };
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let own = match self.ty {
            Type::Scalar(scalar) => return scalar!(scalar, self.words, f, Display),
            Type::Record(record) => record.traits.display,
            Type::Enum(of) => of.traits.display,
            // No other type has a `Display`; rustc refuses it.
            _ => None,
        };
        match own {
            Some(format) => format(self.words, f),
            None => Debug::fmt(self, f),
        }
    }
}

impl Debug for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.ty {
            Type::Scalar(scalar) => scalar!(scalar, self.words, f, Debug),
            Type::Unit => f.pad("()"),
            Type::Tuple(parts) => self.fields(f, "", parts.iter().map(|part| ("0", *part))),
            Type::Array(element, _) => {
                let each = element.components();
                let at = |k: u64| self.part(*element, each * k as usize);
                f.debug_list().entries((0..self.length()).map(at)).finish()
            }
            Type::Option(_) if self.word() & 1 == 0 => f.write_str("None"),
            Type::Option(inner) => f.debug_tuple("Some").field(&self.part(*inner, 1)).finish(),
            Type::Result(ok, _) if self.word() & 1 != 0 => f.debug_tuple("Ok").field(&self.part(*ok, 1)).finish(),
            Type::Result(ok, err) => {
                let first = mutant!("data: an `Err` is printed as its `Ok`", 1 + ok.components(), 1);
                f.debug_tuple("Err").field(&self.part(*err, first)).finish()
            }
            Type::Record(record) => match record.traits.debug {
                Some(format) => format(self.words, f),
                None => self.fields(f, record.name, record.fields.iter().copied()),
            },
            Type::Enum(of) => match of.traits.debug {
                Some(format) => format(self.words, f),
                None => f.write_str(variant(of, self.word())),
            },
        }
    }
}

/// Traits an integer in another base; rustc lets only integers be printed so.
macro_rules! bases {
    ($($trait:ident)*) => {
        $(impl fmt::$trait for Shown<'_> {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                match self.ty {
                    Type::Scalar(scalar) if scalar.is_int() => {
                        let unused = 128 - 8 * scalar.size() as u32;
                        let word = value_of::<u128>(self.words.iter().copied());
                        fmt::$trait::fmt(&(word << unused >> unused), f)
                    }
                    _ => Debug::fmt(self, f),
                }
            }
        })*
    };
}

bases!(LowerHex UpperHex Binary Octal);

/// Prints with flags, of which each is known only when the program runs.
macro_rules! with_flags {
    ($value:ident, $how:ident, $f:ident, [$($flags:literal)*]) => {
        match ($how.kind, $how.precision) {
            (Some('?'), Some(p)) => write!($f, concat!("{0:", $($flags,)* "1$.2$?}"), $value, $how.width, p),
            (_, Some(p)) => write!($f, concat!("{0:", $($flags,)* "1$.2$}"), $value, $how.width, p),
            (Some('?'), _) => write!($f, concat!("{0:", $($flags,)* "1$?}"), $value, $how.width),
            (Some('x'), _) => write!($f, concat!("{0:", $($flags,)* "1$x}"), $value, $how.width),
            (Some('X'), _) => write!($f, concat!("{0:", $($flags,)* "1$X}"), $value, $how.width),
            (Some('b'), _) => write!($f, concat!("{0:", $($flags,)* "1$b}"), $value, $how.width),
            (Some('o'), _) => write!($f, concat!("{0:", $($flags,)* "1$o}"), $value, $how.width),
            _ => write!($f, concat!("{0:", $($flags,)* "1$}"), $value, $how.width),
        }
    };
    ($value:ident, $how:ident, $f:ident, [$($flags:literal)*] $flag:ident $sign:literal $($rest:tt)*) => {
        match $how.$flag {
            true => with_flags!($value, $how, $f, [$($flags)* $sign] $($rest)*),
            false => with_flags!($value, $how, $f, [$($flags)*] $($rest)*),
        }
    };
}

impl<'a> Shown<'a> {
    /// Prints the value as a format says.
    pub(crate) fn print(&self, how: How, f: &mut Formatter<'_>) -> fmt::Result {
        match how.align {
            None => with_flags!(self, how, f, [] plus "+" alternate "#" zero "0"),
            Some('<') => with_flags!(self, how, f, ["<"] plus "+" alternate "#" zero "0"),
            Some('^') => with_flags!(self, how, f, ["^"] plus "+" alternate "#" zero "0"),
            Some(_) => with_flags!(self, how, f, [">"] plus "+" alternate "#" zero "0"),
        }
    }

    /// Returns the word of a value's first or only component.
    fn word(&self) -> u64 {
        self.words.first().copied().unwrap_or(0)
    }

    /// Returns the number of elements of an array.
    fn length(&self) -> u64 {
        match self.ty {
            Type::Array(_, length) => length,
            _ => 0,
        }
    }

    /// Returns the part of that type whose components begin there.
    fn part(&self, ty: Type, first: usize) -> Shown<'a> {
        Shown { ty, words: self.words.get(first..first + ty.components()).unwrap_or_default() }
    }

    /// Traits tuples, and records as a derived `Debug` does.
    fn fields(
        &self,
        f: &mut Formatter<'_>,
        name: &str,
        fields: impl Iterator<Item = (&'static str, Type)> + Clone,
    ) -> fmt::Result {
        let mut first = 0;
        let parts = fields.clone().map(|(name, ty)| {
            first += ty.components();
            (name, self.part(ty, first - ty.components()))
        });
        if fields.into_iter().all(|(name, _)| name.parse::<u32>().is_ok()) {
            let mut tuple = f.debug_tuple(name);
            parts.for_each(|(_, part)| _ = tuple.field(&part));
            return tuple.finish();
        }
        let mut record = f.debug_struct(name);
        parts.for_each(|(name, part)| _ = record.field(name, &part));
        record.finish()
    }
}

/// Returns the variant of that discriminant; as everywhere, the first one for an unknown discriminant.
fn variant(of: &Enum, word: u64) -> &'static str {
    let value = match of.repr.is_signed() {
        // Words are zero-extended from the type's own width.
        true => {
            let unused = 64 - 8 * of.repr.size() as u32;
            i128::from((word << unused) as i64 >> unused)
        }
        false => i128::from(word),
    };
    let found = of.variants.iter().find(|(_, discriminant)| *discriminant == value);
    found.or(of.variants.first()).map_or("", |(name, _)| name)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use kernels_gen::spec::Traits;

    use super::super::value::{GpuData, words_of};
    use super::*;
    use crate::element::Word;

    /// A value and its words print alike.
    fn same<T: GpuData + Debug>(value: T) {
        let words = words_of(value);
        let shown = Shown { ty: T::TYPE, words: &words };
        assert_eq!(format!("{shown:?}"), format!("{value:?}"));
    }

    #[test]
    fn compound_values_print_as_rust_prints_them() {
        same(());
        same((1_u8,));
        same((-1_i8, f32::NAN, [(true, 1e16_f64); 2]));
        same([Some(Some(())), Some(None), None]);
        same([[0.1_f32; 0]; 2]);
        same(Some([-0.0_f64, 1e-7, f64::INFINITY]));
        same((i128::MIN, [u128::MAX, 1 << 64]));
    }

    #[test]
    fn types_that_rustc_never_saw_print_as_derived() {
        use kernels_gen::spec::Record;

        const COLOUR: Enum = Enum {
            name: "Colour",
            module: "",
            repr: Scalar::I8,
            variants: &[("Red", 3), ("Green", -1)],
            traits: Traits::NONE,
        };
        const PAIR: Record = Record {
            name: "Pair",
            module: "",
            fields: &[("0", Type::Enum(&COLOUR)), ("1", Type::Unit)],
            traits: Traits::NONE,
        };
        const ROOM: Record = Record {
            name: "Room",
            module: "",
            fields: &[("free", Type::Scalar(Scalar::F32)), ("pair", Type::Record(&PAIR))],
            traits: Traits::NONE,
        };
        let words = [1.0_f32.to_word(), (-1_i8).to_word()];
        let shown = Shown { ty: Type::Record(&ROOM), words: &words };
        assert_eq!(shown.to_string(), "Room { free: 1.0, pair: Pair(Green, ()) }");
        assert_eq!(variant(&COLOUR, 77), "Red");
    }
}
