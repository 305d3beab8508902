//! Procedures that an engine cannot run.

use kernels_gen::device::{EngineSpec, Refusal};
use kernels_gen::spec::ProcedureSpec;

use crate::error::GpuError;

/// Refuses a procedure that the engine cannot run, and says what to do.
pub(crate) fn check(engine: &EngineSpec, procedure: &ProcedureSpec) -> Result<(), GpuError> {
    let (engine, procedure, refusal) = (engine.name, procedure.name, engine.requires.refusal(procedure));
    match refusal {
        None => Ok(()),
        Some(Refusal::TooManyElements { most, elements }) => {
            Err(GpuError::TooManyElements { engine, procedure, most, elements })
        }
        Some(Refusal::UnknownAddresses) => Err(GpuError::UnknownAddresses { engine, procedure }),
        Some(Refusal::WholeArray { parameter }) => Err(GpuError::NotInParts { engine, procedure, parameter }),
    }
}
