//! A call of a procedure: how it is pushed, and its result according to the interpreter.

use std::sync::OnceLock;

use kernels_gen::compile::Program;
use stm_interpreter::Machine;
use stm_runtime::{Batch, Error, FaultCode, GpuData, Kernel, Outcome, UnresolvedReason};
use stm_tests::draw::Draw;

use crate::arrays::{one_nan, words};
use crate::world::World;

/// One entry of the list of procedures.
pub(crate) struct Procedure {
    pub(crate) name: &'static str,
    /// Whether it keeps the sum of all words of each of its arrays, modulo 2^32.
    pub(crate) conserves: bool,
    pub(crate) kernel: fn() -> Kernel,
    /// Pushes a call with random arguments into a batch.
    pub(crate) push: fn(&'static Procedure, &mut World, usize, &mut Draw) -> Result<(), String>,
    pub(crate) meaning: OnceLock<Meaning>,
}

/// The meaning of a procedure, independent of rustc.
pub(crate) struct Meaning {
    pub(crate) machine: Machine<'static>,
}

impl Procedure {
    /// Returns its interpreter, which is created on first use.
    pub(crate) fn meaning(&self) -> &Meaning {
        self.meaning.get_or_init(|| {
            let source = (self.kernel)().source().expect("an annotated function should have a source");
            let program = Program::load(source).unwrap_or_else(|why| panic!("{}: {why}", self.name));
            let program: &'static Program = Box::leak(Box::new(program));
            let machine = Machine::new(program, source.checked).unwrap_or_else(|why| panic!("{}: {why}", self.name));
            Meaning { machine }
        })
    }
}

/// The end of a transaction, whatever its result type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    Committed(Vec<u64>),
    Rejected(u32),
    /// A fault with line and column.
    Faulted(FaultCode, u32, u32),
    Unresolved(UnresolvedReason),
    /// The interpreter cannot run it.
    Broken(String),
}

impl End {
    pub(crate) fn of<R: GpuData>(outcome: Outcome<R>) -> End {
        match outcome {
            Outcome::Committed(value) => End::Committed(words(value)),
            Outcome::Rejected(code) => End::Rejected(code),
            Outcome::Faulted(fault) => End::Faulted(fault.code, fault.line, fault.column),
            Outcome::Unresolved(why) => End::Unresolved(why),
        }
    }

    /// Converts an outcome of the interpreter; `Unresolved` where a guard was false.
    pub(crate) fn interpreted(machine: &Machine<'_>, outcome: stm_interpreter::Outcome) -> End {
        use stm_interpreter::Outcome as Meant;
        match outcome {
            Meant::Committed(mut words) => {
                let scalars = machine.result().map(|ty| ty.scalars()).unwrap_or_default();
                scalars.into_iter().zip(&mut words).for_each(|(scalar, word)| one_nan(scalar, word));
                End::Committed(words)
            }
            Meant::Rejected(code) => End::Rejected(code),
            Meant::Faulted(code, location) => {
                let at = machine.location(location).map_or((0, 0), |at| (at.line, at.column));
                End::Faulted(code, at.0, at.1)
            }
            Meant::Postponed => End::Unresolved(UnresolvedReason::GuardNeverHeld),
            Meant::Broken(why) => End::Broken(why),
        }
    }
}

/// Tries a call that does not fit its batch: it must be refused and leave the batch unchanged.
pub(crate) fn refused(batch: &mut Batch, push: impl FnOnce(&mut Batch) -> Option<Error>) -> Result<(), String> {
    let before = (batch.len(), batch.kernels().len());
    let why = push(batch).ok_or("a call that does not fit its batch is taken")?;
    if why.to_string().is_empty() || (batch.len(), batch.kernels().len()) != before {
        return Err(format!("a refused call has changed its batch: {why}"));
    }
    Ok(())
}

/// Declares the list of procedures: path, arrays, values, and whether it conserves its arrays' sums.
macro_rules! procedures {
    ($all:ident: $(
        $first:ident $(::$part:ident)* $(::<$of:ty>)? ($($array:ident: $sort:ty),*)($($value:ident: $type:ty),*) $($conserves:ident)?;
    )*) => {
        /// Every procedure.
        pub(crate) static $all: [Procedure; [$(stringify!($first)),*].len()] = [$(Procedure {
            name: concat!(stringify!($first) $(, "::", stringify!($part))* $(, "::<", stringify!($of), ">")?),
            conserves: stringify!($($conserves)?).len() == "conserves".len(),
            kernel: || $first$(::$part)*$(::<$of>)?::kernel(),
            #[allow(unused_mut, unused_variables)]
            push: |procedure, world, batch, draw| {
                let mut taken = $crate::world::Taken::default();
                $(let $array: $sort = world.argument(batch, &mut taken, draw)?;)*
                let mut words = Vec::new();
                $(
                    let $value: $type = draw.value();
                    words.extend(stm_runtime::__private::words_of($value));
                )*
                let call = $first$(::$part)*$(::<$of>)?::call($(&$array,)* $($value,)*);
                let is_tried = draw.chance(300);
                if is_tried && world.refuses(batch, &taken) {
                    return $crate::call::refused(&mut world.batches[batch].inner, |batch| batch.try_push(call).err());
                }
                let batch = world.pushed(batch, procedure, taken, words);
                let ticket = match is_tried {
                    true => batch.inner.try_push(call).map_err(|why| format!("a call is refused: {why}"))?,
                    false => batch.inner.push(call),
                };
                batch.ended.push(Box::new(move |report| $crate::call::End::of(report.outcome(ticket))));
                if ticket.transaction() + 1 == batch.inner.len() { Ok(()) } else { Err(format!("{ticket:?} is not the last")) }
            },
            meaning: std::sync::OnceLock::new(),
        },)*];
    };
}

pub(crate) use procedures;
