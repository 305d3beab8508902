//! Units in parts: which are compiled, which are found, and the result when the driver links them or refuses.

use kernels_gen::device::engines::ENGINES;
use kernels_gen::device::link::{link, parts};
use kernels_gen::device::stage::EXECUTE;
use kernels_gen::device::unit::{SpecializationSpec, UnitSpec};
use kernels_gen::spec::{Facts, ProcedureSpec};

use super::CudaBackend;
use super::PartsPolicy;
use super::image::{Image, NvrtcCompiler, UnitSource};
use super::parts::Parted;
use super::tests::run;
use crate::gpu::backend::{Code, Driver};
use crate::gpu::cache::{DiskCache, Hit};
use crate::gpu::dump;
use crate::gpu::making::Making;

const FACTS: Facts = Facts { read_only: true, ..Facts::NONE };

/// A procedure without parameters, at some source line.
const fn procedure(name: &'static str, cuda: &'static str) -> ProcedureSpec {
    ProcedureSpec {
        name,
        module: "tests",
        file: "tests.rs",
        cuda,
        facts: FACTS,
        checked: false,
        variables: 64,
        ..ProcedureSpec::EMPTY
    }
}

static COMMIT: ProcedureSpec = procedure(
    "commit",
    "template <class Tx>\nSTM_DEVICE stm_status body(Tx& tx, u64* result) {\n#line 3 \"a.rs\"\n  return STM_OK;\n}",
);
static COMMIT_MOVED: ProcedureSpec = procedure(
    "commit",
    "template <class Tx>\nSTM_DEVICE stm_status body(Tx& tx, u64* result) {\n#line 9 \"a.rs\"\n  return STM_OK;\n}",
);
static GIVE_UP: ProcedureSpec = procedure(
    "give_up",
    "template <class Tx>\nSTM_DEVICE stm_status body(Tx& tx, u64* result) { STM_REJECT(0, 7u); return STM_OK; }",
);
static WAIT: ProcedureSpec =
    procedure("wait", "template <class Tx>\nSTM_DEVICE stm_status body(Tx& tx, u64* result) { return STM_POSTPONED; }");

