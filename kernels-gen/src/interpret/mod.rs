//! Runs a transaction as its open intermediate form says, one statement after the other: what the other printers are
//! compared with.
//!
//! Nothing is shared with the printers of Rust and CUDA, nor with the expansion: values are trees, calls are calls, and
//! arithmetic is Rust's own. What is shared is the front end and the resolution of types, without which there is no
//! program.

mod access;
mod compute;
mod frame;
mod methods;
mod place;
mod scalar;
mod stmt;
mod value;

use crate::compile::{KindError, MAX_ITERATIONS, Program, Resolved, prepare};
use crate::fault::FaultCode;
use crate::ir::{Overflow, ParamRole, Place};
use crate::spec::Type;

use frame::{Frame, Run, View};
use value::Value;

/// A transaction, ready to run.
pub struct Machine<'p> {
    resolved: Resolved<'p>,
    checked: bool,
    /// Where each site is, those of calls included, as the devices number them.
    sites: Vec<Place>,
}

/// What one run works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// For each leaf of the region parameters in order, which list of the memory it is.
    pub regions: Vec<usize>,
    /// The words of the leaves of the value parameters, in order; behind them the number of the part, where there are any.
    pub words: Vec<u64>,
}

/// How a transaction ended. Only after [`Outcome::Committed`] is the memory another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// With the words of the result's leaves.
    Committed(Vec<u64>),
    /// With this code.
    Rejected(u32),
    /// With this code, at this site.
    Faulted(FaultCode, u32),
    /// A guard was false.
    Postponed,
    /// The form has no meaning, which the front end should have said.
    Broken(String),
}

/// Why a run ended before its `return`.
#[derive(Debug)]
enum Stop {
    Rejected(u32),
    Faulted(FaultCode, u32),
    Postponed,
    Broken(String),
}

type Done<T> = Result<T, Stop>;

/// A form without a meaning.
fn broken<T>(what: impl Into<String>) -> Done<T> {
    Err(Stop::Broken(what.into()))
}

impl<'p> Machine<'p> {
    /// Prepares a transaction. `debug` is what `cfg!(debug_assertions)` is in the user's crate: it decides about overflow
    /// where the attribute does not.
    ///
    /// # Errors
    /// Its types do not agree.
    pub fn new(program: &'p Program, debug: bool) -> Result<Machine<'p>, KindError> {
        let resolved = prepare(program)?;
        let checked = match program.tx.options.overflow {
            Overflow::AsBuilt => debug,
            Overflow::Check => true,
            Overflow::Wrap => false,
        };
        let mut sites = Vec::new();
        list_sites(&resolved, &mut sites);
        Ok(Machine { resolved, checked, sites })
    }

    /// The types of the region parameters' elements and of the value parameters, each in order.
    #[must_use]
    pub fn params(&self) -> (Vec<Type>, Vec<Type>) {
        let (mut regions, mut values) = (Vec::new(), Vec::new());
        for param in &self.resolved.program.tx.params {
            let list = if param.role == ParamRole::Region { &mut regions } else { &mut values };
            list.extend(self.resolved.ty(param.ty));
        }
        (regions, values)
    }

    /// The type of the result.
    #[must_use]
    pub fn result(&self) -> Option<Type> {
        self.resolved.ty(self.resolved.program.tx.result)
    }

    /// Where a site is.
    #[must_use]
    pub fn site(&self, site: u32) -> Option<Place> {
        self.sites.get(site as usize).copied()
    }

    /// Runs a call on a memory: a list of words for each leaf of each region.
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
            Err(Stop::Faulted(code, site)) => Outcome::Faulted(code, site),
            Err(Stop::Postponed) => Outcome::Postponed,
            Err(Stop::Broken(why)) => Outcome::Broken(why),
        };
        *memory = before;
        outcome
    }

    /// The frame of a call, with its arguments.
    fn frame(&self, call: &Call) -> Done<Frame<'_>> {
        let mut frame = Frame::new(&self.resolved, 0);
        let mut words = call.words.iter().copied();
        let mut regions = call.regions.as_slice();
        for (k, param) in self.resolved.program.tx.params.iter().enumerate() {
            let Some(ty) = self.resolved.ty(param.ty) else { return broken("a parameter without a type") };
            if param.role != ParamRole::Region {
                frame.vars[k] = Some(Value::take(ty, &mut || words.next().unwrap_or(0)));
                continue;
            }
            let Some((own, rest)) = regions.split_at_checked(ty.leaves()) else { return broken("too few regions") };
            let size = param.part.and_then(|part| part.known(&self.resolved.program.constants));
            frame.regions[k] = Some(View { ty, leaves: own.to_vec(), part: size.map(|size| (0, size)) });
            regions = rest;
        }
        // The word behind those of the values says which part it is.
        let part = words.next().unwrap_or(0);
        for (number, _) in frame.regions.iter_mut().flatten().filter_map(|view| view.part.as_mut()) {
            *number = part;
        }
        Ok(frame)
    }
}

/// Those of a function first, then those of each of its calls, in source order.
fn list_sites(resolved: &Resolved<'_>, sites: &mut Vec<Place>) {
    sites.extend(resolved.program.tx.sites.iter().map(|site| site.at));
    resolved.functions.iter().for_each(|function| list_sites(function, sites));
}
