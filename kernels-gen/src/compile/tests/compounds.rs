use super::build::*;
use crate::ir::open::*;
use crate::ir::*;
use crate::spec::{Constant, Enum, LocationKind, Scalar, Traits, Type};

/// Builds a transaction on an array of rooms, with an index.
fn with_rooms() -> (Builder, VarId, Atom, TyId) {
    let mut b = Builder::transaction("book");
    let room = b.named(ROOM_TYPE);
    let u32 = b.scalar(Scalar::U32);
    let rooms = b.array("rooms", room);
    let i = b.param("i", ParamRole::Value, u32);
    (b, rooms, Atom::Var(i), room)
}

#[test]
fn records_are_their_components() {
    let (mut b, rooms, i, room) = with_rooms();
    b.line(2);
    let u32 = b.scalar(Scalar::U32);
    let read = b.read(rooms, &[], i.clone(), room);
    let local = b.bind("room", Rvalue::Use(read), room, true);
    b.line(3);
    let free = b.field(local.clone(), "free");
    let one = b.int(1, Scalar::U32);
    let less = b.arith(Arith::Sub, free, one, u32);
    let Atom::Var(var) = local else { panic!("it is a variable") };
    b.push(StmtKind::Assign { var, steps: vec![Step::Field("free".to_owned())], value: less });
    b.line(4);
    b.write(rooms, &[], i.clone(), local.clone());
    let amount = b.read(rooms, &["price", "amount"], i, u32);
    let _ = amount;
    b.give(vec![]);
    let mut program = b.done();
    // The type of the field comes from the record.
    let i64 = program.tx.types.len() as u32;
    program.tx.types.push(Ty::Scalar(Scalar::I64));
    let last = program.tx.vars.len() - 1;
    program.tx.vars[last].ty = TyId(i64);
    let (text, cuda) = flat(&program);
    assert_has(
        &text,
        &[
            "transaction book(rooms.free.0: shared u32, rooms.price.amount.1: shared i64, rooms.price.unit.2: shared u8, i.3: u32)",
            "let %4: u32 = read rooms_free.0[i.3] @0",
            "let %5: i64 = read rooms_price_amount.1[i.3] @0",
            "let %6: u8 = read rooms_price_unit.2[i.3] @0",
            "let room_free.7: u32 = %4",
            "let room_price_amount.8: i64 = %5",
            "let %10: u32 = room_free.7",
            "let %11: u32 = %10 - 1_u32 @1",
            "room_free.7 = %11",
            "write rooms_free.0[i.3] = room_free.7 @2",
            "write rooms_price_amount.1[i.3] = room_price_amount.8 @2",
            "write rooms_price_unit.2[i.3] = room_price_unit.9 @2",
            "let %12: i64 = read rooms_price_amount.1[i.3] @3",
            "slot 0: Update always, parameter 0[parameter 3], first at location 0",
            "slot 1: Update always, parameter 1[parameter 3], first at location 0",
            "slot 2: Update always, parameter 2",
            "orderable: true",
        ],
    );
    assert_has(
        &cuda,
        &[
            "template <class Tx, class R0, class R1, class R2>",
            "body(Tx& tx, const R0& rooms_free_0, const R1& rooms_price_amount_1, const R2& rooms_price_unit_2, u32 i_3, u64* result)",
            "STM_TRY(stm_read(tx, 0, 0, rooms_free_0, rs_index(i_3), &t4));",
            "STM_TRY(stm_read(tx, 1, 0, rooms_price_amount_1, rs_index(i_3), &t5));",
            "STM_TRY(stm_write(tx, 2, 2, rooms_price_unit_2, rs_index(i_3), room_price_unit_9));",
        ],
    );
}

