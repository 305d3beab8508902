//! The typed intermediate form of one annotated function: plain data, without syn, spans or CUDA text.
//!
//! It is in administrative normal form. Operands are variables or literals; whatever can fault, read, write or leave
//! is a statement of its own, and statements stand in the order in which Rust evaluates them. So an emitter only has
//! to keep the order of statements to keep the meaning.
//!
//! A variable is declared once and belongs to the block that declares it; names need not be unique, numbers are.
//! Parameters are the first variables: the variable of parameter `k` has number `k`, arrays included.
//!
//! There are two stages of the one form. What the macro makes is *open*: types, constants and functions of the user's
//! program are numbers of entries that only rustc can fill in, and values can be compound. What
//! [`crate::compile`] makes of it is *flat*: every type is a scalar or an array of scalars, and there are no calls.
//! Statements and operations of only one stage say so.

mod op;
mod print;
mod ty;
mod value;
pub mod walk;

pub use op::{Arith, Compare, Logic, UnaryOp};
pub use ty::{Length, OpenTy, Relation, Ty};
pub use value::{Arg, Atom, Piece, Rvalue, Step};

use serde::{Deserialize, Serialize};

use crate::fault::FaultCode;
use crate::spec::{Line, Scalar};

/// A variable: a parameter, a `let`, or a temporary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct VarId(pub u32);

/// A type that inference has to find, or has found: an index into [`Transaction::types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TyId(pub u32);

/// An array parameter, by its place among all parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ArrayId(pub u32);

/// An entry of [`Transaction::locations`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LocationId(pub u32);

/// A constant of the user's program: an entry of [`crate::spec::Source::constants`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ConstId(pub u32);

/// A call of a function of the user's program: an entry of [`crate::spec::Source::functions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CallId(pub u32);

/// A loop or labelled block, numbered in source order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LoopId(pub u32);

/// A place in the source: an index into [`Transaction::places`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Loc(pub u32);

/// Line and column, both from 1. Line 0 means unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// One annotated function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Transaction {
    /// The function's name, without `r#`.
    pub name: String,
    /// The source file, as `#line` and reports name it.
    pub file: String,
    /// Where `fn` stands.
    pub at: Place,
    /// What it is for.
    pub form: Form,
    /// The parameters after `tx`.
    pub params: Vec<ParamDecl>,
    /// The type of the result.
    pub result: TyId,
    /// Every variable, by number.
    pub vars: Vec<Var>,
    /// What is known of every type, by number.
    pub types: Vec<Ty>,
    /// What relates types of the user's program to others. Empty in the flat stage.
    pub relations: Vec<Relation>,
    /// The statements; each path through them ends in a [`StmtKind::Return`], [`StmtKind::Reject`] or
    /// [`StmtKind::Fault`], or never ends.
    pub body: Block,
    /// What a report can name.
    pub locations: Vec<LocationDecl>,
    /// The places that statements name.
    pub places: Vec<Place>,
    /// Flat stage: the files of places that came with calls. The places from that number on are in that file, up to the
    /// next entry; those before the first are in [`Transaction::file`].
    pub files: Vec<(u32, String)>,
    /// How many loops and labelled blocks there are.
    pub loops: u32,
    /// Flat stage: what each [`StmtKind::Print`] looks like, ascending by location.
    #[serde(skip)]
    pub lines: Vec<Line>,
    /// What the attribute asked for.
    pub options: Options,
}

/// What an annotated function is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// `#[gpu_transaction]`: a table holds calls of it.
    Transaction,
    /// `#[gpu_fn]`: transactions call it. `tries`: it returns a `TxResult`.
    Function {
        /// It returns a `TxResult`, so a call is followed by `?`.
        tries: bool,
    },
}

/// What the attribute asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Options {
    /// `max_accesses = N`.
    pub max_accesses: Option<u32>,
    /// `overflow = ".."`.
    pub overflow: Overflow,
    /// `max_iterations = N`.
    pub max_iterations: Option<u32>,
}

/// What integer overflow does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Overflow {
    /// A fault in debug builds of the user's crate, wrapping otherwise: what rustc does.
    #[default]
    AsBuilt,
    /// Always a fault.
    Check,
    /// Always wraps.
    Wrap,
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParamDecl {
    /// Its name, without `r#`.
    pub name: String,
    /// What it stands for.
    pub role: ParamRole,
    /// The type of the value, or of the array's elements.
    pub ty: TyId,
    /// Of a `&Partition<T, N>`: how many elements one part has.
    pub part: Option<Length>,
}

/// What a parameter stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParamRole {
    /// A value.
    Value,
    /// `&Shared<T>`, or `&Partition<T, N>`.
    Array,
    /// `&mut T` of a `#[gpu_fn]`: a variable of the caller.
    Place,
}

/// A place in the source that a report can name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocationDecl {
    /// Where it stands.
    pub at: Place,
    /// What stands there.
    pub what: crate::spec::LocationKind,
    /// The source text, shortened; the message of a panic.
    pub text: String,
    /// The file, where it is another than that of the function: the location came with a call. Only in the flat stage.
    pub file: Option<String>,
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Var {
    /// The user's name for it, without `r#`; temporaries have none.
    pub name: Option<String>,
    /// Its type.
    pub ty: TyId,
    /// It can be assigned after its declaration.
    pub mutable: bool,
}

/// Statements in order of evaluation.
pub type Block = Vec<Stmt>;

/// A statement and where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stmt {
    /// What it does.
    pub what: StmtKind,
    /// Where it comes from.
    pub at: Loc,
}

