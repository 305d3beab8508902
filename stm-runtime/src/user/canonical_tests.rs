use kernels_gen::spec::{Param, ProcedureSpec, Scalar};

use super::*;
use crate::Device;
use crate::backend::{ArrayShape, ArrayStore, Granularity};
use crate::error::Error;
use crate::procedure::HostFunctions;

/// An array without elements.
struct Nothing;

impl ArrayStore for Nothing {
    fn read(&self, _: usize, _: &mut [u64]) -> Result<(), Error> {
        Ok(())
    }

    fn write(&self, _: usize, _: &[u64]) -> Result<(), Error> {
        Ok(())
    }
}

const fn spec(module: &'static str, name: &'static str, cuda: &'static str) -> ProcedureSpec {
    const ARRAY: Param = Param::array("a", Scalar::I64);
    ProcedureSpec { name, module, file: "m.rs", params: &[ARRAY, ARRAY, ARRAY], cuda, ..ProcedureSpec::EMPTY }
}

static SPECS: [ProcedureSpec; 4] = [spec("m", "b", "1"), spec("m", "a", "2"), spec("m", "a", "1"), spec("l", "z", "1")];

/// Returns arrays of one record.
fn record(scalar: Scalar, components: usize) -> Vec<Array> {
    let shape = ArrayShape { scalar, len: 0, part: 0, coverage_log2: 0 };
    let store = |_| -> (ArrayShape, Box<dyn ArrayStore>) { (shape, Box::new(Nothing)) };
    Array::of_components(Device::cpu(1).id(), (0..components).map(store), Granularity::Record)
}

fn arrays(count: usize) -> Vec<Array> {
    (0..count).flat_map(|_| record(Scalar::I64, 1)).collect()
}

/// A call: a procedure of [`SPECS`], and its arrays.
type CallOf = (usize, Vec<usize>);

/// Returns what a batch with these calls has, numbered as they come, and its canonical form.
fn canonical(calls: &[CallOf], arrays: &[Array]) -> (Vec<Specialization>, Vec<Array>, Canonical) {
    let (mut procedures, mut places) = (Numbers::new(SPECS.len()), Numbers::new(arrays.len()));
    let list: Vec<Specialization> = calls
        .iter()
        .map(|(procedure, own)| Specialization {
            procedure: procedures.of(*procedure),
            arrays: own.iter().map(|array| places.of(*array)).collect(),
            columns: 0..0,
        })
        .collect();
    let in_batch: Vec<Array> = places.order.iter().map(|at| arrays[*at].clone()).collect();
    let functions: Vec<&'static Procedure> = procedures
        .order
        .iter()
        .map(|at| &*Box::leak(Box::new(Procedure::ready(&SPECS[*at], HostFunctions::IDLE))))
        .collect();
    let compiled: Vec<CompiledProcedure> = functions.iter().map(|function| function.compiled().unwrap()).collect();
    let calls = Calls { procedures: &compiled, functions: &functions, list: &list, arrays: &in_batch };
    let canonical = Canonical::of(calls);
    check_numbers(&canonical, &calls);
    (list.clone(), in_batch.clone(), canonical)
}

/// Each specialization keeps its procedure and its arrays.
fn check_numbers(canonical: &Canonical, calls: &Calls<'_>) {
    for (at, one) in calls.list.iter().enumerate() {
        let number = canonical.numbers.get(at).map_or(at, |number| usize::from(*number));
        let same = &canonical.list[number];
        assert!(std::ptr::eq(canonical.functions[same.procedure], calls.functions[one.procedure]));
        assert!(std::ptr::eq(canonical.procedures[same.procedure].spec, calls.procedures[one.procedure].spec));
        let pairs = same.arrays.iter().zip(&one.arrays);
        assert!(pairs.clone().all(|(new, old)| canonical.arrays[*new].same(&calls.arrays[*old])));
        assert_eq!((pairs.len(), &same.columns), (one.arrays.len(), &one.columns));
    }
}

