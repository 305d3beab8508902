//! The description of one annotated function, as plain data.
//!
//! The macro prints a [`Source`] as a constant expression. The runtime compiles it once into a [`ProcedureSpec`], which the
//! linker turns into device code. Nothing here knows syn, CUDA or a device.

mod flow;
mod how;
mod line;
mod scalar;
mod source;
mod traits;
mod ty;

use serde::{Deserialize, Serialize};

pub use flow::{
    Addition, Bound, Change, Comparison, DataFlow, Doubt, ForeseenWrite, Foresight, PieceInputs, Sources, Sums, Written,
};
pub use how::How;
pub use line::{Line, LinePart};
pub use scalar::Scalar;
pub use source::{Constant, Source, identity};
pub use traits::{DefaultOf, EqualOf, Format, OrderOf, Traits};
pub use ty::{Enum, MOST_COMPONENTS, PERHAPS, Record, Type, VARIANT};

/// One annotated function, compiled: all names are resolved, and every value is split into its components.
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
    /// The components of the result; empty for `()`.
    pub result: &'static [Scalar],
    /// The CUDA text of `declare` and `body`; the linker adds everything around it.
    pub cuda: &'static str,
    /// The functions of its pieces, which the linker prints where they are needed.
    pub pieces: &'static [PieceText],
    /// The results of the analysis.
    pub facts: Facts,
    /// The source locations that a report can name; verbs and faults carry an index into it.
    pub locations: &'static [Location],
    /// The lines that it can print, ascending by location.
    pub lines: &'static [Line],
    /// Integer overflow is a fault (as in a debug build) instead of wrapping.
    pub checked: bool,
    /// The most loop iterations of one attempt; more are a fault.
    pub max_iterations: u32,
    /// Bytes of all its variables, including temporaries and variables of helpers: the thread's stack must have room for them.
    pub variables: u64,
}

/// The CUDA text of a piece: how a new value follows from the old one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PieceText {
    /// The location of the write.
    pub location: u32,
    /// The array (index into [`ProcedureSpec::params`]).
    pub param: u32,
    /// `stm_status piece(stm_piece_tx&, T old, u64 inputs, T* value)`.
    pub cuda: &'static str,
}

impl ProcedureSpec {
    /// A procedure that has and does nothing, to be completed.
    pub const EMPTY: ProcedureSpec = ProcedureSpec {
        name: "",
        module: "",
        file: "",
        line: 1,
        params: &[],
        result: &[],
        cuda: "",
        pieces: &[],
        facts: Facts::NONE,
        locations: &[],
        lines: &[],
        checked: true,
        max_iterations: 1,
        variables: 0,
    };

    /// Returns the arrays whose accesses an engine has to see, whatever the other procedures of the batch do: by their positions
    /// among the array parameters. These are the arrays that a transaction may write, and those whose elements count against a
    /// stated bound.
    pub fn seen_arrays(&self) -> impl Iterator<Item = usize> {
        let arrays = (0..).zip(self.params).filter(|(_, param)| param.role.array().is_some()).enumerate();
        arrays.filter(|(_, (param, _))| !self.facts.unseen.contains(param)).map(|(nth, _)| nth)
    }

    /// Returns, for each array parameter in order, the most additions to its elements in one attempt, if they can be made after the
    /// commit: the transaction neither needs values of that array nor changes its elements otherwise.
    pub fn deferrable(&self) -> impl Iterator<Item = Option<u32>> {
        let arrays = (0_u32..).zip(self.params).filter(|(_, param)| param.role.array().is_some());
        arrays.map(|(param, _)| {
            let sums = self.facts.sums.iter().find(|sums| sums.param == param)?;
            let faults = sums.can_overflow && self.checked;
            (sums.otherwise.is_none() && !faults).then_some(sums.additions)
        })
    }
}

/// One parameter of an annotated function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    /// Its name, with the path of the component: `amount`, `rooms.free`.
    pub name: &'static str,
    /// A value of the call, or an array.
    pub role: Role,
}

impl Param {
    /// Returns a parameter for an array of these elements.
    #[must_use]
    pub const fn array(name: &'static str, element: Scalar) -> Param {
        Param { name, role: Role::Array(element) }
    }

    /// Returns a parameter for a value.
    #[must_use]
    pub const fn value(name: &'static str, scalar: Scalar) -> Param {
        Param { name, role: Role::Value(scalar) }
    }

    /// Returns the name of the function's parameter that this is, or is a component of.
    #[must_use]
    pub fn parameter(&self) -> &'static str {
        self.name.split_once('.').map_or(self.name, |(parameter, _)| parameter)
    }
}

/// What a parameter stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A plain value, one per call.
    Value(Scalar),
    /// `&Shared<T>`.
    Array(Scalar),
    /// `&Partition<T, N>`: a partition of that number of elements. The last value parameter is its number, one for all arrays of a
    /// procedure.
    Partition(Scalar, u64),
}

