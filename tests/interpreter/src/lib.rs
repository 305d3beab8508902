//! Runs a transaction in its open intermediate form, one statement after the other: the reference that the other printers are
//! compared with.
//!
//! The interpreter shares no code with the printers of Rust and CUDA or with the expansion: values are trees, calls are calls, and
//! arithmetic is Rust's own. It shares the front end and the resolution of types, without which there is no
//! program.

mod access;
mod compute;
mod frame;
mod methods;
mod place;
mod scalar;
mod stmt;
mod stop;
mod value;

use kernels_gen::compile::{MAX_ITERATIONS, ProcedureError, Program, Resolved, prepare};
use kernels_gen::fault::FaultCode;
use kernels_gen::ir::open::ParamRole;
use kernels_gen::ir::{Overflow, Position};
use kernels_gen::spec::{Scalar, Type};

use frame::{CallFrame, Run, View};
use stop::{Done, Stop, broken};
use value::Value;

/// A transaction, ready to run.
pub struct Machine<'p> {
    resolved: Resolved<'p>,
    checked: bool,
    /// The position of each location, including those of calls, as the devices number them.
    locations: Vec<Position>,
}

/// The input of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The index of the memory's list for each component of the array parameters, in order.
    pub arrays: Vec<usize>,
    /// The words of the components of the value parameters, in order, and then the partition index, if any array is partitioned.
    pub words: Vec<u64>,
}

/// The outcome of a transaction. The memory changes only with [`Outcome::Committed`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Committed, with the words of the result's components.
    Committed(Vec<u64>),
    /// Rejected with this code.
    Rejected(u32),
    /// Faulted with this code, at this location.
    Faulted(FaultCode, u32),
    /// A guard was false.
    Postponed,
    /// The form has no meaning; the front end should have rejected it.
    Broken(String),
}

impl<'p> Machine<'p> {
    /// Prepares a transaction. `debug` is the value of `cfg!(debug_assertions)` in the user's crate: it decides about overflow
    /// where the attribute does not.
    ///
    /// # Errors
    /// Fails if its types do not agree.
    pub fn new(program: &'p Program, debug: bool) -> Result<Machine<'p>, ProcedureError> {
        let resolved = prepare(program)?;
        let checked = match program.tx.options.overflow {
            Overflow::AsBuilt => debug,
            Overflow::Check => true,
            Overflow::Wrap => false,
        };
        let mut locations = Vec::new();
        list_locations(&resolved, &mut locations);
        Ok(Machine { resolved, checked, locations })
    }

    /// Returns the types of the array parameters' elements and of the value parameters, each in order.
    #[must_use]
    pub fn params(&self) -> (Vec<Type>, Vec<Type>) {
        let (mut arrays, mut values) = (Vec::new(), Vec::new());
        for param in &self.resolved.program.tx.params {
            let list = if param.role == ParamRole::Array { &mut arrays } else { &mut values };
            list.extend(self.resolved.ty(param.ty));
        }
        (arrays, values)
    }

    /// Returns the type of the result.
    #[must_use]
    pub fn result(&self) -> Option<Type> {
        self.resolved.ty(self.resolved.program.tx.result)
    }

    /// Returns the position of a location.
    #[must_use]
    pub fn location(&self, location: u32) -> Option<Position> {
        self.locations.get(location as usize).copied()
    }

    /// Runs a call on a memory: a list of words for each component of each array.
    pub fn run(&self, call: &Call, memory: &mut Vec<Vec<u64>>) -> Outcome {
        let before = memory.clone();
        let options = &self.resolved.program.tx.options;
        let mut run = Run {
            memory,
            checked: self.checked,
            iterations_left: options.max_iterations.unwrap_or(MAX_ITERATIONS),
            looping: 0,
            most: options.max_accesses,
            met: Vec::new(),
            met_in_loops: 0,
        };
        let ended = self.frame(call).and_then(|mut frame| run.function(&mut frame));
        let outcome = match ended {
            Ok(result) => {
                let mut words = Vec::new();
                result.put(&mut words);
                return Outcome::Committed(words);
            }
            Err(Stop::Rejected(code)) => Outcome::Rejected(code),
            Err(Stop::Faulted(code, location)) => Outcome::Faulted(code, location),
            Err(Stop::Postponed) => Outcome::Postponed,
            Err(Stop::Broken(why)) => Outcome::Broken(why),
        };
        *memory = before;
        outcome
    }

    /// Returns the frame of a call, with its arguments.
    fn frame(&self, call: &Call) -> Done<CallFrame<'_>> {
        let mut frame = CallFrame::new(&self.resolved, 0);
        let mut words = call.words.iter().copied();
        let mut arrays = call.arrays.as_slice();
        for (k, param) in self.resolved.program.tx.params.iter().enumerate() {
            let Some(ty) = self.resolved.ty(param.ty) else { return broken("a parameter without a type") };
            if param.role != ParamRole::Array {
                frame.vars[k] = Some(Value::take(ty, &mut || words.next().unwrap_or(0)));
                continue;
            }
            let Some((own, rest)) = arrays.split_at_checked(ty.components()) else { return broken("too few arrays") };
            let size = param.part.and_then(|part| part.known(&self.resolved.program.constants));
            frame.arrays[k] = Some(View { ty, components: own.to_vec(), part: size.map(|size| (0, size)) });
            arrays = rest;
        }
        // The word after those of the values is the partition index.
        let part = words.next().unwrap_or(0);
        for (number, _) in frame.arrays.iter_mut().flatten().filter_map(|view| view.part.as_mut()) {
            *number = part;
        }
        Ok(frame)
    }
}

/// Calls a method of a scalar that fits into a word, or an associated function. The operands are bits; unused ones are 0. Returns the
/// words of the result's components, or its fault; `None` if there is no such method.
#[must_use]
pub fn method(name: &str, scalar: Scalar, operands: [u64; 3], checked: bool) -> Option<Result<Vec<u64>, FaultCode>> {
    let result = methods::scalar(name, scalar, operands.map(u128::from), checked)?;
    Some(result.map(|value| {
        let mut words = Vec::new();
        value.put(&mut words);
        words
    }))
}

/// Lists the locations of a function first, then those of each of its calls, in source order.
fn list_locations(resolved: &Resolved<'_>, locations: &mut Vec<Position>) {
    locations.extend(resolved.program.tx.locations.iter().map(|location| location.at));
    resolved.functions.iter().for_each(|function| list_locations(function, locations));
}
