//! The stage that [`crate::compile`] produces and that analysis and emission consume: a transaction with everything that it
//! calls, in which every variable is a scalar or an array of scalars.

mod stmt;
mod value;
pub mod walk;

pub use stmt::{Block, ForStmt, LoopStmt, Stmt, StmtKind};
pub use value::{Atom, Rvalue};

use super::{LocationDecl, Options, Position, PositionId, VarId};
use crate::spec::{Line, Scalar};

/// One transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Transaction {
    /// The function's name, without `r#`.
    pub name: String,
    /// The source file, as `#line` and reports name it.
    pub file: String,
    /// The position of `fn`.
    pub at: Position,
    /// One parameter for each component of the user's parameters after `tx`, and one for the index of the partition that a call
    /// works on, if its arrays are partitioned.
    pub params: Vec<FlatParam>,
    /// The types of the components of the result.
    pub results: Vec<Scalar>,
    /// Every variable, by number.
    pub vars: Vec<Var>,
    /// The statements; each path through them ends in a [`StmtKind::Return`], [`StmtKind::Reject`] or
    /// [`StmtKind::Fault`], or never ends.
    pub body: Block,
    /// The source locations that a report can name.
    pub locations: Vec<FileLocation>,
    /// The positions of statements.
    pub positions: Vec<Position>,
    /// The files of positions that came with calls. The positions from that number on are in that file, up to the next entry;
    /// the positions before the first entry are in [`Transaction::file`].
    pub files: Vec<(u32, String)>,
    /// The number of loops and labelled blocks.
    pub loops: u32,
    /// The format of each [`StmtKind::Print`], ascending by location.
    pub lines: Vec<Line>,
    /// The options of the attribute.
    pub options: Options,
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlatParam {
    /// Its name, with the path to the component.
    pub name: String,
    /// The meaning of the parameter.
    pub role: ParamRole,
    /// The type of the value, or of the array's elements.
    pub scalar: Scalar,
}

/// The meaning of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamRole {
    /// A value.
    Value,
    /// A shared array.
    Array {
        /// The elements of one partition, if the array is partitioned.
        part: Option<u64>,
    },
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Var {
    /// The user's name for it, without `r#`; temporaries have none.
    pub name: Option<String>,
    /// Its type, or the type of its elements.
    pub scalar: Scalar,
    /// The number of elements of an array.
    pub length: Option<u64>,
    /// Whether it can be assigned after its declaration.
    pub mutable: bool,
}

/// A source location that a report can name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLocation {
    /// The position and kind of the location.
    pub decl: LocationDecl,
    /// The file, if it is not that of the transaction: the location came with a call.
    pub file: Option<String>,
}

impl FlatParam {
    /// Returns whether it is an array.
    #[must_use]
    pub fn is_array(&self) -> bool {
        matches!(self.role, ParamRole::Array { .. })
    }
}

impl Var {
    /// Returns how many scalars it holds.
    #[must_use]
    pub fn scalars(&self) -> u64 {
        self.length.unwrap_or(1)
    }
}

impl Transaction {
    /// Returns a variable.
    #[must_use]
    pub fn var(&self, var: VarId) -> &Var {
        &self.vars[var.0 as usize]
    }

    /// Returns the type of an atom.
    #[must_use]
    pub fn atom_type(&self, atom: &Atom) -> Scalar {
        match atom {
            Atom::Var(var) => self.var(*var).scalar,
            Atom::Int(_, scalar) | Atom::Float(_, scalar) | Atom::Bits(_, scalar) => *scalar,
            Atom::Bool(_) => Scalar::Bool,
        }
    }

    /// Returns the bytes of all variables.
    #[must_use]
    pub fn variable_bytes(&self) -> u64 {
        let bytes = |var: &Var| (var.scalar.size() as u64).saturating_mul(var.scalars());
        self.vars.iter().map(bytes).fold(0, u64::saturating_add)
    }

    /// Returns the source position of a statement.
    #[must_use]
    pub fn position(&self, at: PositionId) -> Position {
        self.positions[at.0 as usize]
    }

    /// Returns the file in which that position is.
    #[must_use]
    pub fn file_of(&self, at: PositionId) -> &str {
        let before = self.files.partition_point(|(first, _)| *first <= at.0);
        before.checked_sub(1).map_or(&self.file, |last| &self.files[last].1)
    }
}
