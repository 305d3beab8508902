//! Arrays whose memory is lent to kernels by hand, or is that of other code.

use std::marker::PhantomData;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use kernels_gen::device::Layout;
use kernels_gen::spec::Scalar;

use crate::error::ForeignProblem;
use crate::gpu::GpuDevice;
use crate::gpu::backend::{Allocation, DeviceBuffer, HostSlice, HostSliceMut};
use crate::prelude::*;
use crate::raw::Gpu;
use crate::{EmulatorOptions, Engine, ForeignMemory, NotAdopted, data::Partitioned};

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

/// Memory of other code, from an offset on.
struct Other<T>(DeviceBuffer, usize, PhantomData<T>);

// SAFETY: refused, or live memory of the emulated device.
unsafe impl<T: GpuData> ForeignMemory for Other<T> {
    type Element = T;

    fn address(&self) -> u64 {
        self.0.address() + self.1 as u64
    }

    fn elements(&self) -> usize {
        (self.0.bytes() - self.1) / size_of::<T>()
    }
}

impl<T> Other<T> {
    fn new(gpu: &GpuDevice, offset: usize, bytes: &[u8]) -> Other<T> {
        let buffer = DeviceBuffer::zeroed(&gpu.backend(), "test", offset + bytes.len()).unwrap();
        buffer.upload(offset, HostSlice::U8(bytes)).unwrap();
        Other(buffer, offset, PhantomData)
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.0.bytes() - self.1];
        self.0.download(self.1, HostSliceMut::U8(&mut bytes)).unwrap();
        bytes
    }
}

fn emulated() -> (GpuDevice, Device) {
    let gpu = GpuDevice::emulated(EmulatorOptions::threads()).unwrap();
    (gpu.clone(), Device::new(gpu, "a test".into()))
}

fn numbers(gpu: &GpuDevice, numbers: &[i64]) -> Other<i64> {
    Other::new(gpu, 0, &numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>())
}

#[test]
fn a_kernel_by_hand_works_between_runs_in_each_layout() {
    let (gpu, device) = emulated();
    let free = || gpu.backend().memory().unwrap().free;
    for (cells, adopts) in [(false, false), (true, false), (false, true), (true, true)] {
        let has_cells = |engine: &Engine| engine.spec().layout_of(Scalar::I64, 1, false) == Layout::Cells;
        let is_meant = |engine: &&Engine| has_cells(engine) == cells && !engine.spec().requires.partitions;
        let engine = Engine::ALL.iter().find(is_meant).unwrap();
        let (cells, before) = (device.shared(&[10_i64, 20, 30]).unwrap(), free());
        let memory = adopts.then(|| numbers(&gpu, &[10, 20, 30]));
        let address = memory.as_ref().map(Other::address);
        memory.into_iter().for_each(|memory| cells.adopt(memory).unwrap());
        let mut batch = device.batch();
        batch.extend((0..3).map(|at| add::call(&cells, at)));
        let options = RunOptions::new().engine(*engine);
        for expected in [[22, 42, 62], [46, 86, 126]] {
            batch.run_with(&options).unwrap();
            let memory = cells.device_memory().unwrap();
            assert_eq!((memory.len(), Some(memory.address(0)) == address), (3, adopts), "nothing else is copied");
            assert_eq!(batch.run().unwrap_err(), Error::ArrayInUse, "it is lent");
            double(&memory, 0);
            drop(memory);
            assert_eq!(cells.to_vec().unwrap(), expected, "{engine}");
        }
        if adopts {
            batch.run_with(&options).unwrap();
            cells.write_range(0, &[7]).unwrap();
            let memory: Other<i64> = cells.give_back().unwrap();
            assert_eq!(memory.bytes(), [7_i64, 87, 127].map(i64::to_le_bytes).concat());
            // The array has lost its elements, and takes others, whose memory replaces what it has.
            assert_eq!(cells.to_vec().unwrap(), [0; 3]);
            cells.adopt(memory).unwrap();
            cells.adopt(numbers(&gpu, &[1, 2, 3, 4])).unwrap();
            assert_eq!(cells.to_vec().unwrap(), [1, 2, 3]);
        }
        drop((batch, cells));
        assert_eq!(free(), before, "an array frees what it has adopted");
    }
}

#[test]
fn what_is_no_whole_word_is_copied_there_and_back() {
    let (gpu, device) = emulated();
    let (bytes, words) = (Other::<u8>::new(&gpu, 0, &[1, 2, 3]), Other::<u32>::new(&gpu, 2, &[1, 0, 0, 0, 2, 0, 0, 0]));
    let addresses = [bytes.address(), words.address()];
    let (bytes, words) = (device.adopt(bytes).unwrap(), device.adopt(words).unwrap());
    let own = [bytes.device_memory().unwrap().address(0), words.device_memory().unwrap().address(0)];
    assert!(own[0] != addresses[0] && own[1] != addresses[1] && own[1].is_multiple_of(4));
    bytes.write_range(1, &[9]).unwrap();
    words.write_range(1, &[u32::MAX]).unwrap();
    assert_eq!((bytes.to_vec().unwrap(), words.to_vec().unwrap()), (vec![1, 9, 3], vec![1, u32::MAX]));
    assert_eq!(bytes.give_back::<Other<u8>>().unwrap().bytes(), [1, 9, 3]);
    assert_eq!(words.give_back::<Other<u32>>().unwrap().bytes(), [1, 0, 0, 0, 255, 255, 255, 255]);
}

