//! Joins the headers, an engine, the scheduler and the generated bodies into text for NVRTC: one unit, or parts that are compiled
//! in parallel and linked afterwards.
//!
//! Everything that is known of a batch before it runs is printed as a constant: the arrays of each specialization and their
//! layouts, the column of each argument, and the results of the analysis.

use super::changes;
use super::engine_memory::{DECLARED_BLOCK_BYTES, Extent, LOCAL_BYTES, Scope};
use super::foresight::Listed;
use super::header::{self, put_header, put_own};
use super::kernels::{
    called, piece_text, put_installing_kernel, put_kept, put_once_kernel, put_pieces, put_route_kernel,
    put_settling_kernel, put_switch, put_turns_kernel, put_visit_kernel,
};
use super::partition;
use super::share::{Functions, UnitFunction};
use super::specialization::{MOST_NEAR, put_procedure, put_specialization};
pub use super::stage::BLOCK;
use super::stage::{DEVICE_OF, EXECUTE, ROUTE, Visited, Work};
use super::tuned::Tuned;
use super::unit::{SpecializationSpec, UnitSpec};
use crate::abi::{self, launch, lines, routes};
use crate::methods;
use crate::spec::{ProcedureSpec, Scalar};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The most specializations for which each thread makes one pass each; with more, it makes one pass for all.
const MOST_PASSES: usize = 8;

/// The registers with which a multiprocessor holds two blocks of 256 threads, and three.
const REGISTERS: u32 = 128;
const FEW_REGISTERS: u32 = 80;

/// Bytes of a procedure's text from which each of its functions is a part. Below, the compiler takes less time for a function than for the
/// headers of a part.
const LONG: usize = 4 << 10;

/// A part of a unit that is compiled on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its name in messages.
    pub name: String,
    /// Its CUDA C, complete: no headers are needed.
    pub text: String,
    /// The most registers of a thread: the launch bounds of a kernel do not bind the functions of other parts.
    pub registers: u32,
}

/// Where the function of a specialization is called from, which determines its linkage.
#[derive(Clone, Copy)]
enum Linkage {
    /// The only function of its unit: inlined into its caller.
    Inlined,
    /// One of several functions in a unit. Inlined into one loop, they would take much longer to compile.
    Outlined,
    /// Compiled in another unit than its caller.
    Linked,
}

impl Linkage {
    fn specifiers(self) -> &'static str {
        match self {
            Linkage::Inlined => "STM_DEVICE",
            Linkage::Outlined => "static __device__ __noinline__",
            Linkage::Linked => "extern \"C\" __device__",
        }
    }
}

/// Returns the CUDA C of a unit, complete: no headers are needed. The engine's stages name its kernels.
///
/// # Panics
/// Indices in `unit.specializations` must be in range.
#[must_use]
pub fn link(unit: &UnitSpec<'_>) -> String {
    let functions = Functions::of(unit);
    let linkage = if functions.list.len() == 1 { Linkage::Inlined } else { Linkage::Outlined };
    let mut out = String::with_capacity(64 * 1024);
    put_place(&mut out, unit, "__constant__");
    put_common(&mut out, unit, unit.procedures, &words(texts(unit.procedures)), unit.places());
    put_engine(&mut out, unit, "static __device__ __noinline__");
    for index in 0..unit.procedures.len() {
        put_procedure(&mut out, unit, index);
    }
    for function in &functions.list {
        put_specialization(&mut out, unit, function);
        put_attempt(&mut out, unit, function, linkage);
        visits_of(unit, function).for_each(|visit| put_visit(&mut out, unit, visit, function, linkage));
    }
    put_scheduler(&mut out, unit, &functions);
    out
}

/// Returns the same unit in parts: one or several for the functions of each specialization, and the scheduler. Compiled as relocatable device
/// code and linked, they are equivalent to [`link`]. A part contains nothing of the other procedures, so it stays the same when those change.
///
/// # Panics
/// As [`link`].
#[must_use]
pub fn parts(unit: &UnitSpec<'_>) -> Vec<Part> {
    let functions = Functions::of(unit);
    let mut all: Vec<Part> = functions.list.iter().flat_map(|function| parts_of(unit, function)).collect();
    all.push(scheduler_part(unit, &functions));
    all
}