#[test]
fn tuples_and_results_of_several_components() {
    let mut b = Builder::transaction("pair");
    let (i64, f32) = (b.scalar(Scalar::I64), b.scalar(Scalar::F32));
    let x = b.param("x", ParamRole::Value, i64);
    let y = b.param("y", ParamRole::Value, f32);
    let (pair, truth) = (b.ty(Ty::Tuple(vec![i64, f32])), b.scalar(Scalar::Bool));
    let outer = b.ty(Ty::Tuple(vec![pair, truth]));
    b.program.tx.result = outer;
    let inside = b.temp(Rvalue::Tuple(vec![Atom::Var(x), Atom::Var(y)]), pair);
    let whole = b.temp(Rvalue::Tuple(vec![inside, Atom::Bool(true)]), outer);
    b.give(vec![whole]);
    let (text, cuda) = flat(&b.done());
    assert_has(&text, &["-> (i64, f32, bool)", "return x.0, y.1, true"]);
    assert_has(
        &cuda,
        &["result[0] = stm_to_word(x_0); result[1] = stm_to_word(y_1); result[2] = stm_to_word(true); return STM_OK;"],
    );
}

#[test]
fn arrays_of_records_are_arrays_of_their_fields() {
    let mut b = Builder::transaction("array");
    let (u64, usize) = (b.scalar(Scalar::U64), b.scalar(Scalar::Usize));
    b.program.tx.result = u64;
    let i = b.param("i", ParamRole::Value, usize);
    let pair = b.ty(Ty::Tuple(vec![u64, usize]));
    let array = b.ty(Ty::Array(pair, Length::Known(4)));
    b.line(2);
    let zero = b.int(0, Scalar::U64);
    let element = b.temp(Rvalue::Tuple(vec![zero, Atom::Var(i)]), pair);
    let all = b.bind("all", Rvalue::Repeat(element), array, true);
    let Atom::Var(var) = all.clone() else { panic!("it is a variable") };
    b.line(3);
    let location = b.location(LocationKind::Element, "all[i].0");
    let steps = vec![Step::Element(Atom::Var(i), location), Step::Field("0".to_owned())];
    let value = b.int(7, Scalar::U64);
    b.push(StmtKind::Assign { var, steps, value });
    b.line(4);
    let one = b.element(all, Atom::Var(i), pair);
    let first = b.field(one, "0");
    b.give(vec![first]);
    let (text, cuda) = flat(&b.done());
    assert_has(
        &text,
        &[
            "let all_0.3: [u64; 4] = [0_u64; _]",
            "let all_1.4: [usize; 4] = [i.0; _]",
            "all_0.3[i.0 @0] = 7_u64",
            // Only the field of the element is loaded, and the index is checked where Rust checks it.
            "let %8: bool = i.0 < 4_usize",
            "fault IndexOutOfRange @1",
            "let %7: u64 = all_0.3[i.0] @1",
            "return %7",
        ],
    );
    assert_has(
        &cuda,
        &[
            "rs_array<u64, 4> all_0_3 = rs_repeat<u64, 4>((u64)0);",
            "STM_SET_ELEMENT(0, all_0_3, 4, i_0, (u64)7);",
            "if (!t8) {",
            "return tx.fault(STM_FAULT_INDEX, 1);",
            "u64 t7; STM_ELEMENT(1, t7, all_0_3, 4, i_0);",
        ],
    );
}

#[test]
fn nested_arrays_are_one_and_each_index_is_checked() {
    let mut b = Builder::transaction("matrix");
    let usize = b.scalar(Scalar::Usize);
    b.program.tx.result = usize;
    let (i, j) = (b.param("i", ParamRole::Value, usize), b.param("j", ParamRole::Value, usize));
    let row = b.ty(Ty::Array(usize, Length::Known(3)));
    let matrix = b.ty(Ty::Array(row, Length::Known(2)));
    let m = b.param("m", ParamRole::Value, matrix);
    let outer = b.element(Atom::Var(m), Atom::Var(i), row);
    let inner = b.element(outer, Atom::Var(j), usize);
    b.give(vec![inner]);
    let (text, _) = flat(&b.done());
    assert_has(
        &text,
        &[
            "m[0][0].2: usize, m[0][1].3: usize, m[0][2].4: usize, m[1][0].5: usize",
            "let m.10: [usize; 6] = [m_0__0.2, m_0__1.3, m_0__2.4, m_1__0.5, m_1__1.6, m_1__2.7]",
            "i.0 < 2_usize",
            "j.1 < 3_usize",
            "= rs_wrapping_mul(i.0, 3_usize)",
            "= rs_wrapping_add(",
            "let %9: usize = m.10[",
        ],
    );
}

