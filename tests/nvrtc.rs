//! Every transaction of `cases` and of the suite, under every engine, through the real compiler: machine code for the oldest
//! and the usual architecture, and PTX. No GPU is needed. No warnings are allowed.

mod cases;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use kernels_gen::compile;
use kernels_gen::device::EngineSpec;
use kernels_gen::device::engines::ENGINES;
use kernels_gen::device::link::{BindingSpec, ColumnWidth, RegionSpec, UnitSpec, link};
use kernels_gen::fault::FaultCode;
use kernels_gen::spec::{KindSpec, Role};
use stm_runtime::nvrtc::Nvrtc;
use stm_tests::skip::skipped;

/// How a unit is linked and what for, besides engine and kinds.
#[derive(Debug, Clone, Copy)]
struct Variant {
    record: bool,
    profile: bool,
    /// Decides how wide elements lie.
    coverage: u64,
    architectures: &'static [&'static str],
}

/// What users run is compiled for everything. Of the other combinations of the options each meets both kinds of
/// architecture: with 16-byte exchanges and without.
const VARIANTS: [Variant; 4] = [
    Variant { record: false, profile: false, coverage: 1, architectures: &["sm_75", "sm_90", "compute_90"] },
    Variant { record: true, profile: false, coverage: 1, architectures: &["sm_90", "compute_75"] },
    Variant { record: false, profile: true, coverage: 4, architectures: &["compute_75", "compute_90"] },
    Variant { record: true, profile: true, coverage: 4, architectures: &["sm_75", "compute_90"] },
];

#[test]
fn everything_compiles_without_warnings() {
    let nvrtc = match Nvrtc::find() {
        Ok(nvrtc) => nvrtc,
        Err(why) => return skipped("compiling with NVRTC", &format!("{why}; `sh tests/fetch-nvrtc.sh` fetches it")),
    };
    let jobs = jobs();
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(text) = compile(nvrtc, job) {
                        wrong.lock().expect("no panics while locked").push(text);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panics while locked");
    assert!(wrong.is_empty(), "{} of {} units\n{}", wrong.len(), jobs.len(), wrong.join("\n"));
    assert!(jobs.len() > 50, "only {} units", jobs.len());
}

const PRELUDE: &str = include_str!("../kernels-gen/src/device/prelude.cuh");

/// NVVM takes the wrapping sum for one that never comes back, and makes a loop of such a condition that never ends: see
/// `rs_opaque`.
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
    let nvrtc = match Nvrtc::find() {
        Ok(nvrtc) => nvrtc,
        Err(why) => return skipped("a loop under NVRTC", &why.to_string()),
    };
    let codes: Vec<&str> = FaultCode::ALL.iter().map(|code| code.cuda()).collect();
    let source = format!("enum stm_fault {{ {} }};\n{PRELUDE}{WRAPS}", codes.join(", "));
    let compiled = nvrtc.compile(&source, "wraps.cu", "sm_90").expect("the prelude compiles alone");
    let code: Vec<&str> = compiled.ptx.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let spins = code.windows(2).any(|pair| pair[1] == format!("bra.uni \t{};", pair[0].trim_end_matches(':')));
    assert!(!spins, "{}", compiled.ptx);
    assert!(code.iter().any(|line| line.starts_with("setp.lt.u32")), "{}", compiled.ptx);
}

#[test]
fn every_kind_of_the_suite_is_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("support/kinds");
    let listed = stm_tests::kinds::all();
    for entry in std::fs::read_dir(folder).expect("the folder of kinds should be there") {
        let path = entry.expect("a file").path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let source = std::fs::read_to_string(&path).expect("a file of kinds should be text");
        let written = source.matches("\n#[gpu_transaction").count();
        let found = listed.iter().filter(|(file, _)| *file == name).count();
        assert_eq!(found, written, "list all transactions of `{name}` in support/kinds/mod.rs");
    }
}

/// One unit for one architecture.
struct Job {
    name: String,
    arch: &'static str,
    source: String,
}

/// One unit a file: a table holds several kinds, so a unit with all of them is what users compile too.
fn jobs() -> Vec<Job> {
    let mut jobs = Vec::new();
    // As in the conformance suite: one engine alone.
    let wanted = std::env::var("STM_TEST_ENGINE").unwrap_or_default();
    for (file, kinds) in files() {
        for engine in ENGINES.iter().filter(|engine| wanted.is_empty() || engine.name == wanted) {
            for variant in VARIANTS {
                let source = unit(engine, &kinds, variant);
                for arch in variant.architectures {
                    let Variant { record, profile, .. } = variant;
                    let name = format!("{file} under {}, record {record}, profile {profile}", engine.name);
                    jobs.push(Job { name, arch, source: source.clone() });
                }
            }
        }
    }
    jobs
}

fn compile(nvrtc: &Nvrtc, job: &Job) -> Result<(), String> {
    let Job { name, arch, source } = job;
    let compiled = nvrtc.compile(source, "unit.cu", arch).map_err(|error| format!("{name} for {arch}: {error}"))?;
    if !compiled.warnings().is_empty() {
        return Err(format!("{name} for {arch}: {:?}", compiled.warnings()));
    }
    if compiled.cubin.is_some() != arch.starts_with("sm_") {
        return Err(format!("{name} for {arch}: machine code {}", compiled.cubin.is_some()));
    }
    if compiled.ptx.contains("stm_run") { Ok(()) } else { Err(format!("{name} for {arch}: no kernel in the PTX")) }
}

/// The kinds of each file with transactions, as the attribute left them.
fn files() -> Vec<(String, Vec<&'static KindSpec>)> {
    let of_cases = cases::all().into_iter().map(|known| (format!("cases/{}", known.case), known.kernel));
    let of_suite = stm_tests::kinds::all().into_iter().map(|(file, kernel)| (format!("kinds/{file}"), kernel));
    let mut files: Vec<(String, Vec<&'static KindSpec>)> = Vec::new();
    for (file, kernel) in of_cases.chain(of_suite) {
        let source = kernel.source().expect("the macro made it");
        let kind = compile::kind(source).unwrap_or_else(|error| panic!("{file}: {error}"));
        let kind: &'static KindSpec = Box::leak(Box::new(kind));
        match files.iter_mut().find(|(known, _)| *known == file) {
            Some((_, kinds)) => kinds.push(kind),
            None => files.push((file, vec![kind])),
        }
    }
    files
}

/// A table with all kinds, each with regions of its own.
fn unit(engine: &'static EngineSpec, kinds: &[&KindSpec], variant: Variant) -> String {
    let (mut regions, mut columns, mut bindings) = (Vec::new(), Vec::new(), Vec::new());
    for (index, kind) in kinds.iter().enumerate() {
        let mut binding = BindingSpec { kind: index, regions: Vec::new(), columns: Vec::new() };
        for param in kind.params {
            match param.role {
                Role::Region(scalar) => {
                    binding.regions.push(regions.len());
                    let layout = (engine.layout)(scalar, variant.coverage);
                    regions.push(RegionSpec { scalar, layout, coverage_log2: variant.coverage.ilog2() });
                }
                Role::Value(scalar) => {
                    binding.columns.push(columns.len());
                    columns.push(if scalar.size() == 8 { ColumnWidth::U64 } else { ColumnWidth::U32 });
                }
            }
        }
        bindings.push(binding);
    }
    let results = kinds.iter().any(|kind| !kind.result.is_empty());
    let Variant { record, profile, .. } = variant;
    link(&UnitSpec {
        engine,
        kinds,
        bindings: &bindings,
        regions: &regions,
        columns: &columns,
        results,
        profile,
        record,
    })
}
