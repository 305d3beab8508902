use super::*;

const BYTE: Type = Type::Scalar(Scalar::U8);
const WORD: Type = Type::Scalar(Scalar::U64);
const PAIR: Type = Type::Tuple(&[BYTE, WORD, BYTE]);
const MAYBE: Type = Type::Option(&PAIR);

#[test]
fn rust_fills_up_and_the_device_does_not() {
    let size = |ty| (Space::of(ty).bytes, Space::of(ty).arrays);
    assert_eq!(size(PAIR), (std::mem::size_of::<(u8, u64, u8)>() as u64, 0));
    assert_eq!(size(Type::Array(&PAIR, 100)), (1600, 1000));
    assert_eq!(size(MAYBE), (24, 0));
    assert_eq!(size(Type::Array(&MAYBE, 4)), (96, 44));
    assert_eq!(size(Type::Tuple(&[Type::Array(&BYTE, 7), WORD])), (16, 7));
    assert_eq!(size(Type::Array(&Type::Unit, u64::MAX)), (0, 0));
    assert_eq!(size(Type::Array(&Type::Array(&WORD, u64::MAX), u64::MAX)), (u64::MAX, u64::MAX));
}

#[test]
fn a_type_that_doubles_with_each_line_is_unwieldy_and_soon_known_to_be() {
    let mut infer = Infer::default();
    let mut ty = infer.fresh(Class::Known(Scalar::U32));
    let mut deep = infer.fresh(Class::Unit);
    for _ in 0..1000 {
        ty = infer.fresh(Class::Tuple(vec![ty, ty]));
        deep = infer.fresh(Class::Option(deep));
    }
    let spaces = infer.spaces(|_| Space::NONE);
    assert!(spaces[ty.0 as usize].is_unwieldy() && spaces[deep.0 as usize].is_unwieldy());
    assert_eq!(spaces[ty.0 as usize].bytes, u64::MAX);
    let other = infer.fresh(Class::Any);
    infer.unify(ty, other).expect("they agree");
    assert!(!infer.holds(&Class::Option(ty), deep));
}
