//! The driver's functions that the runtime calls, also through the contexts, streams and slices of cudarc that users bring.

use cudarc::driver::sys;

/// The names of all of them, as cudarc's bindings look them up. A driver for CUDA 12.8 has each.
const CALLED: &[&str] = &[
    "cuCtxEnablePeerAccess",
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDeviceGetP2PAttribute",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventElapsedTime_v2",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuFuncGetAttribute",
    "cuFuncGetParamInfo",
    "cuFuncSetAttribute",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuInit",
    "cuLaunchKernel",
    "cuLinkAddData_v2",
    "cuLinkComplete",
    "cuLinkCreate_v2",
    "cuLinkDestroy",
    "cuMemAddressFree",
    "cuMemAddressReserve",
    "cuMemAlloc_v2",
    "cuMemCreate",
    "cuMemFree_v2",
    "cuMemGetAllocationGranularity",
    "cuMemGetInfo_v2",
    "cuMemHostAlloc",
    "cuMemMap",
    "cuMemRelease",
    "cuMemSetAccess",
    "cuMemUnmap",
    "cuMemcpy2DAsync_v2",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD32Async",
    "cuMemsetD8Async",
    "cuModuleGetFunction",
    "cuModuleGetGlobal_v2",
    "cuModuleLoadData",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuPointerGetAttribute",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

/// Returns the first function that the driver lacks. The driver's library is loaded.
pub(super) fn missing() -> Option<&'static str> {
    // SAFETY: the symbols are looked up and never called.
    let has = |name: &str| unsafe { sys::culib().get::<unsafe extern "C" fn()>(name) }.is_ok();
    CALLED.iter().copied().find(|name| !has(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fake_driver_has_these_functions_and_no_other() {
        // The tests of the fake driver fail where it lacks a called function, so its list is complete, and this one must be too.
        let source = include_str!("fake_driver.c");
        let defined = source.lines().filter_map(|line| line.strip_prefix("int cu")?.split_once('('));
        let mut defined: Vec<String> = defined.map(|(name, _)| format!("cu{name}")).collect();
        defined.sort();
        assert_eq!(defined, CALLED);
    }
}
