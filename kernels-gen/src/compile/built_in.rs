//! Operators, and methods with the names of built-in ones, of which only rustc knew whether they are functions of the user's program.
//! Where they are not, the calls become what is built in, as soon as a function is loaded: no later pass meets them.

use std::sync::Arc;

use super::program::Program;
use crate::ir::open::{
    Arg, Atom, Block, CallId, Form, Function, Relation, Rvalue, Stmt, StmtKind, Ty, TyId, Var, walk,
};
use crate::ir::{Arith, LocationId, Options, Position, UnaryOp};
use crate::spec::LocationKind;

/// Returns the function in the place of an operator, which nothing calls.
pub(crate) fn nothing() -> Function {
    Function {
        name: String::new(),
        file: String::new(),
        at: Position { line: 0, column: 0 },
        form: Form::Function { tries: false },
        params: Vec::new(),
        generics: Vec::new(),
        result: TyId(0),
        vars: Vec::new(),
        types: vec![Ty::Unit],
        relations: Vec::new(),
        body: Vec::new(),
        locations: Vec::new(),
        positions: Vec::new(),
        loops: 0,
        options: Options::default(),
    }
}

/// Moves the functions that are run in place of Rust's own methods to their calls: a fault names the line of the user.
pub(crate) fn at_calls(tx: &Function, functions: &mut [Arc<Program>], is_one: impl Fn(usize) -> bool) {
    walk::each(&tx.body, &mut |stmt: &Stmt| {
        let StmtKind::Call { call, location, .. } = &stmt.what else { return };
        let (Some(function), Some(location)) =
            (functions.get_mut(call.0 as usize), tx.locations.get(location.0 as usize))
        else {
            return;
        };
        if is_one(call.0 as usize) {
            let mut moved = Program::clone(function);
            moved.tx.file.clone_from(&tx.file);
            moved.tx.at = location.at;
            for own in &mut moved.tx.locations {
                own.at = location.at;
                if own.what != LocationKind::Panic {
                    own.text.clone_from(&location.text);
                }
            }
            moved.tx.positions.iter_mut().for_each(|own| *own = location.at);
            *function = Arc::new(moved);
        }
    });
}

/// Replaces the calls that have a name: that of an operator of numbers, or that of a built-in method after a dot.
pub(crate) fn lower(tx: &mut Function, name: &impl Fn(CallId) -> Option<&'static str>) {
    let mut same = Vec::new();
    tx.relations.retain(|relation| match relation {
        Relation::Call { function, args, result } if name(*function).is_some_and(|name| name.starts_with('.')) => {
            let name = name(*function).unwrap_or_default()[1..].to_owned();
            if name == INTO {
                return false;
            }
            same.push(Relation::Method { receiver: args[0], name, args: args[1..].to_vec(), result: *result });
            false
        }
        Relation::Call { function, args, result } if name(*function).is_some() => {
            same.extend(args.iter().skip(1).chain([result]).map(|ty| Relation::Same { a: args[0], b: *ty }));
            false
        }
        _ => true,
    });
    tx.relations.extend(same);
    block(&mut tx.body, &tx.vars, name);
}

/// `value.into()` where its result is a number, which is a cast.
const INTO: &str = "into";

fn block(stmts: &mut Block, vars: &[Var], name: &impl Fn(CallId) -> Option<&'static str>) {
    for mut stmt in std::mem::take(stmts) {
        stmt.blocks_mut().into_iter().for_each(|inner| block(inner, vars, name));
        let at = stmt.at;
        let mut push = |what| stmts.push(Stmt { what, at });
        match stmt.what {
            StmtKind::Call { var, call, args, location } => match (name(call), args.as_slice()) {
                (Some(method), [Arg::Value(value)]) if method[1..] == *INTO => {
                    let to = vars[var.0 as usize].ty;
                    push(StmtKind::Let { var, value: Rvalue::Cast(value.clone(), to) });
                }
                (Some(method), [first, others @ ..]) if method.starts_with('.') => {
                    let atoms = [first].into_iter().chain(others).filter_map(|arg| match arg {
                        Arg::Value(atom) | Arg::Receiver(.., atom) => Some(atom.clone()),
                        Arg::Place(..) | Arg::Array(..) => None,
                    });
                    push(StmtKind::Let {
                        var,
                        value: Rvalue::Method(method[1..].to_owned(), atoms.collect(), location),
                    });
                }
                (Some(operator), [Arg::Receiver(place, steps, a), Arg::Value(b)]) => {
                    let value = arith(operator.trim_end_matches('='), a, b, location);
                    push(StmtKind::Let { var, value });
                    push(StmtKind::Assign { var: *place, steps: steps.clone(), value: Atom::Var(var) });
                }
                (Some(operator), [Arg::Value(a), Arg::Value(b)]) => {
                    push(StmtKind::Let { var, value: arith(operator, a, b, location) });
                }
                (Some(_), [Arg::Value(a)]) => {
                    push(StmtKind::Let { var, value: Rvalue::Unary(UnaryOp::Neg, a.clone(), Some(location)) });
                }
                _ => push(StmtKind::Call { var, call, args, location }),
            },
            what => push(what),
        }
    }
}

fn arith(operator: &str, a: &Atom, b: &Atom, location: LocationId) -> Rvalue {
    match [Arith::Add, Arith::Sub, Arith::Mul, Arith::Div, Arith::Rem].into_iter().find(|op| op.rust() == operator) {
        Some(op) => Rvalue::Arith(op, a.clone(), b.clone(), Some(location)),
        None => Rvalue::Method(operator.to_owned(), vec![a.clone(), b.clone()], location),
    }
}
