//! The memory that the local variables of a function take on each thread. On a CPU they lie on the stack. On a GPU, arrays lie in
//! memory that is set aside for every thread that the device can hold.

use std::collections::HashMap;

use crate::infer::Space;
use crate::ir::open::{Arg, Atom, Function, ParamRole, Rvalue, StmtKind, TyId, walk};
use crate::ir::{PositionId, VarId};

/// The largest number of bytes of a transaction's local variables. A CPU thread gets a stack for a few copies of each, as
/// unoptimized code makes them; a GPU with 2048 threads on each of 132 multiprocessors sets aside 17 GB.
pub(crate) const MOST_BYTES: u64 = 64 * 1024;

/// The largest value that does not count: such values live in registers, and a transaction has no more of them than statements.
const SMALL: u64 = 64;

/// The memory of the variables of one function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Locals {
    /// Compound values, on the stack of a CPU thread.
    pub(crate) bytes: u64,
    /// Arrays, in the memory of a GPU thread.
    pub(crate) arrays: u64,
    /// The variable that takes the most bytes, and their number.
    pub(crate) largest: Option<(VarId, u64)>,
}

/// Adds up what the variables of a function take, without those of the functions that it calls.
pub(crate) fn of_function(tx: &Function, space: impl Fn(TyId) -> Space) -> Locals {
    let moved = moved(tx);
    let mut locals = Locals { bytes: 0, arrays: 0, largest: None };
    for (k, var) in tx.vars.iter().enumerate() {
        let elsewhere = tx.params.get(k).is_some_and(|param| param.role != ParamRole::Value) || moved[k];
        let space = space(var.ty);
        if elsewhere || space.bytes <= SMALL {
            continue;
        }
        locals.bytes = locals.bytes.saturating_add(space.bytes);
        locals.arrays = locals.arrays.saturating_add(space.arrays);
        let most = space.bytes.max(space.arrays);
        if locals.largest.is_none_or(|(_, largest)| most > largest) {
            locals.largest = Some((VarId(k as u32), most));
        }
    }
    locals
}

/// Returns which variables need no memory of their own: a value that only moves into another variable, an argument or the result
/// is counted there, and a constant of which only parts are used lies with the code.
fn moved(tx: &Function) -> Vec<bool> {
    let (mut uses, mut moves) = (vec![0_u32; tx.vars.len()], vec![false; tx.vars.len()]);
    let mut constants = vec![false; tx.vars.len()];
    let mut is_moved = |atom: &Atom| {
        if let Atom::Var(var) = atom {
            moves[var.0 as usize] = true;
        }
    };
    walk::each(&tx.body, &mut |stmt| {
        for atom in stmt.atoms() {
            if let Atom::Var(var) = atom {
                uses[var.0 as usize] += 1;
            }
        }
        match &stmt.what {
            StmtKind::Let { value: Rvalue::Use(atom), .. } => is_moved(atom),
            StmtKind::Let { var, value: Rvalue::Constant(_) } => constants[var.0 as usize] = true,
            StmtKind::Return(atoms) => atoms.iter().for_each(&mut is_moved),
            StmtKind::Call { args, .. } => args.iter().for_each(|arg| {
                if let Arg::Value(atom) = arg {
                    is_moved(atom);
                }
            }),
            _ => {}
        }
    });
    let is_temporary = |k: usize| tx.vars[k].name.is_none() && k >= tx.params.len();
    (0..tx.vars.len()).map(|k| is_temporary(k) && (constants[k] || moves[k] && uses[k] == 1)).collect()
}

/// Returns the statement that declares each variable; parameters have none.
pub(crate) fn declarations(tx: &Function) -> HashMap<VarId, PositionId> {
    let mut found = HashMap::new();
    walk::each(&tx.body, &mut |stmt| {
        for var in stmt.vars() {
            found.entry(var).or_insert(stmt.at);
        }
    });
    found
}

/// Returns the message for variables that take `bytes` bytes. `largest` is a function, its largest variable, and the size of
/// that variable. `calls`: whether variables of called functions count, too.
pub(crate) fn too_large(bytes: u64, largest: (&Function, VarId, u64), calls: bool) -> String {
    let (of, var, most) = largest;
    let name = match &of.vars[var.0 as usize].name {
        Some(name) => format!("`{name}`"),
        None => "a value of this line".to_owned(),
    };
    let with = if calls { ", with those of all that it calls," } else { "" };
    format!(
        "the local variables{with} take {bytes} bytes of each thread, and at most {MOST_BYTES} fit; {name} takes {most}: keep large \
         arrays in a shared array, `&Shared<..>`, or make them smaller"
    )
}
