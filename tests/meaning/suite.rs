//! The runs, and their summary.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use stm_runtime::{Device, EmulatorOptions, Engine};
use stm_tests::harness::{self, Trial};
use stm_tests::{engines_by_turns, engines_for_cpu, takes_turns};

use crate::batch::{Batch, Ended, Results};
use crate::compare::difference;
use crate::generate::{self, Dice, OF_MODULE, Reader};
use crate::options::Options;
use crate::shrink;
use crate::subject::Subject;
use crate::{constructs, generated, made_up};

/// The counts over all batches.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) programs: AtomicU64,
    calls: AtomicU64,
    differ: AtomicU64,
    /// Numbers of transactions: committed, rejected, faulted, left.
    ended: [AtomicU64; 4],
    /// Locks the output, so that differences are printed one at a time.
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

    /// Adds another tally.
    fn add(&self, other: &Tally) {
        let own = [&self.programs, &self.calls, &self.differ].into_iter().chain(&self.ended);
        let others = [&other.programs, &other.calls, &other.differ].into_iter().chain(&other.ended);
        own.zip(others).for_each(|(own, other)| _ = own.fetch_add(other.load(Ordering::Relaxed), Ordering::Relaxed));
    }

    pub(crate) fn differs(&self, text: &str) {
        self.differ.fetch_add(1, Ordering::Relaxed);
        let _one = self.printing.lock();
        println!("{text}");
    }

    /// Prints the summary; fails if anything differs.
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
        let reader = if options.programs == 0 { Reader::Rustc } else { Reader::Tool };
        print!("{}", generate::module(options.seed, number, OF_MODULE, reader));
        return ExitCode::SUCCESS;
    }
    if options.programs == 0 { compiled(options) } else { made_up::run(options) }
}

/// Runs the programs that rustc compiled, each batch as a test.
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
    let (places, missing) = places();
    let names: Vec<&str> = places.iter().map(|place| place.name).collect();
    let summary = format!("interpreter = {}", names.join(" = "));
    let (places, total) = (Arc::new(places), Arc::new(Tally::default()));
    let mut dice = Dice::new(options.seed, u64::MAX);
    let constructs = constructs::test(seed, subjects.len());
    // Procedures are leaked in any case.
    let batches = Batch::split(Vec::leak(subjects), options.together, options.calls, &mut dice);
    let tests = batches.into_iter().map(|batch| test(batch, places.clone(), total.clone()));
    let tests = tests.chain([constructs]).chain(missing).collect();
    let status = harness::run(options.rest.clone(), tests);
    if total.programs.load(Ordering::Relaxed) > 0 {
        total.end(&summary, seed);
    }
    status
}

/// Returns the test of a batch, named after its modules.
fn test(batch: Batch<'static>, places: Arc<Vec<Place>>, total: Arc<Tally>) -> Trial {
    let module = |subject: Option<&&Subject>| subject.map_or(0, |subject| subject.module.1);
    let (first, last) = (module(batch.subjects.first()), module(batch.subjects.last()));
    Trial::test(format!("modules_{first}_to_{last}"), move || {
        let tally = Tally::default();
        compare(&batch, &places, &tally);
        total.add(&tally);
        match tally.differ.into_inner() {
            0 => Ok(()),
            differ => Err(format!("{differ} differences, see above").into()),
        }
    })
}

/// Returns the places that run compiled programs, and a test for each place that this machine lacks.
fn places() -> (Vec<Place>, Vec<Trial>) {
    let mut places = vec![Place { name: "rustc", device: Device::cpu(1), engines: |_| engines_for_cpu(Engine::ALL) }];
    let mut missing = Vec::new();
    for (name, device) in [("emulator", Device::emulated(EmulatorOptions::threads())), ("GPU", Device::cuda(0))] {
        match device {
            Ok(device) => places.push(Place { name, device, engines: engines_by_turns }),
            Err(why) => {
                let what = format!("random programs, compared with the {name}");
                missing.push(harness::cannot_run(format!("everything_on_the_{name}"), what, why.to_string()));
            }
        }
    }
    (places, missing)
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
            compare_under(engine, place, batch, &want, tally);
        }
        if place.device.is_gpu() {
            for engine in Engine::ALL.iter().copied().filter(|engine| takes_turns(*engine)) {
                let turns = batch.with_turns(engine);
                if !turns.transactions.is_empty() {
                    compare_under(engine, place, &turns, &turns.interpret(), tally);
                }
            }
        }
    }
}

fn compare_under(engine: Engine, place: &Place, batch: &Batch<'_>, want: &Results, tally: &Tally) {
    let name = format!("{} under {engine}", place.name);
    match batch.run(&place.device, engine) {
        Ok(got) => {
            if let Some(found) = difference(batch, want, &name, &got) {
                tally.differs(&shrink::explain(batch, &found, place, engine, &name));
            }
        }
        Err(why) => tally.differs(&format!("{name}: {why}")),
    }
}
