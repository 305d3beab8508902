//! The generated CUDA C does what the Rust function does: every transaction of `cases`, with arguments at and around the
//! edges of their types, gives the same outcome (result, code, or fault with its place) and leaves the same elements.
//!
//! One transaction at a time in the order of the table, so that the outcomes are comparable one by one.

#[allow(missing_docs, unreachable_pub, clippy::complexity, clippy::style, reason = "cases show what users may write")]
mod cases;

use std::fmt::Debug;

use cases::*;
use stm_runtime::{Device, Element, EmulatorOptions, Engine, Report, Shared, Table};
use stm_tests::skip::skipped;

/// Calls of each kind in a table.
const CALLS: usize = 100;
const SEEDS: std::ops::Range<u64> = 1..3;

/// A seeded source of arguments, which prefers the edges.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// Mostly a small number, so that indices hit; else any word, or one of the last.
    fn word(&mut self) -> u64 {
        match self.roll() % 8 {
            0 => self.roll(),
            1 => self.roll() % 300,
            2 => u64::MAX - self.roll() % 3,
            _ => self.roll() % 12,
        }
    }

    fn value<T: Element + Drawn>(&mut self) -> T {
        T::from_word(if T::FLOAT_BITS.is_some() { self.float_word::<T>() } else { self.word() })
    }

    fn float_word<T: Drawn>(&mut self) -> u64 {
        let quarters = (self.roll() % 40) as f64 / 4.0 - 5.0;
        match (self.roll() % 5, T::FLOAT_BITS) {
            (0, _) => self.roll(),
            (_, Some(32)) => u64::from((quarters as f32).to_bits()),
            _ => quarters.to_bits(),
        }
    }
}

/// How values of a type are drawn.
trait Drawn: Debug {
    const FLOAT_BITS: Option<u32> = None;
}

macro_rules! whole { ($($name:ident)*) => { $(impl Drawn for $name {})* } }
whole!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize bool);

impl Drawn for f32 {
    const FLOAT_BITS: Option<u32> = Some(32);
}

impl Drawn for f64 {
    const FLOAT_BITS: Option<u32> = Some(64);
}

/// A table with calls of every case, and how to read what became of them.
struct Bench<'a> {
    device: &'a Device,
    table: Table,
    dice: Dice,
    outcomes: Vec<Outcomes>,
    elements: Vec<Elements>,
}

/// A kind's name, and its outcomes by row.
type Outcomes = (&'static str, Box<dyn Fn(&Report) -> Vec<String>>);
/// A kind's name, and the elements of one of its regions.
type Elements = (&'static str, Box<dyn Fn() -> String>);

impl Bench<'_> {
    fn region<T: Element + Drawn>(&mut self) -> Shared<T> {
        let elements: Vec<T> = (0..16).map(|_| self.dice.value()).collect();
        self.device.shared(&elements).expect("a small region should fit")
    }

    fn keep<T: Element + Drawn>(&mut self, kind: &'static str, region: Shared<T>) {
        let read = move || format!("{:?}", region.to_vec().expect("a region should be readable"));
        self.elements.push((kind, Box::new(read)));
    }
}

/// Adds calls: each kind with its regions by name, and the types of its values.
macro_rules! calls {
    ($($case:ident::$kind:ident[$($region:ident: $element:ty),*]($($value:ty),*);)*) => {
        const KINDS: &[&str] = &[$(stringify!($kind)),*];

        fn fill(bench: &mut Bench<'_>) {
            $({
                $(let $region = bench.region::<$element>();)*
                let tickets: Vec<_> = (0..CALLS)
                    .map(|_| {
                        let call = $case::$kind::call($(&$region,)* $(bench.dice.value::<$value>()),*);
                        bench.table.push(call)
                    })
                    .collect();
                let show = move |report: &Report| {
                    // A fault names its row: the same on both sides.
                    tickets.iter().map(|ticket| format!("{:?}", report.outcome(*ticket))).collect()
                };
                bench.outcomes.push((stringify!($kind), Box::new(show)));
                $(bench.keep(stringify!($kind), $region);)*
            })*
        }
    };
}

calls! {
    branches::classify[data: i32](u32, i32);
    branches::both_ends[data: i32](u32, bool);
    floats::single[data: f32](u32, f32);
    floats::double[data: f64](u32);
    footprint::exact[grid: u32](u32);
    footprint::stated[next: u32](u32);
    footprint::same_element[turn: u32](u32, u32);
    guards::slices[data: i32, other: i32](u32);
    integers::checked[data: i32](i32, i32, u8);
    integers::wrapped[data: u8](u8);
    integers::wide[data: isize](usize, isize, u64);
    literals::inferred[narrow: u8, wide: u64, flag: bool]();
    literals::cast[data: i64](i64);
    literals::limits[data: i8]();
    loops::count[data: u32](u32);
    loops::all_bytes[sums: u32]();
    loops::forever[data: u32](u32);
    names::template[new: u32](u32, u32, u32, u32);
    order::operands[data: u32](u32);
    orderable::computed[data: u32](u32, i16, f64, bool);
    orderable::pointer[next: u32](u32);
    orderable::chosen[data: u32](u32, u32);
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
}

/// What a device makes of the table: for each kind a line for each row, then its regions.
fn run(device: &Device, engine: Engine, seed: u64) -> Vec<(&'static str, Vec<String>)> {
    let mut table = device.table();
    table.engine(engine).threads(1);
    let mut bench = Bench { device, table, dice: Dice(seed), outcomes: Vec::new(), elements: Vec::new() };
    fill(&mut bench);
    let report = bench.table.run().expect("the table should run");
    let outcomes = bench.outcomes.iter().map(|(kind, show)| (*kind, show(&report)));
    let elements = bench.elements.iter().map(|(kind, show)| (*kind, vec![show()]));
    outcomes.chain(elements).collect()
}

fn compare(name: &str, device: &Device) {
    for engine in Engine::all() {
        for seed in SEEDS {
            let expected = run(&Device::cpu(1), engine, seed);
            for ((kind, want), (_, got)) in expected.iter().zip(run(device, engine, seed)) {
                for (want, got) in want.iter().zip(&got) {
                    assert_eq!(got, want, "`{kind}` on {name} under {engine}, seed {seed}: left generated, right Rust");
                }
                assert_eq!(got.len(), want.len());
            }
        }
    }
}

#[test]
fn emulated_code_does_what_the_function_does() {
    match Device::emulated(EmulatorOptions::threads()) {
        Ok(device) => compare("the emulator", &device),
        Err(why) => skipped("generated code against Rust, emulated", &why.to_string()),
    }
}

#[test]
fn gpu_code_does_what_the_function_does() {
    match Device::cuda(0) {
        Ok(device) => compare("the GPU", &device),
        Err(why) => skipped("generated code against Rust, on a GPU", &why.to_string()),
    }
}

#[test]
fn every_case_is_compared() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    for entry in std::fs::read_dir(folder).expect("the folder of cases should be there") {
        let source = std::fs::read_to_string(entry.expect("a case").path()).expect("a case should be text");
        for compiled in kernels_gen::pipeline::compile_source(&source, "x.rs").expect("cases compile") {
            assert!(
                KINDS.contains(&compiled.transaction.name.as_str()),
                "add `{}` to `calls!`",
                compiled.transaction.name
            );
        }
    }
}