/// Builds a unit of these procedures, each with one specialization.
fn with_unit<T>(procedures: &[&ProcedureSpec], then: impl FnOnce(&UnitSpec<'_>) -> T) -> T {
    let specialization = |procedure| SpecializationSpec { procedure, arrays: Vec::new(), columns: Vec::new() };
    let specializations: Vec<SpecializationSpec> = (0..procedures.len()).map(specialization).collect();
    then(&UnitSpec { procedures, specializations: &specializations, ..UnitSpec::new(ENGINES[0].into()) })
}

fn compiler() -> Option<NvrtcCompiler> {
    NvrtcCompiler::for_device(90).inspect_err(|why| eprintln!("SKIPPED: {why}")).ok()
}

/// Compiles the parts of such a batch, and returns where each came from.
fn compile(procedures: &[&ProcedureSpec], compiler: &NvrtcCompiler, disk: &DiskCache) -> Vec<String> {
    let parted = Parted::new(with_unit(procedures, parts), compiler);
    let ((), made) = parted.compile(disk, || ());
    made.into_iter().map(|part| part.unwrap().how).collect()
}

#[test]
fn only_what_is_new_is_compiled() {
    let Some(compiler) = compiler() else { return };
    let dir = tempfile::tempdir().unwrap();
    let disk = DiskCache::at(dir.path(), 1 << 20);
    let made = |procedures: &[&ProcedureSpec]| -> Vec<(String, bool)> {
        let all = compile(procedures, &compiler, &disk).into_iter();
        all.map(|how| (how.split(' ').next().unwrap().to_owned(), how.contains("compiled"))).collect()
    };
    let expected =
        |list: &[(&str, bool)]| list.iter().map(|(name, new)| ((*name).to_owned(), *new)).collect::<Vec<_>>();
    let first = expected(&[("commit.0", true), ("give_up.1", true), ("scheduler", true)]);
    assert_eq!(made(&[&COMMIT, &GIVE_UP]), first);
    let again = expected(&[("commit.0", false), ("give_up.1", false), ("scheduler", false)]);
    assert_eq!(made(&[&COMMIT_MOVED, &GIVE_UP]), again, "where a procedure stands does not matter");
    let more = expected(&[("commit.0", false), ("give_up.1", false), ("wait.2", true), ("scheduler", true)]);
    assert_eq!(made(&[&COMMIT, &GIVE_UP, &WAIT]), more);
    let changed = expected(&[("commit.0", false), ("wait.1", true), ("scheduler", false)]);
    assert_eq!(made(&[&COMMIT, &WAIT]), changed);
}

#[test]
fn a_linked_unit_has_a_key_of_its_own() {
    let Some(compiler) = compiler() else { return };
    let key = |procedures: &[&ProcedureSpec]| Parted::new(with_unit(procedures, parts), &compiler).key;
    assert_eq!(key(&[&COMMIT, &GIVE_UP]), key(&[&COMMIT_MOVED, &GIVE_UP]));
    assert_ne!(key(&[&COMMIT, &GIVE_UP]), key(&[&GIVE_UP, &COMMIT]));
    assert_ne!(key(&[&COMMIT, &GIVE_UP]), key(&[&COMMIT, &WAIT]));
    let whole = with_unit(&[&COMMIT, &GIVE_UP], link);
    assert_ne!(key(&[&COMMIT, &GIVE_UP]), UnitSource::new(&whole, &compiler).key);
}

#[test]
fn parts_are_linked_by_the_driver_or_else_compiled_in_one_chunk() {
    let Some(compiler) = compiler() else { return };
    // NVRTC crashes on a fake driver, so everything has to be in the cache.
    let (dir, dump) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let disk = DiskCache::at(dir.path(), 1 << 20);
    compile(&[&COMMIT, &GIVE_UP], &compiler, &disk);
    let whole = with_unit(&[&COMMIT, &GIVE_UP], link);
    UnitSource::new(&whole, &compiler).image(&disk, &mut Making::begin()).unwrap();
    let (cache, dump_to) = (("STM_CACHE", dir.path().to_str().unwrap()), ("STM_DUMP", dump.path().to_str().unwrap()));

    let broken = ("FAKE_LINK", "222");
    let Some(said) = run(LOAD, &[cache, broken]) else { return };
    let words = "NOTE: kernels are compiled in one piece, which takes longer: cuLinkComplete failed: a fake error: nvlink says no";
    assert_eq!(said.matches(words).count(), 1, "{said}");
    assert!(!said.contains('~'), "text after the end of the log is reported: {said}");

    let said = run(LOAD, &[cache, dump_to]).unwrap();
    assert!(!said.contains("NOTE"), "{said}");
    let key = Parted::new(with_unit(&[&COMMIT, &GIVE_UP], parts), &compiler).key;
    let dumped = |ending| std::fs::read_to_string(dump::path(dump.path(), key, ending)).unwrap();
    assert_eq!(dumped("cu"), whole);
    assert!(dumped("ptx").contains("stm_attempt_1(") && dumped("ptx").contains("stm_run("));
    let summary = dumped("txt");
    assert!(
        summary.contains("registers a thread: 92") && summary.contains("give_up.1 from the disk cache"),
        "{summary}"
    );

    let said = run(LOAD, &[cache, dump_to, broken]).unwrap();
    assert!(!said.contains("NOTE"), "what was linked is kept: {said}");
    assert!(!dumped("txt").contains("linked in") && dumped("txt").contains("from the disk cache"));
}

#[test]
fn a_part_that_the_linker_refuses_is_compiled_anew_at_the_next_start() {
    let Some(compiler) = compiler() else { return };
    let dir = tempfile::tempdir().unwrap();
    let disk = DiskCache::at(dir.path(), 1 << 20);
    compile(&[&COMMIT, &GIVE_UP], &compiler, &disk);
    let whole = with_unit(&[&COMMIT, &GIVE_UP], link);
    UnitSource::new(&whole, &compiler).image(&disk, &mut Making::begin()).unwrap();
    // Passes every check, but is not code.
    let wrong = Parted::new(with_unit(&[&COMMIT, &GIVE_UP], parts), &compiler).parts[0].1;
    let mut header = b"\x7fELF\x02\x01".to_vec();
    header.resize(64, 0);
    let Hit::Found(bytes) = disk.get(wrong) else { panic!("the part was compiled") };
    let image = Image { cubin: Some(header), ..Image::from_bytes(&bytes).unwrap() };
    disk.put(wrong, &image.to_bytes()).unwrap();

    let Some(said) = run(LOAD, &[("STM_CACHE", dir.path().to_str().unwrap())]) else { return };
    assert!(said.contains("NOTE: kernels are compiled in one piece") && said.contains("cuLinkAddData"), "{said}");
    assert_eq!(disk.get(wrong), Hit::Missing);
}

const LOAD: &str = "_parts::load_a_unit_of_two_procedures";

#[test]
#[ignore = "started by parts_are_linked_by_the_driver_or_else_compiled_in_one_chunk"]
fn load_a_unit_of_two_procedures() {
    PartsPolicy::Always.choose();
    let backend = CudaBackend::open(0).unwrap();
    let load = |procedures: &[&ProcedureSpec]| {
        with_unit(procedures, |unit| backend.load(Code::Unit(unit), Making::begin())).unwrap()
    };
    let loaded = load(&[&COMMIT, &GIVE_UP]);
    assert_eq!(loaded.program.resident_blocks(EXECUTE, 256, 0).unwrap(), 32);
    loaded.notes.iter().for_each(|note| println!("NOTE: {note}"));
    assert!(load(&[&COMMIT, &GIVE_UP]).notes.is_empty());
}
