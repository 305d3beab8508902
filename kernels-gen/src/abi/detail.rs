//! The detail of a transaction: the code with which it rejected, or its fault, which is a code and a source location.

use std::fmt::Write as _;

use crate::fault::FaultCode;

/// The bits of a fault that hold its location. The code occupies the bits above.
const LOCATION_BITS: u32 = 24;

/// The location of an access without one: calls of the verbs outside generated code.
pub const NO_LOCATION: u32 = (1 << LOCATION_BITS) - 1;

/// Returns the detail of a fault.
#[must_use]
pub const fn pack(code: FaultCode, location: u32) -> u32 {
    (code as u32) << LOCATION_BITS | location & NO_LOCATION
}

/// Returns the code of a fault, `None` for one that does not exist, and its location.
#[must_use]
pub fn unpack(detail: u32) -> (Option<FaultCode>, u32) {
    (FaultCode::from_code((detail >> LOCATION_BITS) as u8), detail & NO_LOCATION)
}

/// Prints the constant.
pub(super) fn put(out: &mut String) {
    let _ = writeln!(out, "constexpr u32 STM_LOCATION_BITS = {LOCATION_BITS};");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_comes_back_from_its_detail() {
        for code in FaultCode::ALL {
            for location in [0, 7, NO_LOCATION] {
                assert_eq!(unpack(pack(*code, location)), (Some(*code), location));
            }
        }
        assert_eq!(unpack(5), (None, 5));
    }
}
