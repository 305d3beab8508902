//! Statements.

use super::{Binding, Expander, Outcome};
use crate::fault::FaultCode;
use crate::ir::{Atom, Loc, LocationId, LoopId, Range, Stmt, StmtKind, VarId};
use crate::spec::{Scalar, Type};

impl<'p> Expander<'p> {
    /// `last`: behind them is the end of the function.
    pub(super) fn stmts(&mut self, stmts: &'p [Stmt], last: bool) -> Outcome<()> {
        for (k, stmt) in stmts.iter().enumerate() {
            self.at = Loc(self.frame().places + stmt.at.0);
            self.stmt(stmt, &stmts[k + 1..], last && k + 1 == stmts.len())?;
            self.check_written()?;
        }
        Ok(())
    }

    /// `rest`: the statements behind it in its block.
    fn stmt(&mut self, stmt: &'p Stmt, rest: &'p [Stmt], last: bool) -> Outcome<()> {
        let at = self.at;
        match &stmt.what {
            StmtKind::Declare { var } => self.declare(*var)?,
            StmtKind::Let { var, value } => self.let_stmt(*var, value, rest)?,
            StmtKind::Assign { var, steps, value } => self.assign(*var, steps, value)?,
            StmtKind::Read { var, array, fields, index, location } => {
                self.read(*var, (array.0, fields), index, *location)?
            }
            StmtKind::Write { array, fields, index, value, location } => {
                self.write((array.0, fields), index, value, *location)?;
            }
            StmtKind::Guard { condition, location } => {
                let (condition, location) = (self.scalar(condition)?.0, self.location(*location));
                self.push(StmtKind::Guard { condition, location });
            }
            StmtKind::Reject { code, location } => {
                let (code, location) = (self.scalar(code)?.0, self.location(*location));
                self.push(StmtKind::Reject { code, location });
            }
            StmtKind::Fault { code, location } => {
                let location = self.location(*location);
                self.push(StmtKind::Fault { code: *code, location });
            }
            StmtKind::FaultIf { .. } => return self.fail("a statement of the flat stage in the open one"),
            StmtKind::If { condition, then, other } => {
                let condition = self.scalar(condition)?.0;
                let (then, other) = (self.block(then, last)?, self.block(other, last)?);
                self.at = at;
                self.push(StmtKind::If { condition, then, other });
            }
            StmtKind::Loop { id, head, condition, body, location } => {
                self.looping += 1;
                let mut kept = None;
                let head = self.nested(|this| {
                    this.stmts(head, false)?;
                    kept =
                        condition.as_ref().map(|condition| this.scalar(condition)).transpose()?.map(|(atom, _)| atom);
                    Ok(())
                })?;
                let body = self.block(body, false)?;
                self.looping -= 1;
                self.at = at;
                let (id, location) = (self.loop_id(*id), self.location(*location));
                self.push(StmtKind::Loop { id, head, condition: kept, body, location });
            }
            StmtKind::For { .. } => self.for_loop(stmt)?,
            StmtKind::Block { id, body } => {
                let body = self.block(body, last)?;
                self.at = at;
                let id = self.loop_id(*id);
                self.push(StmtKind::Block { id, body });
            }
            StmtKind::Break(id) => self.push(StmtKind::Break(self.loop_id(*id))),
            StmtKind::Continue(id) => self.push(StmtKind::Continue(self.loop_id(*id))),
            StmtKind::Return(atoms) => self.give(atoms, last)?,
            StmtKind::Call { var, call, args, location: _ } => self.call(*var, *call, args)?,
            StmtKind::Print { pieces, location } => self.print(pieces, *location)?,
        }
        self.at = at;
        Ok(())
    }

    fn for_loop(&mut self, stmt: &'p Stmt) -> Outcome<()> {
        let StmtKind::For { id, var, counter, range, body, location } = &stmt.what else { return Ok(()) };
        let at = self.at;
        let step = range.step.as_ref().map(|step| self.scalar(step)).transpose()?.map(|(atom, _)| atom);
        let range = Range {
            start: self.scalar(&range.start)?.0,
            end: self.scalar(&range.end)?.0,
            inclusive: range.inclusive,
            step,
            reversed: range.reversed,
        };
        self.looping += 1;
        let body = self.block(body, false)?;
        self.looping -= 1;
        self.at = at;
        let (var, counter) = (self.own(*var)?, self.own(*counter)?);
        let (id, location) = (self.loop_id(*id), self.location(*location));
        self.push(StmtKind::For { id, var, counter, range, body, location });
        Ok(())
    }

