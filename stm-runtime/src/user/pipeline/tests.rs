//! Pipelines on a device whose runs wait for the test.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::task::{Context, Wake, Waker};
use std::thread;
use std::time::Duration;

use super::super::gated::{Next, add, append, await_value, block_on, failure, gated};
use crate::{
    Device, Error, NotSubmitted, Order, Outcome, Pipeline, PipelineOptions, RunOptions, Shared, Totals,
    UnresolvedReason,
};

/// The delay that no test waits for.
const NEVER: Duration = Duration::from_secs(1 << 30);

/// Returns a pipeline of batches of two, in push order, with an array.
fn of_two() -> (Pipeline, Shared<i64>, Sender<Next>) {
    let (device, next) = gated();
    let options = PipelineOptions::new().max_transactions(2).max_delay(NEVER);
    let pipeline = device.pipeline(options.run(RunOptions::new().order(Order::Pushed))).unwrap();
    (pipeline, device.shared(&[0_i64; 4]).unwrap(), next)
}

fn counts(totals: &Totals) -> [u64; 4] {
    [totals.batches, totals.transactions, totals.committed, totals.failed]
}

#[test]
fn full_batches_run_one_after_the_other() {
    let (pipeline, cells, next) = of_two();
    let tickets: Vec<_> = (1..=4).map(|digit| pipeline.submit(append::call(&cells, 0, digit)).unwrap()).collect();
    assert!(tickets.iter().all(|ticket| ticket.try_wait().is_none() && ticket.report().is_none()));
    next.send(Next::Runs).unwrap();
    assert_eq!(tickets[1].wait(), Ok(Outcome::Committed(())));
    assert_eq!(tickets[0].try_wait(), Some(Ok(Outcome::Committed(()))));
    assert!(tickets[2].try_wait().is_none(), "the next batch waits");
    assert_eq!(counts(&pipeline.totals()), [1, 2, 2, 0]);
    next.send(Next::Runs).unwrap();
    assert_eq!(tickets[3].wait(), Ok(Outcome::Committed(())));
    assert_eq!(cells.to_vec().unwrap()[0], 1234);
    let report = tickets[3].report().unwrap();
    assert_eq!((report.transactions, report.outcome(tickets[3].ticket())), (2, Outcome::Committed(())));
    assert!(format!("{:?} {pipeline:?}", tickets[3]).starts_with("Submission(Ticket(1), run) Pipeline"));
}

#[test]
fn a_few_transactions_run_after_the_delay_and_others_on_demand() {
    let device = Device::cpu(1);
    let cells = device.shared(&[0_i64; 4]).unwrap();
    for delay in [Duration::ZERO, Duration::from_millis(2)] {
        let pipeline = device.pipeline(PipelineOptions::new().max_delay(delay)).unwrap();
        assert!(pipeline.submit(add::call(&cells, 1, 1)).unwrap().wait().unwrap().is_committed());
    }
    let pipeline = device.pipeline(PipelineOptions::new().max_delay(NEVER)).unwrap();
    assert_eq!(counts(&pipeline.flush().unwrap()), [0; 4]);
    let ticket = pipeline.submit(add::call(&cells, 1, 1)).unwrap();
    assert_eq!(counts(&pipeline.flush().unwrap()), [1, 1, 1, 0]);
    assert_eq!(ticket.try_wait(), Some(Ok(Outcome::Committed(3))));
    let wrong = device.pipeline(PipelineOptions::new().max_transactions(0)).unwrap_err();
    assert!(matches!(wrong, Error::OptionValue { option: "max_transactions", value: 0, .. }));
    let wrong = device.pipeline(PipelineOptions::new().run(RunOptions::new().threads(0))).unwrap_err();
    assert!(matches!(wrong, Error::OptionValue { option: "threads", .. }));
}

#[test]
fn a_full_pipeline_gives_the_call_back_or_lets_it_wait() {
    let (pipeline, cells, next) = of_two();
    // The first two are taken out at once; then two more fill the other batch.
    let first = pipeline.submit(append::call(&cells, 0, 1)).unwrap();
    pipeline.submit(append::call(&cells, 0, 2)).unwrap();
    pipeline.submit(append::call(&cells, 0, 3)).unwrap();
    pipeline.submit(append::call(&cells, 0, 4)).unwrap();
    let Err(NotSubmitted::Full(call)) = pipeline.try_submit(append::call(&cells, 0, 5)) else { panic!("it is full") };
    thread::scope(|scope| {
        let waiting = scope.spawn(|| pipeline.submit(append::call(&cells, 0, 6)).unwrap().wait());
        let list = scope.spawn(|| pipeline.submit_columns(append::columns(&cells, &[1; 3], &[7; 3])).map(|_| ()));
        thread::sleep(Duration::from_millis(2));
        assert!(!waiting.is_finished() && !list.is_finished() && first.try_wait().is_none());
        drop(next);
        assert_eq!(list.join().unwrap(), Ok(()));
        // Alone in its batch, it waits for another one, or for the list.
        pipeline.flush().unwrap();
        while !waiting.is_finished() {
            pipeline.flush().unwrap();
        }
        assert_eq!(waiting.join().unwrap(), Ok(Outcome::Committed(())));
    });
    pipeline.try_submit(call).unwrap();
    assert_eq!(counts(&pipeline.close().unwrap())[1..], [9, 9, 0]);
    assert_eq!(cells.to_vec().unwrap()[..2], [123_465, 777]);
}

