//! Statements.

use super::super::shape;
use super::binding::Binding;
use super::expander::{Expanded, Expander};
use crate::fault::FaultCode;
use crate::ir::flat::{Atom, Block, ForStmt, LoopStmt, Stmt, StmtKind};
use crate::ir::{LocationId, LoopId, PositionId, Range, VarId, open};
use crate::spec::{Scalar, Type};

impl<'p> Expander<'p> {
    /// Returns the statements of a block, as a block of the flat form.
    pub(super) fn block(&mut self, stmts: &'p [open::Stmt], last: bool) -> Expanded<Block> {
        self.nested(|this| this.stmts(stmts, last))
    }

    /// Expands statements. `last`: the end of the function follows them.
    pub(super) fn stmts(&mut self, stmts: &'p [open::Stmt], last: bool) -> Expanded<()> {
        for (k, stmt) in stmts.iter().enumerate() {
            self.at = PositionId(self.frame().positions + stmt.at.0);
            self.stmt(stmt, &stmts[k + 1..], last && k + 1 == stmts.len())?;
            self.check_written()?;
        }
        Ok(())
    }

    /// Expands a statement. `rest`: the statements after it in its block.
    fn stmt(&mut self, stmt: &'p open::Stmt, rest: &'p [open::Stmt], last: bool) -> Expanded<()> {
        let at = self.at;
        match &stmt.what {
            open::StmtKind::Declare { var } => self.declare(*var)?,
            open::StmtKind::Let { var, value } => self.let_stmt(*var, value, rest)?,
            open::StmtKind::Assign { var, steps, value } => self.assign(*var, steps, value)?,
            open::StmtKind::Read { var, array, fields, index, location } => {
                self.read(*var, (array.0, fields), index, *location)?
            }
            open::StmtKind::Write { array, fields, index, value, location } => {
                self.write((array.0, fields), index, value, *location)?;
            }
            open::StmtKind::Choose { var, array, fields, index, location } => {
                self.choose_array(*var, (array.0, fields), index, *location)?;
            }
            open::StmtKind::Guard { condition, location } => {
                let (condition, location) = (self.scalar(condition)?.0, self.location(*location));
                self.push(StmtKind::Guard { condition, location });
            }
            open::StmtKind::Reject { code, location } => {
                let (code, location) = (self.scalar(code)?.0, self.location(*location));
                self.push(StmtKind::Reject { code, location });
            }
            open::StmtKind::Fault { code, location } => {
                let location = self.location(*location);
                self.push(StmtKind::Fault { code: *code, location });
            }
            open::StmtKind::If { condition, then, other } => {
                let condition = self.scalar(condition)?.0;
                let (then, other) = (self.block(then, last)?, self.block(other, last)?);
                self.at = at;
                self.push(StmtKind::If { condition, then, other });
            }
            open::StmtKind::Loop { .. } => self.plain_loop(stmt)?,
            open::StmtKind::For { .. } => self.for_loop(stmt)?,
            open::StmtKind::Block { id, body } => {
                let body = self.block(body, last)?;
                self.at = at;
                let id = self.loop_id(*id);
                self.push(StmtKind::Block { id, body });
            }
            open::StmtKind::Break(id) => self.push(StmtKind::Break(self.loop_id(*id))),
            open::StmtKind::Continue(id) => self.push(StmtKind::Continue(self.loop_id(*id))),
            open::StmtKind::Return(atoms) => self.give(atoms, last)?,
            open::StmtKind::Call { var, call, args, location: _ } => self.call(*var, *call, args)?,
            open::StmtKind::Print { pieces, location } => self.print(pieces, *location)?,
        }
        self.at = at;
        Ok(())
    }

    fn plain_loop(&mut self, stmt: &'p open::Stmt) -> Expanded<()> {
        let open::StmtKind::Loop { id, head, condition, body, location } = &stmt.what else { return Ok(()) };
        let at = self.at;
        self.looping += 1;
        let mut kept = None;
        let head = self.nested(|this| {
            this.stmts(head, false)?;
            kept = condition.as_ref().map(|condition| this.scalar(condition)).transpose()?.map(|(atom, _)| atom);
            Ok(())
        })?;
        let body = self.block(body, false)?;
        self.looping -= 1;
        self.at = at;
        let (id, location) = (self.loop_id(*id), self.location(*location));
        self.push(StmtKind::Loop(LoopStmt { id, head, condition: kept, body, location }));
        Ok(())
    }

