//! Type inference by unification, in two steps: in the macro, as far as its source text goes, and again when the procedure is
//! compiled, where the types of the user's program are known too.
//!
//! A type that depends on something the macro cannot see is *later*: it gets no default, because the second step decides it.
//!
//! Types share their parts, so a type written in a few lines can be huge when written out as a tree. No pass over types here
//! visits a part twice, and [`space`] determines which types are small enough for passes over trees.

mod class;
mod space;
mod unify;

pub(crate) use class::{Clash, Class};
pub(crate) use space::{Space, UNWIELDY};
pub(crate) use unify::Infer;
