//! The memory of versions with a place for each write (`placed_versions.cuh`).

use super::engine_memory::Extent;

/// The header, and the keys as they come, in whole cells, for each listing.
pub(super) fn first_keys(extent: Extent) -> u64 {
    places(extent).map(|(places, _)| 32 + places.div_ceil(4) * 16).sum()
}

/// The cells, the other keys and the places, each twice, and the counts of the digits: of all blocks, and of each of them. For each listing. Then the
/// values that are not read.
pub(super) fn versions(extent: Extent) -> u64 {
    let of_listing = |(places, cells): (u64, u64)| {
        let blocks = places / SORT_SHARE + 1;
        (places * (16 + 16 * cells) + 4 * 256 * (1 + blocks)).next_multiple_of(16)
    };
    places(extent).map(of_listing).sum::<u64>() + 8 * extent.transactions * u64::from(extent.listings.unread)
}

/// Returns the places of each listing, and the cells of each place.
fn places(extent: Extent) -> impl Iterator<Item = (u64, u64)> {
    let listings = extent.listings.places.into_iter().zip(extent.listings.cells);
    let listings = listings.map(move |(places, cells)| (extent.transactions * u64::from(places), u64::from(cells)));
    listings.filter(|(places, _)| *places > 0)
}

/// The fewest places of a block that sorts: `STM_SORT_SHARE`.
const SORT_SHARE: u64 = 4096;
