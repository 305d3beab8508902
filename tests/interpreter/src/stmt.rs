//! Statements.

use std::cmp::Ordering;

use super::frame::{CallFrame, Run};
use super::place::KnownStep;
use super::scalar::{Bits, int, ordering, wrap};
use super::stop::{Done, Stop, broken};
use super::value::Value;
use kernels_gen::fault::FaultCode;
use kernels_gen::ir::open::{Arg, Atom, CallId, ParamRole, Rvalue, Stmt, StmtKind};
use kernels_gen::ir::{LoopId, Range, VarId};

/// The continuation after a statement.
enum Next {
    On,
    Break(LoopId),
    Continue(LoopId),
    Return(Value),
}

impl Run<'_> {
    /// Runs a function whose arguments are set.
    pub(super) fn function(&mut self, frame: &mut CallFrame<'_>) -> Done<Value> {
        let resolved = frame.resolved;
        match self.block(frame, &resolved.program.tx.body)? {
            Next::Return(value) => Ok(value),
            _ => broken("the end of a function without a `return`"),
        }
    }

    fn block(&mut self, frame: &mut CallFrame<'_>, stmts: &[Stmt]) -> Done<Next> {
        for stmt in stmts {
            match self.stmt(frame, stmt)? {
                Next::On => {}
                other => return Ok(other),
            }
        }
        Ok(Next::On)
    }

    fn stmt(&mut self, frame: &mut CallFrame<'_>, stmt: &Stmt) -> Done<Next> {
        match &stmt.what {
            StmtKind::Declare { var } => frame.vars[var.0 as usize] = None,
            StmtKind::Let { var, value: Rvalue::Length(array) } => {
                let value = self.length(frame, *array)?;
                frame.set(*var, value);
            }
            StmtKind::Let { var, value } => {
                let value = frame.compute(*var, value, self.checked)?;
                frame.set(*var, value);
            }
            StmtKind::Assign { var, steps, value } => frame.assign(*var, steps, value)?,
            StmtKind::Read { var, array, fields, index, location } => {
                let value = self.read(frame, (*array, fields), index, frame.location(*location))?;
                frame.set(*var, value);
            }
            StmtKind::Write { array, fields, index, value, location } => {
                self.write(frame, (*array, fields), index, value, frame.location(*location))?;
            }
            StmtKind::Choose { var, array, fields, index, location } => {
                let view = frame.element_array((*array, fields), index, *location)?;
                frame.arrays[var.0 as usize] = Some(view);
            }
            StmtKind::Guard { condition, .. } if frame.bool(condition)? => {}
            StmtKind::Guard { .. } => return Err(Stop::Postponed),
            StmtKind::Reject { code, .. } => return Err(Stop::Rejected(frame.scalar(code)?.1 as u32)),
            StmtKind::Fault { code, location } => return Err(Stop::Faulted(*code, frame.location(*location))),
            StmtKind::If { condition, then, other } => {
                let branch = if frame.bool(condition)? { then } else { other };
                return self.block(frame, branch);
            }
            StmtKind::Loop { id, head, condition, body, location } => {
                let location = frame.location(*location);
                return self.looping(|run| run.repeat(frame, *id, (head, condition.as_ref()), body, location));
            }
            StmtKind::For { id, var, range, body, location, .. } => {
                let location = frame.location(*location);
                return self.looping(|run| run.count(frame, *id, (*var, range), body, location));
            }
            StmtKind::Block { id, body } => {
                return Ok(match self.block(frame, body)? {
                    Next::Break(target) if target == *id => Next::On,
                    other => other,
                });
            }
            StmtKind::Break(id) => return Ok(Next::Break(*id)),
            StmtKind::Continue(id) => return Ok(Next::Continue(*id)),
            StmtKind::Return(atoms) => return frame.returned(atoms).map(Next::Return),
            StmtKind::Call { var, call, args, .. } => {
                let value = self.call(frame, *call, args)?;
                frame.set(*var, value);
            }
            // Printed text is not part of the outcome.
            StmtKind::Print { .. } => {}
        }
        Ok(Next::On)
    }

    fn looping(&mut self, inside: impl FnOnce(&mut Self) -> Done<Next>) -> Done<Next> {
        self.looping += 1;
        let next = inside(self);
        self.looping -= 1;
        next
    }

    /// Runs one iteration; returns the continuation if control leaves the loop.
    fn iteration(&mut self, frame: &mut CallFrame<'_>, id: LoopId, body: &[Stmt], location: u32) -> Done<Option<Next>> {
        match self.iterations_left.checked_sub(1) {
            Some(left) => self.iterations_left = left,
            None => return Err(Stop::Faulted(FaultCode::TooManyIterations, location)),
        }
        Ok(match self.block(frame, body)? {
            Next::On => None,
            Next::Continue(target) if target == id => None,
            Next::Break(target) if target == id => Some(Next::On),
            other => Some(other),
        })
    }

    fn repeat(
        &mut self,
        frame: &mut CallFrame<'_>,
        id: LoopId,
        (head, condition): (&[Stmt], Option<&Atom>),
        body: &[Stmt],
        location: u32,
    ) -> Done<Next> {
        loop {
            match self.block(frame, head)? {
                Next::On => {}
                // A `break` or `continue` in the condition refers to an enclosing loop.
                other => return Ok(other),
            }
            if let Some(condition) = condition
                && !frame.bool(condition)?
            {
                return Ok(Next::On);
            }
            if let Some(next) = self.iteration(frame, id, body, location)? {
                return Ok(next);
            }
        }
    }

    fn count(
        &mut self,
        frame: &mut CallFrame<'_>,
        id: LoopId,
        (var, range): (VarId, &Range<Atom>),
        body: &[Stmt],
        location: u32,
    ) -> Done<Next> {
        let (scalar, start) = frame.scalar(&range.start)?;
        let end = frame.scalar(&range.end)?.1;
        let step = match &range.step {
            Some(step) => frame.scalar(step)?.1,
            None => 1,
        };
        if step == 0 {
            return broken("a step of 0");
        }
        match ordering(scalar, start, end) {
            Some(Ordering::Less) => {}
            Some(Ordering::Equal) if range.inclusive => {}
            _ => return Ok(Next::On),
        }
        // The values are start, start + step, .. as long as they are before the end. Their distances have no sign.
        let (start, end) = (int(scalar, start).cast_unsigned(), int(scalar, end).cast_unsigned());
        let last = (end.wrapping_sub(start) - Bits::from(!range.inclusive)) / step;
        for k in 0..=last {
            let k = if range.reversed { last - k } else { k };
            let value = start.wrapping_add(k.wrapping_mul(step)).cast_signed();
            frame.set(var, Value::Scalar(scalar, wrap(scalar, value)));
            if let Some(next) = self.iteration(frame, id, body, location)? {
                return Ok(next);
            }
        }
        Ok(Next::On)
    }

    fn call(&mut self, caller: &mut CallFrame<'_>, call: CallId, args: &[Arg]) -> Done<Value> {
        let resolved = caller.resolved;
        let at = call.0 as usize;
        let mut frame = CallFrame::new(&resolved.functions[at], caller.first_location + resolved.first_locations[at]);
        let mut places: Vec<(usize, VarId, Vec<KnownStep>)> = Vec::new();
        for (k, arg) in args.iter().enumerate() {
            match arg {
                Arg::Value(atom) => frame.vars[k] = Some(caller.atom(atom)?),
                Arg::Receiver(.., atom) if role(&frame, k) != Some(ParamRole::Place) => {
                    frame.vars[k] = Some(caller.atom(atom)?);
                }
                Arg::Array(array, fields) => frame.arrays[k] = Some(caller.array(*array, fields)?),
                Arg::Place(var, steps) | Arg::Receiver(var, steps, _) => {
                    let way = caller.way(*var, steps)?;
                    frame.vars[k] = Some(caller.part(*var, &way)?.clone());
                    if role(&frame, k) == Some(ParamRole::Place) {
                        places.push((k, *var, way));
                    }
                }
            }
        }
        let result = self.function(&mut frame)?;
        // No other name refers to a place while the function runs, so writing it back at the end is enough.
        for (k, var, way) in places {
            match frame.vars[k].take() {
                Some(value) => *caller.part(var, &way)? = value,
                None => return broken("a place without a value"),
            }
        }
        Ok(result)
    }
}

/// Returns the role of a parameter of the called function.
fn role(frame: &CallFrame<'_>, param: usize) -> Option<ParamRole> {
    frame.resolved.program.tx.params.get(param).map(|param| param.role)
}
