//! The phases of an attempt that a timed unit counts, for both sides.

use std::fmt::Write as _;

/// The sums that the threads of a timed launch add up, in cycles of their multiprocessors. They follow the counters in the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// From the start of an attempt to the end of its body.
    Body,
    /// From there to the end of the attempt.
    Commit,
    /// Both, of attempts that ended in a conflict.
    Wasted,
    /// Of a commit: the work before the request to a server.
    PreValidate,
    /// Of a commit: waiting for a server, or for the clock.
    Wait,
    /// Of a commit: checking whether the values that were read are still current.
    Validate,
    /// Of a commit: writing its record for later commits.
    Record,
    /// Of a commit: writing the new values.
    WriteBack,
    /// The lifetime of the threads.
    Cycles,
    /// The same in nanoseconds.
    Nanoseconds,
}

impl Phase {
    /// Every sum, in the order of the buffer.
    pub const ALL: &'static [Phase] = &[
        Phase::Body,
        Phase::Commit,
        Phase::Wasted,
        Phase::PreValidate,
        Phase::Wait,
        Phase::Validate,
        Phase::Record,
        Phase::WriteBack,
        Phase::Cycles,
        Phase::Nanoseconds,
    ];
    /// The phases of a commit, which an engine may measure separately, in order.
    pub const OF_COMMIT: &'static [Phase] =
        &[Phase::PreValidate, Phase::Wait, Phase::Validate, Phase::Record, Phase::WriteBack];
    /// Their number.
    pub const COUNT: usize = Phase::ALL.len();

    /// Returns the name on the device.
    #[must_use]
    pub const fn cuda(self) -> &'static str {
        match self {
            Phase::Body => "STM_PHASE_BODY",
            Phase::Commit => "STM_PHASE_COMMIT",
            Phase::Wasted => "STM_PHASE_WASTED",
            Phase::PreValidate => "STM_PHASE_PRE_VALIDATE",
            Phase::Wait => "STM_PHASE_WAIT",
            Phase::Validate => "STM_PHASE_VALIDATE",
            Phase::Record => "STM_PHASE_RECORD",
            Phase::WriteBack => "STM_PHASE_WRITE_BACK",
            Phase::Cycles => "STM_PHASE_CYCLES",
            Phase::Nanoseconds => "STM_PHASE_NANOSECONDS",
        }
    }
}

/// Prints the indices of the sums.
pub(super) fn put(out: &mut String) {
    out.push_str("enum stm_phase : u32 { ");
    Phase::ALL.iter().for_each(|phase| _ = write!(out, "{}, ", phase.cuda()));
    out.push_str("STM_PHASES };\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_stand_in_the_order_of_their_numbers() {
        assert!(Phase::ALL.iter().enumerate().all(|(at, phase)| at == *phase as usize));
    }
}
