use super::*;

#[test]
fn ranges_are_rusts() {
    for (scalar, least, most) in [
        (Scalar::I8, i128::from(i8::MIN), i128::from(i8::MAX)),
        (Scalar::I64, i128::from(i64::MIN), i128::from(i64::MAX)),
        (Scalar::U8, 0, i128::from(u8::MAX)),
        (Scalar::Usize, 0, i128::from(u64::MAX)),
        (Scalar::I128, i128::MIN, i128::MAX),
        (Scalar::U128, 0, u128::MAX as i128),
    ] {
        assert_eq!(range(scalar), Some((least, most)));
    }
    assert_eq!(range(Scalar::F32), None);
}

#[test]
fn floats_fit_if_finite() {
    for (text, scalar, fits) in [("1e38", Scalar::F32, true), ("1e39", Scalar::F32, false), ("1e39", Scalar::F64, true)]
    {
        assert_eq!(Number::Float(text.to_owned()).fits(scalar), fits, "{text}");
    }
}
