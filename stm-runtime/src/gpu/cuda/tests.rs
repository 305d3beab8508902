//! The driver's side, on a fake driver: this test program starts itself again with a library that imitates the driver.

use std::process::Command;

use kernels_gen::device::Layout;
use kernels_gen::device::stage::EXECUTE;
use kernels_gen::spec::Scalar;

use super::*;
use crate::error::GpuError;
use crate::gpu::backend::{Code, DeviceBuffer, Driver, Executable, HostSlice, HostSliceMut, Shape};
use crate::gpu::cache::{DiskCache, Key};
use crate::gpu::dump;
use crate::gpu::making::Making;
use crate::gpu::memory::layout;

/// Returns the output of an ignored test, named from its module on, under a fake driver with those answers; `None` where there is
/// no C compiler.
pub(super) fn run(test: &str, answers: &[(&str, &str)]) -> Option<String> {
    run_without("cuNothing", test, answers)
}

/// Returns the same under a driver that lacks a function.
fn run_without(function: &str, test: &str, answers: &[(&str, &str)]) -> Option<String> {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("fake_driver.c");
    std::fs::write(&source, include_str!("fake_driver.c")).unwrap();
    let library = dir.path().join("libcuda.so.1");
    let renamed = format!("-D{function}=another");
    let compiled =
        Command::new("cc").args(["-shared", "-fPIC", "-w", &renamed, "-o"]).arg(&library).arg(&source).status();
    if !compiled.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: no C compiler for the fake driver");
        return None;
    }
    // The bindings look for an unversioned name first, and must not find a real driver's.
    std::fs::copy(&library, dir.path().join("libcuda.so")).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", &format!("gpu::cuda::tests{test}")])
        .env("LD_LIBRARY_PATH", dir.path())
        .envs(answers.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    Some(text)
}

#[test]
fn each_reason_against_a_gpu_has_its_own_words() {
    for (answers, words) in [
        ([("FAKE_INIT", "100"), ("FAKE_COUNT", "1")], "REASON: the CUDA driver finds no device"),
        ([("FAKE_INIT", "0"), ("FAKE_COUNT", "0")], "REASON: the CUDA driver finds no device"),
        ([("FAKE_VERSION", "12040"), ("FAKE_COUNT", "1")], "supports CUDA 12.4, and 12.8 is needed"),
        ([("FAKE_INIT", "999"), ("FAKE_COUNT", "1")], "REASON: cuInit failed: a fake error"),
        ([("FAKE_INIT", "0"), ("FAKE_COUNT", "3")], "REASON: there is no CUDA device 7: 3 found"),
    ] {
        let Some(text) = run("::say_why_device_7_cannot_be_opened", &answers) else { return };
        assert!(text.contains(words), "{answers:?}: {text}");
    }
}

#[test]
fn a_driver_that_lacks_a_function_is_reported_when_it_is_opened() {
    for function in ["cuFuncGetParamInfo", "cuLinkCreate_v2", "cuMemcpyHtoDAsync_v2"] {
        let answers = [("FAKE_COUNT", "8")];
        let Some(text) = run_without(function, "::say_why_device_7_cannot_be_opened", &answers) else { return };
        let words = format!("REASON: the CUDA driver library is incomplete: it has no function {function}");
        assert!(text.contains(&words), "{text}");
    }
}

#[test]
#[ignore = "started by each_reason_against_a_gpu_has_its_own_words"]
fn say_why_device_7_cannot_be_opened() {
    println!("REASON: {}", CudaBackend::open(7).map(|_| ()).unwrap_err());
}

/// Returns a folder with a kernel, compiled for that capability. It is compiled beforehand, because NVRTC calls any
/// driver that it finds and crashes on a fake one.
fn cached_kernel(text: &str, capability: u32) -> Option<(tempfile::TempDir, Key)> {
    let compiler = image::NvrtcCompiler::for_device(capability).inspect_err(|why| eprintln!("SKIPPED: {why}")).ok()?;
    let cache = tempfile::tempdir().unwrap();
    let source = image::UnitSource::new(text, &compiler);
    source.image(&DiskCache::at(cache.path(), 1 << 20), &mut Making::begin()).unwrap();
    Some((cache, source.key))
}

