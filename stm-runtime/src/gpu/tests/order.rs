//! The order of the calls makes no new kernel: the unit of a batch is the same text for every order.

use std::time::Duration;

use kernels_gen::device::link::{Part, link, parts};

use super::procedures::{Room, book, bump, transfer};
use super::{device, numbers};
use crate::gpu::memory::arrays::JobArrays;
use crate::gpu::schedule::plan::Plan;
use crate::gpu::unit;
use crate::report::Origin;
use crate::{Batch, Device, Engine, RunOptions, Selection, Shared};

/// The arrays of a batch.
struct Arrays {
    accounts: Vec<Shared<i64>>,
    counters: [Shared<u8>; 2],
    rooms: [Shared<Room>; 2],
}

impl Arrays {
    /// Makes the same arrays, `in_order` or with the last ones first: alike arrays differ by their age.
    fn new(device: &Device, in_order: bool) -> Arrays {
        let shared = |count: i64| (0..count).map(|k| device.shared(&[100 * k; 3]).unwrap()).collect::<Vec<_>>();
        let counters = || device.shared(&[0_u8, 250]).unwrap();
        let rooms = || device.shared(&[Room { free: 1, price: 80 }; 2]).unwrap();
        let (rooms_first, accounts) = if in_order { (None, shared(3)) } else { (Some([rooms(), rooms()]), shared(3)) };
        let counters = [counters(), counters()];
        Arrays { accounts, counters, rooms: rooms_first.unwrap_or_else(|| [rooms(), rooms()]) }
    }

    /// Adds a call of each specialization, in that order.
    fn fill(&self, batch: &mut Batch, order: &[usize]) {
        for call in order {
            match call {
                0..3 => _ = batch.push(transfer(&self.accounts[*call], 0, 1, 0)),
                3 | 4 => _ = batch.push(bump(&self.counters[call - 3], 0, 3)),
                _ => _ = batch.push(book(&self.rooms[call - 5], &self.counters[call - 5], 0, (1, 100))),
            }
        }
    }
}

const CALLS: usize = 7;

/// Returns some orders of the calls, the first of them ascending.
fn orders() -> Vec<Vec<usize>> {
    let mut next = numbers(11);
    let shuffled = |_| {
        let mut order: Vec<usize> = (0..CALLS).collect();
        (1..CALLS).rev().for_each(|last| order.swap(last, next(last as u64 + 1) as usize));
        order
    };
    let both = [(0..CALLS).collect(), (0..CALLS).rev().collect()];
    both.into_iter().chain((0..10).map(shuffled)).collect()
}

/// Returns the unit of a batch as one text and in parts, as a run with these options compiles it.
fn texts(batch: &Batch, options: &RunOptions) -> (String, Vec<Part>) {
    let options = options.resolve(&Selection::default());
    let job = batch.job(&options);
    let plan = Plan::of(Engine::PRIORITY, job.options);
    let specs = JobArrays::of(&job, plan.terms(&job)).specs();
    unit::with_unit_of_job(&job, plan.engine.tuned(), &specs, |unit| Ok((link(unit), parts(unit)))).unwrap()
}

#[test]
fn every_order_of_the_calls_has_the_same_text() {
    let device = device();
    for engine in super::engines() {
        let options = RunOptions::new().engine(engine).profile(true).check(true);
        let mut first = None;
        for (order, in_order) in orders().into_iter().zip([true, true, false].into_iter().cycle()) {
            let arrays = Arrays::new(&device, in_order);
            let mut batch = device.batch();
            arrays.fill(&mut batch, &order);
            let texts = texts(&batch, &options);
            assert_eq!(texts.1.len(), CALLS + 1, "{engine}: a part for each specialization, and the scheduler");
            let first = first.get_or_insert_with(|| texts.clone());
            assert!(texts == *first, "{engine}: {order:?}");
        }
    }
}

#[test]
fn another_call_makes_another_text() {
    let (device, options) = (device(), RunOptions::new());
    let arrays = Arrays::new(&device, true);
    let text = |order: &[usize]| {
        let mut batch = device.batch();
        arrays.fill(&mut batch, order);
        texts(&batch, &options).0
    };
    assert_eq!(text(&[0, 3]), text(&[3, 1, 3]), "one of the alike arrays");
    assert_ne!(text(&[0, 3]), text(&[0, 3, 4]));
    assert_ne!(text(&[0, 3]), text(&[0, 5]));
}

#[test]
fn a_batch_in_another_order_takes_its_unit_from_memory() {
    let device = device();
    let mut origins = Vec::new();
    for order in orders() {
        let arrays = Arrays::new(&device, true);
        let mut batch = device.batch();
        arrays.fill(&mut batch, &order);
        let report = batch.run_with(&RunOptions::new().engine(Engine::PRIORITY).check(true)).unwrap();
        assert_eq!((report.committed + report.rejected, report.serializable()), (CALLS as u64, Some(true)), "{report}");
        let [unit] = report.units.as_slice() else { panic!("{:?}", report.units) };
        assert!(unit.engine == Engine::PRIORITY && unit.checked && !unit.profiled && !unit.timed, "{unit:?}");
        assert_eq!((report.times.compile, report.times.compile_steps), (unit.times.total(), unit.times));
        assert!(report.times.compile <= report.times.total && !unit.times.text.is_zero(), "{:?}", report.times);
        let others = unit.times.compiler + unit.times.disk + unit.times.loading;
        assert_eq!(unit.origin == Origin::Memory, others == Duration::ZERO, "{unit:?}");
        origins.push(unit.origin);
    }
    assert!(origins[1..].iter().all(|origin| *origin == Origin::Memory), "{origins:?}");
}

#[test]
fn a_unit_for_each_variant_of_a_run() {
    let device = device();
    let arrays = Arrays::new(&device, true);
    let mut batch = device.batch();
    arrays.fill(&mut batch, &[0, 3]);
    let unit = |options: RunOptions| {
        let report = batch.run_with(&options).unwrap();
        let text = report.to_string();
        assert!(text.contains(&format!("  compile      {}: text ", report.units[0].origin)), "{text}");
        report.units[0]
    };
    for options in [
        RunOptions::new(),
        RunOptions::new().phases(true),
        RunOptions::new().profile(true),
        RunOptions::new().check(true),
    ] {
        let first = unit(options.clone());
        let wanted = options.resolve(&Selection::default());
        assert_eq!((first.timed, first.profiled, first.checked), (wanted.phases, wanted.profile, wanted.check));
        assert_eq!(unit(options).origin, Origin::Memory);
    }
    // CPU threads compile nothing.
    let device = Device::cpu(2);
    let accounts = device.shared(&[10_i64; 2]).unwrap();
    let mut batch = device.batch();
    batch.push(transfer(&accounts, 0, 1, 1));
    let report = batch.run().unwrap();
    assert!(report.units.is_empty() && report.times.compile.is_zero() && !report.to_string().contains("  compile "));
}
