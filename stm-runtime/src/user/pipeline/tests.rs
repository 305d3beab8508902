//! Pipelines on a device whose runs wait for the test.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::task::{Context, Wake, Waker};
use std::thread;
use std::time::Duration;

use super::super::gated::{Next, add, append, await_value, block_on, failure, gated, overlapping};
use crate::{
    Device, Error, NotSubmitted, Order, Outcome, Pipeline, PipelineOptions, RunOptions, Shared, Totals,
    UnresolvedReason,
};

/// The delay that no test waits for.
const NEVER: Duration = Duration::from_secs(1 << 30);

/// Returns a pipeline of batches of two, in push order, with an array.
fn of_two() -> (Pipeline, Shared<i64>, Sender<Next>) {
    let (device, next) = gated();
    let (pipeline, cells) = of_two_on(&device);
    (pipeline, cells, next)
}

fn of_two_on(device: &Device) -> (Pipeline, Shared<i64>) {
    let options = PipelineOptions::new().max_transactions(2).max_delay(NEVER);
    let pipeline = device.pipeline(options.run(RunOptions::new().order(Order::Pushed))).unwrap();
    (pipeline, device.shared(&[0_i64; 4]).unwrap())
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
    for under_way in [1, 2, 3] {
        let (device, next, _ahead) = overlapping(under_way);
        let (pipeline, cells) = of_two_on(&device);
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
        // Two failed, and either is the first one.
        assert_eq!((counts(&totals), totals.error.is_some()), ([4, 8, 4, 4], true));
        assert_eq!(cells.to_vec().unwrap()[0], 1278);
    }
}

#[test]
fn a_panic_before_a_run_is_that_of_its_tickets_alone() {
    let ((device, next), stop) = (gated(), Arc::new(AtomicBool::new(false)));
    let run = RunOptions::new().stop_when(stop.clone());
    let pipeline = device.pipeline(PipelineOptions::new().max_delay(NEVER).run(run)).unwrap();
    let cells = device.shared(&[0_i64; 4]).unwrap();
    drop(next);
    for (is_stopped, expected) in [(true, [1, 1, 0, 1]), (false, [2, 2, 1, 1])] {
        stop.store(is_stopped, Ordering::SeqCst);
        let ticket = pipeline.submit(append::call(&cells, 0, 1)).unwrap();
        assert_eq!(counts(&pipeline.flush().unwrap()), expected);
        let message = "stopped before it began".into();
        let panicked = || Err(Error::RunPanicked { message });
        assert_eq!(ticket.try_wait(), Some(if is_stopped { panicked() } else { Ok(Outcome::Committed(())) }));
    }
}

#[test]
fn tickets_of_a_thread_that_dies_fail_and_are_counted() {
    for under_way in [1, 2] {
        let (device, next, _ahead) = overlapping(under_way);
        let (pipeline, cells) = of_two_on(&device);
        let tickets: Vec<_> = (1..=3).map(|digit| pipeline.submit(append::call(&cells, 0, digit)).unwrap()).collect();
        next.send(Next::Explodes).unwrap();
        drop(next);
        // With a second thread, that one runs what is left.
        let ends: Vec<_> = tickets.iter().map(|ticket| ticket.wait().map(|outcome| outcome.is_committed())).collect();
        let last = if under_way == 1 { Err(Error::PipelineClosed) } else { Ok(true) };
        assert_eq!(ends, [Err(Error::PipelineClosed), Err(Error::PipelineClosed), last.clone()]);
        let (totals, committed) = (pipeline.flush().unwrap(), u64::from(last.is_ok()));
        assert_eq!(
            (counts(&totals)[1..].to_vec(), totals.error),
            (vec![3, committed, 3 - committed], Some(Error::PipelineClosed))
        );
        assert!(matches!(pipeline.submit(append::call(&cells, 0, 4)), Err(Error::PipelineClosed)));
    }
}

