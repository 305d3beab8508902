//! The statements that declare the access set: they compute the address of each slot again from the arguments, without faults.

use std::collections::BTreeMap;

use super::literal::{bits, float, int};
use super::names;
use crate::analysis::{Node, OwnedFacts, ValueId};
use crate::ir::flat::Transaction;
use crate::ir::{Arith, UnaryOp, VarId};
use crate::spec::{Intent, Scalar};

pub(super) fn lines(tx: &Transaction, facts: &OwnedFacts) -> Vec<String> {
    let mut printer = AddressPrinter { tx, facts, names: BTreeMap::new(), lines: Vec::new() };
    for (k, (slot, address)) in facts.slots.iter().zip(&facts.addresses).enumerate() {
        let intent = match slot.intent {
            Intent::Read => "STM_READ",
            Intent::Update => "STM_UPDATE",
            Intent::Write => "STM_WRITE",
        };
        let index = printer.value(address.index);
        let array = names::var(tx, VarId(address.array.0));
        printer.lines.push(format!("stm_declare(tx, {k}, {intent}, {array}, rs_index({index}));"));
    }
    printer.lines
}

struct AddressPrinter<'a> {
    tx: &'a Transaction,
    facts: &'a OwnedFacts,
    names: BTreeMap<ValueId, String>,
    lines: Vec<String>,
}

impl AddressPrinter<'_> {
    /// Returns the name or literal of a value; its computation is added to the lines the first time. A value can depend on others
    /// through as many steps as the transaction has statements, so this is not recursive.
    fn value(&mut self, id: ValueId) -> String {
        let mut left = vec![id];
        while let Some(id) = left.last().copied() {
            let mut missing = self.facts.values.node(id).parts();
            missing.retain(|part| self.known(*part).is_none());
            let before = left.len();
            // The first operand comes first.
            left.extend(missing.into_iter().rev());
            if left.len() == before {
                left.pop();
                self.compute(id);
            }
        }
        self.known(id).unwrap_or_default()
    }

    /// Returns the name of a value that was computed, or its literal.
    fn known(&self, id: ValueId) -> Option<String> {
        if let Some(name) = self.names.get(&id) {
            return Some(name.clone());
        }
        Some(match self.facts.values.node(id) {
            Node::Param(var) => names::var(self.tx, *var),
            Node::Int(value, scalar) => int(*value, *scalar),
            Node::Float(text, scalar) => float(text, *scalar),
            Node::Bits(word, scalar) => bits(*word, *scalar),
            Node::Bool(value) => value.to_string(),
            // Never occurs in an orderable transaction.
            Node::Read(_) | Node::Opaque(_) | Node::Element(..) => int(0, Scalar::U64),
            _ => return None,
        })
    }

    /// Adds the computation of a value whose operands are known.
    fn compute(&mut self, id: ValueId) {
        if self.known(id).is_some() {
            return;
        }
        let part = |id: &ValueId| self.known(*id).unwrap_or_default();
        let (ty, text) = match self.facts.values.node(id) {
            Node::Length(array) => (Scalar::Usize, format!("{}.len()", names::var(self.tx, VarId(array.0)))),
            Node::Device(function, scalar, args) => {
                let args: Vec<String> = args.iter().map(part).collect();
                (*scalar, format!("{function}({})", args.join(", ")))
            }
            Node::Arith(op, scalar, a, b) => (*scalar, arith(*op, *scalar, &part(a), &part(b))),
            Node::Logic(op, scalar, a, b) => (*scalar, format!("rs_{}({}, {})", op.cuda(), part(a), part(b))),
            Node::Compare(op, _, a, b) => (Scalar::Bool, format!("rs_{}({}, {})", op.cuda(), part(a), part(b))),
            Node::Unary(UnaryOp::Neg, scalar, a) if scalar.is_int() => {
                (*scalar, format!("rs_wrapping_neg({})", part(a)))
            }
            Node::Unary(op, scalar, a) => (*scalar, format!("rs_{}({})", op.cuda(), part(a))),
            Node::Cast(_, to, a) => (*to, format!("rs_cast<{}>({})", to.cuda(), part(a))),
            Node::Param(_)
            | Node::Int(..)
            | Node::Float(..)
            | Node::Bits(..)
            | Node::Bool(_)
            | Node::Read(_)
            | Node::Opaque(_)
            | Node::Element(..) => {
                return;
            }
        };
        let name = format!("a{}", self.names.len());
        self.lines.push(format!("{} {name} = {text};", ty.cuda()));
        self.names.insert(id, name);
    }
}

fn arith(op: Arith, scalar: Scalar, a: &str, b: &str) -> String {
    match op {
        // Division has no wrapping form: in the prelude it is defined for every operand.
        Arith::Div | Arith::Rem => format!("rs_{}({a}, {b})", op.cuda()),
        _ if scalar.is_float() => format!("rs_{}({a}, {b})", op.cuda()),
        _ => format!("rs_wrapping_{}({a}, {b})", op.cuda()),
    }
}
