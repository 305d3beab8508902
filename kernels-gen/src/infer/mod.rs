//! Type inference by unification, in two steps: in the macro as far as its source text goes, and again when the procedure is
//! compiled, where the types of the user's program are known too.
//!
//! A type that depends on something the macro cannot see is *later*: it gets no default, because what comes later decides.
//!
//! Types share their parts, so that one written in a few lines can be a tree without end in sight. No walk over types here
//! visits a part twice, and [`space`] says which types are small enough for walks over trees.

mod class;
mod space;
mod unify;

pub(crate) use class::{Clash, Class};
pub(crate) use space::{Space, UNWIELDY};
pub(crate) use unify::Infer;
