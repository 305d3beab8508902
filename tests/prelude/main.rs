//! The device prelude computes the same as Rust: every operation, on all pairs of edge operands, in both modes.
//!
//! The prelude is built for the host. The two ignored tests do the same with a device: the first writes the kernel
//! (`prelude/cases.cuh` describes it) and for each type a `<type>.cases` into the folder that PRELUDE_CASES names; the user
//! runs the kernel on each and stores its results as `<type>.answers`; the second compares them.

mod case;
mod edges;
mod harness;
mod methods;
mod ops;
mod oracle;

use std::path::PathBuf;

use kernels_gen::spec::Scalar;

use case::{Answer, Case};
use edges::Extent;
use harness::{Build, Harness, PRELUDE};
use ops::Op;

/// Returns the cases of a type with Rust's answers.
fn expected(scalar: Scalar, extent: Extent) -> (Vec<Case>, Vec<Answer>) {
    let cases = edges::cases(scalar, extent);
    let answer = |case: &Case| oracle::answer(case).unwrap_or_else(|| panic!("Rust has no {case:?}"));
    let answers = cases.iter().map(answer).collect();
    (cases, answers)
}

/// A case with both answers.
struct Row<'a> {
    case: &'a Case,
    expected: &'a Answer,
    got: &'a Answer,
}

impl Row<'_> {
    fn agrees(&self) -> bool {
        self.got.agrees(self.expected, self.case)
    }
}

fn rows<'a>(cases: &'a [Case], expected: &'a [Answer], got: &'a [Answer]) -> impl Iterator<Item = Row<'a>> {
    cases.iter().zip(expected).zip(got).map(|((case, expected), got)| Row { case, expected, got })
}

/// Fails with the first cases of `scalar` that differ.
fn assert_agreement(scalar: Scalar, cases: &[Case], expected: &[Answer], got: &[Answer]) {
    assert_eq!(cases.len(), got.len(), "{}: each case has an answer", scalar.rust());
    let wrong: Vec<Row> = rows(cases, expected, got).filter(|row| !row.agrees()).collect();
    let show = |row: &Row| format!("{:x?}\n  Rust:    {:x?}\n  prelude: {:x?}", row.case, row.expected, row.got);
    let first: Vec<String> = wrong.iter().take(10).map(show).collect();
    assert!(wrong.is_empty(), "{}: {} of {} differ\n{}", scalar.rust(), wrong.len(), cases.len(), first.join("\n"));
}

#[test]
fn every_operation_gives_what_rust_gives() {
    let Some(compiler) = harness::compiler() else { return harness::skipped("every_operation_gives_what_rust_gives") };
    let harness =
        Harness::build(&compiler, "strict", &harness::unit(PRELUDE), Build::Strict).unwrap_or_else(|e| panic!("{e}"));
    for scalar in Scalar::ALL {
        let (cases, expected) = expected(scalar, Extent::EdgesAndBytes);
        let got = harness.run(&cases).unwrap_or_else(|e| panic!("{}: {e}", scalar.rust()));
        assert_agreement(scalar, &cases, &expected, &got);
        println!("{}: {} cases", scalar.rust(), cases.len());
    }
}

/// A possible mistake of a prelude.
struct Mistake {
    right: &'static str,
    wrong: &'static str,
    /// The type for which it must be detected.
    scalar: Scalar,
    /// Every operation in which it must be detected.
    ops: &'static [Op],
}

const fn mistake(right: &'static str, wrong: &'static str, scalar: Scalar, ops: &'static [Op]) -> Mistake {
    Mistake { right, wrong, scalar, ops }
}

const MISTAKES: &[Mistake] = &[
    mistake("{ return a <= b; }", "{ return a < b; }", Scalar::F64, &[Op::Le]),
    mistake(
        "(WIDE)a << (rs_shift_amount(amount) & (BITS - 1))",
        "(WIDE)a << (rs_shift_amount(amount) & 7)",
        Scalar::I32,
        &[Op::WrappingShl, Op::Shl],
    ),
    mistake("(T)(a >> ", "(T)((U)a >> ", Scalar::I8, &[Op::WrappingShr, Op::Shr]),
    mistake(
        "(U)amount >= sizeof(T) * 8",
        "amount >= (S)(sizeof(T) * 8)",
        Scalar::I8,
        &[Op::ShiftTooFar, Op::Shl, Op::Shr],
    ),
    mistake("((a ^ sum) & (b ^ sum)) < 0", "(a ^ sum) < 0", Scalar::I64, &[Op::AddOverflows, Op::Add]),
    mistake("(a ^ difference)) < 0", "(b ^ difference)) < 0", Scalar::I32, &[Op::SubOverflows, Op::Sub]),
    mistake("rs_wrapping_add(a, b) < a;", "rs_wrapping_add(a, b) <= a;", Scalar::U64, &[Op::AddOverflows, Op::Add]),
    mistake("!= (i64)((u64)a * (u64)b) >> 63", "!= 0", Scalar::I64, &[Op::MulOverflows, Op::Mul]),
    mistake("rs_mul_overflows(A, B), STM_FAULT", "false, STM_FAULT", Scalar::U8, &[Op::Mul]),
    mistake(
        "a == RS_MIN_OF(T, U, BITS) && b == -1",
        "b == -1",
        Scalar::I64,
        &[Op::DivFault, Op::RemFault, Op::RawDiv, Op::Div, Op::Rem],
    ),
    mistake(
        "rs_divides_by_zero(B), LOCATION), STM_FAULT_DIVIDE_BY_ZERO",
        "rs_divides_by_zero(B), LOCATION), STM_FAULT_SHIFT",
        Scalar::U32,
        &[Op::Div, Op::Rem],
    ),
    mistake("from == from ? (To)(MIN) : (To)0", "(To)(MIN)", Scalar::F32, &[Op::Cast]),
    mistake("from < (From)(BEYOND) ?", "from < (From)(BEYOND) / 2 ?", Scalar::F64, &[Op::Cast]),
    mistake("index < 0 ? ~(u64)0 : (u64)index", "(u64)index", Scalar::I32, &[Op::Index]),
];

