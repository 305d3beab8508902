//! Shared arrays.

use stm_runtime::{Device, Error, Partition, Shared};
use stm_tests::draw::Draw;
use stm_tests::procedures::locals::Seat;
use stm_tests::procedures::records::{Light, Parts, Purses};

use crate::arrays::{Element, Parameter};
use crate::procedures::Room;
use crate::world::{Checked, World, must};

/// Creates an array of a type.
type Create = fn(&mut World<'_>, usize, usize, &mut Draw) -> Checked<usize>;

fn of<P: Parameter>(world: &mut World<'_>, place: usize, coverage: usize, draw: &mut Draw) -> Checked<usize> {
    world.create::<P>(place, coverage, draw)
}

const TYPES: &[Create] = &[
    of::<Shared<bool>>,
    of::<Shared<i8>>,
    of::<Shared<i16>>,
    of::<Shared<i32>>,
    of::<Shared<i64>>,
    of::<Shared<i64>>,
    of::<Shared<isize>>,
    of::<Shared<u8>>,
    of::<Shared<u16>>,
    of::<Shared<u32>>,
    of::<Shared<u64>>,
    of::<Shared<usize>>,
    of::<Shared<f32>>,
    of::<Shared<f64>>,
    of::<Shared<Light>>,
    of::<Shared<(u8, i64)>>,
    of::<Shared<[u16; 3]>>,
    of::<Shared<Option<u32>>>,
    of::<Shared<(Light, u32)>>,
    of::<Shared<Purses>>,
    of::<Shared<Parts>>,
    of::<Shared<Room>>,
    of::<Partition<u8, 2>>,
    of::<Partition<u32, 4>>,
    of::<Partition<i64, 8>>,
    of::<Partition<Seat, 4>>,
];

/// Valid lock coverages.
pub(super) const COVERAGES: [usize; 6] = [1, 2, 4, 64, 1 << 20, 1 << 30];

/// The largest number of arrays in one sequence.
const MOST: usize = 50;

/// Creates an array of any type, length and coverage.
pub(super) fn create(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    if world.shelves.len() >= MOST {
        return Ok(());
    }
    let place = draw.below(world.places.len());
    let coverage = if draw.chance(300) { *draw.pick(&COVERAGES) } else { 1 };
    let create = *draw.pick(TYPES);
    create(world, place, coverage, draw).map(drop)
}

/// Tries to create invalid arrays.
pub(super) fn refused(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let device = world.places[draw.below(world.places.len())].device.clone();
    let coverage = *draw.pick(&[0, 3, 6, 12, 1 << 31, 1 << 63, usize::MAX]);
    world.call(format!("shared_with(.., {coverage})"));
    let shared = device.shared_with(&[1_u8; 5], coverage);
    let is_refused = matches!(&shared, Err(Error::Coverage { coverage: reported, .. }) if *reported == coverage);
    must!(is_refused, "a coverage of {coverage}: {shared:?}");
    parts::<u8, 3>(&device, draw.below(20))?;
    parts::<Room, 7>(&device, draw.below(20))?;
    // Without components: such arrays can be created and read, and nothing else.
    let nothing =
        device.shared(&vec![(); draw.below(9)]).map_err(|why| format!("elements without components: {why}"))?;
    let read = nothing.to_vec().map(|elements| elements.len());
    must!(read == Ok(nothing.len()), "{nothing:?} holds {read:?} elements");
    Ok(())
}

/// Checks that a partitioned array accepts only whole partitions.
fn parts<T: Element, const N: usize>(device: &Device, elements: usize) -> Checked {
    let values: Vec<T> = (0..elements).map(|_| Draw::new(3).value()).collect();
    match device.partitioned::<T, N>(&values) {
        Ok(array) if elements.is_multiple_of(N) => {
            must!(array.parts() as usize == elements / N, "{array:?} of {elements} elements");
            Ok(())
        }
        Err(Error::Parts { elements: reported, part })
            if !elements.is_multiple_of(N) && reported == elements && part == N =>
        {
            Ok(())
        }
        other => Err(format!("{elements} elements in parts of {N}: {other:?}")),
    }
}

/// Reads an array and compares it with the expected words.
pub(super) fn compare(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let Some(at) = world.shelf(draw) else { return Ok(()) };
    world.call(format!("read array {at}"));
    world.compare(at)
}

/// Calls all infallible methods, on a clone.
pub(super) fn look(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let Some(at) = world.shelf(draw) else { return Ok(()) };
    world.call(format!("look at array {at}"));
    let shelf = &mut world.shelves[at];
    let elements = shelf.elements;
    // The clone stays, and the original handle is dropped.
    shelf.held = shelf.held.as_ref().map(|held| held.again());
    shelf.held.as_ref().map_or(Ok(()), |held| held.look(elements))
}

/// Adds the fields of an array as arrays of their own.
pub(super) fn fields(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let Some(at) = world.shelf(draw).filter(|_| world.shelves.len() < MOST) else { return Ok(()) };
    world.call(format!("the fields of array {at} are arrays from {} on", world.shelves.len()));
    world.add_fields(at);
    Ok(())
}

/// Drops an array, which batches may still use.
pub(super) fn drop_one(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let Some(at) = world.shelf(draw) else { return Ok(()) };
    world.call(format!("drop array {at}"));
    world.shelves[at].held = None;
    Ok(())
}
