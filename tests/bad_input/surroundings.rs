//! Missing libraries and compilers, and variables with unusable values.

use std::fs;
use std::path::Path;

use stm_runtime::nvrtc::Nvrtc;
use stm_runtime::{Device, GpuError};
use stm_tests::skip::skipped;

use super::children::{child, said};

/// The variable with the path of the file that the second process writes.
const FILE: &str = "STM_TEST_FILE";
/// Elements whose file takes long to write.
const MANY: usize = 4 << 20;

/// Replaces a file by one with other elements.
pub(super) fn save() {
    let path = std::env::var_os(FILE).expect("the path of a file");
    Device::cpu(1).shared(&vec![2_u8; MANY]).and_then(|array| array.save(path)).expect("a new file");
}

#[test]
fn a_file_is_whole_if_its_writer_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let (path, device) = (folder.path().join("array"), Device::cpu(1));
    let new = |element: u8| device.shared(&[element; 9]).and_then(|array| array.save(&path)).unwrap();
    let found = || device.load::<u8>(&path).and_then(|array| array.to_vec()).unwrap();
    new(1);
    // The new file under its temporary name, with some of the elements.
    let is_begun = || {
        let files = fs::read_dir(folder.path()).unwrap().flatten().filter(|file| file.path() != path);
        files.filter_map(|file| file.metadata().ok()).any(|about| about.len() > 0)
    };
    let mut writer = child("save", &[(FILE, &path)]).spawn().unwrap();
    while !is_begun() && writer.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    writer.kill().and_then(|()| writer.wait()).unwrap();
    // A writer that was faster has left a whole file, too.
    assert!(found() == if is_begun() { vec![1; 9] } else { vec![2; MANY] });
    // What the other one leaves is in nobody's way.
    new(3);
    assert_eq!(found(), [3; 9]);
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
fn a_variable_that_names_no_compiler_is_an_error_wherever_else_there_is_one() {
    let Ok(found) = Nvrtc::find() else { return skipped("another NVRTC beside a wrong path", "there is none") };
    let elsewhere = found.path().parent().unwrap_or(Path::new("/"));
    let wrong = Path::new("/nowhere/at/all");
    for other in ["LD_LIBRARY_PATH", "STM_NVRTC_DEFAULT"] {
        let text = said(&child("nvrtc", &[("STM_NVRTC", wrong), (other, elsewhere)]).output().unwrap());
        assert!(text.contains("error no NVRTC") && text.contains("STM_NVRTC names `/nowhere/at/all`"), "{text}");
    }
}

#[test]
fn an_empty_variable_names_no_compiler() {
    let Ok(found) = Nvrtc::find() else { return skipped("an empty STM_NVRTC", "there is no NVRTC") };
    let elsewhere = found.path().parent().unwrap_or(Path::new("/"));
    let none = Path::new("");
    let text = said(&child("nvrtc", &[("STM_NVRTC", none), ("STM_NVRTC_DEFAULT", elsewhere)]).output().unwrap());
    assert!(text.contains("found "), "{text}");
    let missing = Path::new("/nowhere/at/all");
    let environment = [("STM_NVRTC", none), ("STM_NVRTC_DEFAULT", missing), ("LD_LIBRARY_PATH", elsewhere)];
    let text = said(&child("nvrtc", &environment).output().unwrap());
    assert!(text.contains("found "), "a default that is not there is no error: {text}");
}

#[test]
fn no_driver_is_a_reason_and_no_error() {
    // Where there is a driver, an empty library of its name shadows it.
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
fn a_host_compiler_that_is_named_is_used_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let unusable = folder.path().join("c++");
    fs::write(&unusable, b"no program").unwrap();
    for named in [Path::new("/no/such/compiler"), &unusable, Path::new("/dev/null"), Path::new("false")] {
        let text = said(&child("emulate", &[("CXX", named)]).output().unwrap());
        let words = format!("error the emulator cannot run: CXX names `{}`", named.display());
        assert!(text.contains(&words), "{text}");
    }
}

#[test]
fn a_program_that_compiles_nothing_is_named() {
    // `true` exits with success, whatever its arguments.
    let cache = tempfile::tempdir().unwrap();
    let text = said(&child("emulate", &[("CXX", Path::new("true")), ("STM_CACHE", cache.path())]).output().unwrap());
    assert!(text.contains("error the emulator cannot run: `true`"), "{text}");
}

#[test]
fn a_context_that_a_kernel_broke_is_an_error_of_every_later_step() {
    let text = said(&child("break", &[]).output().unwrap());
    if let Some((_, why)) = text.split_once("no device: ") {
        return skipped("a kernel that breaks the context", why.lines().next().unwrap_or_default());
    }
    assert!(text.contains("before Ok(1)"), "{text}");
    for step in ["kernel", "run", "read", "again"] {
        assert!(text.contains(&format!("{step} Err(Gpu(ContextLost {{")), "{step}: {text}");
    }
    assert!(
        text.contains("auto ") && text.contains("CPU thread") && text.contains("a kernel broke the CUDA context"),
        "{text}"
    );
}
