//! Rejects a decoded form with numbers that refer to nothing, so that later passes need not expect them.

use super::error::ProcedureError;
use super::program::Program;
use crate::ir::open::{Arg, Atom, Block, Generic, Length, ParamRole, Relation, Rvalue, Stmt, StmtKind, Ty, TyId, walk};

/// Checks that everything exists that the program and the functions that it calls name.
pub(super) fn verify(program: &Program) -> Result<(), ProcedureError> {
    for function in program.all() {
        let found = Verifier { program: function }.check();
        found.ok_or_else(|| {
            ProcedureError::at(&function.tx, "its intermediate form is damaged; build the program again")
        })?;
    }
    Ok(())
}

/// The state of a type in the pass over all types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Met {
    Never,
    /// It is visited, and some of its parts are unfinished.
    Above,
    Done,
}

/// The checks, each of which returns `None` where it fails.
struct Verifier<'a> {
    program: &'a Program,
}

impl Verifier<'_> {
    fn check(&self) -> Option<()> {
        let tx = &self.program.tx;
        holds(tx.vars.len() >= tx.params.len())?;
        self.ty(tx.result)?;
        for param in &tx.params {
            self.ty(param.ty)?;
            holds(param.part.is_none() || param.role == ParamRole::Array)?;
            self.length(param.part.unwrap_or(Length::Open))?;
        }
        tx.vars.iter().try_for_each(|var| self.ty(var.ty))?;
        self.acyclic()?;
        tx.generics.iter().try_for_each(|generic| match generic {
            Generic::Type(name) => holds((*name as usize) < self.program.types.len()),
            Generic::Length(constant) => self.constant(constant.0),
        })?;
        tx.relations.iter().try_for_each(|relation| self.relation(relation))?;
        self.block(&tx.body)
    }

    fn ty(&self, ty: TyId) -> Option<()> {
        holds((ty.0 as usize) < self.program.tx.types.len())
    }

    /// Checks that no type is a part of itself. Each type is visited once: types share their parts.
    fn acyclic(&self) -> Option<()> {
        let types = &self.program.tx.types;
        let mut met = vec![Met::Never; types.len()];
        for first in 0..types.len() as u32 {
            let mut path = vec![TyId(first)];
            while let Some(ty) = path.last().copied() {
                let met_before = std::mem::replace(&mut met[ty.0 as usize], Met::Above);
                if met_before != Met::Never {
                    met[ty.0 as usize] = Met::Done;
                    path.pop();
                    continue;
                }
                for part in self.parts(&types[ty.0 as usize])? {
                    self.ty(part)?;
                    match met[part.0 as usize] {
                        Met::Never => path.push(part),
                        Met::Above => return None,
                        Met::Done => {}
                    }
                }
            }
        }
        Some(())
    }

    fn parts(&self, ty: &Ty) -> Option<Vec<TyId>> {
        Some(match ty {
            Ty::Same(inner) | Ty::Option(inner) | Ty::Shared(inner) => vec![*inner],
            Ty::Result(ok, err) => vec![*ok, *err],
            Ty::Array(inner, length) => {
                self.length(*length)?;
                vec![*inner]
            }
            Ty::Tuple(parts) => parts.clone(),
            Ty::Named(_) => return None,
            Ty::Scalar(_) | Ty::Unit | Ty::Open(_) => Vec::new(),
        })
    }

    fn length(&self, length: Length) -> Option<()> {
        match length {
            Length::Constant(constant) => self.constant(constant.0),
            _ => Some(()),
        }
    }

    fn constant(&self, number: u32) -> Option<()> {
        let constant = self.program.constants.get(number as usize)?;
        holds(constant.words.len() == constant.ty.components())
    }

    fn relation(&self, relation: &Relation) -> Option<()> {
        match relation {
            Relation::Names { ty, name } => self.ty(*ty).and(holds((*name as usize) < self.program.types.len())),
            Relation::Constant { ty, constant } => self.ty(*ty).and(self.constant(constant.0)),
            Relation::Field { of, ty, .. } | Relation::Element { of, ty } => self.ty(*of).and(self.ty(*ty)),
            Relation::Variant { of, .. } => self.ty(*of),
            Relation::Same { a, b } => self.ty(*a).and(self.ty(*b)),
            Relation::States { function, generic, ty } => {
                let callee = self.program.functions.get(function.0 as usize)?;
                // rustc put the types into a function that names what depends on them.
                holds(callee.tx.generics.is_empty() || (*generic as usize) < callee.tx.generics.len())?;
                self.ty(*ty)
            }
            Relation::Method { receiver, args, result, .. } => {
                args.iter().chain([receiver, result]).try_for_each(|ty| self.ty(*ty))
            }
            Relation::Call { function, args, result } => {
                let callee = self.program.functions.get(function.0 as usize)?;
                holds(args.len() == callee.tx.params.len())?;
                args.iter().chain([result]).try_for_each(|ty| self.ty(*ty))
            }
        }
    }

    fn block(&self, block: &Block) -> Option<()> {
        let mut good = Some(());
        walk::each(block, &mut |stmt| good = good.and_then(|()| self.stmt(stmt)));
        good
    }

    fn stmt(&self, stmt: &Stmt) -> Option<()> {
        let tx = &self.program.tx;
        holds((stmt.at.0 as usize) < tx.positions.len())?;
        stmt.atoms().into_iter().try_for_each(|atom| self.atom(atom))?;
        stmt.vars().into_iter().try_for_each(|var| holds((var.0 as usize) < tx.vars.len()))?;
        stmt.locations().into_iter().try_for_each(|location| holds((location.0 as usize) < tx.locations.len()))?;
        match &stmt.what {
            StmtKind::Let { value: Rvalue::Cast(_, ty), .. } => self.ty(*ty),
            StmtKind::Let { value: Rvalue::Constant(constant), .. } => self.constant(constant.0),
            StmtKind::Let { value: Rvalue::Length(array) | Rvalue::Shared(array, _), .. } => self.array(array.0),
            StmtKind::Read { array, .. } | StmtKind::Write { array, .. } | StmtKind::Choose { array, .. } => {
                self.array(array.0)
            }
            StmtKind::Loop { id, .. }
            | StmtKind::For { id, .. }
            | StmtKind::Block { id, .. }
            | StmtKind::Break(id)
            | StmtKind::Continue(id) => holds(id.0 < tx.loops),
            StmtKind::Call { call, args, .. } => {
                let callee = self.program.functions.get(call.0 as usize)?;
                holds(args.len() == callee.tx.params.len())?;
                args.iter().zip(&callee.tx.params).try_for_each(|(arg, param)| match (arg, param.role) {
                    (Arg::Value(_), ParamRole::Value)
                    | (Arg::Place(..) | Arg::Receiver(..), ParamRole::Place | ParamRole::Value) => Some(()),
                    (Arg::Array(array, _), ParamRole::Array) => self.array(array.0),
                    _ => None,
                })
            }
            _ => Some(()),
        }
    }

    /// Checks that there is a parameter for an array, or a variable, which the expansion knows to be one.
    fn array(&self, array: u32) -> Option<()> {
        let tx = &self.program.tx;
        match tx.params.get(array as usize) {
            Some(param) => holds(param.role == ParamRole::Array),
            None => holds((array as usize) < tx.vars.len()),
        }
    }

    fn atom(&self, atom: &Atom) -> Option<()> {
        match atom {
            Atom::Var(var) => holds((var.0 as usize) < self.program.tx.vars.len()),
            Atom::Int(_, ty) | Atom::Float(_, ty) | Atom::Bits(_, ty) => self.ty(*ty),
            Atom::Bool(_) | Atom::Unit => Some(()),
        }
    }
}

fn holds(condition: bool) -> Option<()> {
    condition.then_some(())
}
