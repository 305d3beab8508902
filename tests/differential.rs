//! The generated CUDA C does the same as the Rust function: every transaction of `cases`, with arguments at and around the
//! edges of their types, gives the same outcome (result, code, or fault with its location) and leaves the same elements.
//!
//! Transactions run with the outcome of push order, most of them one at a time, so that the outcomes can be compared individually.

mod cases;

use std::fmt::Debug;
use std::process::ExitCode;

use cases::enums::{Level, Payment, Side};
use cases::generics::Key;
use cases::records::{Euro, Room, Spot};
use cases::*;
use stm_runtime::{Batch, Device, EmulatorOptions, Engine, Error, GpuData, Partition, Report, Shared};
use stm_tests::draw::Draw;
use stm_tests::harness::{self, Trial};
use stm_tests::{engines_in_push_order, in_push_order};

/// Calls of each procedure in a batch.
const CALLS: usize = 100;
/// The number of procedures in a batch: the limit of arrays in a batch excludes a batch of all procedures.
const PROCEDURES_IN_A_BATCH: usize = 24;
const SEEDS: std::ops::Range<u64> = 1..3;
/// Each engine but the default runs one of this many batches.
const TURNS: usize = 4;

/// A batch with calls of every case, and functions that read their results.
struct Bench<'a> {
    device: &'a Device,
    batch: Batch<'static>,
    draw: Draw,
    outcomes: Vec<Outcomes>,
    elements: Vec<Elements>,
}

/// A procedure's name, and its outcomes by transaction.
type Outcomes = (&'static str, Box<dyn Fn(&Report) -> Vec<String>>);
/// A procedure's name, and the elements of one of its arrays.
type Elements = (&'static str, Box<dyn Fn() -> String>);

impl Bench<'_> {
    fn array<T: GpuData + Debug>(&mut self) -> Shared<T> {
        let elements: Vec<T> = (0..16).map(|_| self.draw.value()).collect();
        self.device.shared(&elements).expect("a small array should fit")
    }

    /// Returns one of two partitions.
    fn part<T: GpuData + Debug, const N: usize>(&mut self) -> Partition<T, N> {
        let elements: Vec<T> = (0..2 * N).map(|_| self.draw.value()).collect();
        let parts = self.device.partitioned(&elements).expect("a small array should fit");
        parts.part(1).expect("it has two")
    }

    fn keep<T: GpuData + Debug>(&mut self, procedure: &'static str, array: Shared<T>) {
        let read = move || format!("{:?}", array.to_vec().expect("an array should be readable"));
        self.elements.push((procedure, Box::new(read)));
    }
}

macro_rules! array {
    ($bench:ident, $element:ty) => {
        $bench.array::<$element>()
    };
    ($bench:ident, $element:ty, $part:literal) => {
        $bench.part::<$element, $part>()
    };
}

/// Adds calls: each procedure with its arrays by name, and the types of its values. A number after a `;` is a partition size.
macro_rules! calls {
    ($($case:ident::$procedure:ident$(<$($of:tt),+>)?[$($array:ident: $element:ty $(; $part:literal)?),*]($($value:ty),*);)*) => {
        const PROCEDURES: &[(&str, &str)] = &[$((stringify!($case), stringify!($procedure))),*];

        /// The functions that add the calls of each procedure.
        const FILLS: &[fn(&mut Bench<'_>)] = &[$(|bench| {
            $(let $array = array!(bench, $element $(, $part)?);)*
            let tickets: Vec<_> = (0..CALLS)
                .map(|_| {
                    let call = $case::$procedure$(::<$($of),+>)?::call($(&$array,)* $(bench.draw.value::<$value>()),*);
                    bench.batch.push(call)
                })
                .collect();
            let show = move |report: &Report| {
                // A fault names its transaction, the same on both sides.
                tickets.iter().map(|ticket| format!("{:?}", report.outcome(*ticket))).collect()
            };
            bench.outcomes.push((stringify!($procedure), Box::new(show)));
            $(bench.keep(stringify!($procedure), Shared::clone(&$array));)*
        }),*];
    };
}

