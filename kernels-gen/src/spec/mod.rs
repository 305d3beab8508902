//! What one annotated function is, as plain data.
//!
//! The macro prints a [`Source`] as a constant expression. The runtime compiles it once into a [`ProcedureSpec`], which the
//! linker turns into device code. Nothing here knows syn, CUDA or a device.

mod formats;
mod line;
mod scalar;
mod source;
mod ty;

use serde::{Deserialize, Serialize};

pub use formats::{Format, Formats};
pub use line::{Line, LinePart};
pub use scalar::Scalar;
pub use source::{Constant, Source, identity};
pub use ty::{Enum, MOST_COMPONENTS, Record, Type};

/// One annotated function, compiled: everything is resolved, and every value is its components.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProcedureSpec {
    /// The function's name, without `r#`.
    pub name: &'static str,
    /// `module_path!()` where it is declared.
    pub module: &'static str,
    /// The source file as the compiler names it.
    pub file: &'static str,
    /// The line of `fn`, from 1.
    pub line: u32,
    /// The parameters after `tx`, in order, each as its components: a record is one parameter for each of its fields.
    pub params: &'static [Param],
    /// The components of the result; none for `()`.
    pub result: &'static [Scalar],
    /// The CUDA text of `declare` and `body`; the linker adds everything around it.
    pub cuda: &'static str,
    /// What the analysis found out.
    pub facts: Facts,
    /// The places in the source that a report can name; verbs and faults carry an index into it.
    pub locations: &'static [Location],
    /// The lines that it can print, ascending by location.
    pub lines: &'static [Line],
    /// Integer overflow is a fault (as in a debug build) instead of wrapping.
    pub checked: bool,
    /// How many loop iterations one attempt may make before it is a fault.
    pub max_iterations: u32,
    /// Bytes of all its variables, temporaries and those of its helpers included: what the stack of a thread must have room for.
    pub variables: u64,
}

/// One parameter of an annotated function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    /// Its name, with the path of the component: `amount`, `rooms.free`.
    pub name: &'static str,
    /// A value of the call, or an array.
    pub role: Role,
}

/// What a parameter stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A plain value, one per call.
    Value(Scalar),
    /// `&Shared<T>`.
    Array(Scalar),
    /// `&Partition<T, N>`: a part of that number of elements. The last value parameter says which part it is, one for all of a
    /// procedure.
    Partition(Scalar, u64),
}

impl Role {
    /// The type of the elements, of an array.
    #[must_use]
    pub const fn array(self) -> Option<Scalar> {
        match self {
            Role::Value(_) => None,
            Role::Array(scalar) | Role::Partition(scalar, _) => Some(scalar),
        }
    }

    /// The type of a value.
    #[must_use]
    pub const fn value(self) -> Option<Scalar> {
        match self {
            Role::Value(scalar) => Some(scalar),
            Role::Array(_) | Role::Partition(..) => None,
        }
    }

    /// Elements of a part; `None` for what has no parts.
    #[must_use]
    pub const fn part(self) -> Option<u64> {
        match self {
            Role::Partition(_, part) => Some(part),
            Role::Value(_) | Role::Array(_) => None,
        }
    }
}

/// What the analysis knows of a procedure: the reason why generated code can beat a library.
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
    /// Every address is computed from arguments alone and no access is in a loop: `declare` lists them all.
    pub orderable: bool,
    /// Why the number of elements is the user's word and not derived, where it is: a sentence.
    pub inexact: Option<&'static str>,
    /// Why it is not orderable, where it is not: a sentence.
    pub unordered: Option<&'static str>,
    /// The guards in source order.
    pub guards: &'static [Guard],
}

impl Facts {
    /// Nothing is known, and nothing is touched.
    pub const NONE: Facts = Facts {
        slots: &[],
        indexed: 0,
        stated: false,
        read_only: false,
        blind_writes: false,
        orderable: false,
        inexact: None,
        unordered: None,
        guards: &[],
    };

    /// The most distinct elements that one attempt can touch.
    #[must_use]
    pub const fn footprint(&self) -> u32 {
        self.slots.len() as u32 + self.indexed
    }
}

/// One straight-line access (or several to an element that is provably the same).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Which parameter (index into [`ProcedureSpec::params`]) is the array.
    pub param: u32,
    /// What the body does with it, over all its accesses.
    pub intent: Intent,
    /// It is reached whenever the transaction commits.
    pub always: bool,
    /// Its first access.
    pub location: u32,
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
    pub location: u32,
    /// The slots of the reads that its condition depends on, ascending; accesses in loops are not listed.
    pub reads: &'static [u32],
}

/// One place in the user's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// The source file: that of the procedure, or of a function that it calls.
    pub file: &'static str,
    /// Line in it, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// What stands there.
    pub what: LocationKind,
    /// The source text, shortened: `accounts[from]`, `balance - amount`; or the message of a panic.
    pub text: &'static str,
}

/// What stands at a [`Location`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LocationKind {
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
    /// An element of a local array.
    Element,
    /// `panic!`, `assert!`, `unwrap` and the like.
    Panic,
    /// A call of a `#[gpu_fn]`.
    Call,
    /// `gpu_println!`.
    Print,
}