impl Role {
    /// Returns the element type of an array.
    #[must_use]
    pub const fn array(self) -> Option<Scalar> {
        match self {
            Role::Value(_) => None,
            Role::Array(scalar) | Role::Partition(scalar, _) => Some(scalar),
        }
    }

    /// Returns the type of a value.
    #[must_use]
    pub const fn value(self) -> Option<Scalar> {
        match self {
            Role::Value(scalar) => Some(scalar),
            Role::Array(_) | Role::Partition(..) => None,
        }
    }

    /// Returns the elements of a partition; `None` for other parameters.
    #[must_use]
    pub const fn part(self) -> Option<u64> {
        match self {
            Role::Partition(_, part) => Some(part),
            Role::Value(_) | Role::Array(_) => None,
        }
    }
}

/// The results of the analysis of a procedure. They are the reason why generated code can beat a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// The straight-line accesses, one entry for each element that is provably the same one: index = slot.
    pub slots: &'static [Slot],
    /// The most distinct elements that accesses inside loops can touch; 0 where there are none.
    pub indexed: u32,
    /// The reads and writes of scalar components in the expanded code.
    pub accesses: u32,
    /// `indexed` was stated by the user, not derived, so an attempt can exceed it (a fault).
    pub stated: bool,
    /// No write anywhere.
    pub read_only: bool,
    /// Some element may be written without having been read.
    pub blind_writes: bool,
    /// The array parameters (indices into [`ProcedureSpec::params`]) that an engine need not see if no other procedure writes the
    /// array: no access writes them, in loops either, and none counts against a stated bound.
    pub unseen: &'static [u32],
    /// How it uses each array, in the order of the parameters.
    pub sums: &'static [Sums],
    /// Every address is computed from arguments alone and no access is in a loop: `declare` lists them all.
    pub orderable: bool,
    /// Why the number of elements is stated by the user and not derived: a sentence, if it applies.
    pub inexact: Option<&'static str>,
    /// Why it is not orderable: a sentence, if it applies.
    pub unordered: Option<&'static str>,
    /// The guards in source order.
    pub guards: &'static [Guard],
    /// What values depend on.
    pub flow: DataFlow,
}

impl Facts {
    /// The facts of a procedure of which nothing is known and which accesses nothing.
    pub const NONE: Facts = Facts {
        slots: &[],
        indexed: 0,
        accesses: 0,
        stated: false,
        read_only: false,
        blind_writes: false,
        unseen: &[],
        sums: &[],
        orderable: false,
        inexact: None,
        unordered: None,
        guards: &[],
        flow: DataFlow::NONE,
    };

    /// The most constant slots in registers of a procedure that writes and has no accesses in loops.
    const MOST_IN_REGISTERS: usize = 16;

    /// Returns whether constant slots have entries of their own, in registers. An access in a loop would compare its element with every
    /// slot of its array, and that code takes long to compile.
    #[must_use]
    pub const fn is_in_registers(&self) -> bool {
        self.read_only || (self.indexed == 0 && self.slots.len() <= Facts::MOST_IN_REGISTERS)
    }

    /// Returns the most elements of an access set in memory: 0 if the set is in registers, or is only read.
    #[must_use]
    pub const fn logged(&self) -> u32 {
        if self.is_in_registers() { 0 } else { self.footprint() }
    }

    /// The most elements of a set of reads in local memory that has no log.
    const MOST_READ: u32 = 56;

    /// Returns the most elements of the set of a long transaction that only reads; 0 for others.
    #[must_use]
    pub const fn walked(&self) -> u32 {
        if self.read_only && self.indexed > Facts::MOST_READ { self.footprint() } else { 0 }
    }

    /// Returns the most distinct elements that one attempt can touch.
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
    /// How the body accesses it, over all its accesses.
    pub intent: Intent,
    /// It is reached whenever the transaction commits.
    pub always: bool,
    /// The location of its first access.
    pub location: u32,
    /// Which parameter (index into [`ProcedureSpec::params`]) is the index of the element, where it is the value of one.
    pub index: Option<u32>,
}

/// How a transaction accesses an element.
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
    /// Its location.
    pub location: u32,
    /// The slots of the reads that its condition depends on, ascending; accesses in loops are not listed.
    pub reads: &'static [u32],
    /// The bounds of elements that it asks, all at once: none if it follows from the arguments. `None` if it asks something else.
    pub bounds: Option<&'static [Bound]>,
}

/// One location in the user's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// The source file: that of the procedure, or of a function that it calls.
    pub file: &'static str,
    /// Line in it, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The kind of construct there.
    pub what: LocationKind,
    /// The source text, shortened: `accounts[from]`, `balance - amount`; or the message of a panic.
    pub text: &'static str,
}

/// The kind of construct at a [`Location`].
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
