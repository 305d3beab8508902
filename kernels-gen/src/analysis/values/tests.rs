use super::*;

#[test]
fn equal_computations_share_a_number() {
    let mut values = Values::default();
    let from = values.number(Node::Param(VarId(0)));
    let one = values.number(Node::Int(1, Scalar::U32));
    let sum = Node::Arith(Arith::Add, Scalar::U32, from, one);
    assert_eq!(values.number(sum.clone()), values.number(sum));
    assert_ne!(values.opaque(&[]), values.opaque(&[]));
}

#[test]
fn constants_are_computed_where_nothing_overflows() {
    let mut values = Values::default();
    let rows = values.number(Node::Int(100, Scalar::Usize));
    let narrow = values.number(Node::Cast(Scalar::Usize, Scalar::U8, rows));
    let twice = values.number(Node::Arith(Arith::Mul, Scalar::Usize, rows, rows));
    let wraps = values.number(Node::Arith(Arith::Mul, Scalar::U8, narrow, narrow));
    assert_eq!((values.constant(narrow), values.constant(twice)), (Some(100), Some(10_000)));
    assert_eq!(values.constant(wraps), None);
}

#[test]
fn only_lossless_casts_are_looked_through() {
    for (from, to, keeps) in [
        (Scalar::U32, Scalar::Usize, true),
        (Scalar::U32, Scalar::I64, true),
        (Scalar::U32, Scalar::I32, false),
        (Scalar::I8, Scalar::U64, false),
        (Scalar::I64, Scalar::I32, false),
        (Scalar::F32, Scalar::U64, false),
    ] {
        assert_eq!(keeps_value(from, to), keeps, "{from:?} {to:?}");
    }
}
