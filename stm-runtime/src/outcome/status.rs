//! How a transaction stands: one byte a transaction, and one word of detail where it was rejected or has faulted.

use kernels_gen::fault::FaultCode;

/// A transaction that has not been looked at yet.
pub(crate) const PENDING: u8 = 0;
/// A transaction whose effects are in the arrays.
pub(crate) const COMMITTED: u8 = 1;
/// A transaction that gave up by `tx.reject`.
pub(crate) const REJECTED: u8 = 2;
/// A transaction that did what Rust would panic on.
pub(crate) const FAULTED: u8 = 3;
/// A pending transaction whose guard was false at the last look.
pub(crate) const POSTPONED: u8 = 4;
/// A pending transaction that lost against others at the last look.
pub(crate) const CONFLICTED: u8 = 5;

/// The bits of a transaction's detail that hold the location of a fault; its code stands above them.
pub(crate) const LOCATION_BITS: u32 = 24;
/// The location of an access that has none: calls of the verbs outside generated code.
pub(crate) const NO_LOCATION: u32 = (1 << LOCATION_BITS) - 1;

/// Packs the code and the location of a fault as a transaction's detail.
pub(crate) fn fault_detail(code: FaultCode, location: u32) -> u32 {
    u32::from(code as u8) << LOCATION_BITS | location & ((1 << LOCATION_BITS) - 1)
}
