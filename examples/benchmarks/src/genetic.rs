//! Solutions of a knapsack problem: the better of two replaces the worse.
//!
//! Source: GPU-LocalTM, section 5.1.3: groups of 256 work items with 2 to 256 solutions; 8 objects whose price is proportional to
//! their weight, so that the best solution is the one nearest to the capacity. A transaction takes two solutions at random,
//! evaluates both, and stores the better one in both places, as in the paper.
//!
//! Invariant: every solution is one of those at the start, and its stored fitness is correct; the best one of each partition is
//! never lost; and no place has a worse solution than a committed transaction stored there.

use std::collections::HashSet;

use clap::Args;
use stm_bench::{Benchmark, Rng, RngExt, SeedableRng};
use stm_runtime::prelude::*;

use super::ending::{expect, nothing_fails, result};
use super::fill::elements;
use super::part::{Parts, part_of};
use super::size::Size;

/// The most solutions of a partition.
const SOLUTIONS: usize = 256;
/// The weights of the objects.
const WEIGHTS: [u32; 8] = [3, 5, 8, 13, 21, 34, 55, 89];
/// The capacity of the bag.
const CAPACITY: u32 = 117;

/// One solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, GpuData)]
pub(super) struct Solution {
    /// A bit for each object.
    pub(super) objects: u32,
    /// The distance from the capacity: less is better.
    pub(super) distance: u32,
}

/// Returns how far the weight of these objects is from the capacity.
#[gpu_fn]
fn distance(objects: u32) -> u32 {
    let mut weight = 0;
    for (k, &each) in WEIGHTS.iter().enumerate() {
        weight += (objects >> k & 1) * each;
    }
    weight.abs_diff(CAPACITY)
}

/// Stores the better of two solutions in both places; returns its distance.
#[gpu_transaction]
fn cross(tx: &mut Tx, solutions: &Partition<Solution, SOLUTIONS>, one: u32, other: u32) -> TxResult<u32> {
    let (a, b) = (tx.read(solutions, one)?, tx.read(solutions, other)?);
    let (near, far) = (distance(a.objects), distance(b.objects));
    let better = if near <= far { Solution { distance: near, ..a } } else { Solution { distance: far, ..b } };
    tx.write(solutions, one, better)?;
    tx.write(solutions, other, better)?;
    Ok(better.distance)
}

/// Solutions of which the worse of two becomes the better one
#[derive(Debug, Clone, Args)]
pub struct Genetic {
    /// Solutions of each part: 2, 4, 8 .. 256
    #[arg(long, default_value = "32")]
    pub solutions: Size<2, 256>,
    /// Parts; 256 transactions one after the other belong to one
    #[arg(long, default_value_t = 4_096, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub parts: u32,
}

/// The solutions, and their initial values.
#[derive(Debug)]
pub struct Population {
    pub(super) now: Parts<Solution, SOLUTIONS>,
    start: Vec<Solution>,
}

/// One transaction.
#[derive(Debug, Clone, Copy)]
pub struct Transaction {
    part: u32,
    one: u32,
    other: u32,
}

impl Benchmark for Genetic {
    const NAME: &'static str = "genetic";
    const SUMMARY: &'static str = "solutions of which the worse of two becomes the better one";
    const SOURCE: &'static str = "GPU-LocalTM, section 5.1.3";

    type State = Population;
    type Transaction = Transaction;

    fn setup(&self, device: &Device, seed: u64) -> Result<Population, Error> {
        let mut rng = Rng::seed_from_u64(seed);
        let mut drawn = || {
            let objects = rng.random_range(0..1 << WEIGHTS.len());
            Solution { objects, distance: distance(objects) }
        };
        let start = elements(self.parts as usize * SOLUTIONS, |_| drawn())?;
        Ok(Population { now: Parts::new(device, &start)?, start })
    }

    fn transaction(&self, rng: &mut Rng, number: u64) -> Transaction {
        let (part, _) = part_of(number, self.parts);
        let count = self.solutions.get();
        let one = rng.random_range(0..count);
        Transaction { part, one, other: (one + rng.random_range(1..count)) % count }
    }

    fn push(&self, population: &Population, Transaction { part, one, other }: Transaction, batch: &mut Batch) {
        batch.push(cross::call(population.now.part(part), one, other));
    }

    fn check(&self, population: &Population, report: &Report, transactions: &[Transaction]) -> Result<(), String> {
        nothing_fails(report)?;
        let found = population.now.contents()?;
        let parts = found.chunks_exact(SOLUTIONS).zip(population.start.chunks_exact(SOLUTIONS));
        for (part, (found, start)) in parts.enumerate() {
            self.check_part(found, start).map_err(|why| format!("part {part}: {why}"))?;
        }
        for (at, transaction) in transactions.iter().enumerate() {
            let Some(left) = result::<u32>(report, at) else { continue };
            let worst = [transaction.one, transaction.other]
                .map(|own| found[transaction.part as usize * SOLUTIONS + own as usize].distance)
                .into_iter()
                .max();
            expect(worst <= Some(left), || format!("transaction {at} left {left}, and {worst:?} is there at the end"))?;
        }
        Ok(())
    }
}

impl Genetic {
    fn check_part(&self, found: &[Solution], start: &[Solution]) -> Result<(), String> {
        let used = self.solutions.get() as usize;
        let known: HashSet<&Solution> = start[..used].iter().collect();
        let strange = found[..used].iter().find(|solution| !known.contains(solution));
        expect(strange.is_none(), || format!("{strange:?} was not there at the start, or its distance is another"))?;
        expect(found[used..] == start[used..], || "a solution changed that nobody names".to_owned())?;
        let best = |of: &[Solution]| of[..used].iter().map(|solution| solution.distance).min();
        expect(best(found) == best(start), || format!("the best was {:?} and is {:?}", best(start), best(found)))
    }
}
