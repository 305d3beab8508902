//! A kind of transaction at run time: its constant data and the user's own function.

use std::fmt;

use kernels_gen::spec::{KindSpec, Role, Scalar};

use crate::engine::Engine;
use crate::row::Row;
use crate::tx::{Abort, Tx};

/// One annotated function: what the macro found out about it, and the function itself for CPU threads.
///
/// The macro prints it; user code meets it only as an opaque handle.
#[derive(Debug)]
pub struct Kind {
    /// What the macro found out.
    #[doc(hidden)]
    pub spec: KindSpec,
    /// Decodes a row, calls the user's function and encodes its result.
    #[doc(hidden)]
    pub run: fn(&mut Tx<'_>, &Row<'_>) -> Result<u64, Abort>,
}

impl Kind {
    /// The function's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.spec.name
    }

    /// The element types of the region parameters, in order.
    pub(crate) fn regions(&self) -> impl Iterator<Item = (&'static str, Scalar)> {
        self.spec.params.iter().filter_map(|p| match p.role {
            Role::Region(scalar) => Some((p.name, scalar)),
            Role::Value(_) => None,
        })
    }

    /// The types of the value parameters, in order.
    pub(crate) fn values(&self) -> impl Iterator<Item = (&'static str, Scalar)> {
        self.spec.params.iter().filter_map(|p| match p.role {
            Role::Value(scalar) => Some((p.name, scalar)),
            Role::Region(_) => None,
        })
    }
}

/// A view on one kind's generated code, from `name::kernel()`.
#[derive(Clone, Copy)]
pub struct Kernel {
    kind: &'static Kind,
}

impl Kernel {
    /// The kernel of a kind. Generated code calls this.
    #[doc(hidden)]
    #[must_use]
    pub fn of(kind: &'static Kind) -> Kernel {
        Kernel { kind }
    }

    /// The function's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.kind.spec.name
    }

    /// What the analysis found out about the function.
    #[must_use]
    pub fn facts(&self) -> &'static kernels_gen::spec::Facts {
        &self.kind.spec.facts
    }

    /// Everything that is compiled for a table with this kind alone, under the default engine: headers, engine,
    /// scheduler and the generated body. A run prints another text where the table has more kinds or regions; set
    /// `STM_DUMP` to see that one.
    #[must_use]
    pub fn cuda_source(&self) -> String {
        self.cuda_source_for(Engine::default())
    }

    /// The same under another engine.
    #[must_use]
    pub fn cuda_source_for(&self, engine: Engine) -> String {
        crate::gpu::source_of_kind(&self.kind.spec, engine.spec())
    }

    /// The CUDA C of this kind alone, as the macro generated it.
    #[must_use]
    pub fn cuda_body(&self) -> &'static str {
        self.kind.spec.cuda
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kernel").field(&self.kind.spec.name).finish()
    }
}