#[test]
fn the_driver_is_used_as_it_expects() {
    let Some((cache, key)) = cached_kernel(KERNEL, 90) else { return };
    let cache = ("STM_CACHE", cache.path().to_str().unwrap());
    let dump = tempfile::tempdir().unwrap();
    let dump_to = ("STM_DUMP", dump.path().to_str().unwrap());
    if run("::memory_and_launches_on_a_fake_device", &[cache, dump_to]).is_some() {
        let dumped = |ending| std::fs::read_to_string(dump::path(dump.path(), key, ending)).unwrap();
        assert_eq!(dumped("cu"), KERNEL);
        assert!(dumped("ptx").contains(".target sm_90"));
        assert!(dumped("txt").contains("registers a thread: ") && dumped("txt").contains("from the disk cache"));
    }
    run("::large_copies_arrive", &[]);
    run("::large_copies_arrive", &[("FAKE_PINNED", "2")]);
    run("::a_broken_context_is_reported_as_such", &[cache, ("FAKE_LAUNCH", "700")]);
    run("::what_fails_half_way_leaves_no_copy_behind", &[("FAKE_COPY", "20")]);
    run("::what_fails_half_way_leaves_no_launch_behind", &[cache, ("FAKE_RECORD", "2")]);
    // An error that the device reports to one process only.
    run("::a_broken_context_is_reported_as_such", &[cache, ("FAKE_LAUNCH", "226")]);
    for parameters in ["0", "2"] {
        run("::a_kernel_with_other_parameters_is_not_launched", &[cache, ("FAKE_PARAMETERS", parameters)]);
    }

    // The driver's own assembler handles a device that NVRTC does not know.
    let Some((cache, _)) = cached_kernel(KERNEL, 990) else { return };
    let cache = ("STM_CACHE", cache.path().to_str().unwrap());
    run("::a_newer_device_takes_ptx", &[cache, ("FAKE_MAJOR", "99")]);
    run("::the_drivers_assembler_is_quoted", &[("FAKE_JIT", "218")]);
}

const KERNEL: &str = "struct stm_params { unsigned long long x; };\nextern \"C\" __global__ void stm_run(const __grid_constant__ stm_params p) {}";

fn open() -> std::sync::Arc<dyn Driver> {
    CudaBackend::open(0).unwrap()
}

#[test]
#[ignore = "started by the_driver_is_used_as_it_expects"]
fn memory_and_launches_on_a_fake_device() {
    let backend = open();
    assert_eq!(backend.describe(), "cuda:0 Fake (sm_90, 4 multiprocessors)");
    assert_eq!(backend.limits().threads, 4 * 512);
    let before = backend.memory().unwrap();
    let buffer = DeviceBuffer::new(&backend, "test", 64).unwrap();
    buffer.zero().unwrap();
    buffer.upload(8, HostSlice::U16(&[1, 2, 3, 4])).unwrap();
    buffer.upload(0, HostSlice::U32(&[])).unwrap();
    let mut words = [9; 3];
    buffer.download(0, HostSliceMut::U64(&mut words)).unwrap();
    assert_eq!(words, [0, 0x4_0003_0002_0001, 0]);

    let error = DeviceBuffer::new(&backend, "much", 2 << 20).map(|_| ()).unwrap_err();
    let free = before.free - kept::rounded(64) as u64;
    assert_eq!(error, GpuError::OutOfMemory { what: "much", needed: 2 << 20, free });

    let program = backend.load(Code::Text(KERNEL), Making::begin()).unwrap().program;
    assert_eq!(program.resident_blocks(EXECUTE, 256, 0).unwrap(), 32);
    assert_eq!(program.resident_blocks(EXECUTE, 256, 1 << 16).unwrap(), 32);
    assert_eq!(program.scratch(EXECUTE).unwrap(), 0);
    let shape = Shape { grid: 2, block: 64, shared: 0 };
    assert_eq!(program.launch(EXECUTE, shape, &[0]).unwrap().as_micros(), 1500);
    assert_eq!(program.launch(EXECUTE, shape, &[0, 0]).unwrap_err(), GpuError::Parameters { kernel: 8, host: 16 });
    assert!(std::sync::Arc::ptr_eq(&program, &backend.load(Code::Text(KERNEL), Making::begin()).unwrap().program));
    let address = buffer.address();
    drop(buffer);
    // Kept memory counts as free, and is used again.
    assert_eq!(backend.memory().unwrap(), before);
    let (again, other) = (DeviceBuffer::new(&backend, "test", 80), DeviceBuffer::new(&backend, "test", 80));
    assert!(again.unwrap().address() == address && other.unwrap().address() != address);
    // Where memory is short, what is kept is given back first.
    DeviceBuffer::new(&backend, "test", before.free as usize).unwrap();
}