#[test]
fn a_wrong_prelude_is_found_out() {
    let Some(compiler) = harness::compiler() else { return harness::skipped("a_wrong_prelude_is_found_out") };
    let mut prelude = PRELUDE.to_owned();
    for Mistake { right, wrong, .. } in MISTAKES {
        assert!(prelude.contains(right), "the prelude no longer has `{right}`");
        prelude = prelude.replace(right, wrong);
    }
    let harness =
        Harness::build(&compiler, "mistakes", &harness::unit(&prelude), Build::Quick).unwrap_or_else(|e| panic!("{e}"));
    for scalar in Scalar::ALL {
        let (cases, expected) = expected(scalar, Extent::Edges);
        let got = harness.run(&cases).unwrap_or_else(|e| panic!("{}: {e}", scalar.rust()));
        let found = |op: Op| rows(&cases, &expected, &got).any(|row| row.case.op == op && !row.agrees());
        for mistake in MISTAKES.iter().filter(|mistake| mistake.scalar == scalar) {
            let unnoticed: Vec<&Op> = mistake.ops.iter().filter(|op| !found(**op)).collect();
            assert!(unnoticed.is_empty(), "{}: `{}` went unnoticed in {unnoticed:?}", scalar.rust(), mistake.wrong);
        }
        let mistaken = |op: &Op| MISTAKES.iter().any(|mistake| mistake.ops.contains(op));
        let accused: Vec<&Op> = Op::ALL.iter().filter(|op| !mistaken(op) && found(**op)).collect();
        assert!(accused.is_empty(), "{}: nothing is wrong with {accused:?}", scalar.rust());
    }
}

#[test]
fn calls_that_rust_refuses_do_not_compile() {
    let Some(compiler) = harness::compiler() else { return harness::skipped("calls_that_rust_refuses_do_not_compile") };
    let good = "rs_lt((i32)1, (i32)2); rs_wrapping_shl((i32)1, (u64)1); rs_cast<f32>((u8)1); rs_add(1.5, 0.5);";
    let bad = [
        "rs_lt((i32)1, (u32)1)",
        "rs_eq((u8)1, (u16)1)",
        "rs_eq(true, 1)",
        "rs_ge(1.5, 1.5f)",
        "rs_eq('a', 'a')",
        "rs_eq(1l, 1l)",
        "rs_bit_and(1.5, 1.5)",
        "rs_bit_or(true, (u8)1)",
        "rs_not(1.5f)",
        "rs_add((i32)1, (i32)1)",
        "rs_add(1.5f, 1.5)",
        "rs_neg((i32)1)",
        "rs_div((i32)1, 1.5)",
        "rs_div((i64)1, (i32)1)",
        "rs_rem((u32)1, (i32)1)",
        "rs_wrapping_add((i64)1, (i32)1)",
        "rs_wrapping_add(1.5, 1.5)",
        "rs_wrapping_mul(true, true)",
        "rs_wrapping_neg(1.5)",
        "rs_wrapping_shl((i32)1, 1.5f)",
        "rs_wrapping_shl(true, (u32)1)",
        "rs_wrapping_shr((i32)1, true)",
        "rs_add_overflows((i16)1, (i8)1)",
        "rs_mul_overflows((i64)1, (u64)1)",
        "rs_neg_overflows(1.5)",
        "rs_shift_too_far<i32>(true)",
        "rs_div_fault((i32)1, (i64)1)",
        "rs_index(1.5)",
        "rs_index(true)",
        "rs_cast<bool>((i32)1)",
        "rs_cast<bool>(1.5)",
        "rs_cast<f32>(true)",
        "rs_cast<stm_unit>((i32)1)",
    ];
    harness::assert_refuses(&compiler, "net", PRELUDE, good, &bad);
}

/// Returns the folder for the cases and answers of a device.
fn device_folder() -> PathBuf {
    PathBuf::from(std::env::var_os("PRELUDE_CASES").expect("PRELUDE_CASES names a folder"))
}

#[test]
#[ignore = "writes the kernel and its cases into the folder PRELUDE_CASES"]
fn emit_cases_for_a_device() -> std::io::Result<()> {
    let folder = device_folder();
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("prelude_cases.cu"), harness::device_unit())?;
    for scalar in Scalar::ALL {
        let cases = edges::cases(scalar, Extent::Edges);
        harness::write_all(&folder.join(format!("{}.cases", scalar.rust())), cases.iter().map(Case::bytes))?;
    }
    Ok(())
}

#[test]
#[ignore = "compares what a device wrote into the folder PRELUDE_CASES"]
fn answers_of_a_device_agree() {
    for scalar in Scalar::ALL {
        let path = device_folder().join(format!("{}.answers", scalar.rust()));
        let got = harness::read_records(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let got: Vec<Answer> = got.iter().map(Answer::from_bytes).collect();
        let (cases, expected) = expected(scalar, Extent::Edges);
        assert_agreement(scalar, &cases, &expected, &got);
    }
}
