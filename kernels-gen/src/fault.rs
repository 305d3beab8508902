//! The ways in which a transaction can do what panics in Rust. The host and the device share one list.

/// Declares each code once: the enum, the list, the device name and the sentence for people.
macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $cuda:literal, $text:literal;)*) => {
        /// The reason why a transaction faulted.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        #[repr(u8)]
        pub enum FaultCode {
            $($(#[$doc])* $name = $code,)*
        }

        impl FaultCode {
            /// Every code.
            pub const ALL: &'static [FaultCode] = &[$(FaultCode::$name,)*];

            /// Returns the name of the code in device source.
            #[must_use]
            pub const fn cuda(self) -> &'static str {
                match self { $(FaultCode::$name => $cuda,)* }
            }

            /// Returns what happened, in words.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(FaultCode::$name => $text,)* }
            }
        }
    };
}

faults! {
    /// `+`, `-`, `*` or unary `-` left the type's range in checked mode; or `MIN / -1`.
    Overflow = 1, "STM_FAULT_OVERFLOW", "arithmetic overflow";
    /// `/` or `%` by zero.
    DivideByZero = 2, "STM_FAULT_DIVIDE_BY_ZERO", "division by zero";
    /// A shift by at least the width of the type, in checked mode.
    ShiftTooFar = 3, "STM_FAULT_SHIFT", "shift by at least the width of the type";
    /// An index at or past the end of an array, or a negative one.
    IndexOutOfRange = 4, "STM_FAULT_INDEX", "index out of range";
    /// More distinct elements than the stated `max_accesses`.
    TooManyAccesses = 5, "STM_FAULT_CAPACITY", "more accesses than `max_accesses` states";
    /// More loop iterations than `max_iterations`.
    TooManyIterations = 6, "STM_FAULT_ITERATIONS", "a loop ran past `max_iterations`";
    /// `panic!`, `unreachable!`, or a failed `assert!`.
    Panic = 7, "STM_FAULT_PANIC", "panic";
    /// `unwrap` or `expect` on `None`.
    Unwrap = 8, "STM_FAULT_UNWRAP", "`unwrap` on `None`";
    /// A method got an argument on which it panics in Rust, as `ilog2` of zero.
    BadArgument = 9, "STM_FAULT_ARGUMENT", "an argument on which the method panics";
}

impl FaultCode {
    /// Returns the fault with that number, as the device reports it.
    #[must_use]
    pub fn from_code(code: u8) -> Option<FaultCode> {
        FaultCode::ALL.iter().copied().find(|f| *f as u8 == code)
    }
}

impl std::fmt::Display for FaultCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}
