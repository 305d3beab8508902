//! Launches of several runs at once, on the fake driver.

use std::collections::HashSet;
use std::sync::Mutex;
use std::thread;

use super::CudaBackend;
use super::kernel_streams::Share;
use super::tests_runs::{calls, with_commits};
use crate::error::GpuError;

/// A launch that takes a tenth of the device.
const SMALL: Share = Share::Small(102);

#[test]
fn small_launches_of_several_runs_are_on_the_device_at_once() {
    if with_commits("_streams::small_launches_have_streams_of_their_own", &[]).is_some() {
        with_commits("_streams::threads_launch_small_and_large_ones_at_once", &[]);
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
fn threads_launch_small_and_large_ones_at_once() {
    let backend = CudaBackend::open(0).unwrap();
    let (streams, context, used) = (&backend.device.streams, backend.device.context, Mutex::new(HashSet::new()));
    let small = || {
        context.enter().unwrap();
        for _ in 0..300 {
            let (stream, under_way) = streams.launch(SMALL, context, |own| Ok(own.stream.addr())).unwrap();
            let is_other = stream != context.stream.addr();
            assert!(!is_other || used.lock().unwrap().insert(stream), "two launches have one stream");
            thread::yield_now();
            used.lock().unwrap().remove(&stream);
            drop(under_way);
        }
    };
    let large = || {
        context.enter().unwrap();
        (0..300).for_each(|_| drop(streams.launch(Share::Large, context, |_| Ok(())).unwrap()));
    };
    thread::scope(|scope| {
        (0..9).for_each(|_| _ = scope.spawn(small));
        (0..2).for_each(|_| _ = scope.spawn(large));
    });
    assert_eq!(streams.launch(SMALL, context, |own| Ok(own.stream)).unwrap().0, context.stream, "all have ended");
}
