//! Devices: where transactions run, and the reason for the choice.

use std::fmt;
use std::path::Path;
use std::sync::Once;

use super::batch::Batch;
use crate::backend::{Array, ArrayShape, Backend, Device, Granularity};
use crate::cpu::{CpuDevice, Teamwork};
use crate::data::{About, ForeignMemory, GpuData, NotAdopted, Partitioned, Shared, Source};
use crate::engine::Engine;
use crate::error::Error;
use crate::extent::{MAX_COVERAGE, MAX_LEN, MAX_PARTS};
#[cfg(feature = "emulator")]
use crate::gpu::EmulatorOptions;
use crate::gpu::GpuDevice;
use crate::memory::NoMemory;
use crate::outcome::Algorithm;
use crate::trace;
use crate::tuning::Selection;

/// The purpose of the memory, for the error when an array does not fit.
const WORDS: &str = "a shared array";

impl Device {
    /// Returns the first usable GPU, or CPU threads where no GPU can be used. [`Device::reason`] says why not.
    ///
    /// With CPU threads it also warns: by an event if the program subscribes to those of the feature `tracing`, otherwise by one line on
    /// the standard error, once in a process.
    ///
    /// # Errors
    /// None at present: an unusable GPU is a reason for the CPU.
    pub fn auto() -> Result<Device, Error> {
        match GpuDevice::cuda(0) {
            Ok(gpu) => {
                let reason = format!("{}, the first GPU", gpu.describe());
                Ok(Device::new(gpu, reason))
            }
            Err(reason) => {
                let cpu = CpuDevice::new(0, Teamwork::Free);
                let reason = format!("{}, because no GPU can be used: {reason}", cpu.describe());
                static TOLD: Once = Once::new();
                trace::warning_once(&TOLD, &reason);
                Ok(Device::new(cpu, reason))
            }
        }
    }

    /// Returns a device of CPU threads; 0 means one for each core. More than 1,024 are an error of [`Batch::run`].
    ///
    /// The thread that runs a batch is one of them, with two exceptions: a run with a progress function, and functions with local
    /// arrays of more than a few kilobytes. The latter run on threads with large enough stacks, whatever stack the caller has.
    #[must_use]
    pub fn cpu(threads_wanted: usize) -> Device {
        Device::of_cpu(CpuDevice::new(threads_wanted, Teamwork::Free))
    }

    /// Returns CPU threads that run one at a time, in an order chosen by the seed: the same seed interleaves the transactions of
    /// the same batch in the same way. This is for tests that search for an unlucky order and then repeat it. It is slow. 0 threads
    /// mean one for each core; more than 1,024 are an error of [`Batch::run`].
    #[must_use]
    pub fn cpu_seeded(threads_wanted: usize, seed: u64) -> Device {
        Device::of_cpu(CpuDevice::new(threads_wanted, Teamwork::InTurns(seed)))
    }

    /// Returns CPU threads that run a batch without a chosen engine in short stages, in place and under locks, drawn by the seed. This is
    /// for tests: elsewhere the measured speed decides, and a small batch has one stage.
    #[doc(hidden)]
    #[must_use]
    pub fn cpu_in_stages(threads_wanted: usize, seed: u64) -> Device {
        Device::of_cpu(CpuDevice::new(threads_wanted, Teamwork::InStages(seed)))
    }

    fn of_cpu(cpu: CpuDevice) -> Device {
        let reason = format!("{}, as asked", cpu.describe());
        Device::new(cpu, reason)
    }

    /// Returns the CUDA device of that number, counted from 0.
    ///
    /// # Errors
    /// The driver, the device or the run-time compiler is missing or too old.
    pub fn cuda(ordinal: usize) -> Result<Device, Error> {
        let gpu = GpuDevice::cuda(ordinal)?;
        let reason = format!("{}, as asked", gpu.describe());
        Ok(Device::new(gpu, reason))
    }