#[test]
fn columns_arrive_in_fewer_bytes() {
    let Some((cache, _)) = cached_kernel(staging::UNPACK, 90) else { return };
    let cache = ("STM_CACHE", cache.path().to_str().unwrap());
    let answers = [cache, ("FAKE_TOTAL", "268435456"), ("FAKE_PARAMETER_BYTES", "16"), ("FAKE_UNPACK", "1")];
    run("::columns_are_packed", &answers);
    run("::columns_are_packed", &answers[..3]);
}

#[test]
#[ignore = "started by columns_arrive_in_fewer_bytes"]
fn columns_are_packed() {
    let backend = open();
    let small: Vec<u64> = (0..300_001).map(|cell: u64| (cell % 100).wrapping_sub(50)).collect();
    let halves: Vec<u32> = small.iter().map(|cell| *cell as u32).collect();
    let [mut some, mut none] = [small.clone(), small.clone()];
    some.iter_mut().skip(10_000).step_by(70_000).for_each(|cell| *cell = 1 << 50);
    none.iter_mut().for_each(|cell| *cell = cell.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let bytes: Vec<u8> = halves.iter().map(|cell| *cell as u8).collect();
    let cells = [HostSlice::U64(&small), HostSlice::U32(&halves), HostSlice::U8(&bytes)];
    let columns = cells.into_iter().chain([HostSlice::U64(&some), HostSlice::U64(&none)]);
    let uploads: Vec<_> = columns.enumerate().map(|(nth, cells)| (8 * 300_008 * nth, cells)).collect();
    let buffer = DeviceBuffer::zeroed(&backend, "test", 8 * 300_008 * uploads.len()).unwrap();
    let free = backend.memory().unwrap().free;
    for _ in 0..2 {
        buffer.zero().unwrap();
        buffer.upload_all(&uploads).unwrap();
        let arrived = uploads.iter().map(|(offset, cells)| {
            let mut back = vec![0_u8; cells.bytes().len()];
            buffer.download(*offset, HostSliceMut::U8(&mut back)).unwrap();
            back == cells.bytes()
        });
        let arrived: Vec<bool> = arrived.collect();
        // Where no kernel runs, only what was not packed arrives.
        let is_unpacked = std::env::var("FAKE_UNPACK").is_ok();
        assert_eq!(arrived, [is_unpacked, is_unpacked, true, is_unpacked, true]);
    }
    assert_eq!(backend.memory().unwrap().free, free, "the memory for that is kept");
}

#[test]
#[ignore = "started by the_driver_is_used_as_it_expects"]
fn large_copies_arrive() {
    let backend = open();
    // More chunks than threads take at once, and a partial last one, at an unaligned offset.
    let there: Vec<u64> = (0..100_003).map(|word: u64| word.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let buffer = DeviceBuffer::new(&backend, "test", 8 * there.len() + 8).unwrap();
    for _ in 0..3 {
        buffer.zero().unwrap();
        buffer.upload(8, HostSlice::U64(&there)).unwrap();
        let mut back = vec![1; there.len() + 1];
        buffer.download(0, HostSliceMut::U64(&mut back)).unwrap();
        assert_eq!((back[0], &back[1..]), (0, &there[..]));
    }
    drop(buffer);
    // The same with conversion on the way, for many and few words.
    for (scalar, mask) in [(Scalar::U64, u64::MAX), (Scalar::U16, 0xffff)] {
        for layout in [Layout::Cells, Layout::Split] {
            for len in [40_003, 5] {
                let words: Vec<u64> = there.iter().take(len).map(|word| word & mask).collect();
                let buffer = DeviceBuffer::new(&backend, "test", layout::data_bytes(layout, scalar, len)).unwrap();
                layout::upload(layout, scalar, &words, &buffer).unwrap();
                assert_eq!(layout::download(layout, scalar, len, &buffer).unwrap(), words);
                // A part of them, and the first ones copied on the device.
                layout::upload_from(layout, scalar, 2, &[1, 2, 3], &buffer).unwrap();
                let bytes = layout::data_bytes(layout, scalar, 5);
                let copy = DeviceBuffer::zeroed(&backend, "test", bytes).unwrap();
                copy.copy(0, &buffer, 0, bytes).unwrap();
                let copied = layout::download(layout, scalar, 5, &copy).unwrap();
                assert_eq!(copied, [words[0], words[1], 1, 2, 3]);
                let mut part = [0; 2];
                layout::download_from(layout, scalar, 3, &mut part, &copy).unwrap();
                assert_eq!(part, [2, 3]);
            }
        }
    }
}

#[test]
#[ignore = "started by the_driver_is_used_as_it_expects"]
fn a_broken_context_is_reported_as_such() {
    let backend = open();
    let buffer = DeviceBuffer::new(&backend, "test", 64).unwrap();
    let large = DeviceBuffer::new(&backend, "test", 800_000).unwrap();
    let program = backend.load(Code::Text(KERNEL), Making::begin()).unwrap().program;
    let error = program.launch(EXECUTE, Shape { grid: 1, block: 32, shared: 0 }, &[0]).unwrap_err();
    assert!(matches!(&error, GpuError::ContextLost { .. }), "{error}");
    assert!(matches!(buffer.zero(), Err(GpuError::ContextLost { .. })));
    // Large copies, by several threads.
    let mut words = vec![1; 100_000];
    assert!(matches!(large.upload(0, HostSlice::U64(&words)), Err(GpuError::ContextLost { .. })));
    assert!(matches!(large.download(0, HostSliceMut::U64(&mut words)), Err(GpuError::ContextLost { .. })));
    let (plain, scalar) = (Layout::Split, Scalar::U64);
    assert!(matches!(layout::upload(plain, scalar, &words, &large), Err(GpuError::ContextLost { .. })));
    assert!(matches!(layout::download(plain, scalar, words.len(), &large), Err(GpuError::ContextLost { .. })));
    // The next run, by this handle and by a new one.
    assert!(matches!(backend.memory(), Err(GpuError::ContextLost { .. })));
    let error = CudaBackend::open(0).map(|_| ()).unwrap_err();
    assert!(matches!(&error, GpuError::ContextLost { .. }), "{error}");
    let device = crate::Device::auto().unwrap();
    assert!(!device.is_gpu() && device.reason().contains("a kernel broke the CUDA context"), "{}", device.reason());
}

#[test]
#[ignore = "started by the_driver_is_used_as_it_expects"]
fn a_kernel_with_other_parameters_is_not_launched() {
    let launch = |program: std::sync::Arc<dyn Executable>| {
        program.launch(EXECUTE, Shape { grid: 1, block: 32, shared: 0 }, &[0])
    };
    let outcome = open().load(Code::Text(KERNEL), Making::begin()).and_then(|loaded| launch(loaded.program));
    assert_eq!(outcome.unwrap_err(), GpuError::NotOneParameter);
}

#[test]
#[ignore = "started by the_driver_is_used_as_it_expects"]
fn what_fails_half_way_leaves_no_copy_behind() {
    // The fake driver ends the process if memory is freed too early.
    let (backend, words) = (open(), vec![1; 100_000]);
    let buffer = DeviceBuffer::new(&backend, "test", 8 * words.len()).unwrap();
    assert!(matches!(buffer.upload(0, HostSlice::U64(&words)), Err(GpuError::Driver { .. })));
    drop(buffer);
    let buffer = DeviceBuffer::new(&backend, "test", 8 * words.len()).unwrap();
    buffer.upload(0, HostSlice::U64(&words)).unwrap();
}

#[test]
#[ignore = "started by the_driver_is_used_as_it_expects"]
fn what_fails_half_way_leaves_no_launch_behind() {
    let backend = open();
    // Too large to be kept when it is freed.
    let buffer = DeviceBuffer::new(&backend, "test", 200_000).unwrap();
    let program = backend.load(Code::Text(KERNEL), Making::begin()).unwrap().program;
    let error = program.launch(EXECUTE, Shape { grid: 1, block: 32, shared: 0 }, &[0]).unwrap_err();
    assert!(matches!(error, GpuError::Driver { call: "cuEventRecord", .. }), "{error}");
    drop(buffer);
}

#[test]
#[ignore = "started by the_driver_is_used_as_it_expects"]
fn a_newer_device_takes_ptx() {
    assert!(open().load(Code::Text(KERNEL), Making::begin()).is_ok_and(|loaded| loaded.notes.is_empty()));
}

#[test]
#[ignore = "started by the_driver_is_used_as_it_expects"]
fn the_drivers_assembler_is_quoted() {
    open().memory().unwrap();
    let error = program::load_ptx("// no program").unwrap_err();
    assert!(error.to_string().contains("ptxas says no ("), "{error}");
}
