//! Programs that are too large, or too deep.

use std::sync::Arc;

use super::build::*;
use crate::Trouble;
use crate::compile::{self, Blame, ProcedureError, Program};
use crate::ir::open::*;
use crate::ir::*;
use crate::spec::{LocationKind, Scalar, Source};

/// Returns `fn name(x: u32) -> u32`, which calls each of these functions and adds up their results.
fn helper(name: &str, called: &[&Arc<Program>]) -> Arc<Program> {
    let mut b = Builder::new(name, Form::Function { tries: false });
    let u32 = b.scalar(Scalar::U32);
    b.program.tx.result = u32;
    let mut sum = b.value("x", u32);
    for (k, function) in called.iter().enumerate() {
        sum = call_shared(&mut b, &format!("a{k}"), function, sum, u32);
    }
    b.give(vec![sum]);
    Arc::new(b.done())
}

fn call_shared(b: &mut Builder, name: &str, function: &Arc<Program>, x: Atom, u32: TyId) -> Atom {
    let result = b.call(name, function, vec![(Arg::Value(x), u32)]);
    // The builder copies what it calls; a program refers to each function once.
    if let Some(last) = b.program.functions.last_mut() {
        *last = Arc::clone(function);
    }
    result
}

fn transaction(called: &Arc<Program>) -> Program {
    let mut b = Builder::transaction("whole");
    let u32 = b.scalar(Scalar::U32);
    b.program.tx.result = u32;
    let x = b.value("x", u32);
    let a = call_shared(&mut b, "a", called, x, u32);
    b.give(vec![a]);
    b.done()
}

/// Returns helpers that each call the previous one twice.
fn doubling(levels: usize) -> Program {
    let mut last = helper("h0", &[]);
    for level in 1..=levels {
        last = helper(&format!("h{level}"), &[&last, &last]);
    }
    transaction(&last)
}

#[test]
fn helpers_that_call_others_twice_are_put_together_once_each() {
    let (tx, _, cuda) = compile::flat(&doubling(12)).expect("4096 calls of the innermost one fit");
    assert!(tx.positions.len() < 40_000 && cuda.len() < 1_000_000, "{} {}", tx.positions.len(), cuda.len());
    let error = error(&doubling(60));
    assert_eq!(error.rule, Some(Trouble::Expansion));
    assert!(error.message.contains("`h1` (3 statements) into 576460752303423488 places"), "{error}");
    assert!(
        error.to_string().starts_with("whole.rs:1: transaction `whole`: STM0053: with all that it calls"),
        "{error}"
    );
}

#[test]
fn blocks_nest_through_calls_and_only_so_deep() {
    let nested = |called: Option<&Arc<Program>>, depth: usize| {
        let mut b = Builder::new("nest", Form::Function { tries: false });
        let u32 = b.scalar(Scalar::U32);
        b.program.tx.result = u32;
        let x = b.value("x", u32);
        fn inside(b: &mut Builder, called: Option<&Arc<Program>>, x: &Atom, u32: TyId, depth: usize) {
            if depth > 0 {
                b.if_then(Atom::Bool(true), |b| inside(b, called, x, u32, depth - 1));
            } else if let Some(called) = called {
                call_shared(b, "", called, x.clone(), u32);
            }
        }
        inside(&mut b, called, &x, u32, depth);
        b.give(vec![x]);
        Arc::new(b.done())
    };
    let inner = nested(None, 60);
    flat(&transaction(&nested(Some(&inner), 60)));
    let error = error(&transaction(&nested(Some(&nested(Some(&inner), 60)), 60)));
    assert_eq!(error.rule, Some(Trouble::Expansion));
    assert!(error.message.contains("blocks nest 184 deep"), "{error}");
}

