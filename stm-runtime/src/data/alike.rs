//! Lists of values of a type, with every variant in them: see `compared.rs`.

/// The most values of a type.
#[doc(hidden)]
pub const MOST_VALUES: usize = 32;

/// Returns the length of the longest list, at least 1.
#[doc(hidden)]
#[must_use]
pub const fn longest(lengths: &[usize]) -> usize {
    let (mut longest, mut k) = (1, 0);
    while k < lengths.len() {
        if lengths[k] > longest {
            longest = lengths[k];
        }
        k += 1;
    }
    longest
}

/// Makes a list of that length, of the values that an expression gives for each number.
#[doc(hidden)]
#[macro_export]
macro_rules! stm_values {
    ($k:ident, $length:expr => $value:expr) => {{
        let (mut values, mut $k) = ([const { ::core::option::Option::None }; $crate::__private::MOST_VALUES], 0);
        let length = $length;
        ::core::assert!(length <= values.len(), "the type has too many variants for `==`; compare its parts");
        while $k < length {
            values[$k] = ::core::option::Option::Some($value);
            $k += 1;
        }
        values
    }};
}
pub(super) use stm_values as values;
