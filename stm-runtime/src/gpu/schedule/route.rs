//! The launch that lists the transactions of a chunk by the devices of a cluster, before all others.

use kernels_gen::device::{Stage, Work};

use super::geometry::Geometry;
use super::run::{Run, SLICE};
use crate::error::GpuError;
use crate::gpu::memory::partitions::Groups;
use crate::gpu::memory::routes::Routes;

/// How the transactions of a chunk are listed.
pub(crate) struct Route {
    pub(super) stage: &'static Stage,
    pub(super) geometry: Geometry,
    pub(super) lists: Routes,
}

/// Takes the stage that lists transactions from those before the execution.
pub(super) fn taken(visits: &mut Vec<(&'static Stage, Geometry)>) -> Option<(&'static Stage, Geometry)> {
    let at = visits.iter().position(|(stage, _)| matches!(stage.work, Work::Route(..)))?;
    Some(visits.remove(at))
}

impl Run<'_, '_> {
    /// Lists the transactions of a chunk that is on the device now, if several devices run it.
    pub(super) fn route(&mut self, chunk: (u64, Groups)) -> Result<(), GpuError> {
        let Some(Route { stage, geometry, lists }) = &mut self.route else { return Ok(()) };
        lists.clear()?;
        let (stage, geometry, routes) = (*stage, *geometry, lists.address());
        let mut parameters = self.parameters(geometry, chunk, true, SLICE);
        parameters.routes = routes;
        self.start(stage.entry, geometry, &parameters)?;
        self.route.iter_mut().for_each(|route| route.lists.are_filled = true);
        Ok(())
    }

    /// Returns where the transactions of the chunk are listed; 0 if they are not.
    pub(super) fn routes_address(&self) -> u64 {
        let lists = self.route.as_ref().map(|route| &route.lists);
        lists.filter(|lists| lists.are_filled).map_or(0, Routes::address)
    }
}
