//! Every method computes and faults on the device and on the CPU as in Rust.
//!
//! The tables list all methods, so a row without an implementation, or without an answer of Rust's, fails.
//!
//! A device can run the same, as `main.rs` describes: the kernel is `method_cases` in `methods.cu`
//! (`methods/head.cuh` describes it), the cases of a type are `<type>.calls`, and its results go to `<type>.replies`.

mod case;
mod guards;
mod operands;
mod oracle;
mod unit;

use kernels_gen::methods::{ASSOCIATED, Faults, INEXACT, METHODS};
use kernels_gen::spec::Scalar;
use stm_runtime::nvrtc::Nvrtc;

use crate::edges::Extent;
use crate::harness::{self, Build, Harness, PRELUDE};
use case::{Case, Reply, When};

/// Returns the cases of all methods of a type for which Rust defines a reply, with that reply.
fn expected(scalar: Scalar, extent: Extent) -> Vec<(Case, Reply)> {
    let cases = case::of(scalar).flat_map(|(number, method)| operands::cases(number, method, scalar, extent));
    cases.filter_map(|case| oracle::reply(&case).map(|reply| (case, reply))).collect()
}

/// Returns the replies of a harness that differ.
fn wrong<'a>(expected: &'a [(Case, Reply)], got: &[[u8; 24]]) -> Vec<(&'a Case, String)> {
    assert_eq!(expected.len(), got.len(), "each case has a result");
    let differs = |((case, want), bytes): (&'a (Case, Reply), &[u8; 24])| match Reply::from_bytes(bytes, case) {
        Ok(reply) if reply.agrees(want, case) => None,
        Ok(reply) => Some((case, format!("{case:x?}\n  Rust:    {want:x?}\n  methods: {reply:x?}"))),
        Err(why) => Some((case, why)),
    };
    expected.iter().zip(got).filter_map(differs).collect()
}

/// Fails with the first cases that differ.
fn assert_agreement(scalar: Scalar, expected: &[(Case, Reply)], got: &[[u8; 24]]) {
    let wrong = wrong(expected, got);
    let first: Vec<&str> = wrong.iter().take(10).map(|(_, text)| text.as_str()).collect();
    assert!(wrong.is_empty(), "{}: {} of {} differ\n{}", scalar.rust(), wrong.len(), got.len(), first.join("\n"));
}

