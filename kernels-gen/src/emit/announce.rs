//! The statements of `announce`: the address of each slot, computed again from the arguments, without faults.

use std::collections::BTreeMap;

use super::literal::{bits, float, int};
use super::names;
use crate::analysis::{Facts, Node, ValueId};
use crate::ir::{Arith, Transaction, UnaryOp, VarId};
use crate::spec::{Intent, Scalar};

pub(super) fn lines(tx: &Transaction, facts: &Facts) -> Vec<String> {
    let mut printer = Printer { tx, facts, names: BTreeMap::new(), lines: Vec::new() };
    for (k, (slot, address)) in facts.slots.iter().zip(&facts.addresses).enumerate() {
        let intent = match slot.intent {
            Intent::Read => "STM_READ",
            Intent::Update => "STM_UPDATE",
            Intent::Write => "STM_WRITE",
        };
        let index = printer.value(address.index);
        let region = names::var(tx, VarId(address.region.0));
        printer.lines.push(format!("tx.announce({k}, {intent}, {region}, rs_index({index}));"));
    }
    printer.lines
}

struct Printer<'a> {
    tx: &'a Transaction,
    facts: &'a Facts,
    names: BTreeMap<ValueId, String>,
    lines: Vec<String>,
}

impl Printer<'_> {
    /// The name or literal of a value; its computation is added to the lines the first time.
    fn value(&mut self, id: ValueId) -> String {
        if let Some(name) = self.names.get(&id) {
            return name.clone();
        }
        let (ty, text) = match self.facts.values.node(id).clone() {
            Node::Param(var) => return names::var(self.tx, var),
            Node::Length(region) => (Scalar::Usize, format!("{}.len()", names::var(self.tx, VarId(region.0)))),
            Node::Int(value, scalar) => return int(value, scalar),
            Node::Float(text, scalar) => return float(&text, scalar),
            Node::Bits(word, scalar) => return bits(word, scalar),
            Node::Bool(value) => return value.to_string(),
            Node::Device(function, scalar, args) => {
                let args: Vec<String> = args.iter().map(|arg| self.value(*arg)).collect();
                (scalar, format!("{function}({})", args.join(", ")))
            }
            Node::Arith(op, scalar, a, b) => (scalar, self.arith(op, scalar, a, b)),
            Node::Logic(op, scalar, a, b) => {
                (scalar, format!("rs_{}({}, {})", op.cuda(), self.value(a), self.value(b)))
            }
            Node::Compare(op, _, a, b) => {
                (Scalar::Bool, format!("rs_{}({}, {})", op.cuda(), self.value(a), self.value(b)))
            }
            Node::Unary(UnaryOp::Neg, scalar, a) if scalar.is_int() => {
                (scalar, format!("rs_wrapping_neg({})", self.value(a)))
            }
            Node::Unary(op, scalar, a) => (scalar, format!("rs_{}({})", op.cuda(), self.value(a))),
            Node::Cast(_, to, a) => (to, format!("rs_cast<{}>({})", to.cuda(), self.value(a))),
            // Never in an orderable transaction.
            Node::Opaque(_) => return int(0, Scalar::U64),
        };
        let name = format!("a{}", self.names.len());
        self.lines.push(format!("{} {name} = {text};", ty.cuda()));
        self.names.insert(id, name.clone());
        name
    }

    fn arith(&mut self, op: Arith, scalar: Scalar, a: ValueId, b: ValueId) -> String {
        let (a, b) = (self.value(a), self.value(b));
        match op {
            // Division has no wrapping form: in the prelude it is defined for every operand.
            Arith::Div | Arith::Rem => format!("rs_{}({a}, {b})", op.cuda()),
            _ if scalar.is_float() => format!("rs_{}({a}, {b})", op.cuda()),
            _ => format!("rs_wrapping_{}({a}, {b})", op.cuda()),
        }
    }
}
