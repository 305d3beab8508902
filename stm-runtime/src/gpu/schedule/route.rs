//! How the transactions of a chunk are listed by the devices of a cluster.

use std::sync::Arc;

use kernels_gen::device::{Stage, Work};

use super::geometry::Geometry;
use crate::error::GpuError;
use crate::gpu::backend::{Cluster, Driver};
use crate::gpu::memory::routes::Routes;

/// The stage that lists them, and the lists.
pub(crate) struct Route {
    pub(super) stage: &'static Stage,
    pub(super) geometry: Geometry,
    pub(super) lists: Routes,
}

impl Route {
    /// Takes that stage from those before the execution. Returns `None` where one device runs all of that many threads.
    pub(super) fn of(
        backend: &Arc<dyn Driver>,
        visits: &mut Vec<(&'static Stage, Geometry)>,
        (cluster, threads): (Cluster, u64),
        capacity: usize,
    ) -> Result<Option<Route>, GpuError> {
        let Some(at) = visits.iter().position(|(stage, _)| matches!(stage.work, Work::Route(..))) else {
            return Ok(None);
        };
        let (stage, geometry) = visits.remove(at);
        if !cluster.divides(threads) {
            return Ok(None);
        }
        Ok(Some(Route { stage, geometry, lists: Routes::new(backend, cluster, capacity)? }))
    }

    pub(super) fn bytes(&self) -> u64 {
        self.lists.bytes()
    }
}
