//! Every transaction of `cases` under the default engine, and those of the suite under every engine (or `STM_TEST_ENGINE`),
//! through the real compiler: machine code for the oldest and the usual architecture, and PTX. Only units of the default engine
//! without options are optimized. No GPU is needed. No warnings are allowed. `STM_TEST_QUICK` compiles only the variant that users run,
//! under the default engine for one architecture.

mod cases;
#[path = "nvrtc/linked.rs"]
mod linked;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use kernels_gen::compile;
use kernels_gen::device::engines::ENGINES;
use kernels_gen::device::link::link;
use kernels_gen::device::unit::{ColumnSource, ColumnSpec, ColumnWidth, SpecializationSpec, UnitSpec, arrays_of};
use kernels_gen::device::{EngineSpec, Tuned};
use kernels_gen::fault::FaultCode;
use kernels_gen::spec::{ProcedureSpec, Role, Scalar};
use stm_runtime::nvrtc::Nvrtc;
use stm_tests::skip::skipped;

/// The options and the target of a unit, apart from engine and procedures.
#[derive(Debug, Clone, Copy)]
struct Variant {
    record: bool,
    profile: bool,
    phases: bool,
    pushed: bool,
    cluster: bool,
    /// The lock coverage, which selects the layout of wide elements.
    coverage: u64,
    architectures: &'static [&'static str],
}

/// The variant that users run, for both sorts of architecture, with 16-byte exchanges and without, each by way of its PTX. Then
/// each of the other combinations of the options, two of them as PTX only.
const VARIANTS: [Variant; 4] = [
    USUAL,
    Variant { record: true, architectures: &["sm_90", "compute_75"], ..USUAL },
    Variant { pushed: true, ..TIMED },
    Variant { record: true, cluster: true, ..TIMED },
];

const USUAL: Variant = Variant {
    record: false,
    profile: false,
    phases: false,
    pushed: false,
    cluster: false,
    coverage: 1,
    architectures: &["sm_75", "sm_90"],
};

const TIMED: Variant =
    Variant { profile: true, phases: true, coverage: 4, architectures: &["compute_75", "compute_90"], ..USUAL };

#[test]
fn everything_compiles_without_warnings() {
    let Some(nvrtc) = found("compiling with NVRTC") else { return };
    let jobs = jobs();
    for_all(&jobs, |job| compile(nvrtc, job));
    let is_part = std::env::var_os("STM_TEST_ENGINE").is_some() || is_quick();
    let fewest = if is_part { 1 } else { 51 };
    assert!(jobs.len() >= fewest, "only {} units", jobs.len());
}

/// Returns the compiler, or says that this is skipped without one.
fn found(what: &str) -> Option<&'static Nvrtc> {
    let why = |why| skipped(what, &format!("{why}; `sh tests/fetch-nvrtc.sh` fetches it"));
    Nvrtc::find().map_err(why).ok()
}

