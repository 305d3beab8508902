//! Units in parts: each compiles alone, and they fit together.

use std::collections::HashMap;

use kernels_gen::device::EngineSpec;
use kernels_gen::device::engines::ENGINES;
use kernels_gen::device::link::{Part, link, parts};
use kernels_gen::device::unit::{SpecializationSpec, UnitSpec};
use kernels_gen::spec::ProcedureSpec;
use stm_runtime::nvrtc::Nvrtc;

use super::{Job, VARIANTS, Variant, compile, files, for_all, found, is_for, unit};

/// Files of the suite with several procedures, whose parts are compiled too; some parts with methods contain `methods.cuh`.
const IN_PARTS: [&str; 4] = ["cases/results", "cases/methods", "cases/orderable", "cases/arrays"];

#[test]
fn the_parts_of_a_unit_compile_and_fit_together() {
    let Some(nvrtc) = found("compiling parts with NVRTC") else { return };
    let files = files();
    let mut units = Vec::new();
    for (file, procedures) in files.iter().filter(|(file, _)| IN_PARTS.contains(&file.as_str())) {
        assert!(procedures.len() > 1, "{file} has a single procedure");
        for engine in in_parts() {
            let of_variant =
                |variant| (format!("{file} under {}", engine.name), unit(engine, procedures, variant, parts));
            units.extend([VARIANTS[0], VARIANTS[3]].map(of_variant));
        }
    }
    assert_eq!(units.len(), IN_PARTS.len() * in_parts().count() * 2);
    // Each of the others once: a function that two parts define prevents linking.
    for &engine in ENGINES.iter().filter(|engine| in_parts().all(|one| one.name != engine.name)) {
        let mut several = files
            .iter()
            .filter(|(_, procedures)| procedures.len() > 1 && is_for(engine, procedures) && reads(procedures));
        let (file, procedures) = several.next().expect("a file");
        units.push((format!("{file} under {}", engine.name), unit(engine, procedures, VARIANTS[1], parts)));
    }
    for_all(&units, |(name, parts)| fit(nvrtc, parts).map_err(|text| format!("{name}: {text}")));
}

