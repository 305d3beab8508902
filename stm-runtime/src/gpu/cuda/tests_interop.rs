//! Contexts, streams and slices of cudarc, on the fake driver.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaSlice, CudaStream};

use super::CudaBackend;
use super::tests_runs::{calls, numbered, with_commits};
use crate::error::{Error, ForeignProblem};
use crate::gpu::backend::{DeviceBuffer, Driver, HostSliceMut};
use crate::{Device, Engine, ForeignMemory, NotAdopted};

#[test]
fn other_code_brings_its_memory_and_its_streams() {
    let tests = ["slices_are_arrays_without_a_copy", "streams_are_waited_for_on_the_device", "memory_is_checked"];
    for test in tests.into_iter().chain(["any_thread_may_call"]) {
        with_commits(&format!("_interop::{test}"), &[("FAKE_TOTAL", "67108864")]);
    }
    with_commits("_interop::memory_is_checked", &[("FAKE_ORDINAL", "3")]);
}

fn place() -> (Arc<CudaContext>, Arc<CudaStream>, Device) {
    let context = CudaContext::new(0).unwrap();
    let device = Device::of_context(&context).unwrap().with_engine(Engine::default()).unwrap();
    (context.clone(), context.new_stream().unwrap(), device)
}

#[test]
#[ignore = "started by other_code_brings_its_memory_and_its_streams"]
fn slices_are_arrays_without_a_copy() {
    let (_, stream, device) = place();
    let numbers: Vec<i64> = (0..16).collect();
    let slice = stream.clone_htod(&numbers).unwrap();
    let address = slice.address();
    let copies = || calls().into_iter().filter(|call| call.starts_with("cuMemcpy")).collect::<Vec<_>>();
    copies();
    let accounts = device.adopt(slice).unwrap();
    assert_eq!((copies(), accounts.device_memory().unwrap().address(0)), (vec![], address));
    for _ in 0..2 {
        // The engine has cells: one pass there, and one back.
        numbered(&device, &accounts, 1).run().unwrap();
        assert_eq!(copies().iter().filter(|call| *call == "cuMemcpy2DAsync_v2").count(), 1);
        assert_eq!(accounts.device_memory().unwrap().address(0), address);
        assert_eq!(copies(), ["cuMemcpy2DAsync_v2"]);
    }
    let slice: CudaSlice<i64> = accounts.give_back().unwrap();
    assert_eq!((slice.address(), stream.clone_dtoh(&slice).unwrap()), (address, numbers.clone()));
    copies();
    let column = device.adopt_column(slice).unwrap();
    assert_eq!(copies(), Vec::<String>::new());
    assert_eq!(column.to_vec().unwrap(), numbers);
}

#[test]
#[ignore = "started by other_code_brings_its_memory_and_its_streams"]
fn streams_are_waited_for_on_the_device() {
    let (context, stream, device) = place();
    let other = context.new_stream().unwrap();
    let accounts = device.adopt(stream.clone_htod(&[100_i64; 10_000]).unwrap()).unwrap();
    let run = || _ = numbered(&device, &accounts, 1).run().unwrap();
    run();
    // Gives a stream work on memory, and tells the device of it. Returns the end of the work.
    let work = |address| {
        // SAFETY: there are as many elements.
        let mut elements = unsafe { other.upgrade_device_ptr::<i64>(address, 10_000) };
        other.memcpy_htod(&[7; 10_000], &mut elements).unwrap();
        let end = other.record_event(None).unwrap();
        elements.leak();
        calls();
        device.join(&other).unwrap();
        assert!(!calls().iter().any(|call| call.ends_with("Synchronize")) && !end.is_complete(), "the host waits");
        end
    };
    let memory = accounts.device_memory().unwrap();
    let end = work(memory.address(0));
    drop(memory);
    assert_eq!(accounts.to_vec().unwrap(), [7; 10_000]);
    assert!(end.is_complete());
    // A run that copies no array.
    run();
    let elsewhere = stream.alloc_zeros::<i64>(10_000).unwrap().leak();
    let end = work(elsewhere);
    run();
    assert!(end.is_complete());
    // A copy by the threads of the ring, whose stream waits, too.
    let backend: Arc<dyn Driver> = CudaBackend::open(0).unwrap();
    let large = DeviceBuffer::zeroed(&backend, "test", 100_000).unwrap();
    work(elsewhere);
    large.download(0, HostSliceMut::U8(&mut [0; 100_000])).unwrap();
    let all = calls();
    let before = all.iter().take_while(|call| *call != "cuMemcpyDtoHAsync_v2");
    assert_eq!(before.filter(|call| *call == "cuStreamWaitEvent").count(), 2);
    // The fake driver ends the process if memory is freed while a stream works on it.
    work(elsewhere);
    drop(accounts);
    // The same of memory that was lent, so large that it is not kept.
    let lent = device.shared(&vec![100_i64; 600_000]).unwrap();
    work(lent.device_memory().unwrap().address(0));
    drop(lent);
}

