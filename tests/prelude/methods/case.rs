//! A call of a method and its reply, in the form that a harness reads and writes.

use kernels_gen::fault::FaultCode;
use kernels_gen::methods::{ASSOCIATED, METHODS, Method, MethodResult};
use kernels_gen::spec::Scalar;

use crate::case::{Word, is_nan};
use crate::ops::type_number;

/// Returns every method with its number.
pub(crate) fn all() -> impl Iterator<Item = (u32, &'static Method)> {
    (0..).zip(METHODS.iter().chain(ASSOCIATED))
}

/// Returns every method of a type with its number.
pub(crate) fn of(scalar: Scalar) -> impl Iterator<Item = (u32, &'static Method)> {
    all().filter(move |(_, method)| method.on.has(scalar))
}

/// Returns the types of all operands, the receiver first; an associated function has no operands.
pub(crate) fn operand_types(method: &Method, scalar: Scalar) -> Vec<Scalar> {
    let receiver = METHODS.contains(method).then_some(scalar);
    receiver.into_iter().chain(method.args.iter().map(|arg| arg.of(scalar))).collect()
}

/// One call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    pub(crate) number: u32,
    pub(crate) method: &'static Method,
    pub(crate) scalar: Scalar,
    /// The operands; unused ones are 0.
    pub(crate) operands: [u64; 3],
}

impl Case {
    /// Returns the layout of `method_case`.
    pub(crate) fn bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (k, operand) in self.operands.iter().enumerate() {
            bytes[8 * k..8 * k + 8].copy_from_slice(&operand.to_le_bytes());
        }
        bytes[24..28].copy_from_slice(&self.number.to_le_bytes());
        bytes[28] = type_number(self.scalar);
        bytes
    }
}

/// A component of a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Component {
    pub(crate) word: u64,
    nan: bool,
}

impl Component {
    pub(crate) fn of(value: impl Word) -> Component {
        Component { word: value.to_word(), nan: value.is_nan() }
    }

    pub(crate) fn of_word(scalar: Scalar, word: u64) -> Component {
        Component { word, nan: is_nan(scalar, word) }
    }

    /// Compares two components; unless `exact`, any NaN equals any other, because Rust leaves its bits open.
    pub(crate) fn is(self, other: Component, exact: bool) -> bool {
        self.word == other.word || !exact && self.nan && other.nan
    }
}

/// The condition under which a call faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Always,
    Checked,
}

/// The result of a call: always two components, with any values where it always faults. A single result has 0 as the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) components: [Component; 2],
    pub(crate) fault: Option<(FaultCode, When)>,
}

impl Reply {
    /// Reads the layout of `method_result`.
    pub(crate) fn from_bytes(bytes: &[u8; 24], case: &Case) -> Result<Reply, String> {
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
        // Only single results are floats.
        let nan = matches!(case.method.result, MethodResult::One(one) if is_nan(one.of(case.scalar), word(0)));
        let components = [Component { word: word(0), nan }, Component { word: word(8), nan: false }];
        let fault = match (word(16) as u32, word(16) >> 32) {
            (0, 0) => None,
            (code, location @ 1..=2) => {
                let known = u8::try_from(code).ok().and_then(FaultCode::from_code);
                let when = if location == 1 { When::Always } else { When::Checked };
                Some((known.ok_or_else(|| format!("{case:x?}: there is no fault {code}"))?, when))
            }
            (code, location) => return Err(format!("{case:x?}: fault {code} at {location}")),
        };
        Ok(Reply { components, fault })
    }

    /// Returns true if the reply is the expected one.
    pub(crate) fn agrees(&self, expected: &Reply, case: &Case) -> bool {
        // These methods work on bits, so Rust defines their NaNs.
        let exact = matches!(case.method.name, "abs" | "copysign" | "to_bits" | "from_bits");
        let undefined = matches!(expected.fault, Some((_, When::Always)));
        let same = || self.components.iter().zip(&expected.components).all(|(got, want)| got.is(*want, exact));
        self.fault == expected.fault && (undefined || same())
    }
}
