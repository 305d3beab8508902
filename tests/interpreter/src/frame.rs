//! The state of a run, and of each function in it.

use super::scalar::{Bits, f32_word, f64_word, wrap};
use super::stop::{Done, broken};
use super::value::{UNIT, Value};
use kernels_gen::compile::Resolved;
use kernels_gen::ir::open::{Atom, TyId};
use kernels_gen::ir::{LocationId, VarId};
use kernels_gen::spec::{Scalar, Type};

/// The state that all functions of a run share.
pub(super) struct Run<'m> {
    /// A list of words for each component of each array.
    pub(super) memory: &'m mut Vec<Vec<u64>>,
    /// Whether overflow is a fault.
    pub(super) checked: bool,
    pub(super) iterations_left: u32,
    /// The number of loops around the present statement, including those of callers.
    pub(super) looping: u32,
    /// The largest number of elements that accesses in loops may touch.
    pub(super) most: Option<u32>,
    /// The elements accessed so far: array and index.
    pub(super) met: Vec<(usize, u64)>,
    pub(super) met_in_loops: u32,
}

/// An array, or a partition of one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct View {
    /// The type of an element.
    pub(super) ty: Type,
    /// The index of each component's list in the memory.
    pub(super) components: Vec<usize>,
    /// The index of the partition and the number of its elements, for a `Partition`.
    pub(super) part: Option<(u64, u64)>,
}

/// One function.
pub(super) struct CallFrame<'p> {
    pub(super) resolved: &'p Resolved<'p>,
    pub(super) vars: Vec<Option<Value>>,
    /// The arrays of the parameters.
    pub(super) arrays: Vec<Option<View>>,
    /// The offset that is added to its location numbers.
    pub(super) first_location: u32,
}

impl<'p> CallFrame<'p> {
    pub(super) fn new(resolved: &'p Resolved<'p>, first_location: u32) -> CallFrame<'p> {
        let vars = resolved.program.tx.vars.len();
        CallFrame { resolved, vars: vec![None; vars], arrays: vec![None; vars], first_location }
    }

    pub(super) fn location(&self, location: LocationId) -> u32 {
        self.first_location + location.0
    }

    pub(super) fn ty(&self, ty: TyId) -> Done<Type> {
        self.resolved.ty(ty).map_or_else(|| broken("a value without a type"), Ok)
    }

    pub(super) fn type_of(&self, var: VarId) -> Done<Type> {
        self.ty(self.resolved.program.tx.vars[var.0 as usize].ty)
    }

    pub(super) fn atom(&self, atom: &Atom) -> Done<Value> {
        match atom {
            Atom::Var(var) => match &self.vars[var.0 as usize] {
                Some(value) => Ok(value.clone()),
                None if self.type_of(*var)? == Type::Unit => Ok(UNIT),
                None => broken(format!("variable {} has no value", var.0)),
            },
            Atom::Int(value, ty) => self.literal(*ty, |scalar| wrap(scalar, *value)),
            Atom::Bits(bits, ty) => self.literal(*ty, |_| (*bits).into()),
            Atom::Float(text, ty) => self.literal(*ty, |scalar| match scalar {
                Scalar::F32 => f32_word(text.parse().unwrap_or(f32::NAN)),
                _ => f64_word(text.parse().unwrap_or(f64::NAN)),
            }),
            Atom::Bool(value) => Ok(Value::bool(*value)),
            Atom::Unit => Ok(UNIT),
        }
    }

    fn literal(&self, ty: TyId, word: impl FnOnce(Scalar) -> Bits) -> Done<Value> {
        match self.ty(ty)? {
            Type::Scalar(scalar) => Ok(Value::Scalar(scalar, word(scalar))),
            Type::Enum(of) => Ok(Value::Enum(of, word(of.repr))),
            other => broken(format!("a literal of type `{other}`")),
        }
    }

    /// Returns a scalar: its type and its bits.
    pub(super) fn scalar(&self, atom: &Atom) -> Done<(Scalar, Bits)> {
        match self.atom(atom)?.scalar() {
            Some(scalar) => Ok(scalar),
            None => broken("a scalar is expected"),
        }
    }

    pub(super) fn bool(&self, atom: &Atom) -> Done<bool> {
        match self.scalar(atom)? {
            (Scalar::Bool, word) => Ok(word != 0),
            _ => broken("a boolean is expected"),
        }
    }

    pub(super) fn set(&mut self, var: VarId, value: Value) {
        self.vars[var.0 as usize] = Some(value);
    }
}
