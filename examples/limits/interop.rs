//! Checks on a GPU that memory of other code of CUDA is adopted, changed by transactions, lent, and given back, in the order of its streams.

use std::error::Error as AnyError;
use std::io::{Write, stdout};
use std::sync::Arc;
use std::time::Instant;

use examples::{Teller, Transfer};
use gpu_transactions::cudarc::driver::{CudaContext, CudaEvent, CudaSlice, CudaStream, DeviceRepr};
use gpu_transactions::prelude::*;
use gpu_transactions::{ForeignMemory, GpuError, NotAdopted};

use crate::generated::transfer;

/// Bytes and number of the copies that keep a stream busy, for about a tenth of a second.
const BUSY: (usize, usize) = (512 << 20, 300);
const TRANSFERS: usize = 1 << 14;
/// The least balance, which no transfers exhaust.
const START: i64 = 1_000_000_000;

type Done<T> = Result<T, Box<dyn AnyError>>;

struct Checks {
    stream: Arc<CudaStream>,
    busy: [CudaSlice<u8>; 2],
    transfers: Vec<Transfer>,
    /// The balances at first, on the host and on the device, and after the transfers.
    before: Vec<i64>,
    source: CudaSlice<i64>,
    after: Vec<i64>,
    is_well: bool,
}

/// Makes all checks; returns whether all is well.
pub(crate) fn check(ordinal: usize, accounts: u32, seed: u64) -> Done<bool> {
    let context = CudaContext::new(ordinal)?;
    let (device, stream) = (Device::of_context(&context)?, context.new_stream()?);
    let transfers: Vec<Transfer> = Teller::new(seed, accounts).take(TRANSFERS).collect();
    let before: Vec<i64> = (0..i64::from(accounts)).map(|at| START + at).collect();
    let mut after = before.clone();
    for at in &transfers {
        after[at.from as usize] -= i64::from(at.amount);
        after[at.to as usize] += i64::from(at.amount);
    }
    let busy = [stream.alloc_zeros(BUSY.0)?, stream.alloc_zeros(BUSY.0)?];
    let source = stream.clone_htod(&before)?;
    let mut checks = Checks { stream, busy, transfers, before, source, after, is_well: true };
    writeln!(stdout(), "{accounts} accounts on {}\nplan", device.describe())?;
    checks.round_trip(&device)?;
    for engine in Engine::ALL {
        writeln!(stdout(), "{engine}")?;
        checks.round_trip(&device.with_engine(*engine)?)?;
    }
    checks.refusals(&device)?;
    writeln!(stdout(), "{}", if checks.is_well { "all is well" } else { "SOMETHING IS WRONG" })?;
    Ok(checks.is_well)
}

impl Checks {
    fn expect(&mut self, what: &str, is_so: bool) -> Done<()> {
        self.is_well &= is_so;
        Ok(writeln!(stdout(), "  {} {what}", if is_so { "yes  " } else { "WRONG" })?)
    }

    /// Returns whether these are the elements.
    fn seen<T: DeviceRepr + PartialEq>(&self, slice: &CudaSlice<T>, expected: &[T]) -> Done<bool> {
        let seen = self.stream.clone_dtoh(slice)?;
        self.stream.synchronize()?;
        Ok(seen == expected)
    }

    /// Gives the stream work, at whose end memory has the balances of the beginning. Returns the end.
    fn fill_late(&mut self, memory: &mut CudaSlice<i64>) -> Done<CudaEvent> {
        let [from, to] = &mut self.busy;
        (0..BUSY.1).try_for_each(|_| self.stream.memcpy_dtod(from, to))?;
        self.stream.memcpy_dtod(&self.source, memory)?;
        Ok(self.stream.record_event(None)?)
    }

    fn batch(&self, device: &Device, accounts: &Shared<i64>) -> Batch<'static> {
        let mut batch = device.batch();
        let call = |at: &Transfer| transfer::call(accounts, at.from, at.to, i64::from(at.amount));
        batch.extend(self.transfers.iter().map(call));
        batch
    }

    /// Runs the batch while the stream is busy.
    fn run_late(&mut self, batch: &Batch<'_>, end: &CudaEvent) -> Done<()> {
        let was_busy = !end.is_complete();
        let report = batch.run()?;
        self.expect("the run waits for a stream that is busy", was_busy && end.is_complete())?;
        self.expect("all transfers commit", report.committed == TRANSFERS as u64)
    }

    fn round_trip(&mut self, device: &Device) -> Done<()> {
        // After this run, the kernels are there.
        let own = device.shared(&self.before)?;
        match self.batch(device, &own).run() {
            Err(Error::Gpu(GpuError::NotInParts { .. })) => return Ok(()),
            ran => drop(ran?),
        }
        self.expect("memory of the library", own.to_vec()? == self.after)?;

        let mut slice = self.stream.alloc_zeros::<i64>(self.before.len())?;
        let (end, address) = (self.fill_late(&mut slice)?, slice.address());
        let accounts = device.adopt(slice)?;
        let batch = self.batch(device, &accounts);
        self.run_late(&batch, &end)?;
        self.expect("adopted", accounts.to_vec()? == self.after)?;

        let begin = Instant::now();
        let memory = accounts.device_memory()?;
        let lending = begin.elapsed();
        // SAFETY: as many elements are lent, and `leak` gives them up before they are back.
        let mut lent = unsafe { self.stream.upgrade_device_ptr::<i64>(memory.address(0), memory.len()) };
        let is_same = memory.address(0) == address && self.seen(&lent, &self.after)?;
        self.expect(&format!("lent where it was, in {} us", lending.as_micros()), is_same)?;
        let end = self.fill_late(&mut lent)?;
        lent.leak();
        device.join(&self.stream)?;
        drop(memory);
        self.run_late(&batch, &end)?;
        let slice: CudaSlice<i64> = accounts.give_back()?;
        let is_same = slice.address() == address && self.seen(&slice, &self.after)?;
        self.expect("given back", is_same)
    }

    fn refusals(&mut self, device: &Device) -> Done<()> {
        let bytes = device.adopt(self.stream.clone_htod(&[1_u8, 2, 3])?)?;
        bytes.write_range(1, &[9])?;
        let is_so = self.seen(&bytes.give_back::<CudaSlice<u8>>()?, &[1, 9, 3])?;
        self.expect("three bytes, there and back", is_so)?;
        let accounts = device.shared(&[1_i64, 2, 3])?;
        let other = CudaContext::new_non_primary(self.stream.context().ordinal(), 0)?;
        let theirs = other.new_stream()?;
        // SAFETY: nothing uses the memory but what refuses it, and `leak` gives it up.
        let none = unsafe { self.stream.upgrade_device_ptr::<i64>(256, 3) };
        for memory in [self.stream.clone_htod(&[7_i64, 8])?, theirs.clone_htod(&[1_i64, 2, 3])?, none] {
            let is_none = memory.address() == 256;
            let refused = accounts.adopt(memory).err();
            let why = refused.as_ref().map_or("nothing".into(), |refused| refused.error.to_string());
            self.expect(&format!("refused: {why}"), refused.is_some())?;
            refused.filter(|_| is_none).map(|NotAdopted { memory, .. }| memory.leak());
        }
        device.join(&theirs)?;
        let is_so = Device::of_context(&other).is_err() && accounts.to_vec()? == [1, 2, 3];
        self.expect("another context has streams to wait for, and is no place for transactions", is_so)
    }
}