    fn for_loop(&mut self, stmt: &'p open::Stmt) -> Expanded<()> {
        let open::StmtKind::For { id, var, counter, range, body, location } = &stmt.what else { return Ok(()) };
        if let Type::Enum(_) = self.type_of(*var)? {
            // Rust leaves out the numbers that stand for no `char`.
            return self.fail("a loop counts over integers, and not over `char`s; count over their numbers");
        }
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
        self.push(StmtKind::For(ForStmt { id, var, counter, range, body, location }));
        Ok(())
    }

    fn declare(&mut self, var: VarId) -> Expanded<()> {
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

    /// Returns the one variable of the flat form that stands for a scalar variable.
    pub(super) fn own(&self, var: VarId) -> Expanded<VarId> {
        match &self.frame().vars[var.0 as usize] {
            Binding::Value(atoms) => match atoms.as_slice() {
                [Atom::Var(own)] => Ok(*own),
                _ => self.fail("a scalar is expected here"),
            },
            _ => self.unknown(var),
        }
    }

    /// Reports that the type of a used variable is unknown.
    pub(super) fn unknown<T>(&self, var: VarId) -> Expanded<T> {
        match &self.frame().resolved.program.tx.vars[var.0 as usize].name {
            Some(name) => self
                .fail(format!("the type of `{name}` is not known; write its type after the name, as in `{name}: u32`")),
            None => self.fail("the type of a value in this line is not known; assign it to a variable with a type"),
        }
    }

    /// Returns the type of a variable.
    pub(super) fn type_of(&self, var: VarId) -> Expanded<Type> {
        let resolved = self.frame().resolved;
        match resolved.ty(resolved.program.tx.vars[var.0 as usize].ty) {
            Some(ty) => Ok(ty),
            None => self.unknown(var),
        }
    }

    /// Adds a fault where the condition is false.
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

    /// Returns a scalar and its type.
    pub(super) fn scalar(&mut self, atom: &open::Atom) -> Expanded<(Atom, Scalar)> {
        let (ty, mut atoms) = self.value(atom)?;
        match (shape::scalar(ty), atoms.pop()) {
            (Some(scalar), Some(atom)) => Ok((atom, scalar)),
            _ => self.fail(format!("a number or boolean is expected here, but this is `{ty}`")),
        }
    }

    /// Returns the operand of an operator of numbers. A type of the program can have the operator, too, but then it was not found where a
    /// function with parameters for types was called.
    pub(super) fn number(&mut self, atom: &open::Atom) -> Expanded<(Atom, Scalar)> {
        let (ty, mut atoms) = self.value(atom)?;
        match (ty, atoms.pop()) {
            (Type::Scalar(scalar), Some(atom)) => Ok((atom, scalar)),
            _ => self.fail(format!(
                "a number is expected here, but this is `{ty}`; if the type has the operator, write it in the call of this function, as in \
                 `twice::<{ty}>(..)`"
            )),
        }
    }

    /// Returns the groups of an atom, and its type. Access to a part of a `&mut` parameter can add statements.
    pub(super) fn value(&mut self, atom: &open::Atom) -> Expanded<(Type, Vec<Atom>)> {
        let literal = |this: &Self, ty| {
            let ty = this.frame().resolved.ty(ty);
            ty.and_then(|ty| Some((ty, shape::scalar(ty)?)))
                .ok_or_else(|| this.error("the type of a literal in this line is not known"))
        };
        Ok(match atom {
            open::Atom::Var(var) => {
                let ty = self.type_of(*var)?;
                match self.frame().vars[var.0 as usize].clone() {
                    Binding::Value(atoms) => (ty, atoms),
                    Binding::Place(place) if place.part.is_some() => self.fail(
                        "the length of this part of an array is known only when it runs; use its elements, one by one",
                    )?,
                    Binding::Place(place) => (ty, self.load(&place)),
                    Binding::Unknown => self.unknown(*var)?,
                }
            }
            open::Atom::Int(value, ty) => {
                let (ty, scalar) = literal(self, *ty)?;
                (ty, vec![Atom::Int(*value, scalar)])
            }
            open::Atom::Float(text, ty) => {
                let (ty, scalar) = literal(self, *ty)?;
                (ty, vec![Atom::Float(text.clone(), scalar)])
            }
            open::Atom::Bits(bits, ty) => {
                let (ty, scalar) = literal(self, *ty)?;
                (ty, vec![Atom::Bits(*bits, scalar)])
            }
            open::Atom::Bool(value) => (Type::Scalar(Scalar::Bool), vec![Atom::Bool(*value)]),
            open::Atom::Unit => (Type::Unit, Vec::new()),
        })
    }
}