// New ones come last. The procedures of a batch share their draws, and where a transaction waits for others, how it ends may depend on what
// else they draw: engines run what waits in orders of their own.
calls! {
    arrays::histogram[data: u32](u32);
    arrays::fixed[data: [u16; 2]](u32, [u16; 2]);
    arrays::spots[floors: i16](usize, usize);
    arrays::nested[sums: u32](usize, usize);
    branches::classify[data: i32](u32, i32);
    branches::both_ends[data: i32](u32, bool);
    closures::touch[data: i64](u32);
    closures::count[data: i64](u32);
    constants::bound[data: u32]();
    constants::values[data: u32](usize, i16);
    elements::gather[data: u32]([u8; 3]);
    elements::spread[data: u32]([(u32, bool); 4]);
    enums::raise[levels: Level](u32, Level);
    enums::number[sums: i64](Side, Level);
    enums::pay[paid: Payment](u32, Payment);
    floats::single[data: f32](u32, f32);
    floats::double[data: f64](u32);
    footprint::exact[grid: u32](u32);
    footprint::stated[next: u32](u32);
    footprint::same_element[turn: u32](u32, u32);
    generics::add<u32>[data: u32](u32, u32);
    generics::add<i64>[data: i64](u32, i64);
    generics::gather<i64, 3>[data: i64]([i64; 3]);
    generics::keys[keys: Key](u32, i32);
    guards::slices[data: i32, other: i32](u32);
    helpers::pay[accounts: i64](u32, u32, i64);
    helpers::collect[accounts: i64](u32);
    integers::checked[data: i32](i32, i32, u8);
    integers::wrapped[data: u8](u8);
    integers::wide[data: isize](usize, isize, u64);
    integers::both_words[sums: u128](u32, u64, i128);
    labels::blocks[data: u32](u32);
    labels::loops[data: u32](u32);
    lengths::wrapped[counts: u32](usize);
    lengths::ends[rooms: Room](usize);
    literals::inferred[narrow: u8, wide: u64, flag: bool]();
    literals::cast[data: i64](i64);
    literals::limits[data: i8]();
    locals::shift[cells: u32; 8](u32, i16);
    locals::visit[log: i16, spots: Spot; 8, sums: u64; 4](u32);
    loops::count[data: u32](u32);
    loops::all_bytes[sums: u32]();
    loops::forever[data: u32](u32);
    loops::wraps[data: u32](u32, u8);
    matches::ranges[data: u32](i32);
    matches::guarded[data: i32](u32, i32);
    matches::ends[data: i32](Level, Option<i32>);
    methods::integers[data: i32](i32, i32);
    methods::floats[data: f32](f32, f32);
    names::template[new: u32](u32, u32, u32, u32);
    options::take[slots: Option<u32>](u32);
    options::choose[data: u32](Option<u32>, Option<u32>);
    options::settle[data: Result<u32, u8>](u32, Option<u32>);
    order::operands[data: u32](u32);
    orderable::computed[data: u32](u32, i16, f64, bool);
    orderable::pointer[next: u32](u32);
    orderable::chosen[data: u32](u32, u32);
    panics::asserted[data: u32](u32, u32);
    panics::unwrapped[slots: Option<u32>](u32, Option<u32>);
    own_methods::buy[orders: own_methods::Order, accounts: i64](u32, u32);
    own_methods::compare[orders: own_methods::Order](Option<own_methods::Order>);
    patterns::chain[slots: Option<u32>](u32, Option<u32>);
    patterns::otherwise[pairs: (u32, u32)](u32);
    patterns::follow[next: Option<u32>](u32);
    ranges::backwards[data: u32]();
    ranges::steps[data: u32](u8, usize);
    records::whole[rooms: Room](u32);
    records::fields[rooms: Room](u32);
    records::rebuilt[rooms: Room](u32, Spot, Euro);
    results::audit[accounts: i64](u32, u32);
    results::get[flags: bool](u64);
    results::withdraw[accounts: i64](u32, i64);
    results::never[]();
    results::nothing[]();
    short_circuit::pure[](u32, u32, bool);
    short_circuit::effects[data: u32](u32, u32);
    slots::intents[data: i64](u32, u32, u32, bool);
    slots::paths[data: u32](u32, bool);
    transfer::transfer[accounts: i64](u32, u32, i64);
    tuples::swap[pairs: (u32, i8)](u32, (u32, (i8, bool)));
    tuples::part[pairs: (u32, i8)](u32);
    updates::closure[data: i64](u32, i64);
    updates::function[data: i64](u32);
    updates::record[rooms: Room](u32);
    sums::branches[sums: u32](u8, u32, bool);
    sums::loops[sums: i32, others: i32](i32);
    sums::two_reads_first[sums: i64](u8, u8);
    sums::read_before_the_loop[sums: i64](u8);
    sums::one_of_two[sums: i64](u8, bool);
    sums::leaves_early[sums: i64](u8, bool);
    sums::twice_itself[sums: i64](u8);
    sums::taken_from[sums: i64](u8);
    sums::to_another_element[sums: i64](u8);
    sums::to_another_array[sums: i64, others: i64](u8);
    sums::decides[sums: i64, totals: i64](u8);
    iterators::weigh[data: u32]([u8; 4], [u32; 3], u32);
    iterators::halve[data: u32]([u32; 5], Option<u32>);
    enums::fee[paid: Payment](u32);
    generics::pairs[data: i64](u32);
    patterns::ends[rows: patterns::Row](u32);
    own_methods::reserve[orders: own_methods::Order](u32, u32);
    arrays::named[data: [u16; 2], others: u16](u32, [u8; 3]);
    enums::take_off[paid: Payment](u32, i64);
    iterators::pair_up[data: u32]([Option<u32>; 3], [u32; 6], u8);
    pieces::filled_up[stocks: u16](u8, u16);
    pieces::of_what_was_computed[cells: u64](u8, u64, u64);
    pieces::of_too_much[cells: u64](u8, u64, u64);
    pieces::of_what_changes[cells: u32](u8, u32);
    pieces::of_what_was_before[cells: u32](u8, u32);
    pieces::of_another[cells: u32](u8, u8);
    pieces::of_what_changes_with_it[cells: u32](u8, u32, bool);
    pieces::in_a_branch[cells: u32](u8, u32, bool);
    pieces::if_the_old_value_wants_it[cells: u32](u8, u32);
    pieces::at_arguments[cells: u32]([u8; 3], [u16; 3]);
}