fn ask(harness: &Harness, expected: &[(Case, Reply)]) -> Vec<[u8; 24]> {
    harness.run_records(expected.iter().map(|(case, _)| case.bytes())).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn every_method_gives_what_rust_gives() {
    let Some(compiler) = harness::compiler() else { return harness::skipped("every_method_gives_what_rust_gives") };
    let text = unit::unit(unit::METHODS);
    let harness = Harness::build(&compiler, "methods", &text, Build::Strict).unwrap_or_else(|e| panic!("{e}"));
    for scalar in Scalar::ALL {
        let expected = expected(scalar, Extent::EdgesAndBytes);
        assert_agreement(scalar, &expected, &ask(&harness, &expected));
        println!("{}: {} cases", scalar.rust(), expected.len());
    }
}

/// Checks that the tables and the cases are complete: Rust has an answer to each, and some cases fault where a method can.
#[test]
fn every_method_is_tried_on_every_type() {
    for method in METHODS.iter().chain(ASSOCIATED) {
        assert!(Scalar::ALL.iter().any(|scalar| method.on.has(*scalar)), "no type has {}", method.name);
    }
    for scalar in Scalar::ALL {
        let expected = expected(scalar, Extent::Edges);
        for (number, method) in case::of(scalar) {
            let replies = || expected.iter().filter(|(case, _)| case.number == number).map(|(_, reply)| reply);
            let faults = |when: When| replies().any(|reply| reply.fault.is_some_and(|(_, w)| w == when));
            let name = format!("{}::{}", scalar.rust(), method.name);
            assert!(replies().filter(|reply| reply.fault.is_none()).count() > 1, "{name} is not tried");
            let seen = (faults(When::Always), faults(When::Checked));
            let stated = match method.faults {
                Faults::Never => (false, false),
                Faults::WhenChecked => (false, true),
                Faults::Always => (true, false),
                Faults::Both => (true, true),
            };
            assert_eq!(seen, stated, "{name} faults always, and in checked mode");
        }
    }
    assert!(INEXACT.contains(&"sin"));
}

/// Possible mistakes of methods, with the type and the methods in which they must be detected.
const MISTAKES: &[(&str, &str, Scalar, &[&str])] = &[
    (
        "RS_LIMIT(T, U, BITS, a < 0) : rs_wrapping_sub",
        "RS_LIMIT(T, U, BITS, b < 0) : rs_wrapping_sub",
        Scalar::I32,
        &["saturating_sub"],
    ),
    ("(a < 0) != (b < 0)", "a < 0", Scalar::I64, &["saturating_mul"]),
    (
        "(lost || rs_mul_overflows(product, square))",
        "rs_mul_overflows(product, square)",
        Scalar::U64,
        &["pow", "checked_pow", "overflowing_pow", "saturating_pow"],
    ),
    ("b < 0 ? -1 : 1", "1", Scalar::I16, &["div_euclid", "checked_div_euclid", "wrapping_div_euclid"]),
    ("bool fits = rest >= root + bit", "bool fits = rest > root + bit", Scalar::U32, &["isqrt"]),
    ("down < 0 && ((a ^ b) & 1)", "(a ^ b) & 1", Scalar::I8, &["midpoint"]),
    (
        "(sizeof(WIDE) * 8 - BITS); } \\\n  STM_DEVICE u32 rs_leading_ones",
        "0; } \\\n  STM_DEVICE u32 rs_leading_ones",
        Scalar::U8,
        &["leading_zeros", "leading_ones", "ilog2", "checked_ilog2", "next_power_of_two", "checked_next_power_of_two"],
    ),
    ("!(low <= high)", "low > high", Scalar::F64, &["clamp"]),
    ("RS_LIBRARY(T, rint)", "RS_LIBRARY(T, round)", Scalar::F32, &["round_ties_even"]),
];

#[test]
fn a_wrong_method_is_found_out() {
    let Some(compiler) = harness::compiler() else { return harness::skipped("a_wrong_method_is_found_out") };
    let mut text = unit::METHODS.to_owned();
    for (right, wrong, ..) in MISTAKES {
        assert!(text.contains(right), "no method has `{right}` any more");
        text = text.replace(right, wrong);
    }
    let unit = unit::unit(&text);
    let harness = Harness::build(&compiler, "method-mistakes", &unit, Build::Quick).unwrap_or_else(|e| panic!("{e}"));
    for (_, mistake, scalar, names) in MISTAKES {
        let expected = expected(*scalar, Extent::Edges);
        let got = ask(&harness, &expected);
        let mut found: Vec<&str> = wrong(&expected, &got).iter().map(|(case, _)| case.method.name).collect();
        found.sort_unstable();
        found.dedup();
        let unnoticed: Vec<_> = names.iter().filter(|name| !found.contains(name)).collect();
        assert!(
            unnoticed.is_empty(),
            "{}: `{mistake}` went unnoticed in {unnoticed:?}, not in {found:?}",
            scalar.rust()
        );
    }
}

#[test]
fn calls_that_rust_refuses_do_not_compile() {
    let Some(compiler) = harness::compiler() else { return harness::skipped("methods that Rust refuses") };
    let text = [PRELUDE, unit::METHODS].concat();
    let good = "rs_min((i32)1, (i32)2); rs_pow((i64)2, (u32)3); rs_clamp(0.5, 0.0, 1.0); rs_from_bits((u32)1);";
    let bad = [
        "rs_min((i32)1, (u32)1)",
        "rs_min(1.5, 1.5f)",
        "rs_max(true, 1)",
        "rs_clamp(1.5f, 0.0, 1.0)",
        "rs_pow((i32)2, (i32)3)",
        "rs_pow(1.5, (u32)3)",
        "rs_abs((u32)1)",
        "rs_signum((u8)1)",
        "rs_isqrt(1.5)",
        "rs_sqrt((i32)1)",
        "rs_mul_add(1.5, 1.5, 1.5f)",
        "rs_checked_add_some((i64)1, (i32)1)",
        "rs_checked_add_is_some(1.5, 1.5)",
        "rs_overflowing_sub_1((u16)1, (u8)1)",
        "rs_wrapping_add_signed((u32)1, (u32)1)",
        "rs_wrapping_add_unsigned((i32)1, (i32)1)",
        "rs_checked_shl_some((i32)1, (i32)1)",
        "rs_rotate_left((u64)1, (u64)1)",
        "rs_next_power_of_two((i32)1)",
        "rs_div_ceil((i32)1, (i32)1)",
        "rs_cast_signed((i32)1)",
        "rs_count_ones(true)",
        "rs_leading_zeros(1.5)",
        "rs_to_bits((u32)1)",
        "rs_from_bits((i32)1)",
        "rs_is_nan((i32)1)",
    ];
    harness::assert_refuses(&compiler, "method-net", &text, good, &bad);
}

#[test]
fn nvrtc_takes_every_method_without_a_warning() {
    let nvrtc = match Nvrtc::find() {
        Ok(nvrtc) => nvrtc,
        Err(why) => return stm_tests::skip::skipped("compiling the methods with NVRTC", &why.to_string()),
    };
    let compiled = nvrtc.compile(&unit::device_unit(), "methods.cu", "compute_75").unwrap_or_else(|e| panic!("{e}"));
    assert!(compiled.warnings().is_empty(), "{:?}", compiled.warnings());
}

#[test]
#[ignore = "writes the kernel and its cases into the folder PRELUDE_CASES"]
fn emit_cases_for_a_device() -> std::io::Result<()> {
    let folder = crate::device_folder();
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("methods.cu"), unit::device_unit())?;
    for scalar in Scalar::ALL {
        let expected = expected(scalar, Extent::Edges);
        let path = folder.join(format!("{}.calls", scalar.rust()));
        harness::write_all(&path, expected.iter().map(|(case, _)| case.bytes()))?;
    }
    Ok(())
}

#[test]
#[ignore = "compares what a device wrote into the folder PRELUDE_CASES"]
fn answers_of_a_device_agree() {
    for scalar in Scalar::ALL {
        let path = crate::device_folder().join(format!("{}.replies", scalar.rust()));
        let got = harness::read_records(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_agreement(scalar, &expected(scalar, Extent::Edges), &got);
    }
}
