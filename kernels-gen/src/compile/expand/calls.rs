//! Calls: the statements of the function replace the call.
//!
//! Locations are numbered as in the host version: those of a function first, then those of each of its calls in source order,
//! whether the calls are reached or not.

use super::super::resolve::Resolved;
use super::super::shape;
use super::binding::{ArrayParam, Binding, FlatPlace, Give, IndexCheck};
use super::expander::{Expanded, Expander, Frame};
use super::signature::joined;
use crate::ir::flat::{Atom, FileLocation, Rvalue, StmtKind};
use crate::ir::open::{self, Arg, CallId, ParamRole, walk};
use crate::ir::{LoopId, PositionId, VarId};

impl<'p> Expander<'p> {
    /// Adds the locations of a function and of everything that it calls.
    pub(super) fn append_locations(&mut self, resolved: &Resolved<'_>) {
        let tx = &resolved.program.tx;
        for location in &tx.locations {
            let file = (tx.file != self.flat.file).then(|| tx.file.clone());
            self.flat.locations.push(FileLocation { decl: location.clone(), file });
        }
        resolved.functions.iter().for_each(|function| self.append_locations(function));
    }

    pub(super) fn call(&mut self, var: VarId, call: CallId, args: &'p [Arg]) -> Expanded<()> {
        let caller = self.frame();
        let resolved = &caller.resolved.functions[call.0 as usize];
        let locations = caller.locations + caller.resolved.first_locations[call.0 as usize];
        let tx = &resolved.program.tx;
        let bound = args.iter().zip(&tx.params).map(|(arg, param)| self.argument(arg, param.role));
        let bound = bound.collect::<Expanded<Vec<_>>>()?;
        let mut frame = Frame::new(resolved);
        frame.locations = locations;
        frame.positions = self.flat.positions.len() as u32;
        frame.loops = self.flat.loops;
        self.flat.loops += tx.loops;
        self.flat.files.push((frame.positions, tx.file.clone()));
        self.flat.positions.extend(&tx.positions);

        let at = self.at;
        let only = returns_only_at_the_end(&tx.body);
        if !only {
            let Some(place) = self.place(var)? else { return self.unknown(var) };
            place.vars.iter().for_each(|var| self.push(StmtKind::Declare { var: *var }));
            let block = LoopId(self.flat.loops);
            self.flat.loops += 1;
            frame.give = Some(Give { vars: place.vars, block, early: false });
        }
        self.frames.push(frame);
        let done = self.callee(bound, only, at);
        self.frames.pop();
        self.at = at;
        match done? {
            Some(atoms) => self.bind_call(var, atoms),
            None => Ok(()),
        }
    }

    /// Binds the result of a call whose atoms are known.
    fn bind_call(&mut self, var: VarId, atoms: Vec<Atom>) -> Expanded<()> {
        let ty = self.type_of(var)?;
        match (shape::scalar(ty), atoms.as_slice()) {
            (Some(_), [atom]) => self.define(var, Rvalue::Use(atom.clone())),
            _ => self.bind(var, atoms),
        }
    }

    /// Expands the function of the innermost frame, called at `at`. Returns the groups of its result where they are known.
    fn callee(&mut self, args: Vec<Passed>, only: bool, at: PositionId) -> Expanded<Option<Vec<Atom>>> {
        let tx = &self.frame().resolved.program.tx;
        self.parameters_of_call(args)?;
        let Some((last, body)) = tx.body.split_last().filter(|_| only) else {
            let body = self.block(&tx.body, true)?;
            self.at = at;
            match self.frame().give.clone() {
                Some(Give { block, early: true, .. }) => self.push(StmtKind::Block { id: block, body }),
                _ => self.out.extend(body),
            }
            return Ok(None);
        };
        self.stmts(body, false)?;
        self.at = PositionId(self.frame().positions + last.at.0);
        match &last.what {
            open::StmtKind::Return(atoms) => self.returned(atoms).map(Some),
            _ => Ok(None),
        }
    }

