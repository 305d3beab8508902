//! The runs, and what they say.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use stm_runtime::{Device, EmulatorOptions, Engine};
use stm_tests::skip::skipped;
use stm_tests::{engines_by_turns, engines_for_cpu};

use crate::batch::{Batch, Ended};
use crate::compare::difference;
use crate::generate::{self, Dice, OF_MODULE};
use crate::options::Options;
use crate::shrink;
use crate::subject::Subject;
use crate::{generated, made_up};

/// What was found out, over all batches.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) programs: AtomicU64,
    calls: AtomicU64,
    differ: AtomicU64,
    /// Committed, rejected, faulted, left.
    ended: [AtomicU64; 4],
    /// Differences are printed one at a time.
    printing: Mutex<()>,
}

impl Tally {
    pub(crate) fn count(&self, batch: &Batch<'_>, transactions: &[Ended]) {
        self.programs.fetch_add(batch.subjects.len() as u64, Ordering::Relaxed);
        self.calls.fetch_add(transactions.len() as u64, Ordering::Relaxed);
        for transaction in transactions {
            let at = match transaction {
                Ended::Committed(_) => 0,
                Ended::Rejected(_) => 1,
                Ended::Faulted(..) => 2,
                Ended::Left | Ended::Other(_) => 3,
            };
            self.ended[at].fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn differs(&self, text: &str) {
        self.differ.fetch_add(1, Ordering::Relaxed);
        let _one = self.printing.lock();
        println!("{text}");
    }

    /// The summary; failure if anything differs.
    pub(crate) fn end(&self, who: &str, seed: u64) -> ExitCode {
        let get = |n: &AtomicU64| n.load(Ordering::Relaxed);
        let (calls, differ) = (get(&self.calls), get(&self.differ));
        let share = |k: usize| 100 * get(&self.ended[k]) / calls.max(1);
        println!(
            "{} programs, {calls} calls: {who}; {differ} differ; committed {} %, rejected {} %, faulted {} %, left {} %; seed {seed}",
            get(&self.programs),
            share(0),
            share(1),
            share(2),
            share(3),
        );
        if differ == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// A device to compare with.
pub(crate) struct Place {
    pub(crate) name: &'static str,
    pub(crate) device: Device,
    /// The engines for a batch, by the number of its first module: each batch is a unit to compile.
    pub(crate) engines: fn(usize) -> Vec<Engine>,
}

pub(crate) fn run(options: &Options) -> ExitCode {
    if let Some(number) = options.show {
        print!("{}", generate::module(options.seed, number, OF_MODULE));
        return ExitCode::SUCCESS;
    }
    if options.programs == 0 { compiled(options) } else { made_up::run(options) }
}

/// The programs that rustc compiled.
fn compiled(options: &Options) -> ExitCode {
    let seed = env!("STM_MEANING_SEED_BUILT").parse().unwrap_or(0);
    let of_procedure = |(k, procedure)| Subject::of_procedure((seed, (k / OF_MODULE) as u64), procedure);
    let subjects: Vec<Subject> = match generated::procedures().into_iter().enumerate().map(of_procedure).collect() {
        Ok(subjects) => subjects,
        Err(why) => {
            println!("a program of the build does not compile: {why}");
            return ExitCode::FAILURE;
        }
    };
    let places = places();
    let tally = Tally::default();
    let mut dice = Dice::new(options.seed, u64::MAX);
    for batch in Batch::split(&subjects, options.together, options.calls, &mut dice) {
        compare(&batch, &places, &tally);
    }
    let names: Vec<&str> = places.iter().map(|place| place.name).collect();
    tally.end(&format!("interpreter = {}", names.join(" = ")), seed)
}

/// The places that programs of rustc run on: all that there are.
fn places() -> Vec<Place> {
    let mut places = vec![Place { name: "rustc", device: Device::cpu(1), engines: |_| engines_for_cpu(Engine::ALL) }];
    match Device::emulated(EmulatorOptions::threads()) {
        Ok(device) => places.push(Place { name: "emulator", device, engines: engines_by_turns }),
        Err(why) => skipped("random programs in the emulator", &why.to_string()),
    }
    match Device::cuda(0) {
        Ok(device) => places.push(Place { name: "GPU", device, engines: engines_by_turns }),
        Err(why) => skipped("random programs on a GPU", &why.to_string()),
    }
    places
}

pub(crate) fn compare(batch: &Batch<'_>, places: &[Place], tally: &Tally) {
    let want = batch.interpret();
    if let [(at, call)] = batch.transactions.as_slice() {
        println!(
            "`{}` of {:x?} on {:?} of {:x?}: {:x?}",
            batch.subjects[*at].procedure.name(),
            call.words,
            call.arrays,
            batch.pool.memory,
            want.transactions[0]
        );
    }
    tally.count(batch, &want.transactions);
    if let Some(transaction) = want.transactions.iter().position(|transaction| matches!(transaction, Ended::Other(_))) {
        let name = batch.subjects[batch.transactions[transaction].0].procedure.name();
        tally.differs(&format!("`{name}`: the interpreter: {:?}", want.transactions[transaction]));
    }
    let turn = batch.subjects.first().map_or(0, |subject| subject.module.1 as usize);
    for place in places {
        for engine in (place.engines)(turn) {
            let name = format!("{} under {engine}", place.name);
            match batch.run(&place.device, engine) {
                Ok(got) => {
                    if let Some(found) = difference(batch, &want, &name, &got) {
                        tally.differs(&shrink::explain(batch, &found, place, engine, &name));
                    }
                }
                Err(why) => tally.differs(&format!("{name}: {why}")),
            }
        }
    }
}
