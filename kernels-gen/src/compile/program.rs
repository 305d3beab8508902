//! A function in the open stage, with everything that it names.

use std::collections::HashSet;
use std::sync::Arc;

use super::error::ProcedureError;
use crate::ir::open::Function;
use crate::spec::{Constant, Type};

/// The largest number that `max_accesses` can state.
const MOST_ACCESSES: u32 = 65_535;

/// One annotated function, with everything that it names.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// Its intermediate form.
    pub tx: Function,
    /// The types that it names.
    pub types: Vec<Type>,
    /// The constants that it names.
    pub constants: Vec<Constant>,
    /// The functions that it calls, one entry for each call, in source order. Calls of one function share its program, so
    /// the size of a program is that of its text, however often its functions are called.
    pub functions: Vec<Arc<Program>>,
}

impl Program {
    /// Returns the program of a function that names nothing of the user's program.
    #[must_use]
    pub fn alone(tx: Function) -> Program {
        Program { tx, types: Vec::new(), constants: Vec::new(), functions: Vec::new() }
    }

    /// Replaces the constant of `max_accesses = NAME` by its value.
    ///
    /// # Errors
    /// Fails if it is no integer from 1 to 65,535.
    pub fn state_accesses(&mut self) -> Result<(), ProcedureError> {
        let Some(number) = self.tx.options.max_accesses_constant.take() else { return Ok(()) };
        let value =
            self.constants.get(number as usize).and_then(|constant| match (constant.ty, constant.words.as_slice()) {
                (Type::Scalar(scalar), [word]) if scalar.is_int() => u32::try_from(*word).ok(),
                _ => None,
            });
        let value = value.filter(|value| (1..=MOST_ACCESSES).contains(value));
        self.tx.options.max_accesses = value;
        if value.is_some() {
            return Ok(());
        }
        let message =
            format!("the constant of `max_accesses` is no whole number from 1 to {MOST_ACCESSES}; change its value");
        Err(ProcedureError::at(&self.tx, message))
    }

    /// Returns every function of the program once, called ones before their callers. The last one is the program itself.
    pub(super) fn all(&self) -> Vec<&Program> {
        let (mut all, mut seen) = (Vec::new(), HashSet::new());
        // The functions from the program to the present one, each with the next call to follow.
        let mut path = vec![(self, 0)];
        while let Some((function, call)) = path.last_mut() {
            let Some(called) = function.functions.get(*call) else {
                all.push(*function);
                path.pop();
                continue;
            };
            *call += 1;
            if seen.insert(Arc::as_ptr(called)) {
                path.push((called, 0));
            }
        }
        all
    }
}

/// Returns the first location of each call, and the number of all locations: those of the function come first, then those of each
/// of its calls, in source order. Sums saturate; a program that large is rejected before it runs.
pub(super) fn place_calls(own: u32, calls: impl Iterator<Item = u32>) -> (Vec<u32>, u32) {
    let (mut first, mut next) = (Vec::new(), own);
    for locations in calls {
        first.push(next);
        next = next.saturating_add(locations);
    }
    (first, next)
}
