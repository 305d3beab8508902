//! A view on what the compiler made of one procedure.

use std::fmt;

use kernels_gen::spec::{ProcedureSpec, Source};

use crate::engine::Engine;
use crate::error::Error;
use crate::procedure::{KernelFacts, Procedure, Snapshot};

/// A view on one procedure's generated code, from `name::kernel()`.
///
/// The first look compiles the procedure, and so does the first call in a batch: types, constants and functions of other modules
/// are known only when the program runs. What is wrong with them is [`Error::Procedure`].
#[derive(Clone, Copy)]
pub struct Kernel {
    procedure: &'static Procedure,
}

impl Kernel {
    /// The kernel of a procedure. Generated code calls this.
    #[doc(hidden)]
    #[must_use]
    pub fn of(procedure: &'static Procedure) -> Kernel {
        Kernel { procedure }
    }

    /// The function's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.procedure.name()
    }

    /// What the analysis found out about the function; prints as a table.
    ///
    /// # Errors
    /// The procedure does not compile.
    pub fn facts(&self) -> Result<KernelFacts, Error> {
        Ok(KernelFacts::of(self.spec()?))
    }

    /// Everything that is compiled for a batch with this procedure alone, under the default engine: headers, engine,
    /// scheduler and the generated body. A run prints another text where the batch has more procedures or arrays; set
    /// `STM_DUMP` to see that one.
    ///
    /// # Errors
    /// The procedure does not compile.
    pub fn cuda_source(&self) -> Result<String, Error> {
        self.cuda_source_for(Engine::default())
    }

    /// The same under another engine.
    ///
    /// # Errors
    /// The procedure does not compile, or is not one for that engine.
    pub fn cuda_source_for(&self, engine: Engine) -> Result<String, Error> {
        Ok(crate::gpu::source_of_procedure(self.spec()?, engine.tuned())?)
    }

    /// The CUDA C of this procedure alone.
    ///
    /// # Errors
    /// The procedure does not compile.
    pub fn cuda_body(&self) -> Result<&'static str, Error> {
        Ok(self.spec()?.cuda)
    }

    /// The parameters, the facts and the CUDA C of this procedure as a text for snapshot tests. Lines and files are left out, so
    /// that edits elsewhere in the program do not change it; a change in the function, in what it calls, or in the compiler
    /// shows. See [`assert_kernel_snapshot`](crate::assert_kernel_snapshot).
    ///
    /// # Errors
    /// The procedure does not compile.
    pub fn snapshot(&self) -> Result<String, Error> {
        Ok(Snapshot(self.spec()?).to_string())
    }

    /// What the macro left for the compiler: for tests and tools.
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
    use crate::{Call, Device};

    static NO_SOURCE: Source = Source { module: "procedures", checked: true, ..Source::EMPTY };
    static BROKEN: Procedure = Procedure::new("broken", &NO_SOURCE, |_, _, _| Ok(()));

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