#[test]
fn elements_that_are_known_are_no_arrays() {
    let mut b = Builder::transaction("chosen");
    let (u32, unit) = (b.scalar(Scalar::U32), b.int(1, Scalar::Usize));
    let data = b.array("data", u32);
    let two = b.ty(Ty::Array(u32, Length::Known(2)));
    let ids = b.param("ids", ParamRole::Value, two);
    let id = b.element(Atom::Var(ids), unit, u32);
    let value = b.read(data, &[], id, u32);
    b.give(vec![]);
    _ = value;
    let (text, cuda) = flat(&b.done());
    assert_has(&text, &["read data.0[ids_1.2]", "orderable: true"]);
    assert_has(&cuda, &["stm_declare(tx, 0, STM_READ, data_0, rs_index(ids_1_2));"]);
}

#[test]
fn options_are_a_flag_and_a_value() {
    let mut b = Builder::transaction("option");
    let u32 = b.scalar(Scalar::U32);
    let truth = b.scalar(Scalar::Bool);
    b.program.tx.result = u32;
    let option = b.ty(Ty::Option(u32));
    let maybe = b.param("maybe", ParamRole::Value, option);
    // match maybe { Some(x) => .., None => .. }
    b.line(2);
    let some = b.temp(Rvalue::IsSome(Atom::Var(maybe)), truth);
    b.if_then(some, |b| {
        let inner = b.temp(Rvalue::Inner(Atom::Var(maybe)), u32);
        b.give(vec![inner]);
    });
    b.line(3);
    let none = b.bind("none", Rvalue::None, option, true);
    let chosen = b.open();
    b.program.tx.relations.push(Relation::Method {
        receiver: option,
        name: "or".to_owned(),
        args: vec![option],
        result: chosen,
    });
    let location = b.location(LocationKind::Panic, "no value");
    let chosen = b.temp(Rvalue::Method("or".to_owned(), vec![none, Atom::Var(maybe)], location), chosen);
    let inner = b.temp(Rvalue::Method("unwrap".to_owned(), vec![chosen], location), u32);
    b.give(vec![inner]);
    let (text, cuda) = flat(&b.done());
    assert_has(
        &text,
        &[
            "option(maybe.is_some.0: bool, maybe.some.1: u32) -> u32",
            "if maybe_is_some.0",
            "return maybe_some.1",
            "let none_is_some.4: bool = false",
            "let none_some.5: u32 = 0_u32",
            "= none_is_some.4 | maybe_is_some.0",
            "= rs_select(none_is_some.4, none_some.5, maybe_some.1)",
            "fault Unwrap @0",
        ],
    );
    assert_has(&cuda, &["if (maybe_is_some_0) {", "rs_select(", "STM_PANIC(0, STM_FAULT_UNWRAP);"]);
}

#[test]
fn compounds_are_compared_part_by_part() {
    let mut b = Builder::transaction("equal");
    let u32 = b.scalar(Scalar::U32);
    let truth = b.scalar(Scalar::Bool);
    b.program.tx.result = truth;
    let option = b.ty(Ty::Option(u32));
    let two = b.ty(Ty::Array(u32, Length::Known(2)));
    let pair = b.ty(Ty::Tuple(vec![option, two]));
    let (x, y) = (b.param("x", ParamRole::Value, pair), b.param("y", ParamRole::Value, pair));
    let same = b.compare(Compare::Ne, Atom::Var(x), Atom::Var(y));
    b.give(vec![same]);
    let (text, _) = flat(&b.done());
    assert_has(
        &text,
        &[
            "= x_0_is_some.0 == y_0_is_some.4",
            "= x_0_some.1 == y_0_some.5",
            "= not x_0_is_some.0",
            " | ",
            " & ",
            "= x_1_0.2 == y_1_0.6",
            "= x_1_1.3 == y_1_1.7",
            " & ",
            "= not ",
        ],
    );
}

