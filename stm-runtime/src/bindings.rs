//! What a table knows of the functions and regions it was called with: kinds, regions, columns, and how they go together.

use crate::columns::{Column, Width};
use crate::device::Device;
use crate::error::Error;
use crate::job::Binding;
use crate::keymap::KeyMap;
use crate::kind::{Compiled, Kind};
use crate::region::Region;

/// The most bindings of one table: rows name theirs with 16 bits.
const MAX_BINDINGS: usize = 65_535;
/// The most regions of one table.
const MAX_REGIONS: usize = 64;
/// The most argument columns of one table.
const MAX_COLUMNS: usize = 64;

/// The bindings of a table.
#[derive(Debug, Default)]
pub(crate) struct Bindings {
    pub(crate) kinds: Vec<Compiled>,
    pub(crate) list: Vec<Binding>,
    pub(crate) regions: Vec<Region>,
    pub(crate) columns: Vec<Column>,
    /// The most leaves that a kind's result has.
    pub(crate) results: usize,
    /// How many rows there should be room for.
    pub(crate) wanted: usize,
    /// Bindings by [`hash`].
    found: KeyMap,
}

impl Bindings {
    /// The binding at an index is that of this kind and these regions.
    #[inline]
    pub(crate) fn is(&self, at: usize, kind: &'static Kind, regions: &[&Region]) -> bool {
        let Some(binding) = self.list.get(at) else { return false };
        std::ptr::eq(self.kinds[binding.kind].kind, kind)
            && binding.regions.len() == regions.len()
            && binding.regions.iter().zip(regions).all(|(known, region)| self.regions[*known].same(region))
    }

    /// The index of the binding of this kind and these regions, new or not.
    pub(crate) fn find(
        &mut self,
        device: &Device,
        row: usize,
        kind: &'static Kind,
        regions: &[&Region],
    ) -> Result<usize, Error> {
        let mut key = hash(kind, regions);
        while let Some(at) = self.found.get(key) {
            if self.is(at, kind, regions) {
                return Ok(at);
            }
            key = key.wrapping_add(1);
        }
        let binding = self.bind(device, row, kind, regions)?;
        let at = self.list.len();
        self.list.push(binding);
        self.found.make_room()?;
        self.found.insert(key, at);
        Ok(at)
    }

    #[cold]
    fn bind(
        &mut self,
        device: &Device,
        row: usize,
        kind: &'static Kind,
        regions: &[&Region],
    ) -> Result<Binding, Error> {
        if self.list.len() == MAX_BINDINGS {
            return Err(Error::TableFull { row, what: "pairs of function and regions", max: MAX_BINDINGS });
        }
        let compiled = kind.compiled()?;
        for ((parameter, role), region) in compiled.regions().zip(regions) {
            if !region.device().same(device) {
                let device = device.describe();
                return Err(Error::ForeignRegion { row, kind: kind.name(), parameter, device });
            }
            if role.part().is_none() && region.part() != 0 {
                return Err(Error::NotShared { row, kind: kind.name(), parameter });
            }
        }
        let regions = regions.iter().map(|region| self.region(row, region)).collect::<Result<_, _>>()?;
        let columns = self.columns_for(row, compiled)?;
        let kind = self.kind(compiled);
        Ok(Binding { kind, regions, columns })
    }

    fn region(&mut self, row: usize, region: &Region) -> Result<usize, Error> {
        if let Some(at) = self.regions.iter().position(|known| known.same(region)) {
            return Ok(at);
        }
        if self.regions.len() == MAX_REGIONS {
            return Err(Error::TableFull { row, what: "regions", max: MAX_REGIONS });
        }
        self.regions.push(region.clone());
        Ok(self.regions.len() - 1)
    }

    /// The k-th value of a width goes into the k-th column of that width, so that kinds share columns.
    fn columns_for(&mut self, row: usize, kind: Compiled) -> Result<Vec<usize>, Error> {
        let mut used: Vec<usize> = Vec::new();
        for (_, scalar) in kind.values() {
            let width = Width::of(scalar.size());
            let free = |(at, column): (usize, &Column)| (column.width() == width && !used.contains(&at)).then_some(at);
            let at = match self.columns.iter().enumerate().find_map(free) {
                Some(at) => at,
                None if self.columns.len() == MAX_COLUMNS => {
                    return Err(Error::TableFull { row, what: "argument columns", max: MAX_COLUMNS });
                }
                None => {
                    let mut column = Column::new(width);
                    column.reserve(self.wanted)?;
                    self.columns.push(column);
                    self.columns.len() - 1
                }
            };
            used.push(at);
        }
        Ok(used)
    }

    fn kind(&mut self, kind: Compiled) -> usize {
        self.kinds.iter().position(|known| std::ptr::eq(known.kind, kind.kind)).unwrap_or_else(|| {
            self.results = self.results.max(kind.spec.result.len());
            self.kinds.push(kind);
            self.kinds.len() - 1
        })
    }
}

/// What is wrong with a call whose `Local` parameters are different parts; `which` of them differs from the first.
pub(crate) fn parts_differ(row: usize, kind: &'static Kind, which: usize, parts: [u32; 2]) -> Error {
    let compiled = match kind.compiled() {
        Ok(compiled) => compiled,
        Err(error) => return error,
    };
    // A parameter of records has several leaves: the names are those of the parameters.
    let of = |name: &'static str| name.split_once('.').map_or(name, |(parameter, _)| parameter);
    let mut names: Vec<&str> =
        compiled.regions().filter(|(_, role)| role.part().is_some()).map(|(name, _)| of(name)).collect();
    names.dedup();
    let name = |at: usize| names.get(at).copied().unwrap_or_default();
    Error::PartsDiffer { row, kind: kind.name(), parameters: [name(0), name(which)], parts }
}

fn hash(kind: &'static Kind, regions: &[&Region]) -> u64 {
    let mix = |sum: u64, part: u64| (sum.rotate_left(23) ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let kind = std::ptr::from_ref(kind).addr() as u64;
    regions.iter().fold(mix(0, kind), |sum, region| mix(sum, region.identity()))
}
