//! The typed intermediate form of one transaction: plain data, without syn, spans or CUDA text.
//!
//! It is in administrative normal form. Operands are variables or literals; whatever can fault, read, write or leave
//! is a statement of its own, and statements stand in the order in which Rust evaluates them. So an emitter only has
//! to keep the order of statements to keep the meaning.
//!
//! A variable is declared once and belongs to the block that declares it; names need not be unique, numbers are.
//! Parameters are the first variables: the variable of parameter `k` has number `k`, regions included.

mod op;
mod print;
pub mod walk;

pub use op::{Arith, Compare, Logic, UnaryOp};

use crate::spec::{Param, Role, Scalar, Site};

/// A variable: a parameter, a `let`, or a temporary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// A type that inference has to find, or has found: an index into [`Transaction::types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TyId(pub u32);

/// A region parameter, by its place among all parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegionId(pub u32);

/// An entry of [`Transaction::sites`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteId(pub u32);

/// A loop, numbered in source order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoopId(pub u32);

/// A place in the source: an index into [`Transaction::places`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Loc(pub u32);

/// Line and column, both from 1. Line 0 means unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// One annotated function.
#[derive(Debug, Clone, PartialEq)]
pub struct Transaction {
    /// The function's name, without `r#`.
    pub name: String,
    /// The source file, as `#line` and reports name it.
    pub file: String,
    /// Where `fn` stands.
    pub at: Place,
    /// The parameters after `tx`.
    pub params: Vec<ParamDecl>,
    /// The type of the result; `None` for `()`.
    pub result: Option<Scalar>,
    /// Every variable, by number.
    pub vars: Vec<Var>,
    /// The types that inference has found.
    pub types: Vec<Scalar>,
    /// The statements; each path through them ends in a [`StmtKind::Return`] or [`StmtKind::Reject`], or never ends.
    pub body: Block,
    /// What a report can name.
    pub sites: Vec<SiteDecl>,
    /// The places that statements name.
    pub places: Vec<Place>,
    /// How many loops there are.
    pub loops: u32,
    /// What the attribute asked for.
    pub options: Options,
}

/// What the attribute asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// `max_accesses = N`.
    pub max_accesses: Option<u32>,
    /// `overflow = ".."`.
    pub overflow: Overflow,
    /// `max_iterations = N`.
    pub max_iterations: Option<u32>,
}

/// What integer overflow does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overflow {
    /// A fault in debug builds of the user's crate, wrapping otherwise: what rustc does.
    #[default]
    AsBuilt,
    /// Always a fault.
    Check,
    /// Always wraps.
    Wrap,
}

/// [`Param`] with an owned name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamDecl {
    /// Its name, without `r#`.
    pub name: String,
    /// A value or a region.
    pub role: Role,
}

impl ParamDecl {
    /// The same with a name that lives for ever.
    #[must_use]
    pub fn leak(&self) -> Param {
        Param { name: self.name.clone().leak(), role: self.role }
    }
}

/// [`Site`] with an owned text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteDecl {
    /// Where it stands.
    pub at: Place,
    /// What stands there.
    pub what: crate::spec::SiteKind,
    /// The source text, shortened.
    pub text: String,
}

impl SiteDecl {
    /// The same with a text that lives for ever.
    #[must_use]
    pub fn leak(&self) -> Site {
        Site { line: self.at.line, column: self.at.column, what: self.what, text: self.text.clone().leak() }
    }
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq)]
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
#[derive(Debug, Clone, PartialEq)]
pub struct Stmt {
    /// What it does.
    pub what: StmtKind,
    /// Where it comes from.
    pub at: Loc,
}

/// Something that is there already: evaluating it has no effect and cannot fail.
#[derive(Debug, Clone, PartialEq)]
pub enum Atom {
    /// The present value of a variable.
    Var(VarId),
    /// A whole number.
    Int(i128, TyId),
    /// A float as written, without underscores and suffix, perhaps with a sign.
    Float(String, TyId),
    /// `true` or `false`.
    Bool(bool),
}

