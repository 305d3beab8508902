//! Where cells are measured, or were: what their keys say of it.

use stm_runtime::{Device, Engine};

use crate::journal::Journal;

/// A device, of this machine or of another.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    name: String,
    is_gpu: bool,
}

impl Target {
    /// A device of this machine.
    pub(crate) fn of(device: &Device) -> Target {
        Target { name: device.describe(), is_gpu: device.is_gpu() }
    }

    /// The one that measured last; `None` where nothing is kept.
    pub(crate) fn kept(journal: &Journal) -> Option<Target> {
        let (session, cell) = (journal.sessions.last()?, journal.cells.last()?);
        Some(Target { name: cell.key.device.clone(), is_gpu: session.machine.gpu })
    }

    /// What it is, for people.
    pub(crate) fn describe(&self) -> String {
        self.name.clone()
    }

    /// It runs generated CUDA C.
    pub(crate) fn is_gpu(&self) -> bool {
        self.is_gpu
    }

    /// The algorithm that runs there where an engine is asked for.
    pub(crate) fn algorithm(&self, engine: Engine) -> String {
        if self.is_gpu { engine.to_string() } else { Device::cpu(1).algorithm(engine).name() }
    }
}
