use super::*;

#[test]
fn literals_are_typed_and_exact() {
    for (value, scalar, expect) in [
        (7, Scalar::I64, "(i64)7"),
        (-128, Scalar::I8, "(i8)-128"),
        (i128::from(u64::MAX), Scalar::Usize, "(u64)18446744073709551615ull"),
        (i128::from(i64::MIN), Scalar::I64, "(i64)(-9223372036854775807ll - 1)"),
    ] {
        assert_eq!(int(value, scalar), expect);
    }
    for (text, scalar, expect) in [
        ("0.1", Scalar::F32, "(f32)0.1f"),
        ("-0.0", Scalar::F64, "(f64)-0.0"),
        ("1e300", Scalar::F64, "(f64)1e300"),
        ("3", Scalar::F64, "(f64)3.0"),
        ("16777217.0", Scalar::F32, "(f32)16777216.0f"),
    ] {
        assert_eq!(float(text, scalar), expect);
    }
}
