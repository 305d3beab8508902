use super::build::*;
use crate::ir::open::*;
use crate::ir::*;
use crate::spec::{LocationKind, Scalar};

/// Adds `receiver.name(args)` where the macro does not know the type of the receiver.
fn method(b: &mut Builder, receiver: (Atom, TyId), name: &str, args: Vec<(Atom, TyId)>) -> (Atom, TyId) {
    let result = b.open();
    let (mut atoms, types): (Vec<Atom>, Vec<TyId>) = args.into_iter().unzip();
    b.program.tx.relations.push(Relation::Method { receiver: receiver.1, name: name.to_owned(), args: types, result });
    atoms.insert(0, receiver.0);
    let location = b.location(LocationKind::Arithmetic, name);
    (b.temp(Rvalue::Method(name.to_owned(), atoms, location), result), result)
}

#[test]
fn addresses_can_be_made_with_methods() {
    let mut b = Builder::transaction("methods");
    let u32 = b.scalar(Scalar::U32);
    let data = b.array("data", u32);
    let i = (b.value("i", u32), u32);
    let (nine, int) = (b.int(9, Scalar::U32), b.ty(Ty::Open(OpenTy::Int)));
    let (index, _) = method(&mut b, i.clone(), "min", vec![(nine, u32)]);
    b.read(data, &[], index, u32);
    // 2_u32.pow(i) may overflow; rem_euclid of zero always faults.
    let two = (Atom::Int(2, int), int);
    let (power, ty) = method(&mut b, two, "pow", vec![i.clone()]);
    let (rest, _) = method(&mut b, (power, ty), "rem_euclid", vec![(Atom::Int(3, int), int)]);
    let (sum, option) = method(&mut b, i.clone(), "checked_add", vec![i.clone()]);
    let (sum, _) = method(&mut b, (sum, option), "unwrap_or", vec![i]);
    let wide = b.temp(Rvalue::Cast(rest, u32), u32);
    b.write(data, &[], sum, wide);
    b.give(vec![]);
    let (text, cuda) = flat(&b.done());
    assert_has(
        &text,
        &[
            "= rs_min(i.1, 9_u32)",
            "checked fault if rs_pow_fault(2_i32, i.1) @2",
            "= rs_pow(2_i32, i.1)",
            "fault if rs_rem_euclid_fault(",
            "= rs_checked_add_is_some(i.1, i.1)",
            "= rs_checked_add_some(i.1, i.1)",
            "= rs_select(",
            "rs_min(parameter 1, 9)",
            "orderable: true",
        ],
    );
    assert_has(
        &cuda,
        &[
            "u32 a0 = rs_min(i_1, (u32)9);",
            "stm_declare(tx, 0, STM_READ, data_0, rs_index(a0));",
            "rs_select(",
            "stm_declare(tx, 1, STM_WRITE",
            "STM_CHECKED_FAULT_IF(2, rs_pow_fault((i32)2, i_1));",
            "STM_FAULT_IF(3, rs_rem_euclid_fault(",
        ],
    );
}

#[test]
fn functions_of_types_have_no_receiver() {
    let mut b = Builder::transaction("bits");
    let (u32, f32, array) = (b.scalar(Scalar::U32), b.scalar(Scalar::F32), b.scalar(Scalar::U16));
    let array = b.ty(Ty::Array(array, Length::Known(5)));
    let usize = b.open();
    b.program.tx.result = f32;
    let x = b.value("x", u32);
    let list = b.value("list", array);
    let location = b.location(LocationKind::Arithmetic, "f32::from_bits(x)");
    let float = b.temp(Rvalue::Method("f32::from_bits".to_owned(), vec![x], location), f32);
    b.program.tx.relations.push(Relation::Method {
        receiver: array,
        name: "len".to_owned(),
        args: vec![],
        result: usize,
    });
    let length = b.temp(Rvalue::Method("len".to_owned(), vec![list], location), usize);
    let five = b.int(5, Scalar::Usize);
    let condition = b.compare(Compare::Eq, length, five);
    b.push(StmtKind::Guard { condition, location });
    b.give(vec![float]);
    let (text, _) = flat(&b.done());
    assert_has(&text, &["= rs_from_bits(x.0)", "= 5_usize", "return "]);
}

#[test]
fn what_has_no_method_says_so() {
    let mut b = Builder::transaction("missing");
    let room = b.named(ROOM_TYPE);
    let x = (b.value("x", room), room);
    method(&mut b, x, "min", vec![]);
    b.give(vec![]);
    assert!(error(&b.done()).message.contains("`Room` has no method `min`"));
}
