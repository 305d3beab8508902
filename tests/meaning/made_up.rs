//! Programs generated while the test runs: the interpreter against one device, without rustc.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use stm_runtime::{Device, EmulatorOptions, Engine};

use crate::batch::Batch;
use crate::generate::{self, Dice, OF_MODULE, Reader};
use crate::options::Options;
use crate::subject::Subject;
use crate::suite::{Place, Tally, compare};

/// The time after which a batch counts as hanging.
const LONGEST: Duration = Duration::from_secs(300);

/// The state that the threads share.
struct Run<'o> {
    options: &'o Options,
    tally: Tally,
    /// The next module to run.
    next: AtomicU64,
    /// The running modules with their start times.
    flight: Mutex<Vec<(u64, Instant)>>,
    start: Instant,
}

pub(crate) fn run(options: &Options) -> ExitCode {
    let (next, start) = (AtomicU64::new(options.first), Instant::now());
    let run = Run { options, tally: Tally::default(), next, flight: Mutex::default(), start };
    let ended: Result<(), String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.threads).map(|_| scope.spawn(|| run.thread())).collect();
        while threads.iter().any(|thread| !thread.is_finished()) {
            std::thread::sleep(Duration::from_millis(20));
            run.watch();
        }
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| thread.join().map_err(|_| "a thread panicked")?;
        threads.into_iter().try_for_each(join)
    });
    if let Err(why) = ended {
        eprintln!("{why}");
        return ExitCode::from(2);
    }
    let who = if options.device.as_deref().is_some_and(|name| name.starts_with("cuda")) { "GPU" } else { "emulator" };
    run.tally.end(&format!("interpreter = {who}"), options.seed)
}

impl Run<'_> {
    /// Runs modules until all are done.
    fn thread(&self) -> Result<(), String> {
        let (options, place) = (self.options, place(self.options)?);
        let end = options.first + options.programs.div_ceil(OF_MODULE) as u64;
        let step = (options.together / OF_MODULE).max(1) as u64;
        loop {
            let first = self.next.fetch_add(step, Ordering::Relaxed);
            if first >= end || options.limit.is_some_and(|limit| self.start.elapsed() > limit) {
                return Ok(());
            }
            self.in_flight(|flight| flight.push((first, Instant::now())));
            for batch in self.batches(first..end.min(first + step)) {
                compare(&batch, std::slice::from_ref(&place), &self.tally);
            }
            self.in_flight(|flight| flight.retain(|(other, _)| *other != first));
            let (done, after) = (self.tally.programs.load(Ordering::Relaxed), self.start.elapsed().as_secs_f64());
            println!("modules from {first}: {done} programs after {after:.0} s");
        }
    }

    fn in_flight(&self, change: impl FnOnce(&mut Vec<(u64, Instant)>)) {
        if let Ok(mut flight) = self.flight.lock() {
            change(&mut flight);
        }
    }

    /// Ends the process if a batch hangs: nothing else stops an endless kernel.
    fn watch(&self) {
        let late = |(first, since): &(u64, Instant)| (since.elapsed() > LONGEST).then_some(*first);
        let mut hanging: Vec<u64> = Vec::new();
        self.in_flight(|flight| hanging.extend(flight.iter().filter_map(late)));
        if !hanging.is_empty() {
            println!(
                "the batches from modules {hanging:?} do not end; give --first and --each to see which call it is"
            );
            std::process::exit(1);
        }
    }

    /// Returns the batches of some modules. Modules that do not compile are reported and left out.
    fn batches(&self, modules: std::ops::Range<u64>) -> Vec<Batch<'static>> {
        let (options, mut subjects) = (self.options, Vec::new());
        let mut dice = Dice::new(options.seed, u64::MAX - modules.start);
        for number in modules {
            let text = generate::module(options.seed, number, OF_MODULE, Reader::Tool);
            match Subject::of_text((options.seed, number), &text) {
                Ok(some) => subjects.extend(some),
                Err(why) => {
                    self.tally.differs(&format!("module {number} of seed {} is refused: {why}", options.seed));
                }
            }
        }
        // Procedures are leaked in any case.
        let batches = Batch::split(Vec::leak(subjects), options.together, options.calls, &mut dice);
        if options.each { batches.iter().flat_map(each).collect() } else { batches }
    }
}

/// Returns each transaction as a batch of its own, on the memory that it would read in the first pass.
fn each<'s>(batch: &Batch<'s>) -> Vec<Batch<'s>> {
    (0..batch.transactions.len())
        .map(|transaction| batch.alone(transaction, &batch.memory_before(transaction)))
        .collect()
}

fn place(options: &Options) -> Result<Place, String> {
    let (name, device) = match options.device.as_deref() {
        None | Some("emulator") => ("emulator", Device::emulated(EmulatorOptions::threads())),
        Some(name) => ("GPU", name.parse::<Device>()),
    };
    Ok(Place { name, device: device.map_err(|why| why.to_string())?, engines: |_| vec![Engine::PRIORITY] })
}
