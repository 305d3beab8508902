use super::*;

const BYTE: Type = Type::Scalar(Scalar::U8);
const WORD: Type = Type::Scalar(Scalar::U64);
const ROW: Type = Type::Array(&BYTE, 2);
const PAIR: Type = Type::Tuple(&[WORD, ROW]);

#[test]
fn arrays_of_compounds_are_compounds_of_arrays() {
    let ty = Type::Array(&PAIR, 3);
    let shown: Vec<_> = groups(ty).into_iter().map(|c| (c.path.clone(), c.scalar, c.length())).collect();
    assert_eq!(shown, [("_0".to_owned(), Scalar::U64, Some(3)), ("_1".to_owned(), Scalar::U8, Some(6))]);
    assert_eq!(components(ty), [(0, 0), (1, 0), (1, 1), (0, 1), (1, 2), (1, 3), (0, 2), (1, 4), (1, 5)]);
    assert_eq!((width(ty), ty.components()), (2, 9));
}

#[test]
fn parts_follow_each_other() {
    let ty = Type::Tuple(&[Type::Option(&PAIR), Type::Unit, BYTE]);
    assert_eq!(field(ty, "2"), Some(ValuePart { ty: BYTE, group: 3, component: 4 }));
    assert_eq!(field(ty, "3"), None);
    assert_eq!(inner(Type::Option(&BYTE)).map(|part| part.group), Some(1));
}