/// Returns the parts with the functions of a specialization.
fn parts_of(unit: &UnitSpec<'_>, function: &UnitFunction) -> Vec<Part> {
    let specialization = &unit.specializations[function.first];
    let procedure = unit.procedures[specialization.procedure];
    let mut text = String::with_capacity(64 * 1024);
    // A function that serves several specializations may find its arrays anywhere.
    let places = if function.shared { unit.places() } else { own_places(specialization) };
    put_place(&mut text, unit, "extern __constant__");
    put_common(&mut text, unit, &[procedure], &words(texts(&[procedure])), places);
    // A linked function that calls another saves half of its registers first, which costs more than outlining saves.
    put_engine(&mut text, unit, "STM_DEVICE");
    put_procedure(&mut text, unit, specialization.procedure);
    put_specialization(&mut text, unit, function);
    let name = format!("{}.{}", procedure.name, function.first);
    let registers = registers_of(unit, specialization);
    let mut parts = Vec::new();
    for visit in visits_of(unit, function).filter(|_| procedure.cuda.len() >= LONG) {
        let mut text = text.clone();
        put_visit(&mut text, unit, visit, function, Linkage::Linked);
        parts.push(Part { name: format!("{name}.{}", visit.trim_start_matches("stm_")), text, registers });
    }
    put_attempt(&mut text, unit, function, Linkage::Linked);
    if parts.is_empty() {
        visits_of(unit, function).for_each(|visit| put_visit(&mut text, unit, visit, function, Linkage::Linked));
    }
    parts.push(Part { name, text, registers });
    parts
}

/// Returns the registers of the functions of a specialization. Stages of foresight wait for memory more than others do, and more threads hide that,
/// unless their values do not fit.
fn registers_of(unit: &UnitSpec<'_>, specialization: &SpecializationSpec) -> u32 {
    let is_in_order = unit.engine.last_visited() == Some(Visited::Foreseen);
    if is_in_order && specialization.arrays.len() <= MOST_NEAR { FEW_REGISTERS } else { REGISTERS }
}

fn scheduler_part(unit: &UnitSpec<'_>, functions: &Functions) -> Part {
    let mut text = String::with_capacity(48 * 1024);
    put_place(&mut text, unit, "__constant__");
    put_common(&mut text, unit, &[], &words(pieces(unit)), unit.places());
    let in_stages = unit.stages().any(|stage| stage.copies > 0 || !matches!(stage.work, Work::Visit(..)));
    if unit.engine.has_scheduler_code() || commits_jointly(unit) || in_stages {
        put_engine(&mut text, unit, "STM_DEVICE");
    }
    for function in &functions.list {
        let _ = writeln!(text, "{};", attempt_head(unit, function, Linkage::Linked));
        for visit in visits_of(unit, function) {
            let _ = writeln!(text, "{};", visit_head(unit, visit, function, Linkage::Linked));
        }
    }
    put_scheduler(&mut text, unit, functions);
    Part { name: "scheduler".into(), text, registers: REGISTERS }
}

/// Prints how a part declares where its device's blocks are in the grid (`place.cuh`): one part of a unit defines it.
fn put_place(out: &mut String, unit: &UnitSpec<'_>, specifiers: &str) {
    if unit.cluster {
        let _ = writeln!(out, "#define STM_PLACE {specifiers}");
        routes::put_constants(out);
    }
}

/// Prints what everything else needs, as far as these procedures and `words` of generated text use it, and a parameter struct with `places`
/// places.
fn put_common(
    out: &mut String,
    unit: &UnitSpec<'_>,
    procedures: &[&ProcedureSpec],
    words: &BTreeSet<&str>,
    places: usize,
) {
    put_config(out, unit, procedures, words);
    put_header(out, &unit.engine, header::PRELUDE);
    put_methods(out, unit, words);
    put_header(out, &unit.engine, header::ATOMICS);
    put_header(out, &unit.engine, header::PLACE);
    put_header(out, &unit.engine, header::TIME);
    put_header(out, &unit.engine, header::PROFILE);
    put_own(out);
    launch::put_address(out);
    put_header(out, &unit.engine, header::CONTRACT);
    if prints(procedures) {
        put_header(out, &unit.engine, header::LINES);
    }
    put_own(out);
    launch::put_params(out, places);
}

/// Returns the number of places of the launch parameters that a specialization reads.
fn own_places(specialization: &SpecializationSpec) -> usize {
    specialization.columns.iter().chain(&specialization.arrays).map(|at| at + 1).max().unwrap_or(0)
}

