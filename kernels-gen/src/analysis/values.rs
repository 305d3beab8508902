//! Value numbering: two computations with the same number give the same value whenever both are made.

use std::collections::HashMap;

use super::slots::Slots;
use crate::ir::{Arith, ArrayId, Compare, Logic, LoopId, UnaryOp, VarId};
use crate::spec::Scalar;

/// The number of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

/// One element: an array, and the index as [`Values::index_key`] numbers it.
pub(crate) type Element = (ArrayId, ValueId);

/// How a value is computed. The scalar is the type of the operands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "as in the intermediate form")]
pub enum Node {
    /// The argument for a parameter.
    Param(VarId),
    /// The length of an array. It is constant during a run, so a declared access set can use it like an argument.
    Length(ArrayId),
    Int(i128, Scalar),
    Float(String, Scalar),
    /// A float by its bits.
    Bits(u64, Scalar),
    Bool(bool),
    Arith(Arith, Scalar, ValueId, ValueId),
    Logic(Logic, Scalar, ValueId, ValueId),
    Compare(Compare, Scalar, ValueId, ValueId),
    Unary(UnaryOp, Scalar, ValueId),
    /// A cast from the first type to the second.
    Cast(Scalar, Scalar, ValueId),
    /// A function of the device prelude, with the type of its result.
    Device(String, Scalar, Vec<ValueId>),
    /// An element of an array in local memory.
    Element(ValueId, ValueId),
    /// What the access of that number read.
    Read(u32),
    /// A value that was merged from several paths, or computed in memory: equal only to itself.
    Opaque(u32),
}

impl Node {
    /// Returns the values that it is computed from.
    #[must_use]
    pub fn parts(&self) -> Vec<ValueId> {
        match self {
            Node::Arith(_, _, a, b) | Node::Logic(_, _, a, b) | Node::Compare(_, _, a, b) | Node::Element(a, b) => {
                vec![*a, *b]
            }
            Node::Unary(_, _, a) | Node::Cast(_, _, a) => vec![*a],
            Node::Device(_, _, args) => args.clone(),
            _ => Vec::new(),
        }
    }
}

/// All values of a transaction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Values {
    nodes: Vec<Node>,
    /// The loops of each value, outermost first, in whose iterations the value can differ.
    loops: Vec<Vec<LoopId>>,
    /// Whether each value follows from the arguments, whatever the elements are.
    independent: Vec<bool>,
    /// The arrays whose elements each value depends on, besides the arguments; `None` if more decides.
    arrays: Vec<Option<Slots>>,
    ids: HashMap<Node, ValueId>,
}

impl Values {
    pub(crate) fn number(&mut self, node: Node) -> ValueId {
        if let Some(id) = self.ids.get(&node) {
            return *id;
        }
        // Operands that are visible together come from nested loops, so the longest list contains the others.
        let loops = node.parts().iter().map(|p| self.loops_of(*p)).max_by_key(|h| h.len());
        let loops = loops.map(<[LoopId]>::to_vec).unwrap_or_default();
        // What lies in local memory is not there when addresses are declared.
        let is_there = !matches!(node, Node::Element(..));
        let independent = is_there && node.parts().iter().all(|part| self.is_independent(*part));
        let arrays = self.arrays_of_all(&node.parts());
        self.add(node, loops, independent, arrays)
    }

    /// Returns a new value that only its number identifies, made in these loops.
    pub(crate) fn opaque(&mut self, loops: &[LoopId]) -> ValueId {
        self.merged(loops, false, None)
    }

    /// Returns the same where the value is one of several; `independent`: each of them follows from the arguments, and so does which
    /// one it is; `arrays`: what they and that depend on besides.
    pub(super) fn merged(&mut self, loops: &[LoopId], independent: bool, arrays: Option<Slots>) -> ValueId {
        self.add(Node::Opaque(self.nodes.len() as u32), loops.to_vec(), independent, arrays)
    }

