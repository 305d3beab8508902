//! Points that are added to the nearest centre.
//!
//! Source: GPU-LocalTM, section 5.1.2, after STAMP's k-means: groups of 256 work items, each with one point in three dimensions; 2
//! to 256 centres, one iteration. The nearest centre depends only on constants, so it is found before the transaction, as in the
//! paper. Coordinates are fixed-point numbers: their sums do not depend on the order.
//!
//! Invariant: the number and the sums of each centre are exactly those of the committed points nearest to it.

use std::sync::LazyLock;

use clap::Args;
use stm_bench::{Benchmark, Rng, RngExt, SeedableRng};
use stm_runtime::prelude::*;

use super::ending::{committed, expect, nothing_fails};
use super::fill::elements;
use super::part::{Parts, part_of};
use super::size::Size;

/// The most centres of a partition.
const CENTRES: usize = 256;
/// The bound of coordinates: 1 as a fixed-point number with 16 fractional bits.
const ONE: i32 = 1 << 16;

type Point = [i32; 3];

/// The sums of one centre.
#[derive(Debug, Clone, Copy, Default, PartialEq, GpuData)]
pub struct Centre {
    pub(super) points: u32,
    pub(super) sum: [i64; 3],
}

/// Adds a point to its centre.
#[gpu_transaction]
fn add(tx: &mut Tx, centres: &Partition<Centre, CENTRES>, nearest: u32, point: Point) -> TxResult {
    let old = tx.read(centres, nearest)?;
    let (x, y, z) = (point[0] as i64, point[1] as i64, point[2] as i64);
    let sum = [old.sum[0] + x, old.sum[1] + y, old.sum[2] + z];
    tx.write(centres, nearest, Centre { points: old.points + 1, sum })
}

/// Points that are added to the nearest of a few centres
#[derive(Debug, Clone, Args)]
pub struct Kmeans {
    /// Centres of each part: 2, 4, 8 .. 256
    #[arg(long, default_value = "32")]
    pub centres: Size<2, 256>,
    /// Parts; 256 transactions one after the other belong to one
    #[arg(long, default_value_t = 4_096, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub parts: u32,
}

/// One transaction.
#[derive(Debug, Clone, Copy)]
pub struct Transaction {
    part: u32,
    nearest: u32,
    point: Point,
}

impl Benchmark for Kmeans {
    const NAME: &'static str = "kmeans";
    const SUMMARY: &'static str = "points that are added to the nearest of a few centres";
    const SOURCE: &'static str = "GPU-LocalTM, section 5.1.2";

    type State = Parts<Centre, CENTRES>;
    type Transaction = Transaction;

    fn setup(&self, device: &Device, _seed: u64) -> Result<Parts<Centre, CENTRES>, Error> {
        Parts::new(device, &elements(self.parts as usize * CENTRES, |_| Centre::default())?)
    }

    fn transaction(&self, rng: &mut Rng, number: u64) -> Transaction {
        let (part, _) = part_of(number, self.parts);
        let point = point(rng);
        Transaction { part, nearest: self.nearest(point), point }
    }

    fn push(
        &self,
        centres: &Parts<Centre, CENTRES>,
        Transaction { part, nearest, point }: Transaction,
        batch: &mut Batch,
    ) {
        batch.push(add::call(centres.part(part), nearest, point));
    }

    fn check(
        &self,
        centres: &Parts<Centre, CENTRES>,
        report: &Report,
        transactions: &[Transaction],
    ) -> Result<(), String> {
        nothing_fails(report)?;
        let found = centres.contents()?;
        let mut want = vec![Centre::default(); found.len()];
        for (_, transaction) in transactions.iter().enumerate().filter(|(at, _)| committed(report, *at)) {
            let centre = &mut want[transaction.part as usize * CENTRES + transaction.nearest as usize];
            centre.points += 1;
            (0..3).for_each(|axis| centre.sum[axis] += i64::from(transaction.point[axis]));
        }
        let wrong = found.iter().zip(&want).position(|(found, want)| found != want);
        let at = wrong.unwrap_or_default();
        expect(wrong.is_none(), || format!("centre {at} has {:?} and not {:?}", found[at], want[at]))
    }
}

impl Kmeans {
    fn nearest(&self, point: Point) -> u32 {
        let distance = |centre: &u32| {
            let axes = START[*centre as usize].iter().zip(point);
            axes.map(|(a, b)| i64::from(a - b).pow(2)).sum::<i64>()
        };
        (0..self.centres.get()).min_by_key(distance).unwrap_or_default()
    }
}

/// The initial centres of every partition.
static START: LazyLock<Vec<Point>> = LazyLock::new(|| {
    let mut rng = Rng::seed_from_u64(0);
    (0..CENTRES).map(|_| point(&mut rng)).collect()
});

fn point(rng: &mut Rng) -> Point {
    std::array::from_fn(|_| rng.random_range(0..ONE))
}
