use super::build::*;
use crate::compile;
use crate::ir::open::*;
use crate::ir::*;
use crate::spec::{Constant, LocationKind, Scalar, Source, Type};

#[test]
fn errors_name_the_procedure_and_the_line() {
    let mut b = Builder::transaction("vague");
    b.line(7);
    let open = b.open();
    let option = b.ty(Ty::Option(open));
    b.bind("x", Rvalue::None, option, false);
    b.give(vec![]);
    let error = error(&b.done());
    assert_eq!(
        error.to_string(),
        "vague.rs:7: transaction `vague`: the type of `x` is not known; write its type after the name, as in `x: u32`"
    );
}

#[test]
fn errors_in_functions_name_their_file() {
    let mut f = Builder::new("helper", Form::Function { tries: false });
    let room = f.named(ROOM_TYPE);
    let x = f.param("x", ParamRole::Value, room);
    f.line(30);
    let open = f.open();
    let field = f.temp(Rvalue::Field(Atom::Var(x), "fre".to_owned()), open);
    _ = field;
    f.give(vec![]);
    let helper = f.done();
    let mut b = Builder::transaction("caller");
    let room = b.named(ROOM_TYPE);
    let y = b.param("y", ParamRole::Value, room);
    b.call("", &helper, vec![(Arg::Value(Atom::Var(y)), room)]);
    b.give(vec![]);
    let error = error(&b.done());
    assert_eq!((error.procedure.as_str(), error.file.as_str(), error.line), ("caller", "helper.rs", 30));
    assert_eq!(error.message, "`Room` has no field `fre`");
}

#[test]
fn what_is_never_reached_needs_no_type() {
    let mut b = Builder::transaction("dead");
    let (open, dead) = (b.open(), b.ty(Ty::Open(OpenTy::Dead)));
    b.var("never", open, false);
    b.var("", dead, true);
    b.give(vec![]);
    flat(&b.done());
}

#[test]
fn loops_over_data_need_a_bound() {
    let mut b = Builder::transaction("unbounded");
    let u32 = b.scalar(Scalar::U32);
    let data = b.array("data", u32);
    let n = b.param("n", ParamRole::Value, u32);
    let zero = b.int(0, Scalar::U32);
    b.line(5);
    b.for_loop(Builder::range(zero, Atom::Var(n)), u32, |b, i| _ = b.read(data, &[], i, u32));
    b.give(vec![]);
    let mut program = b.done();
    let refused = error(&program);
    assert_eq!(refused.line, 5);
    assert!(refused.message.contains("max_accesses"), "{refused}");
    program.tx.options.max_accesses = Some(9);
    let (text, _) = flat(&program);
    assert_has(
        &text,
        &["indexed: 9 (stated)", "`array[i]` at line 5 is in a loop whose number of iterations depends on the data"],
    );
}

#[test]
fn bad_bytes_are_an_error() {
    for ir in [&b""[..], b"\xff\xff\xff\xff", b"\x03abc"] {
        let source: &'static Source =
            Box::leak(Box::new(Source { ir: ir.to_vec().leak(), module: "m", checked: true, ..Source::EMPTY }));
        assert!(compile::procedure(source).unwrap_err().to_string().contains("cannot be read"));
    }
}

#[test]
fn damaged_forms_are_an_error() {
    let mut b = Builder::transaction("damaged");
    b.give(vec![]);
    let good = b.done();
    let location = LocationId(9);
    let stmts = [
        StmtKind::Let { var: VarId(3), value: Rvalue::None },
        StmtKind::Guard { condition: Atom::Bool(true), location },
        StmtKind::Break(LoopId(0)),
        StmtKind::Return(vec![Atom::Int(1, TyId(77))]),
    ];
    for what in stmts {
        let mut program = good.clone();
        program.tx.body.insert(0, Stmt { what, at: PositionId(0) });
        assert!(error(&program).message.contains("damaged"));
    }
    let mut program = good;
    let next = TyId(program.tx.types.len() as u32);
    program.tx.types.push(Ty::Option(next));
    assert!(error(&program).message.contains("damaged"));
}

#[test]
fn a_source_becomes_a_procedure() {
    let mut b = Builder::transaction("whole");
    let room = b.named(ROOM_TYPE);
    b.array("rooms", room);
    let x = b.param("x", ParamRole::Value, room);
    b.program.tx.result = room;
    b.location(LocationKind::Guard, "g");
    b.give(vec![Atom::Var(x)]);
    let program = b.done();
    let bytes = postcard::to_allocvec(&program.tx).unwrap();
    let source: &'static Source = Box::leak(Box::new(Source {
        ir: bytes.leak(),
        module: "m",
        checked: true,
        types: vec![Type::Record(&ROOM)].leak(),
        ..Source::EMPTY
    }));
    let procedure = compile::procedure(source).unwrap();
    assert_eq!(
        (procedure.name, procedure.module, procedure.checked, procedure.max_iterations),
        ("whole", "m", true, 1_000_000)
    );
    assert_eq!(procedure.result, [Scalar::U32, Scalar::I64, Scalar::U8]);
    assert_eq!(procedure.params.len(), 6);
    assert_eq!(procedure.params[4].name, "x.price.amount");
    assert_eq!(procedure.locations[0].file, "whole.rs");
}

#[test]
fn a_part_has_a_size_that_the_constants_say() {
    let program = |part: Length, value: u64| {
        let mut b = Builder::transaction("parted");
        let u32 = b.scalar(Scalar::U32);
        b.array("cells", u32);
        b.program.tx.params[0].part = Some(part);
        b.program.constants.push(Constant { ty: Type::Scalar(Scalar::Usize), words: vec![value] });
        b.give(vec![]);
        b.done()
    };
    let (flat, ..) = compile::flat(&program(Length::Constant(ConstId(0)), 8)).unwrap();
    let shown: Vec<_> = flat.params.iter().map(|param| (param.name.as_str(), param.role)).collect();
    let array = flat::ParamRole::Array { part: Some(8) };
    assert_eq!(shown, [("cells", array), ("part", flat::ParamRole::Value)]);
    let empty = error(&program(Length::Constant(ConstId(0)), 0));
    assert!(empty.message.contains("a partition of `cells` has no elements"), "{empty}");
    assert!(error(&program(Length::Open, 0)).message.contains("the number of elements in a partition"));
    assert!(error(&program(Length::Constant(ConstId(9)), 0)).message.contains("damaged"));
}