#[test]
fn enums_are_their_discriminants() {
    const COLOUR: Enum = Enum {
        name: "Colour",
        module: "paint",
        repr: Scalar::Isize,
        variants: &[("Red", 0), ("Green", -1)],
        traits: Traits::NONE,
    };
    let mut b = Builder::transaction("colours");
    let colour = b.named(Type::Enum(&COLOUR));
    let u8 = b.scalar(Scalar::U8);
    b.program.tx.result = u8;
    let x = b.param("x", ParamRole::Value, colour);
    let green = b.constant(Constant { ty: Type::Enum(&COLOUR), words: vec![u64::MAX] });
    let same = b.compare(Compare::Eq, Atom::Var(x), green);
    let location = b.location(LocationKind::Print, "{x:?}");
    b.if_then(same, |b| {
        b.push(StmtKind::Print {
            pieces: vec![Piece::Text("it is ".to_owned()), Piece::Value(Atom::Var(x), "?".to_owned())],
            location,
        });
    });
    let number = b.temp(Rvalue::Cast(Atom::Var(x), u8), u8);
    b.give(vec![number]);
    let (text, cuda) = flat(&b.done());
    assert_has(&text, &["colours(x.0: isize) -> u8", "= x.0 == -1_isize", "print x.0 @", "x.0 as u8"]);
    assert_has(
        &cuda,
        &[
            "rs_eq(x_0, (i64)-1)",
            "if (u64* line = STM_LINE(0, 1)) {",
            "line[0] = stm_to_word(x_0);",
            "rs_cast<u8>(x_0)",
        ],
    );
}

#[test]
fn constants_are_literals_lengths_and_bounds() {
    let mut b = Builder::transaction("constants");
    let (u32, usize) = (b.scalar(Scalar::U32), b.scalar(Scalar::Usize));
    let data = b.array("data", u32);
    let limit = Constant { ty: Type::Scalar(Scalar::Usize), words: vec![3] };
    let length = b.constant_id(limit.clone());
    let array = b.ty(Ty::Array(u32, Length::Constant(length)));
    let zero = b.int(0, Scalar::U32);
    let all = b.bind("all", Rvalue::Repeat(zero), array, true);
    let (start, end) = (b.int(0, Scalar::Usize), b.constant(limit));
    b.for_loop(Builder::range(start, end), usize, |b, i| {
        let value = b.read(data, &[], i.clone(), u32);
        let Atom::Var(var) = all else { panic!("it is a variable") };
        let location = b.location(LocationKind::Element, "all[i]");
        b.push(StmtKind::Assign { var, steps: vec![Step::Element(i, location)], value });
    });
    let nan = b.constant(Constant { ty: Type::Scalar(Scalar::F32), words: vec![u64::from(f32::NAN.to_bits())] });
    let less = b.compare(Compare::Lt, nan.clone(), nan);
    let guard = b.location(LocationKind::Guard, "nan < nan");
    b.push(StmtKind::Guard { condition: less, location: guard });
    b.give(vec![]);
    let (text, cuda) = flat(&b.done());
    assert_has(
        &text,
        &["let all.1: [u32; 3] = [0_u32; _]", "for i.4: usize in 0_usize..3_usize", "indexed: 3", "is in a loop"],
    );
    assert!(!text.contains("stated"), "{text}");
    assert_has(
        &cuda,
        &["rs_array<u32, 3> all_1", "STM_SET_ELEMENT(2, all_1, 3, i_4, t", "rs_lt(stm_word<f32>::to(2143289344ull), "],
    );
}

#[test]
fn ranges_have_steps_and_directions() {
    let mut b = Builder::transaction("ranges");
    let i8 = b.scalar(Scalar::I8);
    let data = b.array("data", i8);
    let (start, end) = (b.int(-100, Scalar::I8), b.int(100, Scalar::I8));
    let step = b.int(30, Scalar::Usize);
    let range = Range { start, end, inclusive: true, step: Some(step), reversed: true };
    b.for_loop(range, i8, |b, i| _ = b.read(data, &[], i, i8));
    b.give(vec![]);
    let (text, cuda) = flat(&b.done());
    assert_has(&text, &["in -100_i8..=100_i8 step 30_usize reversed", "indexed: 7"]);
    assert_has(
        &cuda,
        &[
            "u64 last_t1 = rs_range_last((i8)-100, (i8)100, true, (u64)30);",
            "for (u64 t1 = 0, more_t1 = rs_range_any((i8)-100, (i8)100, true); more_t1 != 0; more_t1 = rs_lt(t1, last_t1), \
             t1 = rs_wrapping_add(t1, (u64)1)) {",
            "i8 i_2 = rs_range_at<i8>((i8)-100, rs_wrapping_sub(last_t1, t1), (u64)30);",
        ],
    );
}