#[test]
fn a_closed_pipeline_takes_nothing_and_loses_nothing() {
    let (pipeline, cells, next) = of_two();
    let call = || append::call(&cells, 0, 1);
    let tickets: Vec<_> = (0..4).map(|_| pipeline.submit(call()).unwrap()).collect();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| pipeline.submit(call()).map(|_| ()));
        let closing = scope.spawn(|| pipeline.close());
        // Whether it waits already or comes later, it is told.
        assert_eq!(waiting.join().unwrap(), Err(Error::PipelineClosed));
        assert!(matches!(pipeline.try_submit(call()), Err(NotSubmitted::Closed(_))));
        assert!(!closing.is_finished() && tickets[0].try_wait().is_none());
        drop(next);
        assert_eq!(counts(&closing.join().unwrap().unwrap()), [2, 4, 4, 0]);
    });
    assert!(tickets.iter().all(|ticket| ticket.wait() == Ok(Outcome::Committed(()))));
    assert_eq!(counts(&pipeline.close().unwrap()), [2, 4, 4, 0], "to close twice is to ask again");
}

#[test]
fn a_dropped_pipeline_runs_what_it_has() {
    let (pipeline, cells, next) = of_two();
    let ticket = pipeline.submit(append::call(&cells, 0, 1)).unwrap();
    drop(pipeline.submit(append::call(&cells, 0, 2)).unwrap());
    drop(pipeline.submit(append::call(&cells, 0, 3)).unwrap());
    next.send(Next::Runs).unwrap();
    // The error of the second batch is printed.
    next.send(Next::Fails).unwrap();
    drop(pipeline);
    assert_eq!((ticket.try_wait(), cells.to_vec().unwrap()[0]), (Some(Ok(Outcome::Committed(()))), 12));
}

#[test]
fn the_error_or_panic_of_a_run_is_that_of_its_tickets() {
    let (pipeline, cells, next) = of_two();
    for what in [Next::Runs, Next::Fails, Next::Panics, Next::Runs] {
        next.send(what).unwrap();
    }
    let tickets: Vec<_> = (1..=8).map(|digit| pipeline.submit(append::call(&cells, 0, digit)).unwrap()).collect();
    let totals = pipeline.close().unwrap();
    let ends: Vec<_> = tickets.iter().map(|ticket| ticket.wait().map(|outcome| outcome.is_committed())).collect();
    let panicked = Error::RunPanicked { message: "as asked".into() };
    for (two, end) in ends.chunks(2).zip([Ok(true), Err(failure()), Err(panicked), Ok(true)]) {
        assert_eq!(two, [end.clone(), end]);
    }
    assert_eq!((counts(&totals), totals.error), ([4, 8, 4, 4], Some(failure())));
    assert_eq!(cells.to_vec().unwrap()[0], 1278);
}

#[test]
fn a_call_that_does_not_fit_is_refused_alone() {
    let (pipeline, cells, next) = of_two();
    drop(next);
    let foreign = Device::cpu(1).shared(&[0_i64]).unwrap();
    let ticket = pipeline.submit(append::call(&cells, 0, 1)).unwrap();
    assert!(matches!(pipeline.submit(append::call(&foreign, 0, 2)), Err(Error::ForeignArray { .. })));
    let refused = pipeline.try_submit(append::call(&foreign, 0, 3));
    assert!(matches!(refused, Err(NotSubmitted::Refused(Error::ForeignArray { .. }))));
    let ragged = pipeline.submit_columns(append::columns(&cells, &[0, 1], &[4]));
    assert!(matches!(ragged, Err(Error::ColumnLengths { lengths: [2, 1], .. })));
    pipeline.flush().unwrap();
    assert_eq!((ticket.wait(), cells.to_vec().unwrap()[0]), (Ok(Outcome::Committed(())), 1));
}

#[test]
fn columns_stay_together_and_their_results_are_columns() {
    let device = Device::cpu(2);
    let cells = device.shared(&[0_i64; 4]).unwrap();
    let pipeline = device.pipeline(PipelineOptions::new().max_transactions(8).max_delay(NEVER)).unwrap();
    let (mut at, mut by) = (Vec::new(), Vec::new());
    for rows in [5_usize, 4, 20, 0] {
        at.clear();
        by.clear();
        at.extend((0..rows).map(|row| row as u32 % 4));
        by.resize(rows, 1);
        let submissions = pipeline.submit_columns(add::columns(&cells, &at, &by)).unwrap();
        assert_eq!((submissions.len(), submissions.is_empty()), (rows, rows == 0));
        if rows == 20 {
            // It was full before it was due.
            assert_eq!(submissions.wait().unwrap().transactions, 20);
        }
        pipeline.flush().unwrap();
        let report = submissions.try_wait().unwrap().unwrap();
        assert_eq!(report.results(submissions.tickets()).flatten().count(), rows);
        assert!(submissions.get(rows).is_none());
        assert_eq!(submissions.get(0).map(|one| one.wait().unwrap().is_committed()), (rows > 0).then_some(true));
        assert_eq!(block_on(submissions).unwrap().len(), rows);
    }
    // Lists that are given away.
    let submissions = pipeline.submit_columns(add::columns(&cells, vec![0; 30], vec![1; 30])).unwrap();
    assert_eq!(submissions.wait().unwrap().committed, 30);
    assert_eq!(cells.to_vec().unwrap().iter().sum::<i64>(), 59);
}

