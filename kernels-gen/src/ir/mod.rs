//! The typed intermediate form of an annotated function: plain data, without syn, spans or CUDA text.
//!
//! It is in administrative normal form. Operands are variables or literals; whatever can fault, read, write or leave
//! is a statement of its own, and statements stand in the order in which Rust evaluates them. So an emitter only has
//! to keep the order of statements to keep the meaning.
//!
//! A variable is declared once and belongs to the block that declares it; names need not be unique, numbers are.
//! Parameters are the first variables: the variable of parameter `k` has number `k`, arrays included.
//!
//! There are two stages, each with types of its own. What the macro makes is [`open`]: types, constants and functions of the
//! user's program are numbers of entries that only rustc can fill in, and values can be compound. What [`crate::compile`]
//! makes of it is [`flat`]: every variable is a scalar or an array of scalars, and there are no calls. Here is what both share.

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