#[test]
fn batches_go_ahead_beside_the_one_that_runs_and_run_in_their_order() {
    let (device, next, ahead) = overlapping(3);
    let (pipeline, cells) = of_two_on(&device);
    let tickets: Vec<_> = (1..=8).map(|digit| pipeline.submit(append::call(&cells, 0, digit)).unwrap()).collect();
    (0..3).for_each(|_| ahead.recv().unwrap());
    assert!(matches!(pipeline.try_submit(append::call(&cells, 0, 9)), Err(NotSubmitted::Full(_))));
    assert!(ahead.try_recv().is_err() && tickets.iter().all(|ticket| ticket.try_wait().is_none()));
    next.send(Next::Runs).unwrap();
    assert_eq!(tickets[0].wait(), Ok(Outcome::Committed(())));
    ahead.recv().unwrap();
    assert_eq!(counts(&pipeline.totals()), [1, 2, 2, 0]);
    thread::scope(|scope| {
        let flushing = scope.spawn(|| pipeline.flush());
        next.send(Next::Runs).unwrap();
        assert_eq!(tickets[3].wait(), Ok(Outcome::Committed(())));
        assert!(!flushing.is_finished(), "two more are under way");
        drop(next);
        assert_eq!(counts(&flushing.join().unwrap().unwrap()), [4, 8, 8, 0]);
    });
    assert_eq!(cells.to_vec().unwrap()[0], 12_345_678);
}

#[test]
fn calls_and_lists_of_a_thread_keep_their_order_in_push_order() {
    let device = Device::cpu(1);
    let cells = device.shared(&[0_i64; 25]).unwrap();
    let options = PipelineOptions::new().max_transactions(5).run(RunOptions::new().order(Order::Pushed));
    let pipeline = device.pipeline(options.max_delay(NEVER)).unwrap();
    let mut expected = [0_i64; 25];
    for round in 0..200_i64 {
        let (at, digits) = (round as u32 / 8, (0..round % 4).map(|nth| (round + nth) % 10).collect::<Vec<_>>());
        if round % 3 == 0 {
            pipeline.submit_columns(append::columns(&cells, vec![at; digits.len()], &digits)).unwrap();
        } else {
            digits.iter().for_each(|digit| _ = pipeline.submit(append::call(&cells, at, *digit)).unwrap());
        }
        digits.iter().for_each(|digit| expected[at as usize] = 10 * expected[at as usize] + digit);
    }
    pipeline.close().unwrap();
    assert_eq!(cells.to_vec().unwrap(), expected);
}

/// Gives a number that only its call has.
#[crate::prelude::gpu_transaction]
fn number(tx: &mut crate::Tx, cells: &Shared<i64>, at: u32, own: i64) -> crate::TxResult<i64> {
    tx.update(cells, at, |old| old + 1)?;
    Ok(-own)
}

#[test]
fn threads_submit_what_they_like() {
    let (overlaps, _, _ahead) = overlapping(3);
    for (device, most) in [(Device::cpu(2), 50), (overlaps, 50), (Device::cpu(1), 1), (Device::cpu(1), 6)] {
        let [one, other] = [0, 1].map(|_| device.shared(&[0_i64; 4]).unwrap());
        let options = PipelineOptions::new().max_transactions(most).max_delay(Duration::from_micros(100));
        let pipeline = device.pipeline(options).unwrap();
        thread::scope(|scope| {
            for thread in 0..4 {
                let (pipeline, one, other) = (&pipeline, &one, &other);
                scope.spawn(move || {
                    let own = |nth: u32| i64::from(1000 * thread + nth);
                    let mut tickets = Vec::new();
                    for nth in 0..300_u32 {
                        let cells = if nth % 3 == 0 { one } else { other };
                        let ticket = pipeline.submit(number::call(cells, thread, own(nth))).unwrap();
                        // Some are asked which they are, before they are in a batch.
                        assert!(nth % 8 != 0 || ticket.ticket().transaction() < most);
                        tickets.push((ticket, own(nth)));
                        if nth % 100 == 0 {
                            let never = pipeline.submit(await_value::call(cells, thread, -1)).unwrap();
                            let outcome = if thread % 2 == 0 { never.wait() } else { block_on(never) };
                            assert_eq!(outcome, Ok(Outcome::Unresolved(UnresolvedReason::GuardNeverHeld)));
                        }
                        if nth % 10 == thread {
                            let numbers: Vec<i64> = (0..7).map(|k| own(10 * nth + k)).collect();
                            let list = number::columns(cells, vec![thread; 7], &numbers);
                            let list = pipeline.submit_columns(list).unwrap();
                            let all = numbers.iter().enumerate().map(|(k, own)| (list.get(k).unwrap(), *own));
                            tickets.extend(all);
                        }
                    }
                    for (ticket, own) in tickets {
                        assert_eq!(ticket.wait(), Ok(Outcome::Committed(-own)));
                    }
                });
            }
        });
        let totals = pipeline.close().unwrap();
        assert_eq!((totals.transactions, totals.committed, totals.unresolved), (2052, 2040, 12));
        let both = one.to_vec().unwrap().into_iter().zip(other.to_vec().unwrap());
        assert_eq!(both.map(|(one, other)| one + other).collect::<Vec<_>>(), [510; 4]);
    }
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
