//! Programs that can run: a kind for devices, and the form for the interpreter.

use kernels_gen::compile::{self, Program};
use kernels_gen::interpret::Machine;
use kernels_gen::module as source_file;
use kernels_gen::spec::Type;
use stm_runtime::Kind;

/// One transaction.
pub(crate) struct Subject {
    /// The seed and the number of its module.
    pub(crate) module: (u64, u64),
    pub(crate) kind: &'static Kind,
    pub(crate) machine: Machine<'static>,
    /// The types of the elements of its regions, and of its values.
    pub(crate) regions: Vec<Type>,
    pub(crate) values: Vec<Type>,
}

impl Subject {
    fn new(module: (u64, u64), kind: &'static Kind, program: &'static Program, debug: bool) -> Result<Subject, String> {
        let machine = Machine::new(program, debug).map_err(|error| error.to_string())?;
        let (regions, values) = machine.params();
        Ok(Subject { module, kind, machine, regions, values })
    }

    /// A transaction that rustc compiled.
    pub(crate) fn of_kind(module: (u64, u64), kind: &'static Kind) -> Result<Subject, String> {
        let source = stm_runtime::Kernel::of(kind).source().ok_or("a kind without a source")?;
        kind.spec().map_err(|error| error.to_string())?;
        let program = Program::load(source).map_err(|error| error.to_string())?;
        Subject::new(module, kind, Box::leak(Box::new(program)), source.checked)
    }

    /// The transactions of a source text, which only devices can run.
    pub(crate) fn of_text(module: (u64, u64), text: &str) -> Result<Vec<Subject>, String> {
        let programs = source_file::programs(text, "generated.rs", true).map_err(|error| error.to_string())?;
        programs.into_iter().map(|program| Subject::of_program(module, program)).collect()
    }

    fn of_program(module: (u64, u64), program: Program) -> Result<Subject, String> {
        let program: &'static Program = Box::leak(Box::new(program));
        let (tx, facts, cuda) = compile::flat(program).map_err(|error| error.to_string())?;
        let spec = Box::leak(Box::new(compile::leak(&tx, &facts, cuda, "", true)));
        let kind = Box::leak(Box::new(Kind::ready(spec, |_, _, _| Ok(()))));
        Subject::new(module, kind, program, true)
    }
}
