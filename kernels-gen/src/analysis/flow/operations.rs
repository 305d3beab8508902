//! The values of operands and operations, and the arrays whose elements they depend on.

use super::Tracer;
use crate::analysis::slots::Slots;
use crate::analysis::values::{Node, ValueId};
use crate::ir::VarId;
use crate::ir::flat::{Atom, Rvalue};

impl Tracer<'_> {
    /// Returns the arrays on which these values depend, and the branches so far.
    pub(super) fn with_followed(&self, values: &[ValueId]) -> Option<Slots> {
        Some(self.values.arrays_of_all(values)?.or(self.followed.as_ref()?))
    }

    /// Returns a new value that is computed from these operands in memory.
    pub(super) fn computed(&mut self, operands: &[Atom]) -> ValueId {
        let operands: Vec<ValueId> = operands.iter().map(|atom| self.atom(atom)).collect();
        let arrays = self.values.arrays_of_all(&operands);
        self.values.merged(&self.loops, false, arrays)
    }

    pub(super) fn atom(&mut self, atom: &Atom) -> ValueId {
        match atom {
            Atom::Var(var) => self.path.value(*var).unwrap_or_else(|| self.values.opaque(&self.loops)),
            Atom::Int(value, ty) => self.values.number(Node::Int(*value, *ty)),
            Atom::Float(text, ty) => self.values.number(Node::Float(text.clone(), *ty)),
            Atom::Bits(bits, ty) => self.values.number(Node::Bits(*bits, *ty)),
            Atom::Bool(value) => self.values.number(Node::Bool(*value)),
        }
    }

    pub(super) fn rvalue(&mut self, value: &Rvalue, var: VarId) -> ValueId {
        let of = |a: &Atom| self.tx.atom_type(a);
        let node = match value {
            Rvalue::Use(atom) => return self.atom(atom),
            Rvalue::Unary(op, a, _) => Node::Unary(*op, of(a), self.atom(a)),
            Rvalue::Arith(op, a, b, _) => Node::Arith(*op, of(a), self.atom(a), self.atom(b)),
            Rvalue::Logic(op, a, b) => Node::Logic(*op, of(a), self.atom(a), self.atom(b)),
            Rvalue::Compare(op, a, b) => Node::Compare(*op, of(a), self.atom(a), self.atom(b)),
            Rvalue::Cast(a, to) => Node::Cast(of(a), *to, self.atom(a)),
            Rvalue::Length(array) => Node::Length(*array),
            Rvalue::Device(name, args) => {
                let args = args.iter().map(|arg| self.atom(arg)).collect();
                Node::Device(name.clone(), self.tx.var(var).scalar, args)
            }
            Rvalue::Array(atoms) => return self.computed(atoms),
            Rvalue::Repeat(atom) => return self.computed(std::slice::from_ref(atom)),
            Rvalue::Element(array, index, _) => Node::Element(self.atom(&Atom::Var(*array)), self.atom(index)),
        };
        self.values.number(node)
    }
}