    fn parameters_of_call(&mut self, args: Vec<Passed>) -> Expanded<()> {
        let tx = &self.frame().resolved.program.tx;
        self.allocate(tx.params.len());
        for (k, arg) in args.into_iter().enumerate() {
            match arg {
                Passed::Array(array) => _ = self.frame_mut().arrays.insert(k as u32, array),
                Passed::Place(place) => self.frame_mut().vars[k] = Binding::Place(place),
                Passed::Value(atoms) => {
                    let binding = self.value_of_call(k, atoms)?;
                    self.frame_mut().vars[k] = binding;
                }
            }
        }
        self.find_named();
        Ok(())
    }

    /// Binds a value parameter, by a copy if the parameter or its argument can change.
    fn value_of_call(&mut self, param: usize, atoms: Vec<Atom>) -> Expanded<Binding> {
        let resolved = self.frame().resolved;
        let decl = &resolved.program.tx.vars[param];
        if !decl.mutable && atoms.iter().all(|atom| self.is_stable(atom)) {
            return Ok(Binding::Value(atoms));
        }
        let ty = self.type_of(VarId(param as u32))?;
        let mut own = Vec::new();
        for (group, atom) in shape::groups(ty).into_iter().zip(atoms) {
            let name = decl.name.as_deref().map(|name| joined(name, &group.path));
            let var = self.var(name, group.scalar, group.length(), !decl.mutable);
            self.push(StmtKind::Let { var, value: Rvalue::Use(atom) });
            own.push(Atom::Var(var));
        }
        Ok(Binding::Value(own))
    }

    /// Evaluates an argument. Where the function takes a value, a place is read.
    fn argument(&mut self, arg: &Arg, role: ParamRole) -> Expanded<Passed> {
        Ok(match arg {
            Arg::Place(var, steps) if role == ParamRole::Value => match steps.as_slice() {
                [] => Passed::Value(self.value(&open::Atom::Var(*var))?.1),
                _ => {
                    let place = self.walk_steps(*var, steps, IndexCheck::Now)?;
                    Passed::Value(self.load(&place))
                }
            },
            Arg::Value(atom) if self.slice(atom).is_some() => match self.slice(atom).cloned() {
                Some(place) => Passed::Place(place),
                None => return self.fail("a part of an array is expected here"),
            },
            Arg::Value(atom) => Passed::Value(self.value(atom)?.1),
            Arg::Receiver(_, _, value) if role == ParamRole::Value => Passed::Value(self.value(value)?.1),
            Arg::Array(array, fields) => Passed::Array(self.array(array.0, fields)?),
            Arg::Place(var, steps) | Arg::Receiver(var, steps, _) => {
                Passed::Place(self.walk_steps(*var, steps, IndexCheck::Now)?)
            }
        })
    }

    /// Returns the groups of the value of a `return`.
    fn returned(&mut self, atoms: &[open::Atom]) -> Expanded<Vec<Atom>> {
        match atoms {
            [] => Ok(Vec::new()),
            [one] => Ok(self.value(one)?.1),
            _ => self.fail("one value is returned"),
        }
    }

    /// Expands a `return`. `last`: the end of the function follows.
    pub(super) fn give(&mut self, atoms: &[open::Atom], last: bool) -> Expanded<()> {
        let values = self.returned(atoms)?;
        let Some(give) = self.frame().give.clone() else {
            let ty = self.result_of_frame()?;
            let components = self.component_atoms(ty, &values);
            self.push(StmtKind::Return(components));
            return Ok(());
        };
        for (var, value) in give.vars.iter().zip(values) {
            self.push(StmtKind::Assign { var: *var, value });
        }
        if !last {
            self.push(StmtKind::Break(give.block));
            if let Some(give) = &mut self.frame_mut().give {
                give.early = true;
            }
        }
        Ok(())
    }
}

/// An argument as the function receives it.
enum Passed {
    Value(Vec<Atom>),
    Array(ArrayParam),
    Place(FlatPlace),
}

fn returns_only_at_the_end(body: &open::Block) -> bool {
    let mut returns = 0;
    walk::each(body, &mut |stmt: &open::Stmt| returns += u32::from(matches!(stmt.what, open::StmtKind::Return(_))));
    returns == 1 && matches!(body.last(), Some(open::Stmt { what: open::StmtKind::Return(_), .. }))
}
