//! Values that are too large.

use super::build::*;
use crate::Trouble;
use crate::compile::{Blame, Program};
use crate::ir::open::*;
use crate::spec::{Constant, Scalar, Type};

/// Returns a function with `let mut values: [scalar; length]` in this line, whose length is a constant.
fn with_array(name: &str, form: Form, scalar: Scalar, length: u64, line: u32) -> Program {
    let mut b = Builder::new(name, form);
    let element = b.scalar(scalar);
    let constant = b.constant_id(Constant { ty: Type::Scalar(Scalar::Usize), words: vec![length] });
    let array = b.ty(Ty::Array(element, Length::Constant(constant)));
    let zero = b.int(0, scalar);
    b.line(line);
    let fresh = b.temp(Rvalue::Repeat(zero), array);
    b.bind("values", Rvalue::Use(fresh), array, true);
    b.give(vec![]);
    b.done()
}

#[test]
fn an_array_that_a_constant_makes_too_large_is_named_with_its_line() {
    flat(&with_array("fits", Form::Transaction, Scalar::U32, 16_384, 7));
    let error = error(&with_array("large", Form::Transaction, Scalar::U32, 16_385, 7));
    assert_eq!((error.rule, error.line), (Some(Trouble::LocalMemory), 7));
    assert_eq!(
        error.message,
        "the local variables take 65540 bytes of each thread, and at most 65536 fit; `values` takes 65540: keep large arrays in a shared \
         array, `&Shared<..>`, or make them smaller"
    );
    assert!(error.to_string().contains("STM0052: "), "{error}");
}

#[test]
fn the_arrays_of_every_call_count_on_a_device() {
    let calls = |times: usize| {
        let helper = with_array("helper", Form::Function { tries: false }, Scalar::U64, 2048, 30);
        let mut b = Builder::transaction("caller");
        for _ in 0..times {
            b.call("", &helper, vec![]);
        }
        b.give(vec![]);
        b.done()
    };
    flat(&calls(4));
    let error = error(&calls(5));
    assert_eq!((error.rule, error.file.as_str(), error.line), (Some(Trouble::LocalMemory), "helper.rs", 30));
    assert!(
        error.message.starts_with("the local variables, with those of all that it calls, take 81920 bytes"),
        "{error}"
    );
    assert_eq!(error.procedure, "caller");
}

#[test]
fn small_values_and_constants_that_are_looked_into_do_not_count() {
    let mut b = Builder::transaction("many");
    let (u32, usize) = (b.scalar(Scalar::U32), b.scalar(Scalar::Usize));
    let k = b.value("k", usize);
    let small = b.ty(Ty::Array(u32, Length::Known(16)));
    let zero = b.int(0, Scalar::U32);
    const TABLE: Type = Type::Array(&Type::Scalar(Scalar::U32), 4096);
    for _ in 0..20 {
        let table = b.constant(Constant { ty: TABLE, words: vec![7; 4096] });
        b.element(table, k.clone(), u32);
    }
    for _ in 0..2000 {
        b.bind("small", Rvalue::Repeat(zero.clone()), small, true);
    }
    b.give(vec![]);
    flat(&b.done());
}

#[test]
fn a_type_that_doubles_with_each_line_is_refused_and_not_written_out() {
    let doubling = |lines: u32| {
        let mut b = Builder::transaction("doubling");
        let mut ty = b.scalar(Scalar::U8);
        let mut value = b.int(1, Scalar::U8);
        for line in 0..lines {
            b.line(line + 2);
            ty = b.ty(Ty::Tuple(vec![ty, ty]));
            value = b.bind("pair", Rvalue::Tuple(vec![value.clone(), value]), ty, false);
        }
        b.give(vec![]);
        b.done()
    };
    flat(&doubling(8));
    let error = error(&doubling(60));
    assert!(error.message.contains("more than 16384 parts"), "{error}");
    assert!(matches!(error.at, Some(Blame::Statement(_))) && error.line == 15, "{error}");
}