/// Prints the engine's code, which is the same for all procedures. `outline` declares functions that are rarely called.
fn put_engine(out: &mut String, unit: &UnitSpec<'_>, outline: &str) {
    let _ = writeln!(out, "#define STM_OUTLINE {outline}");
    put_header(out, &unit.engine, header::VALUES);
    put_header(out, &unit.engine, header::LOCKS);
    put_header(out, &unit.engine, header::HISTORY);
    put_header(out, &unit.engine, header::RESULTS);
    put_header(out, &unit.engine, header::ACCESS_SET);
    put_header(out, &unit.engine, header::WRITE_BUFFER);
    header::engine_headers(&unit.engine).into_iter().for_each(|header| put_header(out, &unit.engine, header));
    put_header(out, &unit.engine, header::DEFERRED);
    put_header(out, &unit.engine, header::ATTEMPT);
    if unit.routes() {
        put_header(out, &unit.engine, header::DEVICE_OF);
    }
    put_own(out);
}

/// Prints the kernel, and how it finds the function of a specialization.
fn put_scheduler(out: &mut String, unit: &UnitSpec<'_>, functions: &Functions) {
    let specializations = unit.specializations.len();
    let passes = if specializations <= MOST_PASSES { specializations } else { 1 };
    let _ = writeln!(out, "constexpr u32 STM_SPECIALIZATIONS = {specializations}, STM_PROCEDURE_PASSES = {passes};");
    let _ = writeln!(out, "#define STM_JOINT_COMMITS {}", u8::from(commits_jointly(unit)));
    let _ = writeln!(
        out,
        "constexpr u32 STM_BLOCK_WARPS = {}, STM_DECLARED_BLOCK_BYTES = {DECLARED_BLOCK_BYTES};",
        BLOCK / 32
    );
    let listed = unit.routes() && unit.stages().all(|stage| matches!(stage.work, Work::Route(..)));
    let _ = writeln!(out, "#define STM_STATUSES_LISTED {}", u8::from(listed));
    put_dispatch(out, unit, functions);
    partition::put_moves(out, unit);
    put_header(out, &unit.engine, header::SHARE);
    put_header(out, &unit.engine, header::SCHEDULER);
    if unit.routes() {
        put_header(out, &unit.engine, header::ROUTE);
    }
    put_own(out);
    let _ = writeln!(
        out,
        "extern \"C\" __global__ void __launch_bounds__({BLOCK}) {EXECUTE}(const __grid_constant__ stm_params p) {{ stm_run_batch(p); }}"
    );
    let mut stages = unit.stages().peekable();
    if stages.peek().is_some() {
        put_header(out, &unit.engine, header::VISIT);
        unit.stages().for_each(|stage| match stage.work {
            Work::Rounds(..) => put_header(out, &unit.engine, header::ROUNDS),
            Work::Turns(..) => put_header(out, &unit.engine, header::TURNS),
            _ => {}
        });
        put_own(out);
    }
    if unit.stages().any(|stage| stage.resolves) {
        put_pieces(out, unit, &unit.foreseen());
    }
    stages.for_each(|stage| match stage.work {
        Work::Execute => {}
        Work::Route(visited, device_of) => put_route_kernel(out, unit, functions, stage, (visited, device_of)),
        Work::Visit(visited, visit) | Work::Retry(visited, visit) => {
            put_visit_kernel(out, unit, functions, stage, (visited, visit))
        }
        Work::Rounds(visited, [claim, run]) => {
            put_turns_kernel(out, unit, functions, stage, visited, ("stm_make_rounds", &[claim, run]));
        }
        Work::Turns(visited, names) => {
            put_kept(out, unit);
            put_turns_kernel(out, unit, functions, stage, visited, ("stm_take_turns", &names));
        }
        Work::Once(visited, run) => put_once_kernel(out, unit, stage, (visited, run)),
        Work::Settle(visit) if unit.engine.last_visited() == Some(Visited::Foreseen) => {
            put_installing_kernel(out, unit, stage, visit);
        }
        Work::Check(visit) | Work::Settle(visit) => put_settling_kernel(out, unit, stage, visit),
    });
}

/// Returns whether some lanes of a warp take part in commits of others.
fn commits_jointly(unit: &UnitSpec<'_>) -> bool {
    unit.engine.joint_commits && unit.procedures.iter().any(|procedure| procedure.facts.logged() > 0)
}

