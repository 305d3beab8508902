use super::*;

const KERNEL: &str =
    "#line 7 \"src/bank.rs\"\nextern \"C\" __global__ void stm_run(unsigned long long* p) { p[threadIdx.x] += 1; }\n";

/// The compiler, or a line that says aloud that the test cannot run.
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