/// Calls two functions on every pair of four arrays: each is compiled once, and gets the arrays of a transaction at run time.
#[test]
fn functions_that_serve_many_arrays_compile_and_fit_together() {
    let Some(nvrtc) = found("compiling functions for many arrays with NVRTC") else { return };
    let procedures = files().into_iter().find(|(file, _)| file == "procedures/bank").expect("the suite has a bank").1;
    let procedures: Vec<&ProcedureSpec> =
        procedures.into_iter().filter(|procedure| procedure.name.starts_with("transfer_between")).collect();
    let mut wrong = Vec::new();
    for engine in in_parts() {
        let pairs = (0..16).map(|pair| [pair / 4, pair % 4]).collect::<Vec<_>>();
        let (source, parts) = on_pairs(engine, &procedures, VARIANTS[1], &pairs, |unit| {
            assert_eq!((unit.specializations.len(), kernels_gen::device::functions(unit)), (32, 2), "{}", engine.name);
            (link(unit), parts(unit))
        });
        let name = format!("many arrays under {}", engine.name);
        let job = Job { name, arch: "sm_90", phases: false, is_optimized: true, source };
        wrong.extend(compile(nvrtc, &job).err());
        wrong.extend(fit(nvrtc, &parts).err());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Two functions of one procedure know the same of its writes, in the same words: but NVRTC may number them differently.
#[test]
fn parts_of_one_procedure_do_not_mix_up_what_they_know() {
    let Some(nvrtc) = found("compiling parts of one procedure with NVRTC") else { return };
    let sums = files().into_iter().find(|(file, _)| file == "procedures/sums").expect("the suite has sums").1;
    let both: Vec<&ProcedureSpec> = sums.into_iter().filter(|procedure| procedure.name == "add_to_both").collect();
    let mut wrong = Vec::new();
    for engine in ENGINES.iter().copied().filter(|engine| engine.keeps_order()) {
        let parts = on_pairs(engine, &both, VARIANTS[1], &[[0, 1], [1, 1]], parts);
        assert_eq!(parts.len(), 3, "{}", engine.name);
        wrong.extend(fit(nvrtc, &parts).err().map(|why| format!("{}: {why}", engine.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each function of a long procedure is compiled on its own.
#[test]
fn the_functions_of_a_long_procedure_are_parts() {
    let Some(nvrtc) = found("compiling the functions of a long procedure with NVRTC") else { return };
    let bank = files().into_iter().find(|(file, _)| file == "procedures/bank").expect("the suite has a bank").1;
    let long: Vec<&ProcedureSpec> = bank.into_iter().filter(|procedure| procedure.name == "turn_around").collect();
    let mut wrong = Vec::new();
    for engine in ENGINES.iter().copied().filter(|engine| engine.keeps_order()) {
        let parts = unit(engine, &long, VARIANTS[1], parts);
        assert_eq!(parts.len(), 4, "two stages before the execution, the execution, and the scheduler");
        wrong.extend(fit(nvrtc, &parts).err().map(|why| format!("{}: {why}", engine.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the output of `print` for a batch that calls each of these procedures, of two arrays, with these pairs of arrays.
fn on_pairs<T>(
    engine: &'static EngineSpec,
    procedures: &[&ProcedureSpec],
    variant: Variant,
    pairs: &[[usize; 2]],
    print: impl FnOnce(&UnitSpec<'_>) -> T,
) -> T {
    unit(engine, procedures, variant, |unit| {
        let of_pairs = |specialization: &SpecializationSpec| {
            let specialization = specialization.clone();
            pairs.iter().map(move |pair| SpecializationSpec { arrays: pair.to_vec(), ..specialization.clone() })
        };
        let specializations: Vec<SpecializationSpec> = unit.specializations.iter().flat_map(of_pairs).collect();
        let arrays = pairs.iter().flatten().max().map_or(0, |last| last + 1);
        print(&UnitSpec { specializations: &specializations, arrays: &unit.arrays[..arrays], ..*unit })
    })
}

/// Returns an engine without a server, and one with a server, which the scheduler's part contains too.
fn in_parts() -> impl Iterator<Item = &'static EngineSpec> {
    let served = ENGINES.iter().find(|engine| engine.execution().is_served()).expect("an engine should be served");
    [ENGINES[0], served].into_iter()
}

/// Returns true if some procedure has an array.
fn reads(procedures: &[&ProcedureSpec]) -> bool {
    procedures.iter().flat_map(|procedure| procedure.params).any(|param| param.role.array().is_some())
}

/// Checks that every part compiles, and that exactly one other part defines each function that the scheduler calls. The linker keeps one of
/// the values that have one name in several parts, so all of them must be the same. NVRTC numbers what has no name, such as the structures
/// that a constant function returns.
fn fit(nvrtc: &Nvrtc, parts: &[Part]) -> Result<(), String> {
    let (mut given, mut wanted) = (Vec::new(), Vec::new());
    let mut values: HashMap<String, String> = HashMap::new();
    for part in parts {
        let name = &part.name;
        let compiled = nvrtc
            .compile_part(&part.text, "part.cu", "sm_90", part.registers)
            .map_err(|error| format!("{name}: {error}"))?;
        if compiled.cubin.is_none() || !compiled.warnings().is_empty() {
            return Err(format!("{name}: {:?}, machine code {}", compiled.warnings(), compiled.cubin.is_some()));
        }
        let weak = compiled.ptx.lines().filter(|line| line.starts_with(".weak .global"));
        for (variable, value) in weak.filter_map(|line| line.split_once(" = ")) {
            let before = values.entry(variable.to_owned()).or_insert_with(|| value.to_owned());
            if before != value {
                return Err(format!("{name}: {variable} is {value}, and {before} in another part"));
            }
        }
        given.extend(functions(&compiled.ptx, ".visible .func"));
        wanted.extend(functions(&compiled.ptx, ".extern .func"));
        if compiled.ptx.contains(".entry") != (name == "scheduler") {
            return Err(format!("{name}: the kernel is in the wrong part"));
        }
    }
    given.sort();
    wanted.sort();
    // A part is named after its procedure, its first specialization, and the stage whose function it has, if it has no other.
    let numbered = |name: &str| match name.split_once('.')?.1.split_once('.') {
        Some((index, stage)) => Some(format!("stm_{stage}_{index}")),
        None => Some(format!("stm_attempt_{}", name.split_once('.')?.1)),
    };
    let expected: Vec<String> = parts.iter().filter_map(|part| numbered(&part.name)).collect();
    let count = |names: &[String]| names.iter().filter(|name| name.starts_with("stm_attempt_")).count();
    let fits = given == wanted && count(&given) == count(&expected) && expected.iter().all(|name| given.contains(name));
    if fits { Ok(()) } else { Err(format!("given {given:?}, wanted {wanted:?}")) }
}

/// Returns the names of the functions with this declaration in assembler text: each is the last word of its line.
fn functions(ptx: &str, how: &str) -> Vec<String> {
    let lines = ptx.lines().filter(|line| line.starts_with(how));
    lines
        .filter_map(|line| line.split_whitespace().next_back())
        .map(|word| word.trim_end_matches('(').to_owned())
        .collect()
}

#[test]
fn a_part_does_not_depend_on_the_other_procedures() {
    let files = files();
    // An engine that uses the largest footprint of the unit depends on all procedures.
    for &engine in ENGINES.iter().filter(|engine| !engine.depends_on_all_procedures()) {
        // Alone, a procedure needs no rows; that unit is not made in parts.
        for (file, procedures) in files.iter().filter(|(_, procedures)| procedures.len() > 2) {
            if !is_for(engine, procedures) {
                continue;
            }
            let all = unit(engine, procedures, VARIANTS[0], parts);
            let fewer = unit(engine, &procedures[..procedures.len() - 1], VARIANTS[0], parts);
            assert!(fewer.len() < all.len());
            let kept = fewer.iter().filter(|part| all.contains(part)).count();
            assert_eq!(kept, fewer.len() - 1, "{file} under {}: all but the scheduler stay as they are", engine.name);
        }
    }
}
