//! The stage that the macro makes: types, constants and functions of the user's program are numbers of entries that only rustc
//! can fill in, and values can be compound.

mod print;
mod stmt;
mod ty;
mod value;
pub mod walk;

pub use stmt::{Block, Stmt, StmtKind};
pub use ty::{Length, OpenTy, Relation, Ty, rest_field, rest_of_field};
pub use value::{Arg, Atom, Piece, Rvalue, Step};

use serde::{Deserialize, Serialize};

use super::{LocationDecl, Options, Position, PositionId};

/// A type that inference has found or still has to find: an index into [`Function::types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TyId(pub u32);

/// A constant of the user's program: an entry of [`crate::spec::Source::constants`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ConstId(pub u32);

/// A call of a function of the user's program: an entry of [`crate::spec::Source::functions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CallId(pub u32);

/// One annotated function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// The function's name, without `r#`.
    pub name: String,
    /// The source file, as `#line` and reports name it.
    pub file: String,
    /// The position of `fn`.
    pub at: Position,
    /// The role of the function.
    pub form: Form,
    /// The parameters after `tx`.
    pub params: Vec<ParamDecl>,
    /// The parameters for types and lengths, which each call determines.
    pub generics: Vec<Generic>,
    /// The type of the result.
    pub result: TyId,
    /// Every variable, by number.
    pub vars: Vec<Var>,
    /// The knowledge about every type, by number.
    pub types: Vec<Ty>,
    /// The relations between types of the user's program and others.
    pub relations: Vec<Relation>,
    /// The statements; each path through them ends in a [`StmtKind::Return`], [`StmtKind::Reject`] or
    /// [`StmtKind::Fault`], or never ends.
    pub body: Block,
    /// The source locations that a report can name.
    pub locations: Vec<LocationDecl>,
    /// The positions of statements.
    pub positions: Vec<Position>,
    /// The number of loops and labelled blocks.
    pub loops: u32,
    /// The options of the attribute.
    pub options: Options,
}

/// The role of an annotated function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// `#[gpu_transaction]`: a batch holds calls of it.
    Transaction,
    /// `#[gpu_fn]`: transactions call it. `tries`: it returns a `TxResult`.
    Function {
        /// Whether it returns a `TxResult`, so that a call is followed by `?`.
        tries: bool,
    },
}

/// A parameter of a function for types or lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Generic {
    /// A type: an entry of [`crate::spec::Source::types`], which has no meaning there.
    Type(u32),
    /// A constant, which is the length of an array: an entry of [`crate::spec::Source::constants`], likewise.
    Length(ConstId),
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParamDecl {
    /// Its name, without `r#`.
    pub name: String,
    /// The meaning of the parameter.
    pub role: ParamRole,
    /// The type of the value, or of the array's elements.
    pub ty: TyId,
    /// The number of elements of one partition, if the parameter is a `&Partition<T, N>`.
    pub part: Option<Length>,
}

/// The meaning of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParamRole {
    /// A value.
    Value,
    /// `&Shared<T>`, or `&Partition<T, N>`.
    Array,
    /// `&mut T` of a `#[gpu_fn]`: a variable of the caller.
    Place,
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Var {
    /// The user's name for it, without `r#`; temporaries have none.
    pub name: Option<String>,
    /// Its type.
    pub ty: TyId,
    /// Whether it can be assigned after its declaration.
    pub mutable: bool,
}

impl Function {
    /// Returns the type, with every [`Ty::Same`] resolved.
    #[must_use]
    pub fn ty(&self, mut ty: TyId) -> &Ty {
        loop {
            match &self.types[ty.0 as usize] {
                Ty::Same(next) => ty = *next,
                other => return other,
            }
        }
    }

    /// Returns the source position of a statement.
    #[must_use]
    pub fn position(&self, at: PositionId) -> Position {
        self.positions[at.0 as usize]
    }
}
