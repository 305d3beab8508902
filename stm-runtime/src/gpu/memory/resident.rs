//! The arrays of a batch in the memory of one block, for engines that run all transactions there.

use kernels_gen::abi::launch::ArrayAddress;
use kernels_gen::device::unit::ArraySpec;
use kernels_gen::device::{DECLARED_BLOCK_BYTES, ResidentPlace, Tuned, resident_places};

use crate::error::GpuError;
use crate::gpu::backend::Limits;

/// Where the arrays of a batch lie in the memory of the block that runs it.
pub(crate) struct ResidentArrays {
    pub(crate) bytes: u32,
    places: Vec<Option<ResidentPlace>>,
}

impl ResidentArrays {
    /// Returns the places of arrays with so many elements each; `None` for an engine that works in device memory.
    pub(crate) fn new(
        engine: &Tuned,
        arrays: &[ArraySpec],
        lens: &[u64],
        limits: Limits,
    ) -> Result<Option<ResidentArrays>, GpuError> {
        if !engine.execution().is_one_block() {
            return Ok(None);
        }
        let (needed, places) = resident_places(arrays, lens);
        let most = room(limits);
        if needed > most {
            return Err(GpuError::ArraysTooLarge { engine: engine.name, needed, most });
        }
        Ok(Some(ResidentArrays { bytes: needed as u32, places }))
    }

    /// Stores the place of each array in its address, where device code finds it.
    pub(crate) fn place(&self, addresses: &mut [ArrayAddress]) {
        for (address, place) in addresses.iter_mut().zip(&self.places) {
            address.block = place.map_or(0, ResidentPlace::word);
        }
    }
}

/// Returns the bytes that a block has for arrays.
pub(crate) fn room(limits: Limits) -> u64 {
    u64::from(limits.shared).saturating_sub(DECLARED_BLOCK_BYTES)
}

#[cfg(test)]
mod tests {
    use kernels_gen::device::Layout;
    use kernels_gen::device::engines::find;
    use kernels_gen::spec::Scalar;

    use super::*;

    #[test]
    fn arrays_that_do_not_fit_are_refused_and_others_are_placed() {
        let engine = |name| Tuned::new(find(name).expect("a row of the table"));
        let array = ArraySpec {
            scalar: Scalar::I64,
            layout: Layout::Cells,
            coverage_log2: 0,
            part: 0,
            group: 0,
            constant: false,
        };
        let limits = Limits { block: 256, threads: 1024, shared: 16 * 1024, spread: true };
        let of = |name, len| ResidentArrays::new(&engine(name), &[array], &[len], limits);
        let most = room(limits) / 16;
        let placed = of("one-block", most).unwrap().expect("the engine keeps arrays in a block");
        assert_eq!(u64::from(placed.bytes), 16 * most);
        let mut addresses = [ArrayAddress::default()];
        placed.place(&mut addresses);
        assert_eq!(addresses[0].block, (8 * most) << 32);
        assert!(matches!(of("one-block", most + 1), Err(GpuError::ArraysTooLarge { .. })));
        assert!(of("priority", u64::MAX).unwrap().is_none());
    }
}