#[test]
fn memory_that_cannot_be_used_comes_back_with_the_reason() {
    let (gpu, device) = emulated();
    let accounts = device.shared(&[1_i64, 2, 3]).unwrap();
    let refused = |array: &Shared<i64>, memory: Other<i64>| {
        let NotAdopted { memory, error } = array.adopt(memory).unwrap_err();
        assert!(error.to_string().contains("lent.rs:") || error == Error::ArrayInUse, "{error}");
        let Error::ForeignMemory { problem, .. } = Error::from(NotAdopted { memory, error }) else { return None };
        Some(problem)
    };
    let short = Some(ForeignProblem::TooShort { needed: 24, has: 16 });
    assert_eq!(refused(&accounts, numbers(&gpu, &[1, 2])), short);
    let address = numbers(&gpu, &[1, 2, 3]).address();
    let freed = DeviceBuffer::foreign(&gpu.backend(), &Allocation { address, bytes: 24 });
    assert_eq!(refused(&accounts, Other(freed, 0, PhantomData)), Some(ForeignProblem::NoMemory { address }));
    assert_eq!(refused(&Device::cpu(1).shared(&[1_i64]).unwrap(), numbers(&gpu, &[1])), Some(ForeignProblem::NoGpu));
    let lent = accounts.device_memory().unwrap();
    assert_eq!(refused(&accounts, numbers(&gpu, &[1, 2, 3])), None, "it is lent");
    drop(lent);
    let none = accounts.give_back::<Other<i64>>().map(|_| ()).unwrap_err();
    assert!(none.to_string().contains("Other<i64>"), "{none}");
    assert_eq!(accounts.to_vec().unwrap(), [1, 2, 3]);
}

#[test]
fn a_column_is_in_memory_of_other_code_until_the_last_user_ends() {
    let (gpu, device) = emulated();
    let free = || gpu.backend().memory().unwrap().free;
    let (cells, before) = (device.shared(&[0_i64; 4]).unwrap(), free());
    let indices = Other::<u32>::new(&gpu, 4, &[3, 0, 0, 0, 1, 0, 0, 0]);
    let column = device.adopt_column(indices).unwrap();
    let mut batch = device.batch();
    batch.push_columns(add::columns(&cells, column.range(..1).unwrap())).unwrap();
    drop(column);
    batch.run().unwrap();
    assert!(free() < before);
    drop(batch);
    assert_eq!(cells.to_vec().unwrap(), [0, 0, 0, 1]);
    let refused = |device: &Device, memory: Other<u32>| match device.adopt_column(memory).map_err(Error::from) {
        Err(Error::ForeignMemory { problem, at }) if at.file().ends_with("lent.rs") => problem,
        other => panic!("{other:?}"),
    };
    let memory = || Other::<u32>::new(&gpu, 2, &[3, 0, 0, 0]);
    let address = memory().address();
    assert_eq!(refused(&Device::cpu(1), memory()), ForeignProblem::NoGpu);
    assert!(matches!(refused(&device, memory()), ForeignProblem::Unaligned { each: 4, .. }));
    let freed = DeviceBuffer::foreign(&gpu.backend(), &Allocation { address: address - 2, bytes: 4 });
    let gone = ForeignProblem::NoMemory { address: address - 2 };
    assert_eq!(refused(&device, Other(freed, 0, PhantomData)), gone);
    assert!(device.adopt_column(Other::<u32>::new(&gpu, 0, &[])).unwrap().is_empty());
}

#[test]
fn components_and_partitions_have_addresses_of_their_own() {
    let (gpu, device) = emulated();
    let pairs = device.shared(&[(1_u8, 5_i64), (2, 6)]).unwrap();
    let memory = pairs.device_memory().unwrap();
    assert_eq!(memory.addresses().len(), 2);
    double(&memory, 1);
    drop(memory);
    assert_eq!(pairs.to_vec().unwrap(), [(1, 10), (2, 12)]);
    pairs.1.adopt(numbers(&gpu, &[50, 60])).unwrap();
    assert_eq!(pairs.to_vec().unwrap(), [(1, 50), (2, 60)]);
    assert_eq!(device.adopt(numbers(&gpu, &[])).unwrap().give_back::<Other<i64>>().unwrap().elements(), 0);
    let parts: Partitioned<i64, 2> = device.partitioned(&[1, 2, 3, 4]).unwrap();
    let second = parts.part(1).unwrap();
    double(&second.device_memory().unwrap(), 0);
    assert_eq!(parts.all().to_vec().unwrap(), [1, 2, 6, 8]);
    assert!(device.shared::<i64>(&[]).unwrap().device_memory().unwrap().is_empty());
}

/// Foreign memory. When its owner is dropped, that sends a message, and panics.
struct Panicking(Other<i64>, Sender<()>);

// SAFETY: as that of `Other`.
unsafe impl ForeignMemory for Panicking {
    type Element = i64;

    fn address(&self) -> u64 {
        self.0.address()
    }

    fn elements(&self) -> usize {
        self.0.elements()
    }
}

impl Drop for Panicking {
    fn drop(&mut self) {
        self.1.send(()).unwrap();
        panic!("as asked");
    }
}

#[test]
fn a_pipeline_outlives_the_panic_of_an_owner() {
    let ((gpu, device), (tell, told)) = (emulated(), channel());
    let pipeline = device.pipeline(crate::PipelineOptions::new().max_delay(Duration::MAX)).unwrap();
    let run = |cells: Shared<i64>| {
        let ticket = pipeline.submit(add::call(&cells, 1)).unwrap();
        // The batch has the last handle of the array.
        drop(cells);
        pipeline.flush().unwrap();
        assert_eq!(ticket.wait(), Ok(Outcome::Committed(())));
    };
    run(device.adopt(Panicking(numbers(&gpu, &[1, 2]), tell)).map_err(|refused| refused.error).unwrap());
    told.recv().unwrap();
    (0..50).for_each(|_| run(device.shared(&[1_i64, 2]).unwrap()));
    assert_eq!(pipeline.close().unwrap().committed, 51);
}
