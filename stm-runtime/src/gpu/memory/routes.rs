//! The transactions of a chunk, listed by the devices of a cluster that have their elements (`route.cuh`).

use std::sync::Arc;

use kernels_gen::abi::routes::{DEVICES, DIVIDED, HEAD, MOST_DEVICES};

use crate::error::GpuError;
use crate::gpu::backend::{Cluster, DeviceBuffer, Driver, HostSlice};

/// Memory for the lists: each can have all transactions.
pub(crate) struct Routes {
    buffer: DeviceBuffer,
    /// What it begins with while nothing is listed.
    head: [u64; HEAD],
    /// Whether the transactions of the chunk are listed.
    pub(crate) are_filled: bool,
}

impl Routes {
    /// Allocates a list for each device, with room for that many transactions.
    ///
    /// # Panics
    /// There are more devices than a cluster has: a bug of what opens it.
    pub(crate) fn new(backend: &Arc<dyn Driver>, cluster: Cluster, transactions: usize) -> Result<Routes, GpuError> {
        assert!(cluster.devices <= MOST_DEVICES, "a cluster has no more devices");
        let bytes = 8 * HEAD + 4 * cluster.devices * (transactions + transactions.div_ceil(4));
        let buffer = DeviceBuffer::new(backend, "transactions by device", bytes)?;
        let mut head = [0; HEAD];
        (head[DEVICES], head[DIVIDED]) = (cluster.devices as u64, cluster.divided);
        Ok(Routes { buffer, head, are_filled: false })
    }

    /// Forgets what is listed.
    pub(crate) fn clear(&mut self) -> Result<(), GpuError> {
        self.are_filled = false;
        self.buffer.upload(0, HostSlice::U64(&self.head))
    }

    pub(crate) fn address(&self) -> u64 {
        self.buffer.address()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.buffer.bytes() as u64
    }
}
