//! The operators, each with its spelling in Rust and in the device prelude.

/// Declares an operator enum: variant, Rust's token, and the name in the device prelude.
macro_rules! operators {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $rust:literal, $cuda:literal;)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        #[allow(missing_docs, reason = "named after the operators")]
        pub enum $name { $($variant,)* }

        impl $name {
            /// Returns the operator in Rust.
            #[must_use]
            pub const fn rust(self) -> &'static str {
                match self { $($name::$variant => $rust,)* }
            }

            /// Returns its name in the device prelude, without the prefix.
            #[must_use]
            pub const fn cuda(self) -> &'static str {
                match self { $($name::$variant => $cuda,)* }
            }
        }
    };
}

operators! {
    /// Operators that fault on some integers.
    Arith { Add = "+", "add"; Sub = "-", "sub"; Mul = "*", "mul"; Div = "/", "div"; Rem = "%", "rem"; Shl = "<<", "shl"; Shr = ">>", "shr"; }
}

operators! {
    /// Operators on bits, or on booleans without short circuit.
    Logic { And = "&", "bit_and"; Or = "|", "bit_or"; Xor = "^", "bit_xor"; }
}

operators! {
    /// Comparisons.
    Compare { Eq = "==", "eq"; Ne = "!=", "ne"; Lt = "<", "lt"; Le = "<=", "le"; Gt = ">", "gt"; Ge = ">=", "ge"; }
}

operators! {
    /// Operators with one operand.
    UnaryOp { Neg = "-", "neg"; Not = "!", "not"; }
}

impl Arith {
    /// Returns whether it is a shift, whose right operand has a type of its own.
    #[must_use]
    pub const fn is_shift(self) -> bool {
        matches!(self, Arith::Shl | Arith::Shr)
    }
}
