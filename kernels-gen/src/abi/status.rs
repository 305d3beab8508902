//! The status of a transaction: how its last attempt ended, as its entry in the status column states.

use std::fmt::Write as _;

/// Declares the statuses once, for both sides.
macro_rules! statuses {
    ($($(#[$doc:meta])* $name:ident = $value:literal, $cuda:literal;)*) => {
        $($(#[$doc])* pub const $name: u8 = $value;)*

        /// Every status: its name on the device, and its value.
        const ALL: &[(&str, u8)] = &[$(($cuda, $name),)*];
    };
}

statuses! {
    /// A transaction that has not been attempted.
    PENDING = 0, "STM_PENDING";
    /// A transaction whose effects are in the arrays.
    COMMITTED = 1, "STM_OK";
    /// A transaction that aborted itself by `tx.reject`.
    REJECTED = 2, "STM_REJECTED";
    /// A transaction that faulted: Rust would panic.
    FAULTED = 3, "STM_FAULTED";
    /// A pending transaction whose guard was false in its last attempt.
    POSTPONED = 4, "STM_POSTPONED";
    /// A pending transaction whose last attempt ended in a conflict.
    CONFLICTED = 5, "STM_CONFLICT";
}

/// Prints the statuses.
pub(super) fn put(out: &mut String) {
    out.push_str("enum stm_status : u32 { ");
    ALL.iter().for_each(|(name, value)| _ = write!(out, "{name} = {value}, "));
    out.push_str("};\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_numbered_and_final_ones_are_a_range() {
        assert!(ALL.iter().enumerate().all(|(at, (_, value))| at == usize::from(*value)));
        assert_eq!([COMMITTED, REJECTED, FAULTED], [1, 2, 3]);
    }
}
