use super::*;

const KERNEL: &str =
    "#line 7 \"src/bank.rs\"\nextern \"C\" __global__ void stm_run(unsigned long long* p) { p[threadIdx.x] += 1; }\n";

/// Returns the compiler, or prints that the test cannot run.
fn nvrtc() -> Option<&'static Nvrtc> {
    Nvrtc::find().inspect_err(|why| eprintln!("SKIPPED: {why}")).ok()
}

#[test]
fn machine_code_and_ptx_come_from_one_call() {
    let Some(nvrtc) = nvrtc() else { return };
    let compiled = nvrtc.compile(KERNEL, "unit.cu", "sm_90").unwrap();
    assert!(compiled.cubin.unwrap().starts_with(b"\x7fELF"));
    assert!(compiled.ptx.contains(".target sm_90") && compiled.ptx.contains("stm_run"));
    assert!(compiled.registers.unwrap() > 0, "{}", compiled.log);
    assert_eq!(compiled.spills, Some(0));
}

#[test]
fn a_virtual_architecture_gives_ptx_alone() {
    let Some(nvrtc) = nvrtc() else { return };
    let compiled = nvrtc.compile(KERNEL, "unit.cu", "compute_75").unwrap();
    assert_eq!((compiled.cubin, compiled.registers), (None, None));
    assert!(compiled.ptx.contains(".target sm_75"));
}

#[test]
fn an_error_names_the_rust_line() {
    let Some(nvrtc) = nvrtc() else { return };
    let broken = KERNEL.replace("p[threadIdx.x] += 1", "p[0] = undeclared");
    let Err(GpuError::Compile { errors, log, .. }) = nvrtc.compile(&broken, "unit.cu", "sm_90") else {
        panic!("it must not compile");
    };
    assert!(errors[0].starts_with("src/bank.rs(7): error:"), "{errors:?}");
    assert!(log.contains("undeclared"));
}

#[test]
fn an_unknown_architecture_is_no_compile_error() {
    let Some(nvrtc) = nvrtc() else { return };
    assert!(matches!(nvrtc.compile(KERNEL, "unit.cu", "sm_20"), Err(GpuError::Nvrtc { .. })));
    assert!(matches!(nvrtc.compile("a\0b", "unit.cu", "sm_90"), Err(GpuError::Nvrtc { .. })));
}

#[test]
fn a_newer_device_gets_the_newest_ptx() {
    let Some(nvrtc) = nvrtc() else { return };
    assert_eq!(nvrtc.arch_for(90).unwrap(), "sm_90");
    assert!(nvrtc.arch_for(999).unwrap().starts_with("compute_1"));
    assert!(nvrtc.arch_for(20).is_err());
}

#[test]
fn a_wrong_path_says_what_is_wrong() {
    let missing = Nvrtc::open(Path::new("/nonexistent/libnvrtc.so")).unwrap_err();
    assert!(missing.to_string().contains("/nonexistent/libnvrtc.so"), "{missing}");
    let empty = tempfile::tempdir().unwrap();
    assert!(Nvrtc::open(empty.path()).unwrap_err().to_string().contains("holds no libnvrtc.so"));
}

#[test]
fn a_warning_does_not_fail_and_is_kept() {
    let Some(nvrtc) = nvrtc() else { return };
    let source = KERNEL.replace("p[threadIdx.x] += 1;", "p[0] == 2;");
    assert_eq!(nvrtc.compile(&source, "unit.cu", "sm_90").unwrap().warnings().len(), 1);
}

/// Builds a library that claims to be NVRTC of that version; `None` where there is no C compiler.
fn fake(folder: &Path, major: u32, minor: u32) -> Option<std::path::PathBuf> {
    fake_that(folder, [major, minor], false)
}

/// Builds one that makes an empty image of each text, if `compiles`.
pub(in crate::gpu::cuda) fn fake_that(
    folder: &Path,
    [major, minor]: [u32; 2],
    compiles: bool,
) -> Option<std::path::PathBuf> {
    let (source, library) = (folder.join("fake_nvrtc.c"), folder.join(format!("libnvrtc.so.{major}")));
    std::fs::write(&source, include_str!("fake_nvrtc.c")).unwrap();
    let versions =
        [format!("-DMAJOR={major}"), format!("-DMINOR={minor}"), format!("-DCOMPILES={}", u8::from(compiles))];
    let compiled = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .args(versions)
        .arg(&source)
        .status();
    if !compiled.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: no C compiler for the fake NVRTC");
        return None;
    }
    Some(library)
}

#[test]
fn only_versions_whose_functions_are_known_are_called() {
    let folder = tempfile::tempdir().unwrap();
    for (version, words) in [((12, 7), Some("12.7 is older than 12.8")), ((12, 8), None), ((13, 9), None)] {
        let Some(library) = fake(folder.path(), version.0, version.1) else { return };
        let opened = Nvrtc::open(&library).map(|nvrtc| nvrtc.version()).map_err(|why| why.to_string());
        match words {
            Some(words) => assert!(opened.as_ref().is_err_and(|why| why.contains(words)), "{opened:?}"),
            None => assert_eq!(opened, Ok((version.0 as i32, version.1 as i32))),
        }
    }
    let Some(library) = fake(folder.path(), 14, 0) else { return };
    let why = Nvrtc::open(&library).unwrap_err().to_string();
    assert!(
        why.contains("version 14.0 is newer than this program knows; name a library of NVRTC 12 or 13 in STM_NVRTC"),
        "{why}"
    );
}
