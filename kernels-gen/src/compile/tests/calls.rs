use super::build::*;
use crate::compile::Program;
use crate::fault::FaultCode;
use crate::ir::open::*;
use crate::ir::*;
use crate::spec::{LocationKind, Scalar};

const FUNCTION: Form = Form::Function { tries: false };
const TRYING: Form = Form::Function { tries: true };

/// Builds `fn find(limit: u32, x: u32) -> u32 { for i in 0..limit { if i == x { return i * 2; } } 7 }`
fn find() -> Program {
    let mut b = Builder::new("find", FUNCTION);
    let u32 = b.scalar(Scalar::U32);
    b.program.tx.result = u32;
    let (limit, x) = (b.param("limit", ParamRole::Value, u32), b.param("x", ParamRole::Value, u32));
    let zero = b.int(0, Scalar::U32);
    b.line(10);
    b.for_loop(Builder::range(zero, Atom::Var(limit)), u32, |b, i| {
        let same = b.compare(Compare::Eq, i.clone(), Atom::Var(x));
        b.if_then(same, |b| {
            let two = b.int(2, Scalar::U32);
            let twice = b.arith(Arith::Mul, i, two, u32);
            b.give(vec![twice]);
        });
    });
    let seven = b.int(7, Scalar::U32);
    b.give(vec![seven]);
    b.done()
}

#[test]
fn an_early_return_leaves_the_block_of_its_call() {
    let mut b = Builder::transaction("finder");
    let u32 = b.scalar(Scalar::U32);
    b.program.tx.result = u32;
    let x = b.param("x", ParamRole::Value, u32);
    let find = find();
    b.line(3);
    let four = b.int(4, Scalar::U32);
    let arg = |atom: &Atom| (Arg::Value(atom.clone()), u32);
    let a = b.call("a", &find, vec![arg(&four), arg(&Atom::Var(x))]);
    let c = b.call("c", &find, vec![arg(&four), arg(&a)]);
    b.line(4);
    let sum = b.arith(Arith::Add, a, c, u32);
    b.give(vec![sum]);
    let (text, cuda) = flat(&b.done());
    assert_has(
        &text,
        &[
            "let a.1: u32",
            "block #1",
            "for i.5: u32 in 0_u32..4_u32 #0 @3",
            "= i.5 == x.0",
            "= i.5 * 2_u32 @4",
            "a.1 = %7",
            "break #1",
            "a.1 = 7_u32",
            "let c.2: u32",
            "block #3",
            "#2 @5",
            "== a.1",
            "* 2_u32 @6",
            "break #3",
            "= a.1 + c.2 @2",
            // Its own locations, then a block for each call.
            "location 0: 3:1 Call `f(..)`\n",
            "location 1: 3:1 Call",
            "location 2: 4:1 Arithmetic",
            "location 3: 10:1 Loop `for` in find.rs",
            "location 4: 10:1 Arithmetic `*` in find.rs",
            "location 5: 10:1 Loop",
        ],
    );
    assert_has(
        &cuda,
        &[
            "#line 3 \"finder.rs\"\n  u32 a_1;",
            "{\n#line 10 \"find.rs\"\n",
            "for (u32 t4 = (u32)0; rs_lt(t4, (u32)4);",
            "goto break_1;",
            "a_1 = (u32)7;\n  }\n",
            "break_1:;",
            "u32 c_2;",
            "goto break_3;",
            "break_3:;",
            "#line 4 \"finder.rs\"",
        ],
    );
}

/// Builds `fn take(tx, data: &Shared<i64>, i: u32, sum: &mut i64) -> TxResult<i64> {
///     let x = tx.read(data, i)?; if x < 0 { tx.reject(3)? } *sum += x; tx.write(data, i, 0)?; Ok(x) }`
fn take() -> Program {
    let mut b = Builder::new("take", TRYING);
    let (i64, u32) = (b.scalar(Scalar::I64), b.scalar(Scalar::U32));
    b.program.tx.result = i64;
    let data = b.array("data", i64);
    let i = b.value("i", u32);
    let sum = b.param("sum", ParamRole::Place, i64);
    let x = b.read(data, &[], i.clone(), i64);
    let zero = b.int(0, Scalar::I64);
    let negative = b.compare(Compare::Lt, x.clone(), zero.clone());
    b.if_then(negative, |b| {
        let (code, location) = (b.int(3, Scalar::U32), b.location(LocationKind::Reject, "tx.reject(3)"));
        b.push(StmtKind::Reject { code, location });
    });
    let more = b.arith(Arith::Add, Atom::Var(sum), x.clone(), i64);
    b.push(StmtKind::Assign { var: sum, steps: vec![], value: more });
    b.write(data, &[], i, zero);
    b.give(vec![x]);
    b.done()
}

