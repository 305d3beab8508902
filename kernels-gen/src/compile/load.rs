//! From a [`Source`] to owned data.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::built_in;
use super::error::ProcedureError;
use super::program::{Program, place_calls};
use super::size::DEEPEST_CALLS;
use crate::Trouble;
use crate::ir::open::Function;
use crate::spec::Source;

impl Program {
    /// Decodes a source and everything that it calls, each function once.
    ///
    /// # Errors
    /// Fails if this version did not write the bytes, if a function calls itself, or if calls nest too deep.
    pub fn load(source: &'static Source) -> Result<Program, ProcedureError> {
        let order = called_first(source)?;
        check_depth(source, &order)?;
        let mut loaded: HashMap<*const Source, Arc<Program>> = HashMap::new();
        for function in order {
            let mut functions: Vec<Arc<Program>> =
                function.functions.iter().map(|called| loaded[&std::ptr::from_ref(*called)].clone()).collect();
            let constants = function.constants.iter().map(|constant| constant()).collect();
            let types = function.types.to_vec();
            let mut tx = decode(function)?;
            built_in::at_calls(&tx, &mut functions, |call| function.functions[call].is_in_place_of_rust());
            built_in::lower(&mut tx, &|call| {
                function.functions.get(call.0 as usize).and_then(|called| called.operator())
            });
            let mut program = Program { tx, types, constants, functions };
            program.state_accesses()?;
            if std::ptr::eq(function, source) {
                return Ok(program);
            }
            loaded.insert(function, Arc::new(program));
        }
        Ok(Program::alone(decode(source)?))
    }
}

fn decode(source: &Source) -> Result<Function, ProcedureError> {
    if source.ir.is_empty() && source.identity != 0 {
        return Ok(built_in::nothing());
    }
    postcard::from_bytes(source.ir).map_err(|error| ProcedureError {
        procedure: String::new(),
        file: source.module.to_owned(),
        line: 0,
        message: format!("its intermediate form cannot be read ({error}); build the program again"),
        rule: None,
        at: None,
    })
}

/// Returns every function that a source calls and the source itself, each once, called ones before their callers. A source is
/// identified by its address.
fn called_first(source: &'static Source) -> Result<Vec<&'static Source>, ProcedureError> {
    let mut order = Vec::new();
    // For every function reached so far: whether it is on the path to the present one.
    let mut met: HashMap<*const Source, bool> = HashMap::from([(std::ptr::from_ref(source), true)]);
    let mut path = vec![(source, 0)];
    while let Some((function, call)) = path.last_mut() {
        let function = *function;
        let Some(called) = function.functions.get(*call).copied() else {
            met.insert(function, false);
            order.push(function);
            path.pop();
            continue;
        };
        *call += 1;
        match met.get(&std::ptr::from_ref(called)) {
            Some(true) => return Err(recursion(called)),
            Some(false) => {}
            None => {
                met.insert(called, true);
                path.push((called, 0));
            }
        }
    }
    Ok(order)
}

/// Returns the error of a function that calls itself. rustc reports this first, unless the program is larger than it examines.
fn recursion(source: &Source) -> ProcedureError {
    let message = source.recursion.strip_prefix("STM0040: ").unwrap_or(source.recursion).to_owned();
    let (rule, file) = (Some(Trouble::Recursion), source.module.to_owned());
    ProcedureError { procedure: String::new(), file, line: 0, message, rule, at: None }
}

/// Checks that calls do not nest too deep for the stack of the passes over a program, which follow them.
fn check_depth(source: &Source, order: &[&'static Source]) -> Result<(), ProcedureError> {
    let mut depths: HashMap<*const Source, usize> = HashMap::new();
    for function in order {
        let called = function.functions.iter().map(|called| depths[&std::ptr::from_ref(*called)]);
        let depth = called.max().map_or(0, |depth| depth + 1);
        depths.insert(*function, depth);
    }
    let depth = depths[&std::ptr::from_ref(source)];
    if depth <= DEEPEST_CALLS {
        return Ok(());
    }
    let message = format!(
        "calls nest {depth} deep, and at most {DEEPEST_CALLS} do; write a loop, or move the code of some functions into their callers"
    );
    Err(ProcedureError::rule(&decode(source)?, Trouble::Expansion, message))
}

/// Stores in every function of a transaction where the locations of its calls begin, as the compilation numbers them. The numbers
/// depend only on the function and what it calls, so every transaction stores the same ones.
pub(super) fn place_locations(source: &'static Source) {
    let Ok(order) = called_first(source) else { return };
    let mut locations: HashMap<*const Source, u32> = HashMap::new();
    for function in order {
        let own = decode(function).map_or(0, |tx| tx.locations.len() as u32);
        let (first, all) =
            place_calls(own, function.functions.iter().map(|called| locations[&std::ptr::from_ref(*called)]));
        for (place, first) in function.first_locations.iter().zip(first) {
            place.store(first, Ordering::Relaxed);
        }
        locations.insert(function, all);
    }
}
