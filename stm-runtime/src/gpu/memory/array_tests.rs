//! Where an array is, and what memory it takes.

use super::*;
use crate::gpu::emulator::EmulatorOptions;

hunted! { elements_take_no_memory_before_they_are_written_and_then_that_of_the_device }

#[cfg_attr(test, test)]
fn elements_take_no_memory_before_they_are_written_and_then_that_of_the_device() {
    for len in [FEW, FEW + 2] {
        let gpu = GpuDevice::emulated(EmulatorOptions::threads()).unwrap();
        let shape = ArrayShape { scalar: Scalar::I16, len, part: 0, coverage_log2: 0 };
        let arrays = GpuArray::of_components(&gpu, &[shape; 4], Granularity::Field);
        let [written, copied, lent, empty] = &arrays[..] else { unreachable!("there are four") };
        let all = |array: &GpuArray| {
            let mut words = vec![1; len];
            array.read(0, &mut words).map(|()| words)
        };
        let taken = || (arrays[0].backend.memory()).map(|memory| (memory.total - memory.free) as usize);
        assert_eq!((all(written), taken()), (Ok(vec![0; len]), Ok(0)));
        written.write(len - 1, &[7]).unwrap();
        assert_eq!(taken(), Ok(if len > FEW { 2 * len } else { 0 }));
        // Between arrays elements stay on the device, once one of them is there.
        assert_eq!(copied.copy(0, empty, 0, len), Ok(false));
        written.packed().and_then(|_| lent.packed()).unwrap();
        assert_eq!(copied.copy(len - 2, written, len - 2, 2), Ok(true));
        assert_eq!((all(copied), all(lent), taken()), (all(written), Ok(vec![0; len]), Ok(6 * len)));
        assert_eq!(all(copied).unwrap()[len - 2..], [0, 7]);
    }
}

#[cfg(test)]
#[test]
fn a_filled_array_has_the_value_and_free_locks_between_runs() {
    let device = crate::Device::emulated(EmulatorOptions::threads()).unwrap();
    let accounts = device.shared(&[1_i64; 300]).unwrap();
    for amount in [299, 7] {
        accounts.fill(amount).unwrap();
        assert_eq!(accounts.to_vec().unwrap(), [amount; 300]);
        let mut batch = device.batch();
        batch.push(crate::gpu::tests::procedures::transfer(&accounts, 298, 299, 5));
        assert_eq!(batch.run_with(&crate::RunOptions::new().engine(crate::Engine::default())).unwrap().committed, 1);
        assert_eq!(accounts.read_range(297..).unwrap(), [amount, amount - 5, amount + 5]);
    }
}
