//! Launches of several runs at once, on the fake driver.

use std::collections::HashSet;
use std::thread;

use super::CudaBackend;
use super::kernel_streams::Share;
use super::tests_runs::{calls, numbered, with_commits};
use crate::error::GpuError;
use crate::{Device, Engine};

/// A launch that takes a tenth of the device.
const SMALL: Share = Share::Small(102);

#[test]
fn small_launches_of_several_runs_are_on_the_device_at_once() {
    if with_commits("_streams::small_launches_have_streams_of_their_own", &[]).is_some() {
        with_commits("_streams::several_threads_run_small_batches", &[]);
    }
}

#[test]
#[ignore = "started by small_launches_of_several_runs_are_on_the_device_at_once"]
fn small_launches_have_streams_of_their_own() {
    let backend = CudaBackend::open(0).unwrap();
    let (streams, context) = (&backend.device.streams, backend.device.context);
    let launch = |share| streams.launch(share, context, |own| Ok(own.stream)).unwrap();
    let waits = ["cuEventRecord", "cuStreamWaitEvent"];
    calls();
    let (first, one) = launch(SMALL);
    assert_eq!((first, calls()), (context.stream, vec![]), "alone it needs nothing");
    let (second, two) = launch(SMALL);
    assert_ne!(second, first);
    assert!(!calls().contains(&waits[1].to_owned()), "they do not wait for each other");
    let (large, three) = launch(Share::Large);
    assert_eq!((large, &calls()[..]), (context.stream, &waits.map(str::to_owned)[..]), "it waits for the second one");
    drop(two);
    let (again, four) = launch(SMALL);
    let asked = calls();
    assert_eq!(
        (again, &asked[asked.len() - 2..]),
        (second, &waits.map(str::to_owned)[..]),
        "it waits for the large one"
    );
    drop((one, three, four));
    let failed = streams.launch(SMALL, context, |_| Err::<(), _>(GpuError::NotOneParameter));
    assert!(matches!(failed, Err(GpuError::NotOneParameter)) && calls() == ["cuStreamSynchronize"]);
    drop(failed);
    let many: Vec<_> = (0..9).map(|_| launch(SMALL)).collect();
    let others: HashSet<_> =
        many.iter().map(|(stream, _)| *stream).filter(|stream| *stream != context.stream).collect();
    assert_eq!(others.len(), 6, "seven take less than three quarters of the device, and the others wait for them");
}

#[test]
#[ignore = "started by small_launches_of_several_runs_are_on_the_device_at_once"]
fn several_threads_run_small_batches() {
    let device = Device::cuda(0).unwrap().with_engine(Engine::default()).unwrap();
    let work = |transactions: u32| {
        let accounts = device.shared(&[100_i64; 16]).unwrap();
        for _ in 0..50 {
            assert_eq!(numbered(&device, &accounts, transactions).run().unwrap().committed, u64::from(transactions));
        }
    };
    thread::scope(|scope| [1, 2, 3, 9000].into_iter().for_each(|count| _ = scope.spawn(move || work(count))));
}
