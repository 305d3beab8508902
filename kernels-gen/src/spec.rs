//! What one annotated function is, as plain constant data.
//!
//! The macro prints a [`KindSpec`] as a constant expression, the linker turns it into device code, and the runtime
//! reads it. Nothing here knows syn, CUDA or a device.

/// A machine type that a transaction can hold, pass and store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Scalar {
    I8,
    I16,
    I32,
    I64,
    Isize,
    U8,
    U16,
    U32,
    U64,
    Usize,
    F32,
    F64,
    Bool,
}

impl Scalar {
    /// Every scalar, in the order of declaration.
    pub const ALL: [Scalar; 13] = [
        Scalar::I8,
        Scalar::I16,
        Scalar::I32,
        Scalar::I64,
        Scalar::Isize,
        Scalar::U8,
        Scalar::U16,
        Scalar::U32,
        Scalar::U64,
        Scalar::Usize,
        Scalar::F32,
        Scalar::F64,
        Scalar::Bool,
    ];

    /// The name in Rust.
    #[must_use]
    pub const fn rust(self) -> &'static str {
        match self {
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::Isize => "isize",
            Scalar::U8 => "u8",
            Scalar::U16 => "u16",
            Scalar::U32 => "u32",
            Scalar::U64 => "u64",
            Scalar::Usize => "usize",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
            Scalar::Bool => "bool",
        }
    }

    /// The name in the device prelude. `usize` and `isize` are the 64-bit types, as on every host with a CUDA driver.
    #[must_use]
    pub const fn cuda(self) -> &'static str {
        match self {
            Scalar::Isize => "i64",
            Scalar::Usize => "u64",
            other => other.rust(),
        }
    }

    /// Size in bytes.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 | Scalar::Bool => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            _ => 8,
        }
    }

    /// The scalar of that Rust name.
    #[must_use]
    pub fn from_rust(name: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|s| s.rust() == name)
    }

    /// A whole number, signed or not.
    #[must_use]
    pub const fn is_int(self) -> bool {
        !matches!(self, Scalar::F32 | Scalar::F64 | Scalar::Bool)
    }

    /// A signed whole number.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::Isize)
    }

    /// `f32` or `f64`.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }
}

/// One annotated function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KindSpec {
    /// The function's name, without `r#`.
    pub name: &'static str,
    /// `module_path!()` where it is declared.
    pub module: &'static str,
    /// The source file as the compiler names it.
    pub file: &'static str,
    /// The line of `fn`, from 1.
    pub line: u32,
    /// The parameters after `tx`, in order.
    pub params: &'static [Param],
    /// The type of the result; `None` for `()`.
    pub result: Option<Scalar>,
    /// The CUDA text of `announce` and `body`; the linker adds everything around it.
    pub cuda: &'static str,
    /// What the analysis found out.
    pub facts: Facts,
    /// The places in the source that a report can name; verbs and faults carry an index into it.
    pub sites: &'static [Site],
    /// Integer overflow is a fault (as in a debug build) instead of wrapping.
    pub checked: bool,
    /// How many loop iterations one attempt may make before it is a fault.
    pub max_iterations: u32,
}

/// One parameter of an annotated function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// A value of the call, or a region.
    pub role: Role,
}

/// What a parameter stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A plain value, one per call.
    Value(Scalar),
    /// `&Shared<T>`.
    Region(Scalar),
}

/// What the analysis knows of a kind: the reason why generated code can beat a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// The straight-line accesses, one entry for each element that is provably the same one: index = slot.
    pub slots: &'static [Slot],
    /// The most distinct elements that accesses inside loops can touch; 0 where there are none.
    pub indexed: u32,
    /// `indexed` was stated by the user, not derived, so an attempt can exceed it (a fault).
    pub stated: bool,
    /// No write anywhere.
    pub read_only: bool,
    /// Some element may be written without having been read.
    pub blind_writes: bool,
    /// Every address is computed from arguments alone and no access is in a loop: `announce` lists them all.
    pub orderable: bool,
    /// The guards in source order.
    pub guards: &'static [Guard],
}

impl Facts {
    /// The most distinct elements that one attempt can touch.
    #[must_use]
    pub const fn footprint(&self) -> u32 {
        self.slots.len() as u32 + self.indexed
    }
}

/// One straight-line access (or several to an element that is provably the same).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Which parameter (index into [`KindSpec::params`]) is the region.
    pub param: u32,
    /// What the body does with it, over all its accesses.
    pub intent: Intent,
    /// It is reached whenever the transaction commits.
    pub always: bool,
    /// Its first access.
    pub site: u32,
}

/// What a transaction does with an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Intent {
    /// Only reads it.
    Read,
    /// Reads it and may write it later: a read for update.
    Update,
    /// Writes it without reading it first.
    Write,
}

/// One guard and the reads it depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// Where it stands.
    pub site: u32,
    /// The slots of the reads that its condition depends on, ascending; accesses in loops are not listed.
    pub reads: &'static [u32],
}

/// One place in the user's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Site {
    /// Line in [`KindSpec::file`], from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// What stands there.
    pub what: SiteKind,
    /// The source text, shortened: `accounts[from]`, `balance - amount`.
    pub text: &'static str,
}

/// What stands at a [`Site`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SiteKind {
    /// `tx.read`; `in_loop` accesses use the indexed set.
    Read {
        /// Inside a loop.
        in_loop: bool,
    },
    /// `tx.write`.
    Write {
        /// Inside a loop.
        in_loop: bool,
    },
    /// `tx.guard`.
    Guard,
    /// `tx.reject`.
    Reject,
    /// An operation that can fault.
    Arithmetic,
    /// A loop, which can run past its bound.
    Loop,
}
