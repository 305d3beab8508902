//! Missing libraries and compilers, and a cache that is damaged, not writable, or used by two at once.

use std::fs;
use std::path::Path;

use stm_runtime::nvrtc::Nvrtc;
use stm_runtime::{Device, EmulatorOptions, GpuError};
use stm_tests::skip::skipped;

use super::children::{child, said};

fn has_compiler() -> bool {
    match Device::emulated(EmulatorOptions::threads()) {
        Ok(_) => true,
        Err(why) => {
            skipped("the cache of kernels", &why.to_string());
            false
        }
    }
}

#[test]
fn a_compiler_that_is_not_there_is_an_error_with_what_was_tried() {
    for path in ["/nowhere/libnvrtc.so", "/dev/null"] {
        let Err(error) = Nvrtc::open(Path::new(path)) else { panic!("{path} is no NVRTC") };
        assert!(matches!(error, GpuError::NoNvrtc { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains(path) && text.contains("STM_NVRTC"), "{text}");
    }
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(Nvrtc::open(empty.path()), Err(GpuError::NoNvrtc { .. })));
}

#[test]
fn the_variable_that_names_the_compiler_may_be_wrong() {
    let output = child("nvrtc", &[("STM_NVRTC", Path::new("/nowhere/at/all"))]).output().unwrap();
    let text = said(&output);
    // Where the system has one, it is found all the same.
    assert!(text.contains("found ") || (text.contains("error no NVRTC") && text.contains("/nowhere/at/all")), "{text}");
}

#[test]
fn no_driver_is_a_reason_and_no_error() {
    // Where there is a driver, an empty library of its name stands in its way.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("libcuda.so.1"), b"no library").unwrap();
    let output = child("auto", &[("LD_LIBRARY_PATH", folder.path())]).output().unwrap();
    let text = said(&output);
    assert!(output.status.success() && text.contains("auto "), "{text}");
    assert!(text.contains("CPU thread") && text.contains("no CUDA driver library"), "{text}");
}

#[test]
fn no_host_compiler_is_an_error_of_the_emulator() {
    let empty = tempfile::tempdir().unwrap();
    let output = child("emulate", &[("PATH", empty.path()), ("CXX", Path::new(""))]).output().unwrap();
    assert!(said(&output).contains("error the emulator cannot run: no C++ compiler"), "{}", said(&output));
}

#[test]
fn a_damaged_cache_is_noted_and_made_anew() {
    if !has_compiler() {
        return;
    }
    let cache = tempfile::tempdir().unwrap();
    let run = || said(&child("emulate", &[("STM_CACHE", cache.path())]).output().unwrap());
    assert!(run().contains("committed 20, notes []"));
    let files = || fs::read_dir(cache.path()).unwrap().map(|entry| entry.unwrap().path());
    assert!(files().count() > 0, "nothing was kept");
    for file in files() {
        let mut bytes = fs::read(&file).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs::write(&file, bytes).unwrap();
    }
    let text = run();
    assert!(text.contains("committed 20") && text.contains("damaged"), "{text}");
    files().for_each(|file| fs::write(file, b"").unwrap());
    let text = run();
    assert!(text.contains("committed 20") && text.contains("damaged"), "{text}");
    assert!(run().contains("committed 20, notes []"));
}

#[test]
fn a_cache_that_cannot_be_written_is_noted() {
    if !has_compiler() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a file");
    fs::write(&file, b"").unwrap();
    let text = said(&child("emulate", &[("STM_CACHE", &file)]).output().unwrap());
    assert!(text.contains("committed 20") && text.contains("kernel cache"), "{text}");
}

#[test]
fn two_processes_may_compile_at_once() {
    if !has_compiler() {
        return;
    }
    let cache = tempfile::tempdir().unwrap();
    let start = || {
        let mut command = child("emulate", &[("STM_CACHE", cache.path())]);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..3).map(|_| start()).collect();
    for child in children {
        let text = said(&child.wait_with_output().unwrap());
        assert!(text.contains("committed 20, notes []"), "{text}");
    }
    let leftovers: Vec<_> = fs::read_dir(cache.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| !name.to_string_lossy().ends_with(".bin"))
        .collect();
    assert!(leftovers.is_empty(), "{leftovers:?}");
}