    fn declare(&mut self, var: VarId) -> Outcome<()> {
        if let Binding::Value(atoms) = self.frame().vars[var.0 as usize].clone() {
            for atom in atoms {
                if let Atom::Var(var) = atom {
                    self.push(StmtKind::Declare { var });
                }
            }
            return Ok(());
        }
        self.unknown(var)
    }

    /// The one variable of the flat form that stands for a scalar variable.
    pub(super) fn own(&self, var: VarId) -> Outcome<VarId> {
        match &self.frame().vars[var.0 as usize] {
            Binding::Value(atoms) => match atoms.as_slice() {
                [Atom::Var(own)] => Ok(*own),
                _ => self.fail("a scalar is expected here"),
            },
            _ => self.unknown(var),
        }
    }

    /// Nothing says what type a variable has that is used.
    pub(super) fn unknown<T>(&self, var: VarId) -> Outcome<T> {
        match &self.frame().resolved.program.tx.vars[var.0 as usize].name {
            Some(name) => self
                .fail(format!("the type of `{name}` is not known; write its type after the name, as in `{name}: u32`")),
            None => self.fail("the type of a value in this line is not known; assign it to a variable with a type"),
        }
    }

    /// The type of a variable.
    pub(super) fn type_of(&self, var: VarId) -> Outcome<Type> {
        let resolved = self.frame().resolved;
        match resolved.ty(resolved.program.tx.vars[var.0 as usize].ty) {
            Some(ty) => Ok(ty),
            None => self.unknown(var),
        }
    }

    /// The statements of a branch that faults.
    pub(super) fn fault_unless(&mut self, condition: Atom, code: FaultCode, location: LocationId) {
        let other = vec![Stmt { what: StmtKind::Fault { code, location }, at: self.at }];
        self.push(StmtKind::If { condition, then: Vec::new(), other });
    }

    pub(super) fn location(&self, location: LocationId) -> LocationId {
        LocationId(self.frame().locations + location.0)
    }

    pub(super) fn loop_id(&self, id: LoopId) -> LoopId {
        LoopId(self.frame().loops + id.0)
    }

    /// A scalar and its type.
    pub(super) fn scalar(&mut self, atom: &Atom) -> Outcome<(Atom, Scalar)> {
        let (ty, mut atoms) = self.value(atom)?;
        match (super::super::shape::scalar(ty), atoms.pop()) {
            (Some(scalar), Some(atom)) => Ok((atom, scalar)),
            _ => self.fail(format!("a number or boolean is expected here, but this is `{ty}`")),
        }
    }

    /// The groups of an atom, and its type. Looking into a `&mut` parameter can take statements.
    pub(super) fn value(&mut self, atom: &Atom) -> Outcome<(Type, Vec<Atom>)> {
        let literal = |this: &Self, ty| {
            let ty = this.frame().resolved.ty(ty);
            ty.and_then(|ty| Some((ty, super::super::shape::scalar(ty)?)))
                .ok_or_else(|| this.error("the type of a literal in this line is not known"))
        };
        Ok(match atom {
            Atom::Var(var) => {
                let ty = self.type_of(*var)?;
                match self.frame().vars[var.0 as usize].clone() {
                    Binding::Value(atoms) => (ty, atoms),
                    Binding::Place(place) => (ty, self.load(&place)),
                    Binding::Unknown => self.unknown(*var)?,
                }
            }
            Atom::Int(value, ty) => {
                let (ty, scalar) = literal(self, *ty)?;
                (ty, vec![Atom::Int(*value, self.ty(scalar, None))])
            }
            Atom::Float(text, ty) => {
                let (ty, scalar) = literal(self, *ty)?;
                (ty, vec![Atom::Float(text.clone(), self.ty(scalar, None))])
            }
            Atom::Bits(bits, ty) => {
                let (ty, scalar) = literal(self, *ty)?;
                (ty, vec![Atom::Bits(*bits, self.ty(scalar, None))])
            }
            Atom::Bool(value) => (Type::Scalar(Scalar::Bool), vec![Atom::Bool(*value)]),
            Atom::Unit => (Type::Unit, Vec::new()),
        })
    }
}
