//! From a job to its unit.

use kernels_gen::device::link::{BindingSpec, ColumnWidth, RegionSpec, UnitSpec, link};
use kernels_gen::device::{EngineSpec, MOST_FUNCTIONS, Tuned, functions};
use kernels_gen::spec::{KindSpec, Role, Scalar};

use super::error::GpuError;
use super::homes;
use crate::columns::Width;
use crate::job::Job;

/// Gives `load` the unit of a job whose regions lie as `regions` says. A unit that would take far too long to compile is an
/// error before it is compiled.
pub(super) fn with_unit_of_job<T>(
    job: &Job<'_>,
    engine: Tuned,
    regions: &[RegionSpec],
    load: impl FnOnce(&UnitSpec<'_>) -> Result<T, GpuError>,
) -> Result<T, GpuError> {
    let kinds: Vec<&KindSpec> = job.kinds.iter().map(|kind| kind.spec).collect();
    let bindings: Vec<BindingSpec> = job
        .bindings
        .iter()
        .map(|binding| BindingSpec {
            kind: binding.kind,
            regions: binding.regions.clone(),
            columns: binding.columns.clone(),
        })
        .collect();
    let columns: Vec<ColumnWidth> = job.columns.iter().map(|column| width(column.width())).collect();
    let unit = UnitSpec {
        engine,
        kinds: &kinds,
        bindings: &bindings,
        regions,
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

/// The unit of a table that holds nothing but one kind, with regions of their own for each parameter: what
/// `Kernel::cuda_source` shows.
pub(crate) fn source_of_kind(kind: &KindSpec, engine: Tuned) -> Result<String, GpuError> {
    homes::foreign(&engine, kind)?;
    let mut regions = Vec::new();
    let mut columns = Vec::new();
    let mut binding = BindingSpec { kind: 0, regions: Vec::new(), columns: Vec::new() };
    for param in kind.params {
        match param.role {
            Role::Region(scalar) | Role::Local(scalar, _) => {
                binding.regions.push(regions.len());
                regions.push(plain_region(&engine, scalar, param.role.part().unwrap_or(0)));
            }
            Role::Value(scalar) => {
                binding.columns.push(columns.len());
                columns.push(width(Width::of(scalar.size())));
            }
        }
    }
    Ok(link(&UnitSpec {
        engine,
        kinds: &[kind],
        bindings: &[binding],
        regions: &regions,
        columns: &columns,
        results: !kind.result.is_empty(),
        profile: false,
        phases: false,
        record: false,
    }))
}

fn plain_region(engine: &EngineSpec, scalar: Scalar, part: u64) -> RegionSpec {
    RegionSpec { scalar, layout: (engine.layout)(scalar, 1), coverage_log2: 0, part }
}

fn width(width: Width) -> ColumnWidth {
    match width {
        Width::U32 => ColumnWidth::U32,
        Width::U64 => ColumnWidth::U64,
    }
}
