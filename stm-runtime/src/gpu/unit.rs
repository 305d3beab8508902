//! Builds the unit of a job.

use kernels_gen::device::link::link;
use kernels_gen::device::unit::{ArraySpec, ColumnWidth, SpecializationSpec, UnitSpec};
use kernels_gen::device::{EngineSpec, MOST_FUNCTIONS, Tuned, functions};
use kernels_gen::spec::{ProcedureSpec, Role, Scalar};

use crate::backend::Job;
use crate::columns::Width;
use crate::error::GpuError;
use crate::gpu::memory::partitions;

/// Calls `load` with the unit of a job whose arrays have the layouts `arrays`. Refuses a unit that would take far too long to
/// compile, before it is compiled.
pub(super) fn with_unit_of_job<T>(
    job: &Job<'_>,
    engine: Tuned,
    arrays: &[ArraySpec],
    load: impl FnOnce(&UnitSpec<'_>) -> Result<T, GpuError>,
) -> Result<T, GpuError> {
    let procedures: Vec<&ProcedureSpec> = job.procedures.iter().map(|procedure| procedure.spec).collect();
    let specializations: Vec<SpecializationSpec> = job
        .specializations
        .iter()
        .map(|specialization| SpecializationSpec {
            procedure: specialization.procedure,
            arrays: specialization.arrays.clone(),
            columns: specialization.columns.clone(),
        })
        .collect();
    let columns: Vec<ColumnWidth> = job.columns.iter().map(|column| width(column.width())).collect();
    let unit = UnitSpec {
        engine,
        procedures: &procedures,
        specializations: &specializations,
        arrays,
        columns: &columns,
        results: job.results > 0,
        profile: job.options.profile,
        phases: job.options.phases,
        record: job.options.check,
    };
    match functions(&unit) {
        functions if functions > MOST_FUNCTIONS => Err(GpuError::TooManyFunctions { functions, most: MOST_FUNCTIONS }),
        _ => load(&unit),
    }
}

/// Returns the unit of a batch with one procedure alone and separate arrays for each parameter, for
/// `Kernel::cuda_source`.
pub(crate) fn source_of_procedure(procedure: &ProcedureSpec, engine: Tuned) -> Result<String, GpuError> {
    partitions::foreign(&engine, procedure)?;
    let mut arrays = Vec::new();
    let mut columns = Vec::new();
    let mut specialization = SpecializationSpec { procedure: 0, arrays: Vec::new(), columns: Vec::new() };
    for param in procedure.params {
        match param.role {
            Role::Array(scalar) | Role::Partition(scalar, _) => {
                specialization.arrays.push(arrays.len());
                arrays.push(plain_array(&engine, scalar, param.role.part().unwrap_or(0)));
            }
            Role::Value(scalar) => {
                specialization.columns.push(columns.len());
                columns.push(width(Width::of(scalar.size())));
            }
        }
    }
    Ok(link(&UnitSpec {
        engine,
        procedures: &[procedure],
        specializations: &[specialization],
        arrays: &arrays,
        columns: &columns,
        results: !procedure.result.is_empty(),
        profile: false,
        phases: false,
        record: false,
    }))
}

fn plain_array(engine: &EngineSpec, scalar: Scalar, part: u64) -> ArraySpec {
    ArraySpec { scalar, layout: (engine.layout)(scalar, 1), coverage_log2: 0, part }
}

fn width(width: Width) -> ColumnWidth {
    match width {
        Width::U32 => ColumnWidth::U32,
        Width::U64 => ColumnWidth::U64,
    }
}