    /// Returns the value that an access read from an element, made in these loops.
    pub(crate) fn read(&mut self, access: usize, (array, index): (ArrayId, ValueId), loops: &[LoopId]) -> ValueId {
        let arrays = self.arrays_of(index).map(|arrays| arrays.or(&Slots::one(array.0)));
        self.add(Node::Read(access as u32), loops.to_vec(), false, arrays)
    }

    /// Returns the arrays whose elements a value depends on, besides the arguments; `None` if more decides.
    pub(super) fn arrays_of(&self, id: ValueId) -> Option<Slots> {
        self.arrays[id.0 as usize].clone()
    }

    /// Returns the same for all of these values.
    pub(super) fn arrays_of_all(&self, ids: &[ValueId]) -> Option<Slots> {
        ids.iter().try_fold(Slots::default(), |all, id| Some(all.or(self.arrays[id.0 as usize].as_ref()?)))
    }

    /// Returns whether the value follows from the arguments and the lengths of arrays, whatever the elements are.
    pub(crate) fn is_independent(&self, id: ValueId) -> bool {
        self.independent[id.0 as usize]
    }

    fn add(&mut self, node: Node, loops: Vec<LoopId>, independent: bool, arrays: Option<Slots>) -> ValueId {
        let id = ValueId(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.loops.push(loops);
        self.independent.push(independent);
        self.arrays.push(arrays);
        self.ids.insert(node, id);
        id
    }

    /// Returns how the value is computed.
    #[must_use]
    pub fn node(&self, id: ValueId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Returns how each value is computed, in the order of their numbers.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(crate) fn loops_of(&self, id: ValueId) -> &[LoopId] {
        &self.loops[id.0 as usize]
    }

    /// Returns the number of the mathematical integer, whatever its type: casts that keep every value are skipped.
    pub(crate) fn index_key(&mut self, mut id: ValueId) -> ValueId {
        while let Node::Cast(from, to, inner) = self.node(id)
            && keeps_value(*from, *to)
        {
            id = *inner;
        }
        match self.node(id) {
            Node::Int(value, _) => self.number(Node::Int(*value, Scalar::U64)),
            _ => id,
        }
    }

    /// Returns the value as a number, where it is the same in every call: `ROWS as u32 * 2 + 1`.
    pub(crate) fn constant(&self, id: ValueId) -> Option<i128> {
        self.constant_to(id, 8)
    }

    /// Computes the constant up to a depth, because a shared part is computed once for each use.
    fn constant_to(&self, id: ValueId, depth: u32) -> Option<i128> {
        let part = |id: &ValueId| self.constant_to(*id, depth.checked_sub(1)?);
        match self.node(id) {
            Node::Int(value, scalar) => within(*value, *scalar),
            Node::Cast(_, to, a) => within(part(a)?, *to),
            Node::Arith(op, scalar, a, b) => {
                let (a, b) = (part(a)?, part(b)?);
                let value = match op {
                    Arith::Add => a.checked_add(b),
                    Arith::Sub => a.checked_sub(b),
                    Arith::Mul => a.checked_mul(b),
                    Arith::Div => a.checked_div(b),
                    _ => None,
                };
                within(value?, *scalar)
            }
            _ => None,
        }
    }

    /// Returns the least and the greatest value of an integer, as far as they are known: of a constant, and of what methods that select
    /// elements compute from constants.
    pub(crate) fn range(&self, id: ValueId) -> (Option<i128>, Option<i128>) {
        self.range_to(id, 16)
    }

    fn range_to(&self, id: ValueId, depth: u32) -> (Option<i128>, Option<i128>) {
        if let Some(value) = self.constant(id) {
            return (Some(value), Some(value));
        }
        let Node::Device(name, scalar, args) = self.node(id) else { return (self.least(id), None) };
        let ([a, b], Some(depth), true) =
            (args.as_slice(), depth.checked_sub(1), scalar.is_int() && !scalar.is_signed())
        else {
            return (None, None);
        };
        let ((least_a, most_a), (least_b, most_b)) = (self.range_to(*a, depth), self.range_to(*b, depth));
        let both = |a: Option<i128>, b: Option<i128>, join: fn(i128, i128) -> i128| Some(join(a?, b?));
        let zero = Some(0);
        match name.as_str() {
            "rs_min" => (both(least_a, least_b, i128::min).or(zero), [most_a, most_b].into_iter().flatten().min()),
            "rs_max" => ([least_a, least_b].into_iter().flatten().max(), both(most_a, most_b, i128::max)),
            "rs_saturating_sub" => (zero, most_a),
            "rs_wrapping_add" => match most_a.zip(most_b).and_then(|(a, b)| within(a.checked_add(b)?, *scalar)) {
                Some(most) => (both(least_a, least_b, |a, b| a + b).or(zero), Some(most)),
                None => (zero, None),
            },
            _ => (zero, None),
        }
    }

    /// Returns the least value of the type, of a value that has a known type.
    fn least(&self, id: ValueId) -> Option<i128> {
        match self.node(id) {
            Node::Arith(_, scalar, ..) | Node::Cast(_, scalar, _) if scalar.is_int() && !scalar.is_signed() => Some(0),
            Node::Length(_) => Some(0),
            _ => None,
        }
    }

    /// Returns, for each value, whether it can be computed from the arguments alone. The prelude's operators are defined for
    /// all operands, so such a computation cannot fault.
    pub(crate) fn argument_only(&self) -> Vec<bool> {
        let mut known: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            // The parts of a value have smaller numbers.
            let parts = node.parts().into_iter().all(|part| known[part.0 as usize]);
            known.push(parts && !matches!(node, Node::Read(_) | Node::Opaque(_) | Node::Element(..)));
        }
        known
    }

    /// Returns the value in words, for snapshots, up to a depth, because a shared part shows once for each use.
    pub(crate) fn show(&self, id: ValueId) -> String {
        self.show_to(id, 6)
    }

    fn show_to(&self, id: ValueId, depth: u32) -> String {
        if depth == 0 {
            return "…".to_owned();
        }
        let show = |id: &ValueId| self.show_to(*id, depth - 1);
        match self.node(id) {
            Node::Param(var) => format!("parameter {}", var.0),
            Node::Length(array) => format!("length of parameter {}", array.0),
            Node::Int(value, _) => value.to_string(),
            Node::Float(text, _) => text.clone(),
            Node::Bits(bits, _) => format!("{bits:#x}"),
            Node::Device(name, _, args) => {
                format!("{name}({})", args.iter().map(show).collect::<Vec<_>>().join(", "))
            }
            Node::Bool(value) => value.to_string(),
            Node::Arith(op, _, a, b) => format!("({} {} {})", show(a), op.rust(), show(b)),
            Node::Logic(op, _, a, b) => format!("({} {} {})", show(a), op.rust(), show(b)),
            Node::Compare(op, _, a, b) => format!("({} {} {})", show(a), op.rust(), show(b)),
            Node::Unary(op, _, a) => format!("{}{}", op.rust(), show(a)),
            Node::Cast(_, to, a) => format!("({} as {})", show(a), to.rust()),
            Node::Read(_) | Node::Opaque(_) | Node::Element(..) => "?".to_owned(),
        }
    }
}

/// Returns the number if it fits the integer type; otherwise the result depends on the mode of overflow. Of a `u128` only the lower half
/// of the values is known.
fn within(value: i128, scalar: Scalar) -> Option<i128> {
    let above = 128 - scalar.size() as u32 * 8;
    let (least, most) = match scalar.is_signed() {
        true => (i128::MIN >> above, i128::MAX >> above),
        false => (0, i128::MAX >> above.saturating_sub(1)),
    };
    (scalar.is_int() && (least..=most).contains(&value)).then_some(value)
}

/// Returns whether every value of `from` is one of `to`.
fn keeps_value(from: Scalar, to: Scalar) -> bool {
    if !from.is_int() || !to.is_int() {
        return false;
    }
    match (from.is_signed(), to.is_signed()) {
        (true, false) => false,
        (false, true) => from.size() < to.size(),
        _ => from.size() <= to.size(),
    }
}

#[cfg(test)]
mod tests;