/// What a statement does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields say what they are; the variants are documented")]
pub enum StmtKind {
    /// Declares a variable without a value; every path assigns it before use.
    Declare { var: VarId },
    /// Declares a variable with a value.
    Let { var: VarId, value: Rvalue },
    /// Gives a declared variable, or the part of it that the steps lead to, a value.
    Assign { var: VarId, steps: Vec<Step>, value: Atom },
    /// `let var = tx.read(array, index)?`. `fields`: of an array of records, only that field; empty in the flat stage.
    Read { var: VarId, array: ArrayId, fields: Vec<String>, index: Atom, location: LocationId },
    /// `tx.write(array, index, value)?`
    Write { array: ArrayId, fields: Vec<String>, index: Atom, value: Atom, location: LocationId },
    /// `tx.guard(condition)?`
    Guard { condition: Atom, location: LocationId },
    /// `tx.reject(code)?`: nothing after it is reached.
    Reject { code: Atom, location: LocationId },
    /// A panic: nothing after it is reached.
    Fault { code: FaultCode, location: LocationId },
    /// Flat stage: a fault where the device function of that name says so. `checked`: only in checked mode.
    FaultIf { function: String, args: Vec<Atom>, checked: bool, location: LocationId },
    /// Two branches.
    If { condition: Atom, then: Block, other: Block },
    /// `loop`, or `while` with the statements that compute its condition.
    Loop { id: LoopId, head: Block, condition: Option<Atom>, body: Block, location: LocationId },
    /// `for` over a range. `counter` is the hidden variable that counts; `var` is what the body sees.
    For { id: LoopId, var: VarId, counter: VarId, range: Range, body: Block, location: LocationId },
    /// A block that a `Break` of its number components.
    Block { id: LoopId, body: Block },
    /// Leaves the loop or the labelled block.
    Break(LoopId),
    /// Goes on with the next iteration of the loop.
    Continue(LoopId),
    /// `return`, or `return Ok(..)`. In the flat stage: the components of the result.
    Return(Vec<Atom>),
    /// Open stage: declares `var` with the result of a function of the user's program.
    Call { var: VarId, call: CallId, args: Vec<Arg>, location: LocationId },
    /// `gpu_println!`. In the flat stage: the components of its values; [`Transaction::lines`] says what they look like.
    Print { pieces: Vec<Piece>, location: LocationId },
}

/// The range of a `for`. The bounds are computed already and do not change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// The first value, going up.
    pub start: Atom,
    /// The end.
    pub end: Atom,
    /// The end belongs to it.
    pub inclusive: bool,
    /// `.step_by(n)`, a `usize`; not 0, which is a fault before the loop.
    pub step: Option<Atom>,
    /// `.rev()`: the whole sequence backwards, steps included.
    pub reversed: bool,
}

impl Transaction {
    /// The type, with no more [`Ty::Same`].
    #[must_use]
    pub fn ty(&self, mut ty: TyId) -> &Ty {
        loop {
            match &self.types[ty.0 as usize] {
                Ty::Same(next) => ty = *next,
                other => return other,
            }
        }
    }

    /// Flat stage: the type, or the type of the elements of an array.
    #[must_use]
    pub fn scalar(&self, ty: TyId) -> Scalar {
        match self.ty(ty) {
            Ty::Scalar(scalar) => *scalar,
            Ty::Array(element, _) => self.scalar(*element),
            // Types of code that is never reached.
            _ => Scalar::I32,
        }
    }

    /// Flat stage: the type of a variable, or of its elements.
    #[must_use]
    pub fn type_of(&self, var: VarId) -> Scalar {
        self.scalar(self.vars[var.0 as usize].ty)
    }

    /// Flat stage: the length of an array variable.
    #[must_use]
    pub fn length_of(&self, var: VarId) -> Option<u64> {
        match self.ty(self.vars[var.0 as usize].ty) {
            Ty::Array(_, Length::Known(length)) => Some(*length),
            _ => None,
        }
    }

    /// Flat stage: bytes of all variables.
    #[must_use]
    pub fn variable_bytes(&self) -> u64 {
        let bytes = |var: VarId| (self.type_of(var).size() as u64).saturating_mul(self.length_of(var).unwrap_or(1));
        (0..self.vars.len() as u32).map(|var| bytes(VarId(var))).fold(0, u64::saturating_add)
    }

    /// Flat stage: the type of an atom.
    #[must_use]
    pub fn atom_type(&self, atom: &Atom) -> Scalar {
        match atom {
            Atom::Var(var) => self.type_of(*var),
            Atom::Int(_, ty) | Atom::Float(_, ty) | Atom::Bits(_, ty) => self.scalar(*ty),
            Atom::Bool(_) | Atom::Unit => Scalar::Bool,
        }
    }

    /// Flat stage: the element type of an array.
    #[must_use]
    pub fn element(&self, array: ArrayId) -> Scalar {
        self.scalar(self.params[array.0 as usize].ty)
    }

    /// Where a statement comes from.
    #[must_use]
    pub fn place(&self, at: Loc) -> Place {
        self.places[at.0 as usize]
    }

    /// The file in which that place is.
    #[must_use]
    pub fn file_of(&self, at: Loc) -> &str {
        let before = self.files.partition_point(|(first, _)| *first <= at.0);
        before.checked_sub(1).map_or(&self.file, |last| &self.files[last].1)
    }

    /// Flat stage: the types of the components of the result.
    #[must_use]
    pub fn results(&self) -> Vec<Scalar> {
        match self.ty(self.result) {
            Ty::Unit => Vec::new(),
            Ty::Tuple(components) => components.iter().map(|component| self.scalar(*component)).collect(),
            _ => vec![self.scalar(self.result)],
        }
    }
}
