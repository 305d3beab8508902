//! The transactions of a chunk, listed by the devices of a cluster that have their elements: a head of 64-bit words, then a list for each
//! device, which has room for all transactions of the chunk: a `u32` for each, and then a `u8` for the status of each.

use std::fmt::Write as _;

/// The most devices of a cluster. The head begins with the lengths of their lists.
pub const MOST_DEVICES: usize = 16;
/// The word with the number of devices.
pub const DEVICES: usize = MOST_DEVICES;
/// The word with the bytes from which an array has a part on each device.
pub const DIVIDED: usize = MOST_DEVICES + 1;
/// The words of the head.
pub const HEAD: usize = MOST_DEVICES + 2;

/// Prints these numbers.
pub(crate) fn put_constants(out: &mut String) {
    let _ = writeln!(
        out,
        "constexpr unsigned STM_MOST_DEVICES = {MOST_DEVICES}, STM_ROUTE_DEVICES = {DEVICES}, STM_ROUTE_DIVIDED = {DIVIDED}, STM_ROUTE_HEAD = {HEAD};"
    );
}
