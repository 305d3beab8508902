//! Lines that transactions print on a device: a buffer that a launch fills, and the host formats.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use kernels_gen::abi::lines::{HEAD, ROOM, named};
use kernels_gen::spec::{Line, LinePart};

use crate::backend::Job;
use crate::data::Shown;
use crate::error::GpuError;
use crate::gpu::backend::{DeviceBuffer, Driver, HostSliceMut};
use crate::memory;

/// The buffer of one run of a batch with a procedure that prints.
pub(crate) struct Lines(DeviceBuffer);

impl Lines {
    /// Returns an empty buffer; `None` where no procedure prints.
    pub(crate) fn new(backend: &Arc<dyn Driver>, job: &Job<'_>) -> Result<Option<Lines>, GpuError> {
        if job.procedures.iter().all(|procedure| procedure.spec.lines.is_empty()) {
            return Ok(None);
        }
        let buffer = DeviceBuffer::new(backend, "the lines that transactions print", 8 * (HEAD + ROOM))?;
        buffer.zero()?;
        Ok(Some(Lines(buffer)))
    }

    pub(crate) fn address(&self) -> u64 {
        self.0.address()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.0.bytes() as u64
    }

    /// Prints the lines of a launch, and empties the buffer for the next one.
    pub(crate) fn flush(&self, job: &Job<'_>) -> Result<(), GpuError> {
        let mut head = [0; HEAD];
        self.0.download(0, HostSliceMut::U64(&mut head))?;
        let [asked, lost] = head;
        if asked == 0 {
            return Ok(());
        }
        let mut words = memory::zeroed("printed lines", ROOM.min(asked as usize))?;
        self.0.download(8 * HEAD, HostSliceMut::U64(&mut words))?;
        self.0.zero()?;
        each(&words, job, |line| job.printer.line(format_args!("{line}")));
        job.printer.lose(lost);
        Ok(())
    }
}

/// Calls `print` for each record. A word that names no line ends the list: a record did not fit, or a launch was cut off.
fn each(mut words: &[u64], job: &Job<'_>, print: impl Fn(Printed<'_>)) {
    while let Some((name, rest)) = words.split_first() {
        let line = named(*name).and_then(|(procedure, location)| {
            let lines = job.procedures.get(procedure)?.spec.lines;
            lines.binary_search_by_key(&location, |line| line.location).ok().map(|at| &lines[at])
        });
        let Some(line) = line else { return };
        let Some((values, rest)) = rest.split_at_checked(line.words()) else { return };
        print(Printed { line, values });
        words = rest;
    }
}

/// A line with the words of its values.
struct Printed<'a> {
    line: &'a Line,
    values: &'a [u64],
}

impl Display for Printed<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut values = self.values;
        for part in &self.line.parts {
            match part {
                LinePart::Text(text) => f.write_str(text)?,
                LinePart::Value { ty, how } => {
                    let (words, rest) = values.split_at_checked(ty.components()).unwrap_or_default();
                    Shown { ty: *ty, words }.print(*how, f)?;
                    values = rest;
                }
            }
        }
        Ok(())
    }
}
