//! A kernel with a race under ThreadSanitizer. The engines run under it in the test `tsan`.
//!
//! The sanitizer must be in a program from its start. So the test starts this test program again, with the sanitizer's library
//! preloaded and the ignored test below, whose exit status says whether there was a race.

use std::process::{Command, Output};

use kernels_gen::device::stage::EXECUTE;

use crate::gpu::backend::{Code, DeviceBuffer, Driver, HostSlice, Shape};
use crate::gpu::emulator::{EmulatorBackend, EmulatorOptions, Sanitizer};
use crate::gpu::making::Making;

/// The exit status of the sanitizer's run-time library after a report.
const RACE: i32 = 66;
/// The number of tries to start it.
const TRIES: u32 = 5;

/// Returns the exit status and the output of a test under the sanitizer; `None` where there is no sanitizer.
fn run(test: &str) -> Option<(Option<i32>, String)> {
    let library = Command::new("c++").arg("-print-file-name=libtsan.so").output().ok()?;
    let library = String::from_utf8_lossy(&library.stdout).trim().to_owned();
    if !library.starts_with('/') {
        eprintln!("SKIPPED: the C++ compiler has no ThreadSanitizer");
        return None;
    }
    let output = once_it_starts(|| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", &format!("gpu::tests::sanitizer::{test}")])
            .env("LD_PRELOAD", &library)
            .env("TSAN_OPTIONS", format!("ignore_noninstrumented_modules=1 exitcode={RACE}"))
            .output()
            .unwrap()
    });
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if text.contains("unexpected memory mapping") {
        eprintln!("SKIPPED: ThreadSanitizer does not run under this kernel's address layout");
        return None;
    }
    assert!(text.contains("1 passed"), "{text}");
    Some((output.status.code(), text))
}

/// Retries until the sanitizer starts: it needs fixed addresses, which the system sometimes has given away.
fn once_it_starts(run: impl Fn() -> Output) -> Output {
    let mut output = run();
    for _ in 1..TRIES {
        if !String::from_utf8_lossy(&output.stderr).contains("ThreadSanitizer failed to allocate") {
            break;
        }
        output = run();
    }
    output
}

#[test]
fn a_missing_acquire_is_found_at_its_line() {
    let Some((status, text)) = run("under_the_sanitizer_a_broken_lock") else { return };
    assert_eq!(status, Some(RACE), "{text}");
    assert!(text.contains("src/broken.rs:12"), "{text}");
}

fn schedules() -> [EmulatorOptions; 2] {
    [EmulatorOptions::threads(), EmulatorOptions::fibers(3)]
        .map(|options| EmulatorOptions { sanitizer: Some(Sanitizer::Thread), ..options })
}

#[test]
#[ignore = "started by a_missing_acquire_is_found_at_its_line"]
fn under_the_sanitizer_a_broken_lock() {
    let source = r#"
typedef unsigned long long u64;
struct stm_params { u64* lock; u64* value; };
extern "C" __global__ void stm_run(const __grid_constant__ stm_params p) {
  for (;;) {
    u64 free = 0;
    if (__nv_atomic_compare_exchange_n(p.lock, &free, 1ull, false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED,
                                       __NV_THREAD_SCOPE_DEVICE)) break;
    __nanosleep(20);
  }
#line 12 "src/broken.rs"
  *p.value += 1;
  __nv_atomic_store_n(p.lock, 0ull, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
}
"#;
    for options in schedules() {
        let backend: std::sync::Arc<dyn Driver> = std::sync::Arc::new(EmulatorBackend::open(options).unwrap());
        let memory = DeviceBuffer::new(&backend, "test", 16).unwrap();
        memory.upload(0, HostSlice::U64(&[0, 0])).unwrap();
        let program = backend.load(Code::Text(source), Making::begin()).unwrap().program;
        program
            .launch(EXECUTE, Shape { grid: 2, block: 32, shared: 0 }, &[memory.address(), memory.address() + 8])
            .unwrap();
    }
}