/// Prints the configuration. The prelude's typedefs come later, so this text uses none of them.
fn put_config(out: &mut String, unit: &UnitSpec<'_>, procedures: &[&ProcedureSpec], words: &BTreeSet<&str>) {
    abi::put_constants(out);
    let execution = unit.engine.execution();
    let _ = writeln!(out, "#define STM_TIMED {}", u8::from(unit.phases));
    let _ = writeln!(out, "#define STM_CLUSTER {}", u8::from(unit.cluster));
    let _ = writeln!(out, "#define STM_SERVICE_BLOCKS {}", execution.service_blocks);
    let _ = writeln!(out, "#define STM_IN_BLOCK_MEMORY {}", u8::from(execution.keeps_elements_in_blocks()));
    let _ = writeln!(out, "#define STM_PRINTS {}", u8::from(prints(procedures)));
    if prints(procedures) {
        lines::put_constants(out);
    }
    let writers = unit.procedures.iter().filter(|procedure| !procedure.facts.read_only);
    let footprint = writers.map(|procedure| procedure.facts.footprint()).max().unwrap_or(0);
    for (name, value) in unit.engine.numbers(footprint, unit.listings()) {
        let _ = writeln!(out, "constexpr unsigned long long {name} = {value};");
    }
    put_memory(out, &unit.engine, footprint);
    if unit.engine.asks_changes {
        changes::put_kinds(out, unit.procedures);
    }
    let _ = writeln!(out, "constexpr u32 STM_LOCAL_BYTES = {LOCAL_BYTES};");
    out.push_str("#define RS_SOME\n");
    for scalar in Scalar::ALL.into_iter().chain(Scalar::WIDE).filter(|scalar| scalar.rust() == scalar.cuda()) {
        // The text declares every value, so it names no other types.
        let name = scalar.cuda();
        let _ = writeln!(out, "#define RS_USES_{} {}", name.to_uppercase(), u8::from(words.contains(name)));
    }
    let _ = writeln!(out, "constexpr bool STM_PROFILED = {}, STM_RECORDED = {};", unit.profile, unit.record);
    unit.profile_layout().put(out);
    if unit.engine.keeps_order() {
        let _ = writeln!(out, "constexpr bool STM_PUSHED = {};", unit.pushed);
    }
    if unit.engine.last_visited() == Some(Visited::Foreseen) {
        let foreseen = unit.foreseen();
        let [first, late] = [Listed::First, Listed::Late].map(|listed| foreseen.cells_that_add(listed));
        let _ = writeln!(out, "constexpr u32 STM_ADDS = {first}u, STM_LATE_ADDS = {late}u;");
        let _ = writeln!(out, "constexpr bool STM_AWAITED = {};", foreseen.any_awaited());
    }
}

/// Prints how many bytes of engine memory the host provides, for one element and for 32 threads. Device code checks its structures
/// against them.
fn put_memory(out: &mut String, engine: &Tuned, footprint: u32) {
    let extent = Extent { elements: 1, threads: 32, footprint: footprint.into(), ..Extent::new(engine.settings) };
    for (scope, name) in
        [(Scope::Array, "STM_ELEMENT_BYTES"), (Scope::Sums, "STM_SUM_BYTES"), (Scope::Run, "STM_RUN_BYTES")]
    {
        if engine.bytes(scope, extent) > 0 {
            let _ = writeln!(out, "constexpr unsigned long long {name} = {};", engine.bytes(scope, extent));
        }
    }
}

/// Returns whether some of them print lines.
fn prints(procedures: &[&ProcedureSpec]) -> bool {
    procedures.iter().any(|procedure| !procedure.lines.is_empty())
}

/// Returns the generated texts of procedures.
fn texts(procedures: &[&ProcedureSpec]) -> Vec<&'static str> {
    procedures.iter().map(|procedure| procedure.cuda).collect()
}

