//! A launch that does nothing, and its wait: no run on a GPU takes less.

use gpu_transactions::Error;
use gpu_transactions::raw::{Gpu, Program};

const EMPTY: &str = "struct stm_params { unsigned long long none; };\n\
    extern \"C\" __global__ void stm_run(const __grid_constant__ stm_params p) {}\n";

/// Returns the kernel; `None` where the device is no GPU.
pub(crate) fn compile(device: &str) -> Result<Option<Program>, Error> {
    let gpu = match device.split_once(':').unwrap_or((device, "0")) {
        ("cuda", number) => Gpu::cuda(number.parse().unwrap_or(0))?,
        ("auto", _) => match Gpu::cuda(0) {
            Ok(gpu) => gpu,
            Err(_) => return Ok(None),
        },
        #[cfg(feature = "emulator")]
        ("emulated", _) => Gpu::emulated(gpu_transactions::EmulatorOptions::threads())?,
        _ => return Ok(None),
    };
    gpu.compile(EMPTY).map(Some)
}

pub(crate) fn launch(program: &Program) -> Result<(), Error> {
    // SAFETY: the kernel does nothing.
    unsafe { program.launch(1, 32, &[0]) }.map(drop)
}
