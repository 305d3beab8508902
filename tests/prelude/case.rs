//! A case and its answer, in the form that a harness reads and writes.

use kernels_gen::fault::FaultCode;
use kernels_gen::spec::Scalar;

use crate::ops::{Op, type_number};

/// One operation on one pair of operands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Case {
    pub(crate) op: Op,
    /// The type of `a`, and of `b` unless the operation is a shift.
    pub(crate) scalar: Scalar,
    /// The type of a shift's amount, or the one to cast to.
    pub(crate) other: Scalar,
    pub(crate) checked: bool,
    pub(crate) a: u64,
    pub(crate) b: u64,
}

impl Case {
    /// The size of a case in a file, in bytes.
    pub(crate) const SIZE: usize = 24;

    /// Returns the layout of `prelude_case`.
    pub(crate) fn bytes(&self) -> [u8; Case::SIZE] {
        let mut bytes = [0; Case::SIZE];
        bytes[..8].copy_from_slice(&self.a.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.b.to_le_bytes());
        bytes[16..20].copy_from_slice(&(self.op as u32).to_le_bytes());
        bytes[20] = type_number(self.scalar);
        bytes[21] = type_number(self.other);
        bytes[22] = u8::from(self.checked);
        bytes
    }
}

/// The result of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) value: u64,
    pub(crate) fault: u32,
    pub(crate) location: u32,
}

impl Answer {
    /// The size of an answer in a file, in bytes.
    pub(crate) const SIZE: usize = 16;

    pub(crate) fn value(value: impl Word) -> Answer {
        Answer { value: value.to_word(), fault: 0, location: 0 }
    }

    pub(crate) fn fault(code: FaultCode, op: Op) -> Answer {
        Answer { value: 0, fault: u32::from(code as u8), location: op.location() }
    }

    /// Reads the layout of `prelude_result`.
    pub(crate) fn from_bytes(bytes: &[u8; Answer::SIZE]) -> Answer {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Answer { value: u64::from(word(4)) << 32 | u64::from(word(0)), fault: word(8), location: word(12) }
    }

    /// Compares bit for bit; accepts any NaN of arithmetic, because Rust leaves its bits open. Negation only flips the sign.
    pub(crate) fn agrees(&self, other: &Answer, case: &Case) -> bool {
        let result = case.op.result(case.scalar, case.other);
        let both_nan = case.op != Op::FloatNeg && is_nan(result, self.value) && is_nan(result, other.value);
        self == other || both_nan && (self.fault, self.location) == (other.fault, other.location)
    }
}

/// Returns true if the word is a NaN of that type.
pub(crate) fn is_nan(scalar: Scalar, word: u64) -> bool {
    match scalar {
        Scalar::F32 => f32::from_word(word).is_nan(),
        Scalar::F64 => f64::from_word(word).is_nan(),
        _ => false,
    }
}

/// A scalar as the word that arrays and arguments store.
pub(crate) trait Word: Copy {
    fn to_word(self) -> u64;
    fn from_word(word: u64) -> Self;
    /// Returns true for a float that is a NaN.
    fn is_nan(self) -> bool {
        false
    }
}

macro_rules! int_words {
    ($($int:ident as $unsigned:ident),*) => {
        $(impl Word for $int {
            fn to_word(self) -> u64 {
                self as $unsigned as u64
            }
            fn from_word(word: u64) -> Self {
                word as $int
            }
        })*
    };
}

int_words!(i8 as u8, i16 as u16, i32 as u32, i64 as u64, isize as usize);
int_words!(u8 as u8, u16 as u16, u32 as u32, u64 as u64, usize as usize);

impl Word for bool {
    fn to_word(self) -> u64 {
        u64::from(self)
    }
    fn from_word(word: u64) -> Self {
        word != 0
    }
}

impl Word for f32 {
    fn to_word(self) -> u64 {
        u64::from(self.to_bits())
    }
    fn from_word(word: u64) -> Self {
        f32::from_bits(word as u32)
    }
    fn is_nan(self) -> bool {
        f32::is_nan(self)
    }
}

impl Word for f64 {
    fn to_word(self) -> u64 {
        self.to_bits()
    }
    fn from_word(word: u64) -> Self {
        f64::from_bits(word)
    }
    fn is_nan(self) -> bool {
        f64::is_nan(self)
    }
}