    /// Returns all GPUs of this host as one device: arrays have a part on each, and every batch runs on all of them. A host with one GPU has
    /// that one. It also has the name `cluster`.
    ///
    /// # Errors
    /// As [`Device::cuda`], or two of the GPUs cannot reach each other's memory.
    pub fn cluster() -> Result<Device, Error> {
        Device::cuda_together(&[])
    }

    /// Returns the CUDA devices of these numbers as one, as [`Device::cluster`] does; no numbers mean all. For neighbours there are names like
    /// `cuda:0-3`.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), stm_runtime::Error> {
    /// let device = stm_runtime::Device::cuda_together(&[0, 1])?;
    /// let accounts = device.shared(&vec![100_i64; 400_000_000])?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Device::cluster`], or the list names a device twice.
    pub fn cuda_together(ordinals: &[usize]) -> Result<Device, Error> {
        let gpu = GpuDevice::cluster(ordinals, false)?;
        let reason = format!("{}, as asked", gpu.describe());
        Ok(Device::new(gpu, reason))
    }

    /// Returns the same where every launch is on all devices, however few threads it has. This is for tests: a few threads are faster on one
    /// device.
    #[doc(hidden)]
    pub fn cuda_always_together(ordinals: &[usize]) -> Result<Device, Error> {
        let gpu = GpuDevice::cluster(ordinals, true)?;
        let reason = format!("{}, as asked", gpu.describe());
        Ok(Device::new(gpu, reason))
    }

    /// Returns a device that runs the generated CUDA C on host threads, for tests. It also has the names `emulated`, `emulated:N` and
    /// `emulated@SEED`: threads of the operating system, several devices of that kind as one, and fibers in an order by the seed.
    ///
    /// # Errors
    /// There is no usable C++ compiler.
    #[cfg(feature = "emulator")]
    pub fn emulated(options: EmulatorOptions) -> Result<Device, Error> {
        let gpu = GpuDevice::emulated(options)?;
        let reason = format!("{}, as asked", gpu.describe());
        Ok(Device::new(gpu, reason))
    }

    /// Returns the description of the device, without the reason.
    #[must_use]
    pub fn describe(&self) -> String {
        self.backend().describe()
    }

    /// Returns whether it runs generated CUDA C instead of the Rust functions.
    #[must_use]
    pub fn is_gpu(&self) -> bool {
        self.backend().is_gpu()
    }

    /// Returns the algorithm that runs for an engine: on a GPU the engine itself with its parameters, on CPU threads one of their
    /// two algorithms.
    #[must_use]
    pub fn algorithm(&self, engine: Engine) -> Algorithm {
        self.backend().algorithm(engine)
    }

    /// Returns a shared array with these elements, one lock word for each. So two transactions conflict if they use the same record
    /// and one of them writes it, even if they use different fields; [`Device::shared_by_field`] makes another choice. A record of any
    /// size has one lock word: also one that is larger than a line of the cache.
    ///
    /// Engines that keep versions of elements instead of lock words (`jvstm`, `csmv`, `local`) always treat each component of a record
    /// as an element of its own.
    ///
    /// # Errors
    /// The host or the device has not enough memory, or the device failed. Few elements move to a GPU in their first run, and engines need
    /// memory beside the elements: that run fails if the device has not enough for these.
    pub fn shared<T: GpuData>(&self, elements: &[T]) -> Result<Shared<T>, Error> {
        self.shared_with(elements, 1)
    }

    /// Returns a shared array with these elements and one lock word for every `coverage` of them: less memory, more conflicts.
    ///
    /// # Errors
    /// `coverage` is not a power of two, or the host or the device has not enough memory, or the device failed.
    pub fn shared_with<T: GpuData>(&self, elements: &[T], coverage: usize) -> Result<Shared<T>, Error> {
        if !coverage.is_power_of_two() || coverage > MAX_COVERAGE {
            return Err(Error::Coverage { coverage, max: MAX_COVERAGE });
        }
        self.array(elements, 0, coverage, Granularity::Record)
    }

