use kernels_gen::device::stage::EXECUTE;

use super::super::backend::{DeviceBuffer, Shape};
use super::*;

/// Each thread adds one to a counter under a lock, so that a broken interleaving changes the count.
const COUNTER: &str = r#"
typedef unsigned long long u64;
struct stm_params { u64* lock; u64* value; u64 rounds; };
extern "C" __global__ void __launch_bounds__(1024) stm_run(const __grid_constant__ stm_params p) {
  for (u64 i = 0; i < p.rounds; ++i) {
    for (;;) {
      u64 free = 0;
      if (__nv_atomic_compare_exchange_n(p.lock, &free, 1ull, false, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELAXED,
                                         __NV_THREAD_SCOPE_DEVICE)) break;
      __nanosleep(20);
    }
    *p.value += 1;
    __nv_atomic_store_n(p.lock, 0ull, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  }
}
"#;

fn backend(options: EmulatorOptions) -> Arc<dyn Driver> {
    Arc::new(EmulatorBackend::open(options).unwrap())
}

fn words(backend: &Arc<dyn Driver>, values: &[u64]) -> DeviceBuffer {
    let buffer = DeviceBuffer::new(backend, "test", size_of_val(values)).unwrap();
    buffer.upload(0, HostSlice::U64(values)).unwrap();
    buffer
}

fn read(buffer: &DeviceBuffer, len: usize) -> Vec<u64> {
    let mut values = vec![0; len];
    buffer.download(0, HostSliceMut::U64(&mut values)).unwrap();
    values
}

fn count(options: EmulatorOptions, shape: Shape) -> u64 {
    let backend = backend(options);
    let memory = words(&backend, &[0, 0]);
    let program = backend.load(Code::Text(COUNTER), Making::begin()).unwrap().program;
    program.launch(EXECUTE, shape, &[memory.address(), memory.address() + 8, 10]).unwrap();
    read(&memory, 2)[1]
}

#[test]
fn threads_and_fibers_count_alike() {
    let shape = Shape { grid: 4, block: 16, shared: 0 };
    assert_eq!(count(EmulatorOptions::threads(), shape), 640);
    assert_eq!(count(EmulatorOptions::fibers(3), shape), 640);
}

#[test]
fn what_is_zeroed_for_kernels_is_so_for_copies_and_for_the_next_owner() {
    let backend = backend(EmulatorOptions::threads());
    let memory = words(&backend, &[7, 7, 7]);
    memory.zero_first(8, 8).unwrap();
    assert_eq!(read(&memory, 3), [7, 0, 7]);
    memory.zero_first(0, 8).unwrap();
    memory.upload(0, HostSlice::U64(&[5])).unwrap();
    assert_eq!(read(&memory, 3), [5, 0, 7]);
    memory.zero_first(0, 16).unwrap();
    let program = backend.load(Code::Text(COUNTER), Making::begin()).unwrap().program;
    let shape = Shape { grid: 4, block: 16, shared: 0 };
    program.launch(EXECUTE, shape, &[memory.address(), memory.address() + 8, 10]).unwrap();
    assert_eq!(read(&memory, 3), [0, 640, 7]);
    memory.zero_first(0, 24).unwrap();
    drop(memory);
}

#[test]
fn warp_functions_ignore_lanes_that_are_not_there() {
    let source = r#"
typedef unsigned long long u64;
struct stm_params { u64* out; };
extern "C" __global__ void stm_run(const __grid_constant__ stm_params p) {
  unsigned lane = threadIdx.x;
  if (lane == 5) return;
  __syncwarp();
  unsigned odd = __ballot_sync(0xffffffffu, lane & 1);
  unsigned same = __match_any_sync(0xffffffffu, lane / 4);
  u64 sum = 0;
  if (lane < 2) sum = __reduce_add_sync(0x3u, (unsigned)1);
  __syncthreads();
  if (lane == 0) { p.out[0] = odd; p.out[1] = same; p.out[2] = sum; p.out[3] = __popc(odd); }
}
"#;
    for options in [EmulatorOptions::threads(), EmulatorOptions::fibers(1)] {
        let backend = backend(options);
        let out = words(&backend, &[0; 4]);
        let program = backend.load(Code::Text(source), Making::begin()).unwrap().program;
        program.launch(EXECUTE, Shape { grid: 1, block: 16, shared: 0 }, &[out.address()]).unwrap();
        assert_eq!(read(&out, 4), [0xaa8a, 0xf, 2, 7]);
    }
}

#[test]
fn a_deadlock_is_an_error_with_its_seed() {
    let source = COUNTER.replace("*p.value += 1;", "*p.value += 1; if (*p.value == 100) return;");
    for (options, seed) in [(EmulatorOptions::threads(), 0), (EmulatorOptions::fibers(7), 7)] {
        let options = EmulatorOptions { max_steps: 200_000, ..options };
        let backend = backend(options);
        let memory = words(&backend, &[0, 0]);
        let program = backend.load(Code::Text(&source), Making::begin()).unwrap().program;
        let parameters = [memory.address(), memory.address() + 8, 10];
        let error = program.launch(EXECUTE, Shape { grid: 2, block: 32, shared: 0 }, &parameters).unwrap_err();
        let GpuError::StepLimit { seed: reported, live, threads: 64, .. } = error else { panic!("{error}") };
        assert_eq!(reported, seed);
        assert!(live > 0 && live < 64, "{live} live");
        assert_eq!(read(&memory, 2)[1], 100);
    }
}

#[test]
fn a_meeting_that_never_comes_about_is_an_error() {
    let source = r#"
struct stm_params { unsigned long long x; };
extern "C" __global__ void stm_run(const __grid_constant__ stm_params p) {
  __syncwarp(threadIdx.x == 0 ? 0x3u : threadIdx.x == 1 ? 0x6u : 0x5u);
}
"#;
    for options in [EmulatorOptions::threads(), EmulatorOptions::fibers(1)] {
        let backend = backend(EmulatorOptions { max_steps: 100_000, ..options });
        let program = backend.load(Code::Text(source), Making::begin()).unwrap().program;
        let error = program.launch(EXECUTE, Shape { grid: 1, block: 3, shared: 0 }, &[0]).unwrap_err();
        assert!(matches!(error, GpuError::StepLimit { .. }), "{error}");
    }
}

#[test]
fn the_same_seed_gives_the_same_interleaving() {
    // Without a lock the count depends on the interleaving.
    let racy = r#"
typedef unsigned long long u64;
struct stm_params { u64* value; };
extern "C" __global__ void stm_run(const __grid_constant__ stm_params p) {
  for (int i = 0; i < 20; ++i) {
    u64 seen = __nv_atomic_load_n(p.value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_store_n(p.value, seen + 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  }
}
"#;
    let run = |seed| {
        let backend = backend(EmulatorOptions::fibers(seed));
        let value = words(&backend, &[0]);
        let program = backend.load(Code::Text(racy), Making::begin()).unwrap().program;
        program.launch(EXECUTE, Shape { grid: 1, block: 32, shared: 0 }, &[value.address()]).unwrap();
        read(&value, 1)[0]
    };
    let all: Vec<u64> = (0..8).map(run).collect();
    assert_eq!(all, (0..8).map(run).collect::<Vec<_>>());
    assert!(all.iter().any(|count| *count != all[0]), "{all:?}");
    assert!(all.iter().all(|count| *count < 640), "no update was lost: {all:?}");
}

#[test]
fn parameters_of_another_size_are_refused() {
    let backend = backend(EmulatorOptions::threads());
    let program = backend.load(Code::Text(COUNTER), Making::begin()).unwrap().program;
    let error = program.launch(EXECUTE, Shape { grid: 1, block: 1, shared: 0 }, &[0]).unwrap_err();
    assert_eq!(error, GpuError::Parameters { kernel: 24, host: 8 });
}

#[test]
fn a_unit_that_does_not_compile_names_the_rust_line() {
    let backend = backend(EmulatorOptions::threads());
    let source = COUNTER.replace("    *p.value += 1;", "\n#line 12 \"src/bank.rs\"\n*p.value += undeclared;");
    let Err(GpuError::Compile { errors, source_path, .. }) =
        backend.load(Code::Text(&source), Making::begin()).map(|_| ())
    else {
        panic!("it must not compile");
    };
    assert!(errors[0].starts_with("src/bank.rs:12:"), "{errors:?}");
    std::fs::remove_file(source_path.unwrap()).unwrap();
}

#[test]
fn memory_is_bounded_and_comes_back() {
    let backend = backend(EmulatorOptions { memory: 1000, ..EmulatorOptions::threads() });
    let buffer = DeviceBuffer::new(&backend, "first", 900).unwrap();
    let error = DeviceBuffer::new(&backend, "second", 200).map(|_| ()).unwrap_err();
    assert_eq!(error, GpuError::OutOfMemory { what: "second", needed: 200, free: 100 });
    drop(buffer);
    assert_eq!(backend.memory().unwrap(), MemoryInfo { free: 1000, total: 1000, scratch: 0 });
}

#[test]
fn the_sanitizer_is_asked_for_in_time() {
    if program::is_loaded(Sanitizer::Thread) {
        eprintln!("SKIPPED: ThreadSanitizer is loaded");
        return;
    }
    let error =
        EmulatorBackend::open(EmulatorOptions { sanitizer: Some(Sanitizer::Thread), ..EmulatorOptions::threads() })
            .map(|_| ())
            .unwrap_err();
    assert!(error.to_string().contains("LD_PRELOAD="), "{error}");
}
