//! Parts of variables.

use super::frame::CallFrame;
use super::scalar::Bits;
use super::stop::{Done, Stop, broken};
use super::value::Value;
use kernels_gen::fault::FaultCode;
use kernels_gen::ir::open::{Atom, Step};
use kernels_gen::ir::{LocationId, VarId};

/// A step whose index is known.
pub(super) enum KnownStep {
    Field(String),
    Element(usize),
}

impl CallFrame<'_> {
    /// Returns the steps with their indices evaluated, and checks them from the outside to the inside.
    pub(super) fn way(&mut self, var: VarId, steps: &[Step]) -> Done<Vec<KnownStep>> {
        let mut way = Vec::new();
        for step in steps {
            let next = match step {
                Step::Field(name) => KnownStep::Field(name.clone()),
                Step::Element(index, location) => {
                    let (index, location) = (self.scalar(index)?.1, self.location(*location));
                    match self.part(var, &way)? {
                        Value::Array(elements) => KnownStep::Element(inside(index, elements.len(), location)?),
                        // In a loop over what may be an array.
                        Value::Option(..) => KnownStep::Field("Some.0".to_owned()),
                        _ => return broken("only an array or an `Option` has elements"),
                    }
                }
            };
            way.push(next);
        }
        Ok(way)
    }

    /// Returns the part of a variable at the end of these steps.
    pub(super) fn part(&mut self, var: VarId, way: &[KnownStep]) -> Done<&mut Value> {
        let mut part = match &mut self.vars[var.0 as usize] {
            Some(value) => value,
            None => return broken("a part of a variable without a value"),
        };
        for step in way {
            let next = match (step, part) {
                (KnownStep::Field(name), whole) => whole.field(name),
                (KnownStep::Element(index), Value::Array(elements)) => elements.get_mut(*index),
                _ => None,
            };
            part = match next {
                Some(next) => next,
                None => return broken("there is no such part"),
            };
        }
        Ok(part)
    }

    pub(super) fn assign(&mut self, var: VarId, steps: &[Step], value: &Atom) -> Done<()> {
        let value = self.atom(value)?;
        if steps.is_empty() {
            self.set(var, value);
            return Ok(());
        }
        let way = self.way(var, steps)?;
        *self.part(var, &way)? = value;
        Ok(())
    }

    /// Returns `array[index]`.
    pub(super) fn element(&self, array: &Atom, index: &Atom, location: LocationId) -> Done<Value> {
        let mut elements = match self.atom(array)? {
            Value::Array(elements) => elements,
            Value::Option(_, value) => value.into_iter().map(|value| *value).collect(),
            _ => return broken("only an array or an `Option` has elements"),
        };
        let index = inside(self.scalar(index)?.1, elements.len(), self.location(location))?;
        Ok(elements.swap_remove(index))
    }

    /// Returns the elements of `array[start..end]`: an array that is shorter than its type says.
    pub(super) fn slice(&self, array: &Atom, [start, end]: [&Atom; 2], location: LocationId) -> Done<Value> {
        let Value::Array(elements) = self.atom(array)? else { return broken("only an array has elements") };
        let (start, end) = (self.scalar(start)?.1, self.scalar(end)?.1);
        match usize::try_from(start).ok().zip(usize::try_from(end).ok()).and_then(|(a, b)| elements.get(a..b)) {
            Some(part) => Ok(Value::Array(part.to_vec())),
            None => Err(Stop::Faulted(FaultCode::IndexOutOfRange, self.location(location))),
        }
    }
}

fn inside(index: Bits, length: usize, location: u32) -> Done<usize> {
    match usize::try_from(index) {
        Ok(index) if index < length => Ok(index),
        _ => Err(Stop::Faulted(FaultCode::IndexOutOfRange, location)),
    }
}