    /// Returns a shared array of records in which each field has lock words of its own. Transactions that use different fields of a
    /// record then do not conflict.
    ///
    /// Choose it where many transactions write one field of records while others use only other fields: a total of the year beside
    /// a tax rate that every order reads. It costs a lock word for each field instead of one for the record, and a transaction
    /// that uses several fields locks, or checks, each of them. Each field is what [`Device::shared`] makes of a scalar.
    ///
    /// ```
    /// use stm_runtime::prelude::*;
    ///
    /// #[derive(Clone, Copy, PartialEq, Debug, GpuData)]
    /// struct Shop {
    ///     tax: f32,
    ///     sold: i64,
    /// }
    ///
    /// # fn main() -> Result<(), Error> {
    /// let device = Device::cpu(1);
    /// // Sales write `sold`, which must not disturb those who only read `tax`.
    /// let shops = device.shared_by_field(&[Shop { tax: 0.19, sold: 0 }])?;
    /// # assert_eq!(shops.sold.to_vec()?, [0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Device::shared`].
    pub fn shared_by_field<T: GpuData>(&self, elements: &[T]) -> Result<Shared<T>, Error> {
        self.array(elements, 0, 1, Granularity::Field)
    }

    /// Returns an array in partitions of `N` elements; a transaction works on one partition. `elements` holds all partitions, one
    /// after
    /// the other.
    ///
    /// # Errors
    /// The length is not a multiple of `N`, or the host or the device has not enough memory, or the device failed.
    pub fn partitioned<T: GpuData, const N: usize>(&self, elements: &[T]) -> Result<Partitioned<T, N>, Error> {
        const { assert!(N > 0, "a part of a `Partitioned` needs at least one element") };
        if !elements.len().is_multiple_of(N) || elements.len() / N > MAX_PARTS {
            return Err(Error::Parts { elements: elements.len(), part: N });
        }
        Ok(Partitioned::new(self.array(elements, N, 1, Granularity::Record)?))
    }

    /// Returns a shared array of scalars in device memory of other code, one lock word for each: see [`Shared::adopt`].
    ///
    /// # Errors
    /// As [`Shared::adopt`], or [`Device::shared`].
    #[track_caller]
    pub fn adopt<M: ForeignMemory>(&self, memory: M) -> Result<Shared<M::Element>, NotAdopted<M>> {
        match self.zeros::<M::Element>(memory.elements(), 0, 1, Granularity::Record) {
            Ok(shared) => shared.adopt(memory).map(|()| shared),
            Err(error) => Err(NotAdopted { memory, error }),
        }
    }

    /// Returns a shared array with the elements of a file that [`Shared::save`] wrote, one lock word for each. [`Shared::load`] reads such
    /// a file into an array of another kind.
    ///
    /// ```
    /// # fn main() -> Result<(), stm_runtime::Error> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("accounts.array");
    /// let device = stm_runtime::Device::cpu(1);
    /// device.shared(&[100_i64, 200])?.save(&path)?;
    /// assert_eq!(device.load::<i64>(&path)?.to_vec()?, [100, 200]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The file cannot be read, is damaged, or holds elements of another type ([`Error::ArrayFile`]), or as [`Device::shared`].
    pub fn load<T: GpuData>(&self, path: impl AsRef<Path>) -> Result<Shared<T>, Error> {
        let mut source = Source::open::<T>(path.as_ref())?;
        let shared = self.zeros::<T>(source.elements, 0, 1, Granularity::Record)?;
        shared.take_from(&mut source)?;
        Ok(shared)
    }

