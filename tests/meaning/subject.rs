//! Programs that can run: a procedure for devices, and the form for the interpreter.

use kernels_gen::compile::{self, Program};
use kernels_gen::module as source_file;
use kernels_gen::spec::Type;
use stm_interpreter::Machine;
use stm_runtime::__private::HostFunctions;
use stm_runtime::Procedure;

/// A transaction with the types that its calls need.
pub(crate) struct Subject {
    /// The seed and the number of its module.
    pub(crate) module: (u64, u64),
    pub(crate) procedure: &'static Procedure,
    /// Whether rustc compiled it, so that CPU threads can run it.
    pub(crate) is_compiled: bool,
    pub(crate) machine: Machine<'static>,
    /// The types of the elements of its arrays, and of its values.
    pub(crate) arrays: Vec<Type>,
    pub(crate) values: Vec<Type>,
}

impl Subject {
    fn new(
        module: (u64, u64),
        procedure: &'static Procedure,
        program: &'static Program,
        debug: bool,
    ) -> Result<Subject, String> {
        let machine = Machine::new(program, debug).map_err(|error| error.to_string())?;
        let (arrays, values) = machine.params();
        Ok(Subject { module, procedure, is_compiled: false, machine, arrays, values })
    }

    /// Returns the subject of a transaction that rustc compiled.
    pub(crate) fn of_procedure(module: (u64, u64), procedure: &'static Procedure) -> Result<Subject, String> {
        let source = stm_runtime::Kernel::of(procedure).source().ok_or("a procedure without a source")?;
        procedure.spec().map_err(|error| error.to_string())?;
        let program = Program::load(source).map_err(|error| error.to_string())?;
        let subject = Subject::new(module, procedure, Box::leak(Box::new(program)), source.checked)?;
        Ok(Subject { is_compiled: true, ..subject })
    }

    /// Returns the subjects of a source text, which only devices can run.
    pub(crate) fn of_text(module: (u64, u64), text: &str) -> Result<Vec<Subject>, String> {
        let programs = source_file::programs(text, "generated.rs", true).map_err(|error| error.to_string())?;
        programs.into_iter().map(|program| Subject::of_program(module, program)).collect()
    }

    fn of_program(module: (u64, u64), program: Program) -> Result<Subject, String> {
        let program: &'static Program = Box::leak(Box::new(program));
        let (tx, facts, cuda) = compile::flat(program).map_err(|error| error.to_string())?;
        let spec = Box::leak(Box::new(compile::leak(&tx, &facts, cuda, "")));
        let procedure = Box::leak(Box::new(Procedure::ready(spec, HostFunctions::IDLE)));
        Subject::new(module, procedure, program, true)
    }
}