#[test]
fn threads_submit_what_they_like() {
    let device = Device::cpu(2);
    let [one, other] = [0, 1].map(|_| device.shared(&[0_i64; 4]).unwrap());
    let options = PipelineOptions::new().max_transactions(50).max_delay(Duration::from_micros(100));
    let pipeline = device.pipeline(options).unwrap();
    thread::scope(|scope| {
        for thread in 0..4 {
            let (pipeline, one, other) = (&pipeline, &one, &other);
            scope.spawn(move || {
                for nth in 0..300_u32 {
                    let cells = if nth % 3 == 0 { one } else { other };
                    drop(pipeline.submit(add::call(cells, thread, 1)).unwrap());
                    if nth % 100 == 0 {
                        let never = pipeline.submit(await_value::call(cells, thread, -1)).unwrap();
                        let outcome = if thread % 2 == 0 { never.wait() } else { block_on(never) };
                        assert_eq!(outcome, Ok(Outcome::Unresolved(UnresolvedReason::GuardNeverHeld)));
                    }
                }
            });
        }
    });
    let totals = pipeline.close().unwrap();
    assert_eq!((totals.transactions, totals.committed, totals.unresolved), (1212, 1200, 12));
    assert_eq!((one.to_vec().unwrap(), other.to_vec().unwrap()), (vec![100; 4], vec![200; 4]));
}

#[test]
fn the_task_that_polled_last_is_woken_and_a_waker_may_panic() {
    struct Counts(AtomicU64, bool);
    impl Wake for Counts {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
            assert!(!self.1, "as asked");
        }
    }
    let (pipeline, cells, next) = of_two();
    let mut tickets = [1, 2].map(|digit| pipeline.submit(append::call(&cells, 0, digit)).unwrap());
    let wakers = [(0, true), (0, false), (1, false)].map(|(ticket, panics)| {
        let counts = Arc::new(Counts(AtomicU64::new(0), panics));
        let waker = Waker::from(counts.clone());
        let polled = std::pin::Pin::new(&mut tickets[ticket]).poll(&mut Context::from_waker(&waker));
        assert!(polled.is_pending());
        counts
    });
    let panics = Arc::new(Counts(AtomicU64::new(0), true));
    let waker = Waker::from(panics.clone());
    let mut third = pipeline.submit(append::call(&cells, 0, 3)).unwrap();
    assert!(std::pin::Pin::new(&mut third).poll(&mut Context::from_waker(&waker)).is_pending());
    drop(next);
    assert_eq!(counts(&pipeline.close().unwrap()), [2, 3, 3, 0], "the pipeline outlives it");
    assert_eq!(wakers.map(|counts| counts.0.load(Ordering::SeqCst)), [0, 1, 1]);
    assert_eq!((panics.0.load(Ordering::SeqCst), block_on(third)), (1, Ok(Outcome::Committed(()))));
}

#[test]
fn nothing_inside_of_a_run_waits_for_the_pipeline() {
    let device = Device::cpu(1);
    let (cells, pipeline) = (device.shared(&[0_i64; 4]).unwrap(), Arc::new(std::sync::OnceLock::<Pipeline>::new()));
    let (send, receive) = std::sync::mpsc::channel();
    let (inside, send, of_run) = (pipeline.clone(), std::sync::Mutex::new(send), cells.clone());
    let progress = move |_| {
        let pipeline = inside.get().unwrap();
        if let Ok(first) = pipeline.submit(add::call(&of_run, 0, 1)) {
            let full = pipeline.submit(add::call(&of_run, 0, 1)).map(|_| ());
            let ends = [first.wait().map(|_| ()), full, pipeline.flush().map(|_| ()), pipeline.close().map(|_| ())];
            send.lock().unwrap().send(ends).unwrap();
        }
    };
    let options = PipelineOptions::new().max_transactions(1).run(RunOptions::new().progress(progress));
    assert!(pipeline.set(device.pipeline(options).unwrap()).is_ok());
    // The progress function of the first run submits one more, and closes the pipeline.
    pipeline.get().unwrap().submit(add::call(&cells, 0, 1)).unwrap();
    assert_eq!(receive.recv().unwrap(), [(); 4].map(|()| Err(Error::WaitInside)));
    assert_eq!(counts(&pipeline.get().unwrap().close().unwrap()), [2, 2, 2, 0]);
}