    /// Allocates an array in partitions of `part` elements; 0 means no partitions.
    fn array<T: GpuData>(
        &self,
        elements: &[T],
        part: usize,
        coverage: usize,
        granularity: Granularity,
    ) -> Result<Shared<T>, Error> {
        let shared = self.zeros::<T>(elements.len(), part, coverage, granularity)?;
        shared.put(0..elements.len(), elements)?;
        Ok(shared)
    }

    /// Allocates an array whose words are 0, which need not be values of its type.
    fn zeros<T: GpuData>(
        &self,
        len: usize,
        part: usize,
        coverage: usize,
        granularity: Granularity,
    ) -> Result<Shared<T>, Error> {
        if len > MAX_LEN {
            return Err(NoMemory::for_elements::<u64>(WORDS, len).into());
        }
        let coverage_log2 = coverage.ilog2();
        let shape = |scalar| ArrayShape { scalar, len, part, coverage_log2 };
        let shapes: Vec<ArrayShape> = T::TYPE.scalars().into_iter().map(shape).collect();
        let stores = self.backend().allocate(&shapes, granularity)?;
        let arrays = Array::of_components(self.id(), shapes.into_iter().zip(stores), granularity);
        Ok(Shared::new(arrays, About { device: self.clone(), extent: len, part, first: 0, len, coverage_log2 }))
    }

    /// Returns an empty batch of transactions for this device.
    #[must_use]
    pub fn batch<'a>(&self) -> Batch<'a> {
        Batch::new(self.clone())
    }

    /// Returns an empty batch with room for that many transactions.
    ///
    /// # Errors
    /// As [`Batch::reserve`].
    pub fn batch_with_capacity<'a>(&self, transactions: usize) -> Result<Batch<'a>, Error> {
        let mut batch = self.batch();
        batch.reserve(transactions)?;
        Ok(batch)
    }

    /// Returns a handle of the same device whose batches run with another engine, unless their options name one. The engine is a
    /// name, with or without parameters, or a value. A batch takes arrays of either handle.
    ///
    /// ```
    /// # fn main() -> Result<(), stm_runtime::Error> {
    /// # use stm_runtime::{Device, Engine, Selection};
    /// let device = Device::cpu(2);
    /// let one_at_a_time = device.with_engine("serial")?;
    /// let mut batch = one_at_a_time.batch();
    /// let with_more_versions = device.with_engine("jvstm".parse::<Engine>()?.with("versions", 16)?)?;
    /// let measured = device.with_engine(Selection::auto())?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// There is no engine of that name, or it has no such parameter, or the parameter cannot have that value.
    pub fn with_engine<S: TryInto<Selection>>(&self, engine: S) -> Result<Device, Error>
    where
        Error: From<S::Error>,
    {
        Ok(self.starting_with(engine.try_into()?))
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason())
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.reason()).finish()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_automatic_tuning_gives_a_reason() {
        let device = Device::auto().unwrap();
        assert!(device.is_gpu() || device.reason().contains("because"), "{device}");
    }

    #[test]
    fn a_handle_with_another_engine_is_the_same_device() {
        let device = Device::cpu(1);
        let last = *crate::Engine::ALL.last().unwrap();
        let other = device.with_engine(last.name()).unwrap();
        assert!(other.id() == device.id() && other.clone().id() == other.id());
        assert!(matches!(device.with_engine("quick"), Err(Error::UnknownEngine { .. })));
        let report = other.batch().run().unwrap();
        assert_eq!(report.engine.engine(), last);
        assert_eq!(device.batch().run().unwrap().engine.engine(), crate::Engine::default());
    }

    #[test]
    fn coverage_is_a_power_of_two() {
        let device = Device::cpu(1);
        assert!(matches!(device.shared_with(&[1_u8; 8], 3), Err(Error::Coverage { coverage: 3, .. })));
        assert!(matches!(device.shared_with(&[1_u8; 8], 0), Err(Error::Coverage { .. })));
        assert_eq!(device.shared_with(&[1_u8; 8], 4).unwrap().coverage(), 4);
    }
}
