use super::*;

#[test]
fn edges_are_rusts() {
    let op = |op, scalar, a: i128, b: i128, checked| {
        arith(op, scalar, wrap(scalar, a), wrap(scalar, b), checked).map(|word| int(scalar, word))
    };
    assert_eq!(op(Arith::Add, Scalar::I8, 127, 1, true), Err(FaultCode::Overflow));
    assert_eq!(op(Arith::Add, Scalar::I8, 127, 1, false), Ok(-128));
    let most = i128::from(u64::MAX);
    assert_eq!(op(Arith::Mul, Scalar::U64, most, most, false), Ok(1));
    assert_eq!(op(Arith::Mul, Scalar::U64, most, most, true), Err(FaultCode::Overflow));
    assert_eq!(op(Arith::Rem, Scalar::I64, i128::from(i64::MIN), -1, false), Err(FaultCode::Overflow));
    assert_eq!(op(Arith::Div, Scalar::I64, 3, 0, false), Err(FaultCode::DivideByZero));
    assert_eq!(op(Arith::Shl, Scalar::I16, 1, -1, false), Ok(-32768));
    assert_eq!(op(Arith::Shr, Scalar::I16, -8, 16, true), Err(FaultCode::ShiftTooFar));
}

#[test]
fn casts_are_rusts() {
    assert_eq!(cast(Scalar::F64, Scalar::I8, f64_word(-1e9)), 0x80);
    assert_eq!(cast(Scalar::F32, Scalar::U64, f32_word(f32::INFINITY)), u64::MAX.into());
    assert_eq!(cast(Scalar::F64, Scalar::U32, f64_word(f64::NAN)), 0);
    assert_eq!(cast(Scalar::I8, Scalar::U32, 0xff), 0xffff_ffff);
    assert_eq!(cast(Scalar::U64, Scalar::F32, u64::MAX.into()), f32_word(u64::MAX as f32));
}
