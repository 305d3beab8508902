//! Small operations on booleans and scalars, folded where their operands are known.

use super::super::shape;
use super::expander::Expander;
use crate::ir::flat::{Atom, Rvalue, Stmt, StmtKind};
use crate::ir::{Compare, Logic, UnaryOp};
use crate::spec::{Scalar, Type};

impl<'p> Expander<'p> {
    pub(super) fn compare(&mut self, op: Compare, a: Atom, b: Atom) -> Atom {
        self.temp(Rvalue::Compare(op, a, b), Scalar::Bool)
    }

    pub(super) fn not(&mut self, a: Atom) -> Atom {
        match a {
            Atom::Bool(value) => Atom::Bool(!value),
            other => self.temp(Rvalue::Unary(UnaryOp::Not, other, None), Scalar::Bool),
        }
    }

    pub(super) fn and(&mut self, a: Atom, b: Atom) -> Atom {
        match (a, b) {
            (Atom::Bool(true), other) | (other, Atom::Bool(true)) => other,
            (Atom::Bool(false), _) | (_, Atom::Bool(false)) => Atom::Bool(false),
            (a, b) => self.temp(Rvalue::Logic(Logic::And, a, b), Scalar::Bool),
        }
    }

    pub(super) fn or(&mut self, a: Atom, b: Atom) -> Atom {
        match (a, b) {
            (Atom::Bool(false), other) | (other, Atom::Bool(false)) => other,
            (Atom::Bool(true), _) | (_, Atom::Bool(true)) => Atom::Bool(true),
            (a, b) => self.temp(Rvalue::Logic(Logic::Or, a, b), Scalar::Bool),
        }
    }

    /// Returns the groups of one of two values, depending on the condition.
    pub(super) fn choose(&mut self, condition: &Atom, ty: Type, a: Vec<Atom>, b: Vec<Atom>) -> Vec<Atom> {
        match condition {
            Atom::Bool(true) => return a,
            Atom::Bool(false) => return b,
            _ => {}
        }
        let mut chosen = Vec::new();
        for (group, (a, b)) in shape::groups(ty).into_iter().zip(a.into_iter().zip(b)) {
            if a == b && self.is_stable(&a) {
                chosen.push(a);
                continue;
            }
            let Some(length) = group.length() else {
                let args = vec![condition.clone(), a, b];
                chosen.push(self.temp(Rvalue::Device("rs_select".to_owned(), args), group.scalar));
                continue;
            };
            let var = self.var(None, group.scalar, Some(length), true);
            self.push(StmtKind::Declare { var });
            let give = |value| vec![Stmt { what: StmtKind::Assign { var, value }, at: self.at }];
            let (then, other) = (give(a), give(b));
            self.push(StmtKind::If { condition: condition.clone(), then, other });
            chosen.push(Atom::Var(var));
        }
        chosen
    }
}