/// The fake driver refuses what needs a context on a thread that has none.
#[test]
#[ignore = "started by other_code_brings_its_memory_and_its_streams"]
fn any_thread_may_call() {
    let (_, stream, device) = place();
    let slice = stream.clone_htod(&[100_i64; 10_000]).unwrap();
    let stm = move || {
        device.join(&stream).unwrap();
        let (accounts, own) = (device.adopt(slice).unwrap(), device.shared(&[1_i64; 10_000]).unwrap());
        assert_eq!(numbered(&device, &accounts, 100).run().unwrap().committed, 100);
        own.copy_from(&accounts).unwrap();
        assert_eq!(own.to_vec().unwrap(), [100; 10_000]);
        drop((own.device_memory().unwrap(), own.clone()));
        accounts.give_back::<CudaSlice<i64>>().unwrap()
    };
    std::thread::spawn(stm).join().unwrap();
}

#[test]
#[ignore = "started by other_code_brings_its_memory_and_its_streams"]
fn memory_is_checked() {
    let (_, stream, device) = place();
    let problem = |error| match error {
        Error::ForeignMemory { problem, .. } => problem,
        other => panic!("{other}"),
    };
    let adopt = |memory| device.adopt::<CudaSlice<i64>>(memory).map_err(|refused| problem(refused.error));
    let slice = stream.clone_htod(&[1_i64, 2]).unwrap();
    // SAFETY: nothing uses the elements that are not there.
    let longer = unsafe { stream.upgrade_device_ptr(slice.address(), 3) };
    if std::env::var_os("FAKE_ORDINAL").is_some() {
        assert_eq!(adopt(slice).unwrap_err(), ForeignProblem::OtherDevice { ordinal: 3 });
        return std::mem::forget(longer);
    }
    std::mem::forget(slice);
    let NotAdopted { memory: longer, error } = device.adopt_column(longer).unwrap_err();
    assert_eq!(problem(error), ForeignProblem::TooShort { needed: 24, has: 16 });
    assert_eq!(adopt(longer).unwrap_err(), ForeignProblem::TooShort { needed: 24, has: 16 });
    // Another context of the device: its streams can be joined, and its memory cannot be used.
    // SAFETY: the fake driver takes any address for a context. It is never dropped.
    let other = unsafe { CudaContext::from_raw_context(0, 0, std::ptr::without_provenance_mut(64)) }.unwrap();
    let theirs = std::mem::ManuallyDrop::new(other.clone()).new_stream().unwrap();
    assert_eq!(adopt(theirs.clone_htod(&[1]).unwrap()).unwrap_err(), ForeignProblem::OtherContext { ordinal: 0 });
    assert_eq!(problem(Device::of_context(&other).unwrap_err()), ForeignProblem::OtherContext { ordinal: 0 });
    device.join(&theirs).unwrap();
    assert_eq!(problem(Device::cpu(1).join(&stream).unwrap_err()), ForeignProblem::NoGpu);
}
