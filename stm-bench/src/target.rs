//! The device on which cells are or were measured, as their keys name it.

use stm_runtime::Device;

use crate::contender::Contender;
use crate::journal::Journal;

/// A device, of this machine or of another.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    name: String,
    is_gpu: bool,
}

impl Target {
    /// Returns the target for a device of this machine.
    pub(crate) fn of(device: &Device) -> Target {
        Target { name: device.describe(), is_gpu: device.is_gpu() }
    }

    /// Returns the device that measured last; `None` if nothing is stored.
    pub(crate) fn kept(journal: &Journal) -> Option<Target> {
        let (session, cell) = (journal.sessions.last()?, journal.cells.last()?);
        Some(Target { name: cell.key.device.clone(), is_gpu: session.machine.gpu })
    }

    /// Returns a description for people.
    pub(crate) fn describe(&self) -> String {
        self.name.clone()
    }

    /// Returns whether it runs generated CUDA C.
    pub(crate) fn is_gpu(&self) -> bool {
        self.is_gpu
    }

    /// Returns the algorithm that runs there for a requested engine; the plan has its own name.
    pub(crate) fn algorithm(&self, contender: Contender) -> String {
        match contender {
            Contender::Engine(engine) if !self.is_gpu => Device::cpu(1).algorithm(engine).name(),
            _ => contender.to_string(),
        }
    }
}
