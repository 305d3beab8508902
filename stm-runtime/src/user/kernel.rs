//! A view of the compiled form of one procedure.

use std::fmt;

use kernels_gen::device::link::Part;
use kernels_gen::spec::{ProcedureSpec, Source};

use crate::engine::Engine;
use crate::error::Error;
use crate::procedure::{KernelFacts, Procedure, Snapshot};

/// A view of one procedure's generated code, from `name::kernel()`.
///
/// The first query compiles the procedure, and so does the first call in a batch: types, constants and functions of other modules
/// are known only when the program runs. Their errors are [`Error::Procedure`].
#[derive(Clone, Copy)]
pub struct Kernel {
    procedure: &'static Procedure,
}

impl Kernel {
    /// Returns the kernel of a procedure. Generated code calls this.
    #[doc(hidden)]
    #[must_use]
    pub fn of(procedure: &'static Procedure) -> Kernel {
        Kernel { procedure }
    }

    /// Returns the function's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.procedure.name()
    }

    /// Returns the facts that the analysis found about the function; they print as a table.
    ///
    /// # Errors
    /// The procedure does not compile.
    pub fn facts(&self) -> Result<KernelFacts, Error> {
        Ok(KernelFacts::of(self.spec()?))
    }

    /// Returns everything that is compiled for a batch with this procedure alone, under the default engine: headers, engine,
    /// scheduler and the generated body. The text of a run differs where the batch has more procedures or arrays; set
    /// `STM_DUMP` to see that one.
    ///
    /// # Errors
    /// The procedure does not compile.
    pub fn cuda_source(&self) -> Result<String, Error> {
        self.cuda_source_for(Engine::default())
    }

    /// Returns the same for another engine.
    ///
    /// # Errors
    /// The procedure does not compile, or the engine does not support it.
    pub fn cuda_source_for(&self, engine: Engine) -> Result<String, Error> {
        Ok(crate::gpu::source_of_procedure(self.spec()?, engine.tuned())?)
    }

    /// Returns the text of a batch that calls each of these procedures on that many sets of arrays: the unit in one piece, and the
    /// same unit in parts. A GPU run compiles the parts of several procedures at the same time, where there are
    /// several processors.
    ///
    /// # Errors
    /// A procedure does not compile, or the engine does not support it.
    pub fn cuda_source_of_batch(kernels: &[Kernel], sets: usize, engine: Engine) -> Result<(String, Vec<Part>), Error> {
        let specs = kernels.iter().map(|kernel| kernel.spec()).collect::<Result<Vec<_>, Error>>()?;
        Ok(crate::gpu::source_of_batch(&specs, sets, engine.tuned())?)
    }

    /// Returns the CUDA C of this procedure alone.
    ///
    /// # Errors
    /// The procedure does not compile.
    pub fn cuda_body(&self) -> Result<&'static str, Error> {
        Ok(self.spec()?.cuda)
    }

    /// Returns the parameters, the facts and the CUDA C of this procedure as a text for snapshot tests. The text has no lines and
    /// files, so edits elsewhere in the program do not change it; a change in the function, in its callees, or in the compiler
    /// does. See [`assert_kernel_snapshot`](crate::assert_kernel_snapshot).
    ///
    /// # Errors
    /// The procedure does not compile.
    pub fn snapshot(&self) -> Result<String, Error> {
        Ok(Snapshot(self.spec()?).to_string())
    }

    /// Returns the source that the macro recorded for the compiler: for tests and tools.
    #[doc(hidden)]
    #[must_use]
    pub fn source(&self) -> Option<&'static Source> {
        self.procedure.source()
    }

    fn spec(self) -> Result<&'static ProcedureSpec, Error> {
        Ok(self.procedure.compiled()?.spec)
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kernel").field(&self.procedure.name()).finish()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::procedure::HostFunctions;
    use crate::{Call, Device};

    static NO_SOURCE: Source = Source { module: "procedures", checked: true, ..Source::EMPTY };
    static BROKEN: Procedure = Procedure::new("broken", &NO_SOURCE, HostFunctions::IDLE);

    #[test]
    fn a_procedure_that_does_not_compile_is_an_error_of_everything_that_needs_it() {
        let mut batch = Device::cpu(1).batch();
        batch.push(Call::<(), 0, 0>::new(&BROKEN, [], []));
        assert!(matches!(batch.run(), Err(Error::Procedure(_))));
        let kernel = Kernel::of(&BROKEN);
        assert_eq!(kernel.name(), "broken");
        assert!(matches!(kernel.facts(), Err(Error::Procedure(_))));
        assert!(matches!(kernel.cuda_source(), Err(Error::Procedure(_))));
        assert!(matches!(kernel.cuda_body(), Err(Error::Procedure(_))));
        assert!(matches!(kernel.snapshot(), Err(Error::Procedure(_))));
        assert_eq!(BROKEN.spec().unwrap_err(), BROKEN.spec().unwrap_err());
    }
}
