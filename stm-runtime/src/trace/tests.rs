//! What a subscriber of `tracing` sees of runs.

use std::cell::RefCell;
use std::fmt::{self, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::prelude::*;
use crate::{PipelineOptions, options};

#[stm_macros::gpu_transaction(crate = crate)]
fn add(tx: &mut Tx, cells: &Shared<u64>, at: u32) -> TxResult {
    tx.update(cells, at, |old| old + 1)
}

#[stm_macros::gpu_transaction(crate = crate)]
fn add_once_marked(tx: &mut Tx, cells: &Shared<u64>, at: u32) -> TxResult {
    let old = tx.read(cells, at)?;
    tx.guard(old > 0)?;
    tx.write(cells, at, old + 1)
}

thread_local! {
    /// What the thread has seen, while it looks.
    static LINES: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Writes down the spans and events of this library, in the order in which they begin. It is that of the process: what is enabled is
/// remembered for all threads, and may be wrong for a moment where threads have subscribers of their own.
#[derive(Default)]
struct Listener {
    spans: AtomicU64,
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl Listener {
    fn note(metadata: &Metadata<'_>, record: impl FnOnce(&mut Line)) {
        LINES.with_borrow_mut(|lines| {
            let Some(lines) = lines else { return };
            let mut line =
                Line(format!("{} {}", metadata.level(), if metadata.is_span() { metadata.name() } else { "" }));
            record(&mut line);
            lines.push(line.0);
        });
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == super::TARGET
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        Listener::note(span.metadata(), |line| span.record(line));
        Id::from_u64(1 + self.spans.fetch_add(1, Ordering::Relaxed))
    }
    fn event(&self, event: &Event<'_>) {
        Listener::note(event.metadata(), |line| event.record(line));
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// Returns what a subscriber sees of that work in this thread.
fn seen(work: impl FnOnce()) -> Vec<String> {
    static LISTENS: Once = Once::new();
    LISTENS.call_once(|| tracing::subscriber::set_global_default(Listener::default()).unwrap());
    LINES.set(Some(Vec::new()));
    work();
    LINES.take().unwrap_or_default()
}

fn run(device: &Device, options: RunOptions) {
    let cells = device.shared(&[0_u64; 8]).unwrap();
    let mut batch = device.batch();
    batch.extend((0..8).map(|at| add::call(&cells, at)));
    batch.run_with(&options.check(true)).unwrap();
}

#[test]
fn the_steps_of_a_run_are_spans() {
    let lines = seen(|| run(&Device::cpu(2), RunOptions::new()));
    assert_eq!(lines, ["DEBUG run transactions=8 procedures=1", "DEBUG work threads=2", "DEBUG check", "DEBUG report"]);
}

#[cfg(feature = "emulator")]
#[test]
fn the_steps_on_a_device_are_spans() {
    let Ok(device) = "emulated@1".parse::<Device>() else { return eprintln!("SKIPPED: there is no C++ compiler") };
    let on_device = ["run", "upload", "compile", "upload", "launch", "download", "check", "report"];
    let on_host = ["run", "fallback", "work", "", "check", "report"];
    let may_fall_back = RunOptions::new().fallback(options::Fallback::SmallBatches);
    for (options, expected) in
        [(RunOptions::new().engine(Engine::default()), &on_device[..]), (may_fall_back, &on_host[..])]
    {
        let lines = seen(|| run(&device, options));
        let names: Vec<&str> = lines.iter().filter_map(|line| line.split(' ').nth(1)).collect();
        assert_eq!(names, expected, "{lines:#?}");
        let told = lines.iter().any(|line| line.starts_with("DEBUG fallback transactions=8"));
        assert_eq!(told, expected == on_host, "{lines:#?}");
    }
}

#[test]
fn a_fallback_to_the_cpu_is_a_warning() {
    let lines = seen(|| {
        let device = Device::auto().unwrap();
        assert!(device.is_gpu() || device.reason().contains("because"));
    });
    let is_there = lines.iter().any(|line| line.starts_with("WARN") && line.contains("no GPU can be used"));
    assert_eq!(is_there, !Device::auto().unwrap().is_gpu(), "{lines:?}");
}

#[test]
fn a_pipeline_that_was_dropped_tells_what_it_leaves() {
    let device = Device::cpu(1);
    let cells = device.shared(&[0_u64; 8]).unwrap();
    let told = |at: u32, closes: bool| {
        let lines = seen(|| {
            let pipeline = device.pipeline(PipelineOptions::new()).unwrap();
            drop(pipeline.submit(add_once_marked::call(&cells, at)).unwrap());
            if closes {
                pipeline.close().unwrap();
            }
        });
        lines.into_iter().filter(|line| line.starts_with("WARN")).collect::<Vec<_>>()
    };
    let left = "WARN  message=a pipeline that was dropped left";
    assert_eq!(told(1, false), [format!("{left} 1 transactions unresolved, and 0 have faulted")]);
    assert_eq!(told(8, false), [format!("{left} 0 transactions unresolved, and 1 have faulted")]);
    assert_eq!(told(1, true), [""; 0], "the totals were asked for");
}
