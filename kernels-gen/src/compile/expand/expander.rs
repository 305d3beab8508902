//! The state of an expansion: the flat transaction so far, and the enclosing functions.

use std::collections::{HashMap, HashSet};

use super::super::error::{Blame, ProcedureError};
use super::super::resolve::Resolved;
use super::super::size::MOST_STATEMENTS;
use super::binding::{ArrayParam, Binding, Give, KnownElements, NamedArrays};
use crate::Trouble;
use crate::ir::flat::{self, Atom, Block, Rvalue, Stmt, StmtKind};
use crate::ir::{PositionId, VarId, open};
use crate::spec::{MOST_COMPONENTS, Scalar, Type};

/// The largest number of statements and array elements written out: the limit on statements before the expansion. Operations
/// on whole arrays are written out for each element.
const MOST_WRITTEN: u64 = MOST_STATEMENTS;

pub(super) type Expanded<T> = Result<T, ProcedureError>;

/// A function under expansion.
pub(super) struct Frame<'p> {
    pub(super) resolved: &'p Resolved<'p>,
    pub(super) vars: Vec<Binding>,
    pub(super) arrays: HashMap<u32, ArrayParam>,
    /// The arrays that its variables can name.
    pub(super) named: NamedArrays,
    /// The number of uses of each variable in its statements.
    pub(super) uses: Vec<u32>,
    /// The offset that is added to its location numbers.
    pub(super) locations: u32,
    pub(super) positions: u32,
    pub(super) loops: u32,
    /// The destination of its result, if it is not a transaction.
    pub(super) give: Option<Give>,
}

impl<'p> Frame<'p> {
    pub(super) fn new(resolved: &'p Resolved<'p>) -> Frame<'p> {
        let tx = &resolved.program.tx;
        let mut uses = vec![0; tx.vars.len()];
        open::walk::each(&tx.body, &mut |stmt| {
            for atom in stmt.atoms() {
                if let open::Atom::Var(var) = atom {
                    uses[var.0 as usize] += 1;
                }
            }
        });
        let vars = vec![Binding::Unknown; tx.vars.len()];
        let (arrays, named) = (HashMap::new(), NamedArrays::default());
        Frame { resolved, vars, arrays, named, uses, locations: 0, positions: 0, loops: 0, give: None }
    }
}

pub(super) struct Expander<'p> {
    pub(super) flat: flat::Transaction,
    pub(super) known: HashMap<VarId, KnownElements>,
    /// The types that have been found to be compared by their parts, with `==` or with `<`.
    pub(super) compared: HashSet<(Type, bool)>,
    /// The parameter with the index of the partition that a call works on.
    pub(super) part: Option<VarId>,
    /// The enclosing functions, innermost last.
    pub(super) frames: Vec<Frame<'p>>,
    /// The block under construction.
    pub(super) out: Block,
    pub(super) at: PositionId,
    /// The number of enclosing loops.
    pub(super) looping: u32,
    /// The number of statements and array elements written out so far.
    pub(super) written: u64,
}

impl<'p> Expander<'p> {
    pub(super) fn frame(&self) -> &Frame<'p> {
        // The transaction itself is always there.
        &self.frames[self.frames.len() - 1]
    }

    pub(super) fn frame_mut(&mut self) -> &mut Frame<'p> {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    pub(super) fn error(&self, message: impl Into<String>) -> ProcedureError {
        let file = self.flat.file_of(self.at).to_owned();
        let line = self.flat.positions.get(self.at.0 as usize).map_or(self.flat.at.line, |position| position.line);
        let at = Some(Blame::Statement(self.at));
        ProcedureError { procedure: self.flat.name.clone(), file, line, message: message.into(), rule: None, at }
    }

    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Expanded<T> {
        Err(self.error(message))
    }

    // Variables of the flat form.

    pub(super) fn var(&mut self, name: Option<String>, scalar: Scalar, length: Option<u64>, stable: bool) -> VarId {
        self.flat.vars.push(flat::Var { name, scalar, length, mutable: !stable });
        VarId(self.flat.vars.len() as u32 - 1)
    }

    /// Returns whether the atom never changes.
    pub(super) fn is_stable(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Var(var) => !self.flat.vars[var.0 as usize].mutable,
            _ => true,
        }
    }

    // Statements of the flat form.

    pub(super) fn push(&mut self, what: StmtKind) {
        self.written += 1;
        self.out.push(Stmt { what, at: self.at });
    }

    /// Adds `let temporary = value`.
    pub(super) fn temp(&mut self, value: Rvalue, scalar: Scalar) -> Atom {
        let var = self.var(None, scalar, None, true);
        self.push(StmtKind::Let { var, value });
        Atom::Var(var)
    }

    pub(super) fn let_array(&mut self, var: VarId, elements: Vec<Atom>) {
        self.written += elements.len() as u64;
        if self.is_stable(&Atom::Var(var)) && elements.iter().all(|atom| self.is_stable(atom)) {
            self.known.insert(var, KnownElements::Each(elements.clone()));
        }
        self.push(StmtKind::Let { var, value: Rvalue::Array(elements) });
    }

    /// Limits the growth of the transaction where arrays are copied or compared.
    pub(super) fn check_written(&self) -> Expanded<()> {
        if self.written <= MOST_WRITTEN {
            return Ok(());
        }
        let message = format!(
            "up to this line, the transaction is more than {MOST_WRITTEN} statements: code that compares, copies or prints whole \
arrays is expanded for each element; write a loop over their elements"
        );
        Err(ProcedureError { rule: Some(Trouble::Expansion), ..self.error(message) })
    }

    /// Returns the statements that `fill` adds, as a block of their own.
    pub(super) fn nested(&mut self, fill: impl FnOnce(&mut Self) -> Expanded<()>) -> Expanded<Block> {
        let around = std::mem::take(&mut self.out);
        let done = fill(self);
        let block = std::mem::replace(&mut self.out, around);
        done.map(|()| block)
    }

    /// Rejects values of too many scalars.
    pub(super) fn limit(&self, components: usize, what: &str) -> Expanded<()> {
        if components > MOST_COMPONENTS {
            return self.fail(format!(
                "{what} is {components} scalars, and at most {MOST_COMPONENTS} fit; keep large arrays in a shared array"
            ));
        }
        Ok(())
    }
}