/// Returns the generated texts of the pieces that the stages of a unit resolve.
fn pieces(unit: &UnitSpec<'_>) -> Vec<&'static str> {
    if !unit.stages().any(|stage| stage.resolves) {
        return Vec::new();
    }
    let foreseen = unit.foreseen();
    let texts = foreseen.pieces().filter_map(|(of, write)| piece_text(unit.procedures[of], write));
    texts.map(|piece| piece.cuda).collect()
}

/// Returns the words of generated texts.
fn words(texts: Vec<&'static str>) -> BTreeSet<&'static str> {
    texts.into_iter().flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')).collect()
}

/// Prints the methods that the generated text calls.
fn put_methods(out: &mut String, unit: &UnitSpec<'_>, words: &BTreeSet<&str>) {
    let called = methods::called(words.iter().copied());
    if called.is_empty() {
        return;
    }
    called.into_iter().for_each(|name| _ = writeln!(out, "#define {} 1", methods::guard(name)));
    put_header(out, &unit.engine, header::METHODS);
    put_header(out, &unit.engine, header::METHODS_BITS);
    put_header(out, &unit.engine, header::METHODS_FLOAT);
}

/// Returns the head of the function that runs a specialization. A shared function receives the numbers of the arrays.
fn attempt_head(unit: &UnitSpec<'_>, function: &UnitFunction, linkage: Linkage) -> String {
    let specifiers = linkage.specifiers();
    let (index, arrays) = (function.first, arrays_parameter(unit, function));
    format!(
        "{specifiers} stm_status stm_attempt_{index}(const stm_params& p, u32 transaction, stm_worker& worker{arrays})"
    )
}

/// Returns the parameter with the numbers of the arrays, for a shared function.
fn arrays_parameter(unit: &UnitSpec<'_>, function: &UnitFunction) -> String {
    if function.shared { format!(", const {}* arrays", unit.array_number()) } else { String::new() }
}

/// Returns the head of the function that visits a transaction of a specialization.
fn visit_head(unit: &UnitSpec<'_>, visit: &str, function: &UnitFunction, linkage: Linkage) -> String {
    let (index, arrays) = (function.first, arrays_parameter(unit, function));
    format!("{} u32 {visit}_{index}(const stm_params& p, u32 transaction{arrays})", linkage.specifiers())
}

/// Prints the function that attempts a transaction of a specialization.
fn put_attempt(out: &mut String, unit: &UnitSpec<'_>, function: &UnitFunction, linkage: Linkage) {
    let (index, head) = (function.first, attempt_head(unit, function, linkage));
    let arrays = if function.shared { ", arrays" } else { "" };
    let _ =
        writeln!(out, "{head} {{ return stm_attempt<stm_specialization_{index}>(p, transaction, worker{arrays}); }}");
}

/// Prints what a stage before the execution does with one transaction of a specialization.
fn put_visit(out: &mut String, unit: &UnitSpec<'_>, visit: &str, function: &UnitFunction, linkage: Linkage) {
    let (index, head) = (function.first, visit_head(unit, visit, function, linkage));
    let arrays = if function.shared { ", arrays" } else { "" };
    let _ = writeln!(out, "{head} {{ return {visit}<stm_specialization_{index}>(p, transaction{arrays}); }}");
}

/// Returns the functions that visit transactions of a specialization.
fn visits_of(unit: &UnitSpec<'_>, function: &UnitFunction) -> impl Iterator<Item = &'static str> {
    let procedure = unit.specializations[function.first].procedure;
    let routes = unit.routes().then_some((&ROUTE, Visited::KnownAddresses, DEVICE_OF));
    let all = routes.into_iter().chain(unit.engine.row().visits());
    all.filter(move |(_, visited, _)| unit.is_visited(*visited, procedure)).map(|(_, _, visit)| visit)
}

fn put_dispatch(out: &mut String, unit: &UnitSpec<'_>, functions: &Functions) {
    if functions.any_shared() {
        put_shared(out, unit, functions);
    }
    out.push_str(
        "STM_DEVICE stm_status stm_dispatch(const stm_params& p, u32 transaction, u32 specialization, stm_worker& worker) {\n",
    );
    let call = |function: &UnitFunction| called(function, "stm_attempt", "p, transaction, worker");
    put_switch(out, functions, call);
    out.push_str("}\n");
}

/// Prints, where specializations share functions, the function of each and the places of its arrays, then the groups of these.
fn put_shared(out: &mut String, unit: &UnitSpec<'_>, functions: &Functions) {
    let shared = |index: usize| functions.list[functions.of[index]].shared;
    let arrays = |index: usize| unit.specializations[index].arrays.as_slice();
    let groups = |index: usize| arrays(index).iter().map(|array| unit.arrays[*array].group);
    let all = 0..unit.specializations.len();
    let most = all.clone().filter(|index| shared(*index)).map(|index| arrays(index).len()).max().unwrap_or(0);
    let stride = (2 * most).max(1);
    let _ = writeln!(out, "constexpr u32 STM_STRIDE = {stride};");
    out.push_str("static __device__ const u16 STM_FUNCTION[STM_SPECIALIZATIONS] = {");
    functions.of.iter().for_each(|function| _ = write!(out, "{function},"));
    let number = unit.array_number();
    let _ = write!(out, "}};\nstatic __device__ const {number} STM_PLACES[STM_SPECIALIZATIONS * STM_STRIDE] = {{");
    for index in all {
        let own: Vec<usize> = arrays(index).iter().copied().chain(groups(index)).filter(|_| shared(index)).collect();
        (0..stride).for_each(|k| _ = write!(out, "{},", own.get(k).copied().unwrap_or(0)));
    }
    out.push_str("};\n");
}
