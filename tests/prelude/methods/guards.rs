//! The text of the methods is trimmed to those that a unit calls: the remaining text compiles and is sufficient.

use std::fmt::Write as _;

use kernels_gen::methods::{called, guard};
use kernels_gen::spec::Scalar;

use super::{case, unit};
use crate::harness::{self, COMMON, PRELUDE};

/// Returns the functions of one method that a body calls.
fn functions(number: u32, scalar: Scalar) -> Vec<String> {
    let Some((_, method)) = case::all().find(|(n, _)| *n == number) else { return Vec::new() };
    let (always, checked) = method.fault_parts();
    method.parts(scalar).into_iter().map(|(name, _)| name).chain(always).chain(checked).collect()
}

/// Compiles each method alone, in a namespace of its own with only its own guard: its dependencies are included.
#[test]
fn each_method_brings_what_it_needs() {
    let Some(compiler) = harness::compiler() else { return harness::skipped("each_method_brings_what_it_needs") };
    let macros: Vec<&str> = unit::METHODS
        .lines()
        .filter_map(|line| line.strip_prefix("#define "))
        .filter_map(|line| line.split(['(', ' ']).next())
        .collect();
    let forget: String = macros.iter().map(|name| format!("#undef {name}\n")).collect();
    let mut rest = [COMMON, unit::HEAD, "#define RS_SOME\n"].concat();
    for (number, method) in case::all() {
        let scalars: Vec<Scalar> = unit::scalars().filter(|scalar| method.on.has(*scalar)).collect();
        let words = functions(number, Scalar::I32);
        let guards: Vec<String> = called(words.iter().map(String::as_str)).into_iter().map(guard).collect();
        let defines: String = guards.iter().map(|name| format!("#define {name} 1\n")).collect();
        let _ = writeln!(rest, "namespace m{number} {{\n{defines}{}", unit::METHODS);
        for scalar in scalars {
            let name = scalar.cuda();
            let _ = writeln!(rest, "stm_status call_{name}(case_tx& tx, const method_case& c, u64* components) {{");
            unit::put_call(&mut rest, method, scalar);
            rest.push_str("return STM_OK;\n}\n");
        }
        let _ = writeln!(rest, "}}\n{forget}");
        guards.iter().for_each(|name| _ = writeln!(rest, "#undef {name}"));
    }
    harness::compiles(&compiler, "guards", PRELUDE, &rest).unwrap_or_else(|e| panic!("{e}"));
}

/// Compiles each type alone: no method computes in a type that the unit may lack. Where a method takes or returns a `u32`, the
/// caller names that type.
#[test]
fn each_type_is_enough_for_itself() {
    let Some(compiler) = harness::compiler() else { return harness::skipped("each_type_is_enough_for_itself") };
    for scalar in unit::scalars() {
        let mut text = "#define RS_SOME\n".to_owned();
        for other in unit::scalars().chain(Scalar::WIDE) {
            let is_used = other == scalar || other == Scalar::U32;
            let _ = writeln!(text, "#define RS_USES_{} {}", other.cuda().to_uppercase(), u8::from(is_used));
        }
        text.push_str(PRELUDE);
        case::all().for_each(|(_, method)| _ = writeln!(text, "#undef {0}\n#define {0} 1", guard(method.name)));
        text.push_str(unit::METHODS);
        harness::compiles(&compiler, "one-type", &text, "").unwrap_or_else(|e| panic!("{}: {e}", scalar.rust()));
    }
}