/// Checks all items on all processors, and reports all failures at the end.
fn for_all<T: Sync>(all: &[T], check: impl Fn(&T) -> Result<(), String> + Sync) {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(text) = check(one) {
                        wrong.lock().expect("no panics while locked").push(text);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panics while locked");
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

const PRELUDE: &str = include_str!("../kernels-gen/src/device/prelude.cuh");

/// A program in which NVVM takes the wrapping sum for one that never wraps, and turns a loop with such a condition into an endless
/// one: see `rs_opaque`.
const WRAPS: &str = r#"
extern "C" __global__ void stm_run(u32* out, u32 word) {
  u32 start = word & 63, left = 7;
#pragma unroll 1
  for (u32 i = 0; i < 9; i = rs_wrapping_add(i, 1u)) {
    constexpr bool STM_LOOPED = true;
    if (RS_LEAVES(rs_lt(rs_wrapping_add(start, i), start))) {
      left = 8;
      break;
    }
  }
  *out = left;
}
"#;

#[test]
fn a_loop_that_is_left_when_a_sum_wraps_ends() {
    let Some(nvrtc) = found("a loop under NVRTC") else { return };
    let codes: Vec<&str> = FaultCode::ALL.iter().map(|code| code.cuda()).collect();
    let source = format!("enum stm_fault {{ {} }};\n{PRELUDE}{WRAPS}", codes.join(", "));
    let compiled = nvrtc.compile(&source, "wraps.cu", "sm_90").expect("the prelude compiles alone");
    let code: Vec<&str> = compiled.ptx.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let spins = code.windows(2).any(|pair| pair[1] == format!("bra.uni \t{};", pair[0].trim_end_matches(':')));
    assert!(!spins, "{}", compiled.ptx);
    assert!(code.iter().any(|line| line.starts_with("setp.lt.u32")), "{}", compiled.ptx);
}

#[test]
fn every_procedure_of_the_suite_is_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("support/procedures");
    let listed = stm_tests::procedures::all();
    for entry in std::fs::read_dir(folder).expect("the folder of procedures should be there") {
        let path = entry.expect("a file").path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let source = std::fs::read_to_string(&path).expect("a file of procedures should be text");
        let written = source.matches("\n#[gpu_transaction").count();
        let found = listed.iter().filter(|(file, _)| *file == name).count();
        assert_eq!(found, written, "list all transactions of `{name}` in support/procedures/mod.rs");
    }
}

/// One unit for one architecture.
struct Job {
    name: String,
    arch: &'static str,
    /// Whether its threads read the clock.
    phases: bool,
    is_optimized: bool,
    source: String,
}

/// Returns true if the units of the default engine for one architecture are enough.
fn is_quick() -> bool {
    std::env::var_os("STM_TEST_QUICK").is_some()
}

/// Returns one unit per file: a batch holds several procedures, so users also compile units with several procedures.
fn jobs() -> Vec<Job> {
    let mut jobs = Vec::new();
    // As in the conformance suite: one engine alone.
    let wanted = std::env::var("STM_TEST_ENGINE").unwrap_or_default();
    for (at, (file, procedures)) in files().into_iter().enumerate() {
        // The language is the same under every engine: `cases` are compiled under one, the suite's transactions under all.
        let is_case = file.starts_with("cases/");
        let engines = if is_case || is_quick() { &ENGINES[..1] } else { ENGINES };
        let engines = engines.iter().flat_map(|engine| Tuned::new(engine).with_variants());
        for (place, engine) in engines.enumerate() {
            if !wanted.is_empty() && engine.to_string() != wanted {
                continue;
            }
            if !is_for(&engine, &procedures) {
                continue;
            }
            for (nth, variant) in VARIANTS.iter().enumerate().take(if is_quick() { 1 } else { VARIANTS.len() }) {
                let variant = *variant;
                let source = unit(engine, &procedures, variant, link);
                // The default engine compiles everything, but each case in only one of the variants that users do not run; each
                // other engine compiles every fourth file, in turn as users run it and with checking, for one device in turn.
                let is_turn = !is_case || nth == 0 || nth == 1 + at % (VARIANTS.len() - 1);
                let all = (engine == Tuned::new(ENGINES[0]) || !wanted.is_empty()) && is_turn;
                let turn = (at + place) / (2 * VARIANTS.len()) % variant.architectures.len();
                let is_few = nth == (at + place) % (2 * VARIANTS.len()) && nth % 3 == 0;
                let few = if !is_case && is_few { &variant.architectures[turn..=turn] } else { &[] };
                // A case is compiled in one of the two ways of a variant, in turn.
                let one = (at / (VARIANTS.len() - 1)) % 2;
                let both = if is_case { &variant.architectures[one..=one] } else { variant.architectures };
                let both = if is_quick() { &both[..1] } else { both };
                for arch in if all { both } else { few } {
                    let Variant { record, profile, phases, .. } = variant;
                    // What users run without options, under the default engine.
                    let is_optimized = nth == 0 && place == 0;
                    let options = format!("record {record}, profile {profile}, phases {phases}");
                    let name = format!("{file} under {engine}, {options}");
                    jobs.push(Job { name, arch, phases, is_optimized, source: source.clone() });
                }
            }
        }
    }
    jobs
}

fn compile(nvrtc: &Nvrtc, job: &Job) -> Result<(), String> {
    let Job { name, arch, phases, is_optimized, source } = job;
    let compiled = if *is_optimized { Nvrtc::compile } else { Nvrtc::check };
    let compiled = compiled(nvrtc, source, "unit.cu", arch).map_err(|error| format!("{name} for {arch}: {error}"))?;
    if !compiled.warnings().is_empty() {
        return Err(format!("{name} for {arch}: {:?}", compiled.warnings()));
    }
    if compiled.cubin.is_some() != arch.starts_with("sm_") {
        return Err(format!("{name} for {arch}: machine code {}", compiled.cubin.is_some()));
    }
    if compiled.ptx.contains("%clock64") != *phases {
        return Err(format!("{name} for {arch}: the threads of a unit read the clock where it measures phases"));
    }
    if compiled.ptx.contains("stm_run") { Ok(()) } else { Err(format!("{name} for {arch}: no kernel in the PTX")) }
}

/// Returns the procedures of each file with transactions, as the attribute left them.
fn files() -> Vec<(String, Vec<&'static ProcedureSpec>)> {
    let of_cases = cases::all().into_iter().map(|known| (format!("cases/{}", known.case), known.kernel));
    let of_suite =
        stm_tests::procedures::all().into_iter().map(|(file, kernel)| (format!("procedures/{file}"), kernel));
    let mut files: Vec<(String, Vec<&'static ProcedureSpec>)> = Vec::new();
    for (file, kernel) in of_cases.chain(of_suite) {
        let source = kernel.source().expect("the macro made it");
        let procedure = compile::procedure(source).unwrap_or_else(|error| panic!("{file}: {error}"));
        let procedure: &'static ProcedureSpec = Box::leak(Box::new(procedure));
        match files.iter_mut().find(|(known, _)| *known == file) {
            Some((_, procedures)) => procedures.push(procedure),
            None => files.push((file, vec![procedure])),
        }
    }
    files
}

/// Returns the output of `print` for a batch with all procedures, each with arrays of its own.
fn unit<T>(
    engine: impl Into<Tuned>,
    procedures: &[&ProcedureSpec],
    variant: Variant,
    print: impl FnOnce(&UnitSpec<'_>) -> T,
) -> T {
    let engine = engine.into();
    let (mut arrays, mut columns, mut specializations) = (Vec::new(), Vec::new(), Vec::new());
    let rows = procedures.len() > 1;
    columns.extend(rows.then_some(ColumnWidth::U32.listed()));
    for (index, procedure) in procedures.iter().enumerate() {
        let own = arrays_of(&engine, procedure, variant.coverage, arrays.len());
        let values = procedure.params.iter().filter_map(|param| param.role.value());
        // Those of recording units are computed: one counted, the next one the same for all.
        let sources =
            if variant.record { [ColumnSource::Counted, ColumnSource::Same] } else { [ColumnSource::Listed; 2] };
        let column = |(at, scalar): (usize, Scalar)| {
            let width = ColumnWidth::of(scalar.size());
            ColumnSpec { width, source: sources[at % 2] }
        };
        let widths: Vec<_> = values.enumerate().map(column).collect();
        let specialization = SpecializationSpec {
            procedure: index,
            arrays: (arrays.len()..arrays.len() + own.len()).collect(),
            columns: (columns.len()..columns.len() + widths.len()).collect(),
        };
        arrays.extend(own);
        columns.extend(widths);
        specializations.push(specialization);
    }
    let results = procedures.iter().any(|procedure| !procedure.result.is_empty());
    let Variant { record, profile, phases, pushed, cluster, .. } = variant;
    print(&UnitSpec {
        engine,
        procedures,
        specializations: &specializations,
        arrays: &arrays,
        columns: &columns,
        rows,
        results,
        profile,
        phases,
        record,
        pushed,
        cluster,
    })
}

/// Returns true if the engine accepts the arrays of all these procedures.
fn is_for(engine: &EngineSpec, procedures: &[&ProcedureSpec]) -> bool {
    let is_whole = |role: &Role| matches!(role, Role::Array(_));
    !engine.requires.partitions
        || !procedures.iter().flat_map(|procedure| procedure.params).any(|param| is_whole(&param.role))
}
