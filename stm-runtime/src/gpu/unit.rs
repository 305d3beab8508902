//! Builds the unit of a job.

use kernels_gen::device::link::link;
use kernels_gen::device::unit::{ArraySpec, ColumnWidth, SpecializationSpec, UnitSpec, arrays_of};
use kernels_gen::device::{MOST_FUNCTIONS, Tuned, functions};
use kernels_gen::spec::ProcedureSpec;

use crate::backend::Job;
use crate::columns::Column;
use crate::error::GpuError;
use crate::gpu::refusal;

/// Calls `load` with the unit of a job whose arrays have the layouts `arrays`. Refuses a unit that would take far too long to
/// compile, before it is compiled.
pub(super) fn with_unit_of_job<T>(
    job: &Job<'_>,
    engine: Tuned,
    arrays: &[ArraySpec],
    load: impl FnOnce(&UnitSpec<'_>) -> Result<T, GpuError>,
) -> Result<T, GpuError> {
    let procedures: Vec<&ProcedureSpec> = job.procedures.iter().map(|procedure| procedure.spec).collect();
    // Where transactions have rows, the rows are the first column.
    let first_column = usize::from(job.rows.is_some());
    let specializations: Vec<SpecializationSpec> = job
        .specializations
        .iter()
        .map(|specialization| SpecializationSpec {
            procedure: specialization.procedure,
            arrays: specialization.arrays.clone(),
            columns: specialization.columns.clone().map(|column| first_column + column).collect(),
        })
        .collect();
    let rows = job.rows.map(|_| ColumnWidth::U32);
    let columns: Vec<ColumnWidth> = rows.into_iter().chain(job.columns.iter().map(Column::width)).collect();
    let unit = UnitSpec {
        engine,
        procedures: &procedures,
        specializations: &specializations,
        arrays,
        columns: &columns,
        rows: rows.is_some(),
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
    refusal::check(&engine, procedure)?;
    let arrays = arrays_of(&engine, procedure, 1, 0);
    let values = procedure.params.iter().filter_map(|param| param.role.value());
    let columns: Vec<ColumnWidth> = values.map(|scalar| ColumnWidth::of(scalar.size())).collect();
    let specialization =
        SpecializationSpec { procedure: 0, arrays: (0..arrays.len()).collect(), columns: (0..columns.len()).collect() };
    Ok(link(&UnitSpec {
        engine,
        procedures: &[procedure],
        specializations: &[specialization],
        arrays: &arrays,
        columns: &columns,
        rows: false,
        results: !procedure.result.is_empty(),
        profile: false,
        phases: false,
        record: false,
    }))
}