/// Returns a program in the encoding of the macro.
fn source(program: &Program, functions: Vec<&'static Source>) -> &'static Source {
    let ir = postcard::to_allocvec(&program.tx).expect("it can be encoded").leak();
    let first_locations = functions.iter().map(|_| Default::default()).collect::<Vec<_>>().leak();
    Box::leak(Box::new(Source { ir, functions: functions.leak(), first_locations, ..Source::EMPTY }))
}

#[test]
fn a_chain_of_calls_is_loaded_once_each_and_ends_somewhere() {
    let chain = |length: usize| {
        let mut program = helper("h0", &[]);
        let mut last = source(&program, vec![]);
        for _ in 1..length {
            program = helper("h", &[&program, &program]);
            // The called functions exist already: the builder's program is only its text.
            program = Arc::new(Program { functions: vec![], ..Program::clone(&program) });
            last = source(&program, vec![last, last]);
        }
        last
    };
    let loaded = Program::load(chain(60)).expect("60 levels are loaded");
    assert_eq!(loaded.all().len(), 60);
    let error = Program::load(chain(3000)).expect_err("3000 levels are too many");
    assert_eq!((error.rule, error.at), (Some(Trouble::Expansion), None));
    assert!(error.message.contains("calls nest 2999 deep, and at most 64 do"), "{error}");
}

static EVEN: Source = Source { functions: &[&ODD], recursion: "STM0040: `even` calls itself", ..Source::EMPTY };
static ODD: Source = Source { functions: &[&EVEN], recursion: "STM0040: `odd` calls itself", ..Source::EMPTY };

#[test]
fn a_ring_of_calls_is_an_error_where_rustc_did_not_look() {
    let ProcedureError { rule, message, .. } = compile::procedure(&EVEN).expect_err("it has no end");
    assert_eq!((rule, message.as_str()), (Some(Trouble::Recursion), "`even` calls itself"));
}

#[test]
fn a_compiled_transaction_passes_its_functions_their_locations() {
    let component = helper("component", &[]);
    let both = helper("both", &[&component, &component]);
    let component_source = source(&component, vec![]);
    let both_source = source(&both, vec![component_source, component_source]);
    let mut b = Builder::transaction("whole");
    let u32 = b.scalar(Scalar::U32);
    let x = b.value("x", u32);
    b.location(LocationKind::Guard, "a location of its own");
    let a = call_shared(&mut b, "a", &both, x, u32);
    call_shared(&mut b, "b", &component, a, u32);
    b.give(vec![]);
    let whole = source(&b.done(), vec![both_source, component_source]);
    assert_eq!((whole.first_location(1), both_source.first_location(1)), (0, 0));
    compile::procedure(whole).expect("it compiles");
    // Its own three locations, then the two of `both`, whose calls have none.
    assert_eq!([0, 1, 2].map(|call| whole.first_location(call)), [3, 5, 0]);
    assert_eq!([0, 1].map(|call| both_source.first_location(call)), [2, 2]);
}

#[test]
fn arrays_that_are_written_out_for_each_element_have_an_end() {
    let compares = |times: usize| {
        let mut b = Builder::transaction("equal");
        let (u8, truth) = (b.scalar(Scalar::U8), b.scalar(Scalar::Bool));
        let array = b.ty(Ty::Array(u8, Length::Known(30_000)));
        let zero = b.int(0, Scalar::U8);
        let one = b.bind("a", Rvalue::Repeat(zero.clone()), array, true);
        let other = b.bind("b", Rvalue::Repeat(zero), array, true);
        for k in 0..times {
            b.line(k as u32 + 2);
            b.bind("same", Rvalue::Compare(Compare::Eq, one.clone(), other.clone()), truth, false);
        }
        b.give(vec![]);
        b.done()
    };
    flat(&compares(2));
    let error = error(&compares(20));
    assert_eq!(error.rule, Some(Trouble::Expansion));
    assert!(error.message.contains("write a loop over their elements"), "{error}");
    assert!(matches!(error.at, Some(Blame::Statement(_))) && (3..6).contains(&error.line), "{error}");
}