/// What the text of a unit depends on: module, name and text of each procedure, the numbers of each specialization, and the first array
/// of each array's record.
type Shape = (Vec<[&'static str; 3]>, Vec<Vec<usize>>, Vec<usize>);

fn shape(canonical: &Canonical) -> Shape {
    let names = canonical.procedures.iter().map(|one| [one.spec.module, one.spec.name, one.spec.cuda]);
    let lists = canonical.list.iter().map(|one| [&[one.procedure][..], &one.arrays].concat());
    let records = canonical
        .arrays
        .iter()
        .map(|array| canonical.arrays.iter().position(|first| first.record() == array.record()).unwrap());
    (names.collect(), lists.collect(), records.collect())
}

/// Returns a cheap pseudo-random sequence.
fn dice(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed.wrapping_mul(2) + 1;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    }
}

fn shuffle<T>(items: &mut [T], next: &mut impl FnMut(usize) -> usize) {
    (1..items.len()).rev().for_each(|last| items.swap(last, next(last + 1)));
}

/// Returns distinct random calls on six arrays.
fn random_calls(next: &mut impl FnMut(usize) -> usize) -> Vec<CallOf> {
    let mut calls: Vec<CallOf> =
        (0..1 + next(12)).map(|_| (next(SPECS.len()), (0..1 + next(3)).map(|_| next(6)).collect())).collect();
    calls.sort();
    calls.dedup();
    calls
}

#[test]
fn the_order_of_the_calls_does_not_matter() {
    let arrays = [arrays(2), record(Scalar::I64, 2), record(Scalar::U8, 2)].concat();
    for seed in 0..300 {
        let mut next = dice(seed);
        let mut calls = random_calls(&mut next);
        let (_, _, first) = canonical(&calls, &arrays);
        for _ in 0..5 {
            shuffle(&mut calls, &mut next);
            let (_, _, again) = canonical(&calls, &arrays);
            assert_eq!(shape(&again), shape(&first), "{calls:?}");
            assert!(again.arrays.iter().zip(&first.arrays).all(|(one, other)| one.same(other)), "{calls:?}");
        }
    }
}

#[test]
fn arrays_that_were_made_in_another_order_have_the_same_numbers() {
    let mut next = dice(7);
    // Pairs, a chain, a ring, a star, and procedures that are told apart by their text alone.
    let shapes: [&[(usize, [usize; 2])]; 5] = [
        &[(0, [0, 1]), (0, [2, 3]), (0, [4, 5])],
        &[(0, [0, 1]), (0, [1, 2]), (0, [2, 3]), (0, [3, 4]), (0, [4, 5])],
        &[(0, [0, 1]), (0, [1, 2]), (0, [2, 3]), (0, [3, 4]), (0, [4, 5]), (0, [5, 0])],
        &[(3, [0, 1]), (3, [0, 2]), (3, [0, 3]), (0, [4, 0]), (3, [5, 5])],
        &[(1, [0, 1]), (2, [1, 2]), (1, [3, 4]), (2, [4, 5])],
    ];
    for calls in shapes {
        let mut calls: Vec<CallOf> = calls.iter().map(|(procedure, own)| (*procedure, own.to_vec())).collect();
        let (_, _, first) = canonical(&calls, &arrays(6));
        for _ in 0..20 {
            let mut others = arrays(6);
            shuffle(&mut others, &mut next);
            shuffle(&mut calls, &mut next);
            assert_eq!(shape(&canonical(&calls, &others).2), shape(&first), "{calls:?}");
        }
    }
}

#[test]
fn components_of_a_record_stay_together() {
    // Two records whose components different procedures use: only the record tells which belong together.
    let calls = |records: &[Vec<Array>; 2], swap: bool| {
        let all = records.concat();
        let order: &[usize] = if swap { &[0, 3, 1, 2] } else { &[2, 1, 0, 3] };
        let list: Vec<CallOf> = order.iter().map(|at| (at % 2, vec![*at])).collect();
        shape(&canonical(&list, &all).2)
    };
    let (one, other) = (record(Scalar::U32, 2), record(Scalar::U32, 2));
    let first = calls(&[one.clone(), other.clone()], false);
    assert_eq!(first, calls(&[other.clone(), one.clone()], true));
    assert_eq!(first.2.iter().filter(|at| **at == 0).count(), 2, "{first:?}");
}

#[test]
fn procedures_are_in_the_order_of_their_names() {
    let all: Vec<CallOf> = (0..4).map(|procedure| (procedure, vec![0])).collect();
    let (names, _, _) = shape(&canonical(&all, &arrays(1)).2);
    assert_eq!(names, [["l", "z", "1"], ["m", "a", "1"], ["m", "a", "2"], ["m", "b", "1"]]);
}

#[test]
fn a_single_specialization_stays_as_it_is() {
    let (list, arrays, only) = canonical(&[(0, vec![1, 0, 1])], &arrays(2));
    assert_eq!((only.list, only.numbers.len()), (list, 0));
    assert!(only.arrays.iter().zip(&arrays).all(|(one, other)| one.same(other)));
}

#[test]
fn many_arrays_that_are_alike_have_the_order_of_their_age() {
    let all = arrays(3000);
    let mut calls: Vec<CallOf> = (0..3000).map(|array| (0, vec![array])).collect();
    let (_, _, first) = canonical(&calls, &all);
    calls.reverse();
    let (_, _, again) = canonical(&calls, &all);
    assert!(again.arrays.iter().zip(&first.arrays).all(|(one, other)| one.same(other)));
    assert_eq!(shape(&again).1, shape(&first).1);
}
