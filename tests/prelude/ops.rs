//! The operations of the prelude, one row each, with their numbers in a harness.

use kernels_gen::fault::FaultCode;
use kernels_gen::spec::Scalar;

/// The operands of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// One value.
    One,
    /// Two values of one type.
    Two,
    /// A value, and an amount of any integer type.
    Shift,
    /// A value, and the type to cast it to.
    Cast,
}

/// The types for which an operation exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    All,
    Ints,
    IntsAndBool,
    Floats,
}

impl Of {
    pub(crate) fn contains(self, scalar: Scalar) -> bool {
        match self {
            Of::All => true,
            Of::Ints => scalar.is_int(),
            Of::IntsAndBool => !scalar.is_float(),
            Of::Floats => scalar.is_float(),
        }
    }
}

macro_rules! ops {
    ($($name:ident = $cuda:literal, $of:ident, $takes:ident;)*) => {
        /// An operation of the prelude.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u32)]
        pub(crate) enum Op {
            $($name,)*
        }

        impl Op {
            pub(crate) const ALL: &'static [Op] = &[$(Op::$name,)*];

            /// Returns the name of its number in the harness.
            pub(crate) fn cuda(self) -> &'static str {
                match self { $(Op::$name => $cuda,)* }
            }

            pub(crate) fn of(self) -> Of {
                match self { $(Op::$name => Of::$of,)* }
            }

            pub(crate) fn takes(self) -> Takes {
                match self { $(Op::$name => Takes::$takes,)* }
            }
        }
    };
}

ops! {
    Eq = "OP_EQ", All, Two;
    Ne = "OP_NE", All, Two;
    Lt = "OP_LT", All, Two;
    Le = "OP_LE", All, Two;
    Gt = "OP_GT", All, Two;
    Ge = "OP_GE", All, Two;
    BitAnd = "OP_BIT_AND", IntsAndBool, Two;
    BitOr = "OP_BIT_OR", IntsAndBool, Two;
    BitXor = "OP_BIT_XOR", IntsAndBool, Two;
    Not = "OP_NOT", IntsAndBool, One;
    FloatAdd = "OP_FLOAT_ADD", Floats, Two;
    FloatSub = "OP_FLOAT_SUB", Floats, Two;
    FloatMul = "OP_FLOAT_MUL", Floats, Two;
    FloatDiv = "OP_FLOAT_DIV", Floats, Two;
    FloatRem = "OP_FLOAT_REM", Floats, Two;
    FloatNeg = "OP_FLOAT_NEG", Floats, One;
    WrappingAdd = "OP_WRAPPING_ADD", Ints, Two;
    WrappingSub = "OP_WRAPPING_SUB", Ints, Two;
    WrappingMul = "OP_WRAPPING_MUL", Ints, Two;
    WrappingNeg = "OP_WRAPPING_NEG", Ints, One;
    WrappingShl = "OP_WRAPPING_SHL", Ints, Shift;
    WrappingShr = "OP_WRAPPING_SHR", Ints, Shift;
    AddOverflows = "OP_ADD_OVERFLOWS", Ints, Two;
    SubOverflows = "OP_SUB_OVERFLOWS", Ints, Two;
    MulOverflows = "OP_MUL_OVERFLOWS", Ints, Two;
    NegOverflows = "OP_NEG_OVERFLOWS", Ints, One;
    ShiftTooFar = "OP_SHIFT_TOO_FAR", Ints, Shift;
    DivFault = "OP_DIV_FAULT", Ints, Two;
    RemFault = "OP_REM_FAULT", Ints, Two;
    RawDiv = "OP_RAW_DIV", Ints, Two;
    RawRem = "OP_RAW_REM", Ints, Two;
    Index = "OP_INDEX", Ints, One;
    Add = "OP_ADD", Ints, Two;
    Sub = "OP_SUB", Ints, Two;
    Mul = "OP_MUL", Ints, Two;
    Neg = "OP_NEG", Ints, One;
    Div = "OP_DIV", Ints, Two;
    Rem = "OP_REM", Ints, Two;
    Shl = "OP_SHL", Ints, Shift;
    Shr = "OP_SHR", Ints, Shift;
    Cast = "OP_CAST", All, Cast;
}

impl Op {
    /// Returns true if the operation is a macro with a checked and a wrapping mode.
    pub(crate) fn has_modes(self) -> bool {
        matches!(self, Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Div | Op::Rem | Op::Shl | Op::Shr)
    }

    /// Returns the type of its value.
    pub(crate) fn result(self, operand: Scalar, other: Scalar) -> Scalar {
        match self {
            Op::Cast => other,
            Op::FloatAdd | Op::FloatSub | Op::FloatMul | Op::FloatDiv | Op::FloatRem | Op::FloatNeg => operand,
            _ => Scalar::U64,
        }
    }

    /// Returns the source location that its harness names.
    pub(crate) fn location(self) -> u32 {
        self as u32 + 100
    }
}

/// Returns the number of a type in the harness: `isize` and `usize` have their width on the device.
pub(crate) fn type_number(scalar: Scalar) -> u8 {
    let named_so = |other: &Scalar| other.rust() == scalar.cuda();
    Scalar::ALL.iter().position(named_so).map_or(u8::MAX, |at| at as u8)
}

/// Returns true if Rust's `from as to` exists.
pub(crate) fn can_cast(from: Scalar, to: Scalar) -> bool {
    if from == Scalar::Bool { !to.is_float() } else { to != Scalar::Bool }
}

/// Returns the fault codes, as the linker puts them before the prelude.
pub(crate) fn fault_codes() -> String {
    let codes: Vec<String> = FaultCode::ALL.iter().map(|f| format!("{} = {}", f.cuda(), *f as u8)).collect();
    format!("enum stm_fault : unsigned char {{ {} }};\n", codes.join(", "))
}

/// Returns the numbers of operations and types.
pub(crate) fn numbers() -> String {
    let ops: Vec<String> = Op::ALL.iter().map(|op| format!("{} = {}", op.cuda(), *op as u32)).collect();
    let own_number = |s: &&Scalar| s.rust() == s.cuda();
    let types = Scalar::ALL.iter().filter(own_number).map(|s| format!("TYPE_{} = {}", s.cuda(), type_number(*s)));
    format!(
        "enum prelude_op : unsigned int {{ {} }};\nenum prelude_type : unsigned char {{ {} }};\n",
        ops.join(", "),
        types.collect::<Vec<_>>().join(", ")
    )
}
