//! Initial contents of arrays, with an error if the host lacks the memory.

use stm_runtime::Error;

/// Returns `len` elements, made from their index.
pub(super) fn elements<T>(len: usize, make: impl FnMut(usize) -> T) -> Result<Vec<T>, Error> {
    let mut all = Vec::new();
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    all.try_reserve_exact(len).map_err(|_| Error::HostMemory { what: "elements of a benchmark", bytes })?;
    all.extend((0..len).map(make));
    Ok(all)
}

/// Returns the contents of an array, for a check.
pub(super) fn contents<T: stm_runtime::GpuData>(array: &stm_runtime::Shared<T>) -> Result<Vec<T>, String> {
    array.to_vec().map_err(|why| why.to_string())
}
