//! Arrays whose memory is lent to kernels by hand.

use kernels_gen::device::Layout;
use kernels_gen::spec::Scalar;

use crate::prelude::*;
use crate::raw::Gpu;
use crate::{EmulatorOptions, Engine, data::Partitioned};

#[stm_macros::gpu_transaction(crate = crate)]
fn add(tx: &mut Tx, cells: &Shared<i64>, at: u32) -> TxResult {
    tx.update(cells, at, |old| old + 1)
}

#[test]
fn an_array_of_cpu_threads_has_none() {
    let cells = Device::cpu(1).shared(&[1_i64]).unwrap();
    let error = cells.device_memory().unwrap_err();
    assert_eq!(error, Error::NoDeviceMemory { device: "1 CPU thread".into() });
}

/// A kernel by hand that doubles numbers.
const DOUBLE: &str = r#"
    struct stm_params { unsigned long long values, count; };
    extern "C" __global__ void stm_run(const __grid_constant__ stm_params p) {
      long long *values = (long long *)p.values;
      for (unsigned long long i = threadIdx.x; i < p.count; i += blockDim.x) values[i] *= 2;
    }
"#;

fn double(memory: &crate::DeviceMemory<'_>, component: usize) {
    let gpu = Gpu::emulated(EmulatorOptions::threads()).unwrap();
    let program = gpu.compile(DOUBLE).unwrap();
    // SAFETY: the kernel ends, and stays within the memory that was lent.
    unsafe { program.launch(1, 32, &[memory.address(component), memory.len() as u64]) }.unwrap();
}

#[test]
fn a_kernel_by_hand_works_between_runs_in_each_layout() {
    let device = Device::emulated(EmulatorOptions::threads()).unwrap();
    for cells in [false, true] {
        let has_cells = |engine: &Engine| engine.spec().layout_of(Scalar::I64, 1, false) == Layout::Cells;
        let is_meant = |engine: &&Engine| has_cells(engine) == cells && !engine.spec().requires.partitions;
        let engine = Engine::ALL.iter().find(is_meant).unwrap();
        let cells = device.shared(&[10_i64, 20, 30]).unwrap();
        let mut batch = device.batch();
        batch.extend((0..3).map(|at| add::call(&cells, at)));
        let options = RunOptions::new().engine(*engine);
        for expected in [[22, 42, 62], [46, 86, 126]] {
            batch.run_with(&options).unwrap();
            let memory = cells.device_memory().unwrap();
            assert_eq!(memory.len(), 3);
            assert_eq!(batch.run().unwrap_err(), Error::ArrayInUse, "it is lent");
            double(&memory, 0);
            drop(memory);
            assert_eq!(cells.to_vec().unwrap(), expected, "{engine}");
        }
    }
}

#[test]
fn components_and_partitions_have_addresses_of_their_own() {
    let device = Device::emulated(EmulatorOptions::threads()).unwrap();
    let pairs = device.shared(&[(1_u8, 5_i64), (2, 6)]).unwrap();
    let memory = pairs.device_memory().unwrap();
    assert_eq!(memory.addresses().len(), 2);
    double(&memory, 1);
    drop(memory);
    assert_eq!(pairs.to_vec().unwrap(), [(1, 10), (2, 12)]);
    let parts: Partitioned<i64, 2> = device.partitioned(&[1, 2, 3, 4]).unwrap();
    let second = parts.part(1).unwrap();
    double(&second.device_memory().unwrap(), 0);
    assert_eq!(parts.all().to_vec().unwrap(), [1, 2, 6, 8]);
    assert!(device.shared::<i64>(&[]).unwrap().device_memory().unwrap().is_empty());
}
