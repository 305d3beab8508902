//! A run of one transaction at a time, on the sequential executor.

use std::collections::HashMap;
use std::time::Instant;

use crate::cpu::threaded::memory;
use crate::cpu::{CpuRegion, Ended, Oracle, SERIAL, engine_name};
use crate::error::Error;
use crate::job::{COMMITTED, FAULTED, Job, POSTPONED, REJECTED, RunOutput};
use crate::progress::Progress;
use crate::proof::{Entry, History};
use crate::report::{Times, Why};
use crate::row::Resolved;

/// Rows between two looks at the clock and the stop flag.
const ROWS_PER_LOOK: usize = 1024;

/// Runs a table, pass after pass, until nothing is left or a pass finishes nothing.
pub(super) fn run(job: &Job<'_>) -> Result<RunOutput, Error> {
    let regions: Vec<&CpuRegion> = job.regions.iter().filter_map(|region| region.cpu()).collect();
    let start = Instant::now();
    let mut serial = Serial::new(job, &regions, start);
    let mut left: Vec<usize> = (0..job.rows).collect();
    if let Err(why) = serial.all_passes(&mut left) {
        serial.output.why_left = why;
    }
    for (region, words) in regions.iter().zip(serial.oracle.memory()) {
        region.set_words(words);
    }
    let mut output = serial.output;
    output.history = serial.recorder.map(|recorder| recorder.history);
    output.times = Times { kernel: start.elapsed(), ..Times::default() };
    output.memory = memory(job, &regions);
    Ok(output)
}

struct Serial<'a> {
    job: &'a Job<'a>,
    bindings: Vec<Resolved<'a>>,
    oracle: Oracle,
    recorder: Option<Recorder>,
    output: RunOutput,
    finished: u64,
    start: Instant,
}

impl<'a> Serial<'a> {
    fn new(job: &'a Job<'a>, regions: &[&CpuRegion], start: Instant) -> Serial<'a> {
        let words = regions.iter().map(|region| region.words()).collect();
        let oracle = Oracle::new(words, job.results).printing(&job.printer);
        let check = job.options.check;
        let coverage = || regions.iter().map(|region| region.coverage_log2()).collect();
        Serial {
            job,
            bindings: Resolved::all(job),
            oracle: if check { oracle.tracing() } else { oracle },
            recorder: check.then(|| Recorder::new(coverage())),
            output: RunOutput {
                status: vec![0; job.rows],
                results: vec![0; job.results * job.rows],
                engine: engine_name(SERIAL, job),
                shape: "1 thread".into(),
                ..RunOutput::default()
            },
            finished: 0,
            start,
        }
    }

    fn all_passes(&mut self, left: &mut Vec<usize>) -> Result<(), Why> {
        while !left.is_empty() {
            let is_over = |limit| {
                mutant!("serial: one pass more than the limit", self.output.passes >= limit, self.output.passes > limit)
            };
            if self.job.options.pass_limit.is_some_and(is_over) {
                return Err(Why::PassLimit);
            }
            let before = left.len();
            self.pass(left)?;
            if mutant!("serial: one pass is all", left.len() == before, true) {
                return Err(Why::GuardNeverHeld);
            }
        }
        Ok(())
    }

    fn pass(&mut self, left: &mut Vec<usize>) -> Result<(), Why> {
        self.output.passes += 1;
        let mut kept = 0;
        for at in 0..left.len() {
            if at % ROWS_PER_LOOK == 0 {
                self.look()?;
            }
            let row = left[at];
            if !self.visit(row) {
                left[kept] = row;
                kept += 1;
            }
        }
        left.truncate(kept);
        Ok(())
    }

    /// Runs a row once; true when that was final.
    fn visit(&mut self, row: usize) -> bool {
        let binding = &self.bindings[self.job.binding_of(row)];
        let ended = self.oracle.run(binding, row);
        let (status, detail) = match ended {
            Ended::Postponed => {
                self.output.postponements += mutant!("serial: postponements count twice", 1, 2);
                self.output.status[row] = POSTPONED;
                return false;
            }
            Ended::Committed => {
                for (leaf, word) in self.oracle.result().iter().enumerate() {
                    self.output.results[leaf * self.job.rows + row] = *word;
                }
                (COMMITTED, 0)
            }
            Ended::Rejected(code) => (REJECTED, code),
            Ended::Faulted(detail) => (FAULTED, detail),
        };
        if let Some(recorder) = &mut self.recorder {
            recorder.record(row, self.oracle.trace(), status == COMMITTED);
        }
        self.output.status[row] = status;
        if mutant!("serial: the reason of a fault is lost", detail != 0, status == REJECTED) {
            self.output.detail.resize(self.job.rows, 0);
            self.output.detail[row] = detail;
        }
        self.finished += 1;
        true
    }

    fn look(&self) -> Result<(), Why> {
        let options = self.job.options;
        let elapsed = self.start.elapsed();
        if let Some(progress) = &options.progress {
            progress(Progress { finished: self.finished, transactions: self.job.rows as u64, elapsed });
        }
        if options.stop.as_ref().is_some_and(|stop| stop.load(std::sync::atomic::Ordering::Relaxed)) {
            return Err(Why::Stopped);
        }
        if options.time_limit.is_some_and(|limit| elapsed >= limit) { Err(Why::TimeLimit) } else { Ok(()) }
    }
}

/// Numbers the versions that a lock table would have shown.
struct Recorder {
    history: History,
    coverage_log2: Vec<u32>,
    versions: HashMap<(usize, u64), u64>,
}

impl Recorder {
    fn new(coverage_log2: Vec<u32>) -> Recorder {
        Recorder { history: History::new(true), coverage_log2, versions: HashMap::new() }
    }

    fn record(&mut self, row: usize, trace: &[(usize, u64, bool)], committed: bool) {
        let mut entries: Vec<Entry> = Vec::with_capacity(trace.len());
        for (region, index, write) in trace {
            let lock = index >> self.coverage_log2[*region];
            let version = self.versions.get(&(*region, lock)).copied().unwrap_or(0);
            let entry = match write {
                true if committed => {
                    Entry::write(*region, lock, version + mutant!("serial: a write keeps the version", 1, 0))
                }
                true => continue,
                false => Entry::read(*region, lock, version),
            };
            if !entries.contains(&entry) {
                entries.push(entry);
            }
        }
        for entry in entries.iter().filter(|entry| entry.is_write()) {
            self.versions.insert((entry.region(), entry.lock()), entry.version());
        }
        self.history.push(row, entries);
    }
}
