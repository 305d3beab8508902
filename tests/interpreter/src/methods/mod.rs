//! Methods of scalars, computed by Rust's own methods.

/// Finds a method by its name: one of `$a` that is called just so, or one of the arms.
macro_rules! method {
    ($name:ident of $a:ident: $($same:ident($($arg:ident),*))*; $($arms:tt)*) => {
        match $name {
            $(stringify!($same) => give($a.$same($($arg),*)),)*
            $($arms)*
        }
    };
}

mod floats;
mod ints;

use super::scalar::{Bits, f32_word, f64_word};
use super::value::Value;
use kernels_gen::fault::FaultCode;
use kernels_gen::spec::{Scalar, Type};

/// The result of a method, or its fault; `None` if there is no such method.
pub(super) type Reply = Option<Result<Value, FaultCode>>;

/// Calls the method of a scalar. The operands are bits; unused ones are 0.
pub(super) fn scalar(name: &str, scalar: Scalar, words: [Bits; 3], checked: bool) -> Reply {
    match scalar {
        Scalar::F32 => floats::f32(name, words),
        Scalar::F64 => floats::f64(name, words),
        Scalar::Bool => boolean(name, words.map(|word| word != 0)),
        _ => ints::call(name, scalar, words, checked),
    }
}

fn boolean(name: &str, [a, b, c]: [bool; 3]) -> Reply {
    Some(match name {
        "min" => give(a.min(b)),
        "max" => give(a.max(b)),
        "clamp" if b && !c => Err(FaultCode::BadArgument),
        "clamp" => give(a.clamp(b, c)),
        _ => return None,
    })
}

/// A Rust value that can become a value of the interpreter.
trait Given {
    const TYPE: Type;
    fn value(self) -> Value;
}

macro_rules! given {
    ($($type:ident as $bits:ident $scalar:ident;)*) => {$(
        impl Given for $type {
            const TYPE: Type = Type::Scalar(Scalar::$scalar);
            fn value(self) -> Value {
                Value::Scalar(Scalar::$scalar, self as $bits as Bits)
            }
        }
    )*};
}

given! {
    i8 as u8 I8; i16 as u16 I16; i32 as u32 I32; i64 as u64 I64; isize as u64 Isize;
    u8 as u8 U8; u16 as u16 U16; u32 as u32 U32; u64 as u64 U64; usize as u64 Usize;
    i128 as u128 I128; u128 as u128 U128; bool as u8 Bool;
}

impl Given for f32 {
    const TYPE: Type = Type::Scalar(Scalar::F32);
    fn value(self) -> Value {
        Value::Scalar(Scalar::F32, f32_word(self))
    }
}

impl Given for f64 {
    const TYPE: Type = Type::Scalar(Scalar::F64);
    fn value(self) -> Value {
        Value::Scalar(Scalar::F64, f64_word(self))
    }
}

impl<T: Given> Given for Option<T> {
    const TYPE: Type = Type::Option(&T::TYPE);
    fn value(self) -> Value {
        Value::Option(T::TYPE, self.map(|value| Box::new(value.value())))
    }
}

impl<A: Given, B: Given> Given for (A, B) {
    const TYPE: Type = Type::Tuple(&[A::TYPE, B::TYPE]);
    fn value(self) -> Value {
        Value::Tuple(vec![self.0.value(), self.1.value()])
    }
}

fn give(value: impl Given) -> Result<Value, FaultCode> {
    Ok(value.value())
}

/// Returns the value, or a fault if there is none.
fn or(value: Option<impl Given>, code: FaultCode) -> Result<Value, FaultCode> {
    value.map(Given::value).ok_or(code)
}
