//! The typed intermediate form of an annotated function: plain data, without syn, spans or CUDA text.
//!
//! It is in administrative normal form. Operands are variables or literals; whatever can fault, read, write or leave
//! is a statement of its own, and statements stand in the order in which Rust evaluates them. An emitter therefore keeps
//! the meaning by keeping the order of statements.
//!
//! A variable is declared once and belongs to the block that declares it; numbers are unique, names need not be.
//! Parameters are the first variables: the variable of parameter `k` has number `k`, arrays included.
//!
//! There are two stages, each with types of its own. The macro makes [`open`]: types, constants and functions of the user's
//! program are numbers of entries that only rustc can fill in, and values can be compound. [`crate::compile`] turns it into
//! [`flat`]: every variable is a scalar or an array of scalars, and there are no calls. This module holds what both share.

pub mod flat;
mod ids;
mod op;
pub mod open;
mod options;
mod range;
mod source;

pub use ids::{ArrayId, LocationId, LoopId, PositionId, VarId};
pub use op::{Arith, Compare, Logic, UnaryOp};
pub use options::{Options, Overflow};
pub use range::Range;
pub use source::{LocationDecl, Position};
