//! Builds the unit of a job.

use std::sync::Arc;

use kernels_gen::device::link::{Part, link, parts};
use kernels_gen::device::unit::{ArraySpec, ColumnSpec, ColumnWidth, SpecializationSpec, UnitSpec, arrays_of};
use kernels_gen::device::{Calls, Foreseen, MOST_FUNCTIONS, Tuned, functions};
use kernels_gen::spec::ProcedureSpec;

use crate::backend::{CompiledProcedure, Job, Order};
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
    let in_order = job.columns_by_procedure();
    let mut places = vec![0; job.columns.len()];
    (first_column..).zip(&in_order).for_each(|(place, (_, column))| places[*column] = place);
    let specializations: Vec<SpecializationSpec> = job
        .specializations
        .iter()
        .map(|specialization| SpecializationSpec {
            procedure: specialization.procedure,
            arrays: specialization.arrays.clone(),
            columns: places[specialization.columns.clone()].to_vec(),
        })
        .collect();
    let rows = job.rows.map(|_| ColumnWidth::U32.listed());
    let columns: Vec<ColumnSpec> =
        rows.into_iter().chain(in_order.iter().map(|(_, column)| job.columns[*column].spec())).collect();
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
        pushed: job.options.order == Order::Pushed,
        cluster: false,
    };
    match functions(&unit) {
        functions if functions > MOST_FUNCTIONS => Err(GpuError::TooManyFunctions { functions, most: MOST_FUNCTIONS }),
        _ => load(&unit),
    }
}

/// What is known of the transactions of some calls.
struct KnownCalls {
    /// The addresses of the procedures, and the calls of each on its arrays.
    calls: (Vec<usize>, Vec<(usize, Vec<usize>)>),
    is_pushed: bool,
    foreseen: Arc<Foreseen>,
}

/// Returns what is known of the transactions of a job before they run. An earlier run of the batch may have found it.
pub(super) fn foreseen(job: &Job<'_>) -> Arc<Foreseen> {
    let address = |procedure: &CompiledProcedure| std::ptr::from_ref(procedure.spec).addr();
    let calls = job.specializations.iter().map(|of| (of.procedure, of.arrays.clone())).collect();
    let calls = (job.procedures.iter().map(address).collect(), calls);
    let is_pushed = job.options.order == Order::Pushed;
    job.memo.with(|memo: &mut Option<KnownCalls>| {
        let is_it = |known: &&KnownCalls| known.calls == calls && known.is_pushed == is_pushed;
        if let Some(known) = memo.as_ref().filter(is_it) {
            return known.foreseen.clone();
        }
        let foreseen = Arc::new(find(job, is_pushed));
        *memo = Some(KnownCalls { calls, is_pushed, foreseen: foreseen.clone() });
        foreseen
    })
}

fn find(job: &Job<'_>, is_pushed: bool) -> Foreseen {
    Foreseen::of(&Calls {
        procedures: job.procedures.iter().map(|procedure| procedure.spec).collect(),
        calls: job.specializations.iter().map(|of| (of.procedure, of.arrays.as_slice())).collect(),
        seen: job.seen_arrays(),
        pushed: is_pushed,
    })
}

/// Returns the unit of a batch with one procedure alone and separate arrays for each parameter, for
/// `Kernel::cuda_source`.
pub(crate) fn source_of_procedure(procedure: &ProcedureSpec, engine: Tuned) -> Result<String, GpuError> {
    with_unit_of_procedures(&[procedure], 1, engine, link)
}

/// Returns the unit of a batch that calls each of these procedures on that many sets of arrays, all of them separate: in one piece,
/// and in parts.
pub(crate) fn source_of_batch(
    procedures: &[&ProcedureSpec],
    sets: usize,
    engine: Tuned,
) -> Result<(String, Vec<Part>), GpuError> {
    with_unit_of_procedures(procedures, sets, engine, |unit| (link(unit), parts(unit)))
}

fn with_unit_of_procedures<T>(
    procedures: &[&ProcedureSpec],
    sets: usize,
    engine: Tuned,
    print: impl FnOnce(&UnitSpec<'_>) -> T,
) -> Result<T, GpuError> {
    let rows = procedures.len() > 1;
    let mut columns: Vec<ColumnSpec> = rows.then_some(ColumnWidth::U32.listed()).into_iter().collect();
    let (mut arrays, mut specializations) = (Vec::new(), Vec::new());
    for (index, procedure) in procedures.iter().enumerate() {
        refusal::check(&engine, procedure)?;
        let values = procedure.params.iter().filter_map(|param| param.role.value());
        let first_column = columns.len();
        columns.extend(values.map(|scalar| ColumnWidth::of(scalar.size()).listed()));
        for _ in 0..sets {
            let first = arrays.len();
            arrays.extend(arrays_of(&engine, procedure, 1, first));
            specializations.push(SpecializationSpec {
                procedure: index,
                arrays: (first..arrays.len()).collect(),
                columns: (first_column..columns.len()).collect(),
            });
        }
    }
    Ok(print(&UnitSpec {
        engine,
        procedures,
        specializations: &specializations,
        arrays: &arrays,
        columns: &columns,
        rows,
        results: procedures.iter().any(|procedure| !procedure.result.is_empty()),
        profile: false,
        phases: false,
        record: false,
        pushed: false,
        cluster: false,
    }))
}
