//! The machine types.

use serde::{Deserialize, Serialize};

/// A machine type that a transaction can hold, pass and store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Scalar {
    I8,
    I16,
    I32,
    I64,
    Isize,
    U8,
    U16,
    U32,
    U64,
    Usize,
    F32,
    F64,
    Bool,
    I128,
    U128,
}

impl Scalar {
    /// Every scalar that fits into a word, in the order of declaration.
    pub const ALL: [Scalar; 13] = [
        Scalar::I8,
        Scalar::I16,
        Scalar::I32,
        Scalar::I64,
        Scalar::Isize,
        Scalar::U8,
        Scalar::U16,
        Scalar::U32,
        Scalar::U64,
        Scalar::Usize,
        Scalar::F32,
        Scalar::F64,
        Scalar::Bool,
    ];

    /// The integers of two words. No component has such a type: a value is two components, the low word first.
    pub const WIDE: [Scalar; 2] = [Scalar::I128, Scalar::U128];

    /// Returns the name in Rust.
    #[must_use]
    pub const fn rust(self) -> &'static str {
        match self {
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::Isize => "isize",
            Scalar::U8 => "u8",
            Scalar::U16 => "u16",
            Scalar::U32 => "u32",
            Scalar::U64 => "u64",
            Scalar::Usize => "usize",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
            Scalar::Bool => "bool",
            Scalar::I128 => "i128",
            Scalar::U128 => "u128",
        }
    }

    /// Returns the name in the device prelude. `usize` and `isize` are the 64-bit types, as on every host with a CUDA driver.
    #[must_use]
    pub const fn cuda(self) -> &'static str {
        match self {
            Scalar::Isize => "i64",
            Scalar::Usize => "u64",
            other => other.rust(),
        }
    }

    /// Returns the size in bytes.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 | Scalar::Bool => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I128 | Scalar::U128 => 16,
            _ => 8,
        }
    }

    /// Returns the scalar of that Rust name.
    #[must_use]
    pub fn from_rust(name: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().chain(Scalar::WIDE).find(|s| s.rust() == name)
    }

    /// Returns whether it is an integer, signed or not.
    #[must_use]
    pub const fn is_int(self) -> bool {
        !matches!(self, Scalar::F32 | Scalar::F64 | Scalar::Bool)
    }

    /// Returns whether it is a signed integer.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::Isize | Scalar::I128)
    }

    /// Returns the unsigned integer of the same width.
    #[must_use]
    pub const fn unsigned(self) -> Scalar {
        match self {
            Scalar::I8 => Scalar::U8,
            Scalar::I16 => Scalar::U16,
            Scalar::I32 | Scalar::F32 => Scalar::U32,
            Scalar::I64 | Scalar::F64 => Scalar::U64,
            Scalar::Isize => Scalar::Usize,
            Scalar::I128 => Scalar::U128,
            other => other,
        }
    }

    /// Returns the signed integer of the same width.
    #[must_use]
    pub const fn signed(self) -> Scalar {
        match self {
            Scalar::U8 => Scalar::I8,
            Scalar::U16 => Scalar::I16,
            Scalar::U32 | Scalar::F32 => Scalar::I32,
            Scalar::U64 | Scalar::F64 => Scalar::I64,
            Scalar::Usize => Scalar::Isize,
            Scalar::U128 => Scalar::I128,
            other => other,
        }
    }

    /// Returns whether it is an integer of two words.
    #[must_use]
    pub const fn is_wide(self) -> bool {
        matches!(self, Scalar::I128 | Scalar::U128)
    }

    /// Returns whether it is `f32` or `f64`.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }
}