/// Runs calls of some procedures on a device: returns for each procedure a line for each transaction, then its arrays.
fn run(device: &Device, engine: Engine, seed: u64, fills: &[fn(&mut Bench<'_>)]) -> Vec<(&'static str, Vec<String>)> {
    let batch = device.batch();
    let mut bench = Bench { device, batch, draw: Draw::new(seed), outcomes: Vec::new(), elements: Vec::new() };
    fills.iter().for_each(|fill| fill(&mut bench));
    let report = bench.batch.run_with(&in_push_order(engine)).expect("the batch should run");
    let outcomes = bench.outcomes.iter().map(|(procedure, show)| (*procedure, show(&report)));
    let elements = bench.elements.iter().map(|(procedure, show)| (*procedure, vec![show()]));
    outcomes.chain(elements).collect()
}

/// Returns the batches of the nth engine: all of them under the default and under the engine of `STM_TEST_ENGINE`; a share under
/// each other engine, because engines differ only in reads and writes.
fn batches(engine: usize) -> impl Iterator<Item = (u64, &'static [fn(&mut Bench<'_>)])> {
    let all = SEEDS.flat_map(|seed| FILLS.chunks(PROCEDURES_IN_A_BATCH).map(move |fills| (seed, fills)));
    let is_turn = move |batch: usize| engine == 0 || (engine + batch).is_multiple_of(TURNS);
    all.enumerate().filter(move |(batch, _)| is_turn(*batch)).map(|(_, batch)| batch)
}

/// Compares the batches of the nth engine on a device with the results of the CPU.
fn compare(name: &str, device: &Device, at: usize, engine: Engine) {
    for (seed, fills) in batches(at) {
        let expected = run(&Device::cpu(1), engine, seed, fills);
        for ((procedure, want), (_, got)) in expected.iter().zip(run(device, engine, seed, fills)) {
            for (want, got) in want.iter().zip(&got) {
                assert_eq!(
                    got, want,
                    "`{procedure}` on {name} under {engine}, seed {seed}: left generated, right Rust"
                );
            }
            assert_eq!(got.len(), want.len());
        }
    }
}

/// Returns a test for each engine on a device, or one ignored test with the reason.
fn tests_on(name: &'static str, device: Result<Device, Error>) -> Vec<Trial> {
    let device = match device {
        Ok(device) => device,
        Err(why) => {
            let what = format!("generated code against Rust on {name}");
            return vec![harness::cannot_run(format!("{name}::every_engine"), what, why.to_string())];
        }
    };
    let asked = std::env::var("STM_TEST_ENGINE").ok().map(|name| name.parse::<Engine>().expect("STM_TEST_ENGINE"));
    let engines = engines_in_push_order().filter(|engine| asked.is_none_or(|asked| asked == *engine));
    let test = |(at, engine): (usize, Engine)| {
        let device = device.clone();
        Trial::test(format!("{name}::{engine}"), move || {
            compare(name, &device, at, engine);
            Ok(())
        })
    };
    engines.enumerate().map(test).collect()
}

fn main() -> ExitCode {
    let mut tests = vec![harness::test("every_case_is_compared", every_case_is_compared)];
    // Fibers have a clock that counts their steps. With the clock of the host, a launch can end within a batch on a busy machine, and
    // transactions that wait then run before others than on the CPU.
    tests.extend(tests_on("emulator", Device::emulated(EmulatorOptions::fibers(1))));
    tests.extend(tests_on("gpu", Device::cuda(0)));
    harness::run(std::env::args().skip(1), tests)
}

fn every_case_is_compared() {
    for known in all() {
        let name = known.kernel.name();
        // An expression is called in its own procedure; a print is not visible here.
        let elsewhere = ["expression", "show"].contains(&known.name);
        let compared = PROCEDURES.iter().any(|(case, procedure)| *case == known.case && name.starts_with(procedure));
        assert!(compared || elsewhere, "add `{}::{name}` to `calls!`", known.case);
    }
}
