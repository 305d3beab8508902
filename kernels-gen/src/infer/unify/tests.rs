use super::*;

#[test]
fn literals_take_the_type_of_their_neighbours() {
    let mut infer = Infer::default();
    let (a, b, c) = (infer.fresh(Class::Int), infer.fresh(Class::Any), infer.fresh(Class::Known(Scalar::U8)));
    assert_eq!(infer.answer(a), Some(Scalar::I32));
    infer.unify(a, b).unwrap();
    infer.unify(b, c).unwrap();
    assert_eq!([a, b, c].map(|t| infer.answer(t)), [Some(Scalar::U8); 3]);
}

#[test]
fn contradictions_are_found() {
    use Class::{Any, Dead, Float, Int, Known, Unit};
    for (a, b, agree) in [
        (Int, Float, false),
        (Int, Known(Scalar::F32), false),
        (Float, Known(Scalar::F32), true),
        (Known(Scalar::Bool), Int, false),
        (Known(Scalar::Usize), Known(Scalar::U64), false),
        (Any, Int, true),
        (Dead, Known(Scalar::Bool), true),
        (Unit, Int, false),
        (Class::Array(TyId(0), Length::Known(2)), Class::Array(TyId(0), Length::Known(3)), false),
        (Class::Array(TyId(0), Length::Open), Class::Array(TyId(0), Length::Known(3)), true),
    ] {
        let mut infer = Infer::default();
        infer.fresh(Any);
        let (x, y) = (infer.fresh(a.clone()), infer.fresh(b.clone()));
        assert_eq!(infer.unify(x, y).is_ok(), agree, "{a:?} {b:?}");
    }
}

#[test]
fn parts_are_unified_and_nothing_contains_itself() {
    let mut infer = Infer::default();
    let (int, byte) = (infer.fresh(Class::Int), infer.fresh(Class::Known(Scalar::U8)));
    let (a, b) = (infer.fresh(Class::Option(int)), infer.fresh(Class::Option(byte)));
    infer.unify(a, b).unwrap();
    assert_eq!(infer.answer(int), Some(Scalar::U8));
    let any = infer.fresh(Class::Any);
    let around = infer.fresh(Class::Option(any));
    assert!(infer.unify(any, around).is_err());
}

#[cfg(feature = "front")]
#[test]
fn what_comes_later_gets_no_default() {
    let mut infer = Infer::default();
    let (literal, unseen) = (infer.fresh(Class::Int), infer.later());
    infer.unify(literal, unseen).unwrap();
    assert_eq!((infer.answer(literal), infer.is_open(literal)), (None, false));
    let mut resumed = Infer::resume(&infer.types());
    let known = resumed.fresh(Class::Known(Scalar::U16));
    resumed.unify(unseen, known).unwrap();
    assert_eq!(resumed.answer(literal), Some(Scalar::U16));
}