#[test]
fn arrays_and_places_are_those_of_the_caller() {
    let mut b = Builder::transaction("caller");
    let (i64, u32, usize) = (b.scalar(Scalar::I64), b.scalar(Scalar::U32), b.scalar(Scalar::Usize));
    let room = b.named(ROOM_TYPE);
    let rooms = b.array("rooms", room);
    let i = b.value("i", u32);
    let array = b.ty(Ty::Array(i64, Length::Known(2)));
    let zero = b.int(0, Scalar::I64);
    let sums = b.bind("sums", Rvalue::Repeat(zero.clone()), array, true);
    let k = b.bind("k", Rvalue::Cast(i.clone(), usize), usize, true);
    let whole = b.bind("whole", Rvalue::Use(zero), i64, true);
    let (Atom::Var(sums), Atom::Var(whole)) = (sums, whole) else { panic!("they are variables") };
    let amounts = Arg::Array(ArrayId(rooms.0), vec!["price".to_owned(), "amount".to_owned()]);
    let take = take();
    let location = b.location(LocationKind::Element, "sums[k]");
    let place = Arg::Place(sums, vec![Step::Element(k, location)]);
    b.call("x", &take, vec![(amounts.clone(), i64), (Arg::Value(i.clone()), u32), (place, i64)]);
    b.call("y", &take, vec![(amounts, i64), (Arg::Value(i), u32), (Arg::Place(whole, vec![]), i64)]);
    b.give(vec![]);
    let (text, cuda) = flat(&b.done());
    assert_has(
        &text,
        &[
            // The index is evaluated once, before the call.
            "let %9: usize = k.5",
            "< 2_usize",
            "fault IndexOutOfRange @0",
            "read rooms_price_amount.1[i.3] @3",
            "reject 3_u32 @4",
            "= sums.4[%9] @0",
            "sums.4[%9 @0] = ",
            "write rooms_price_amount.1[i.3] = 0_i64 @6",
            "let x.7: i64 = ",
            "read rooms_price_amount.1[i.3] @7",
            "= whole.6 + ",
            "whole.6 = ",
            // All four accesses are to one element.
            "slot 0: Update always, parameter 1[parameter 3], first at location 3\nindexed: 0",
            "orderable: true",
        ],
    );
    assert_has(
        &cuda,
        &["STM_TRY(stm_read(tx, 0, 3, rooms_price_amount_1", "STM_TRY(stm_write(tx, 0, 10, rooms_price_amount_1"],
    );
}

#[test]
fn calls_in_calls_and_in_loops() {
    let mut inner = Builder::new("inner", TRYING);
    let u32 = inner.scalar(Scalar::U32);
    let data = inner.array("data", u32);
    let i = inner.param("i", ParamRole::Value, u32);
    inner.read(data, &[], Atom::Var(i), u32);
    inner.give(vec![]);
    let inner = inner.done();

    let mut outer = Builder::new("outer", TRYING);
    let u32 = outer.scalar(Scalar::U32);
    let data = outer.array("data", u32);
    let n = outer.param("n", ParamRole::Value, u32);
    let zero = outer.int(0, Scalar::U32);
    outer.for_loop(Builder::range(zero, Atom::Var(n)), u32, |b, i| {
        b.call("", &inner, vec![(Arg::Array(ArrayId(data.0), vec![]), u32), (Arg::Value(i), u32)]);
    });
    outer.give(vec![]);
    let outer = outer.done();

    let mut b = Builder::transaction("caller");
    let u32 = b.scalar(Scalar::U32);
    let data = b.array("data", u32);
    let array = (Arg::Array(ArrayId(data.0), vec![]), u32);
    let five = b.int(5, Scalar::U32);
    b.call("", &outer, vec![array.clone(), (Arg::Value(five), u32)]);
    b.call("", &inner, vec![array, (Arg::Value(Atom::Int(1, u32)), u32)]);
    b.give(vec![]);
    let (text, _) = flat(&b.done());
    // Locations: two calls of the caller; loop and call of `outer`; the read of its `inner`; the read of the other `inner`.
    assert_has(
        &text,
        &[
            "read data.0[i.",
            "@4",
            "read data.0[1_u32] @5",
            "location 4: 1:1 Read { in_loop: true } `array[i]` in inner.rs",
            "location 5: 1:1 Read { in_loop: false } `array[i]` in inner.rs",
            "indexed: 5",
        ],
    );
}

#[test]
fn what_is_done_on_every_way_out_of_a_block_is_done() {
    let mut b = Builder::transaction("ways");
    let (u32, truth) = (b.scalar(Scalar::U32), b.scalar(Scalar::Bool));
    let data = b.array("data", u32);
    let first = b.value("first", truth);
    let i = b.value("i", u32);
    let id = b.loop_id();
    let body = b.block(|b| {
        b.if_then(first.clone(), |b| {
            b.read(data, &[], i.clone(), u32);
            b.push(StmtKind::Break(id));
        });
        b.if_then(first.clone(), |b| {
            let location = b.location(LocationKind::Panic, "never");
            b.push(StmtKind::Fault { code: FaultCode::Panic, location });
        });
        b.read(data, &[], i.clone(), u32);
    });
    b.push(StmtKind::Block { id, body });
    b.write(data, &[], i.clone(), i.clone());
    b.give(vec![]);
    let (text, _) = flat(&b.done());
    assert_has(&text, &["block #0", "slot 0: Update always", "blind writes: false"]);
}

#[test]
fn guards_depend_on_what_led_out_of_a_block_only_inside_it() {
    let mut b = Builder::transaction("guards");
    let (u32, zero) = (b.scalar(Scalar::U32), b.int(0, Scalar::U32));
    let data = b.array("data", u32);
    let i = b.value("i", u32);
    let x = b.read(data, &[], i.clone(), u32);
    let y = b.read(data, &[], zero.clone(), u32);
    let id = b.loop_id();
    let inside = b.block(|b| {
        let leave = b.compare(Compare::Eq, x.clone(), zero.clone());
        b.if_then(leave, |b| b.push(StmtKind::Break(id)));
        let (condition, location) =
            (b.compare(Compare::Eq, y.clone(), zero.clone()), b.location(LocationKind::Guard, "inside"));
        b.push(StmtKind::Guard { condition, location });
    });
    b.push(StmtKind::Block { id, body: inside });
    let (condition, location) = (b.compare(Compare::Eq, y, zero), b.location(LocationKind::Guard, "outside"));
    b.push(StmtKind::Guard { condition, location });
    b.give(vec![]);
    let (text, _) = flat(&b.done());
    assert_has(&text, &["guard at location 2: reads slots [0, 1]", "guard at location 3: reads slots [1]"]);
}