/// One operation on atoms.
#[derive(Debug, Clone, PartialEq)]
pub enum Rvalue {
    /// A copy.
    Use(Atom),
    /// `!a`, or `-a` of a float or an integer; the latter has a site.
    Unary(UnaryOp, Atom, Option<SiteId>),
    /// `a + b` and the like; of integers with a site, because it can fault.
    Arith(Arith, Atom, Atom, Option<SiteId>),
    /// `a & b`, `a | b`, `a ^ b`, of integers or booleans.
    Logic(Logic, Atom, Atom),
    /// `a < b` and the like.
    Compare(Compare, Atom, Atom),
    /// `a as T`.
    Cast(Atom, TyId),
}

impl Rvalue {
    /// The atoms that it uses.
    #[must_use]
    pub fn atoms(&self) -> Vec<&Atom> {
        match self {
            Rvalue::Use(a) | Rvalue::Unary(_, a, _) | Rvalue::Cast(a, _) => vec![a],
            Rvalue::Arith(_, a, b, _) | Rvalue::Logic(_, a, b) | Rvalue::Compare(_, a, b) => vec![a, b],
        }
    }
}

/// What a statement does.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields say what they are; the variants are documented")]
pub enum StmtKind {
    /// Declares a variable without a value; every path assigns it before use.
    Declare { var: VarId },
    /// Declares a variable with a value.
    Let { var: VarId, value: Rvalue },
    /// Gives a declared variable a value.
    Assign { var: VarId, value: Atom },
    /// `let var = tx.read(region, index)?`
    Read { var: VarId, region: RegionId, index: Atom, site: SiteId },
    /// `tx.write(region, index, value)?`
    Write { region: RegionId, index: Atom, value: Atom, site: SiteId },
    /// `tx.guard(condition)?`
    Guard { condition: Atom, site: SiteId },
    /// `tx.reject(code)?`: nothing after it is reached.
    Reject { code: Atom, site: SiteId },
    /// Two branches.
    If { condition: Atom, then: Block, other: Block },
    /// `loop`, or `while` with the statements that compute its condition.
    Loop { id: LoopId, head: Block, condition: Option<Atom>, body: Block, site: SiteId },
    /// `for` over a range whose bounds are computed already and do not change. `counter` is the hidden variable that
    /// counts; `var` is what the body sees.
    For { id: LoopId, var: VarId, counter: VarId, start: Atom, end: Atom, inclusive: bool, body: Block, site: SiteId },
    /// Leaves the loop.
    Break(LoopId),
    /// Goes on with the next iteration of the loop.
    Continue(LoopId),
    /// `return Ok(value)`: the transaction asks to commit.
    Return(Option<Atom>),
}

impl Transaction {
    /// The type of a variable.
    #[must_use]
    pub fn type_of(&self, var: VarId) -> Scalar {
        self.scalar(self.vars[var.0 as usize].ty)
    }

    /// The type that inference found.
    #[must_use]
    pub fn scalar(&self, ty: TyId) -> Scalar {
        self.types[ty.0 as usize]
    }

    /// The type of an atom.
    #[must_use]
    pub fn atom_type(&self, atom: &Atom) -> Scalar {
        match atom {
            Atom::Var(var) => self.type_of(*var),
            Atom::Int(_, ty) | Atom::Float(_, ty) => self.scalar(*ty),
            Atom::Bool(_) => Scalar::Bool,
        }
    }

    /// The element type of a region.
    #[must_use]
    pub fn element(&self, region: RegionId) -> Scalar {
        let (Role::Region(scalar) | Role::Value(scalar)) = self.params[region.0 as usize].role;
        scalar
    }

    /// Where a statement comes from.
    #[must_use]
    pub fn place(&self, at: Loc) -> Place {
        self.places[at.0 as usize]
    }
}

impl Rvalue {
    /// Where it can fault.
    #[must_use]
    pub fn site(&self) -> Option<SiteId> {
        match self {
            Rvalue::Unary(.., site) | Rvalue::Arith(.., site) => *site,
            _ => None,
        }
    }
}
