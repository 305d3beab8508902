//! The options of batches.

use std::time::Duration;

use stm_runtime::{Engine, Selection};
use stm_tests::draw::Draw;

use super::batches::some;
use crate::world::{Checked, Entry, World, flag};

/// Values of an option: valid and invalid ones.
struct Values<T: 'static> {
    good: &'static [T],
    hostile: &'static [T],
}

const THREADS: Values<usize> = Values { good: &[1, 1, 2, 3, 4, 8, 16, 33], hostile: &[0, usize::MAX] };
const LANES: Values<u32> = Values { good: &[1, 2, 3, 8, 31, 32], hostile: &[0, 33, 40, u32::MAX] };
const CHUNKS: Values<usize> = Values { good: &[1, 2, 7, 100, usize::MAX], hostile: &[0] };
const BLOCK_MEMORY: Values<usize> = Values { good: &[1, 2000, 48 << 10, 227 << 10, usize::MAX], hostile: &[0] };
const PASSES: Values<u64> = Values { good: &[1, 2, 3, 1000, u64::MAX], hostile: &[0] };
const TIMES: [Duration; 7] = [
    Duration::ZERO,
    Duration::from_nanos(1),
    Duration::from_micros(20),
    Duration::from_millis(1),
    Duration::from_millis(20),
    Duration::from_secs(3600),
    Duration::MAX,
];

impl<T: Copy> Values<T> {
    /// Returns a value, and whether it is invalid.
    fn draw(&self, draw: &mut Draw) -> (T, bool) {
        let is_hostile = draw.chance(60);
        (*draw.pick(if is_hostile { self.hostile } else { self.good }), is_hostile)
    }
}

/// Sets an option.
pub(super) fn set(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let Some(at) = some(world, draw) else { return Ok(()) };
    match draw.below(12) {
        what @ 0..=4 => number(world, at, what, draw),
        5 => {
            let limit = *draw.pick(&TIMES);
            configure(world, at, format!("time_limit({limit:?})"), |batch| {
                batch.change(|options| options.time_limit(limit));
                batch.settings.time_limit = Some(limit);
            });
        }
        6 => {
            let value = draw.chance(300);
            configure(world, at, format!("stop_when({value})"), |batch| {
                let stop = flag(value);
                batch.change(|options| options.stop_when(stop.clone()));
                batch.settings.stop = Some(stop);
                batch.settings.may_be_stopped = false;
            });
        }
        7 => {
            let seed = draw.bits();
            configure(world, at, format!("seed({seed})"), |batch| batch.change(|options| options.seed(seed)));
        }
        8 if world.batches[at].fixed.is_none() => {
            let phases = draw.chance(500);
            configure(world, at, format!("phases({phases})"), |batch| batch.change(|options| options.phases(phases)));
        }
        // In the emulator both together, because each combination is another unit.
        9..=11 => {
            let check = draw.chance(600);
            let profile = if world.batches[at].fixed.is_some() { check } else { draw.chance(400) };
            configure(world, at, format!("check({check}).profile({profile})"), |batch| {
                batch.change(|options| options.check(check).profile(profile));
                (batch.settings.check, batch.settings.profile) = (check, profile);
            });
        }
        _ => {}
    }
    Ok(())
}

/// Sets a numeric option.
fn number(world: &mut World<'_>, at: usize, what: usize, draw: &mut Draw) {
    match what {
        0 => {
            let (threads, is_hostile) = THREADS.draw(draw);
            // The device uses at most its own number of threads, however large the number in the options.
            let is_refused = is_hostile && (threads == 0 || world.batches[at].fixed.is_none());
            configure(world, at, format!("threads({threads})"), |batch| {
                batch.change(|options| options.threads(threads));
                batch.settings.threads = Some(threads);
                batch.settings.option("threads", is_refused);
            });
        }
        1 => {
            let (lanes, is_refused) = LANES.draw(draw);
            configure(world, at, format!("lanes({lanes})"), |batch| {
                batch.change(|options| options.lanes(lanes));
                batch.settings.option("lanes", is_refused);
            });
        }
        2 => {
            let (transactions, is_refused) = CHUNKS.draw(draw);
            configure(world, at, format!("chunk_size({transactions})"), |batch| {
                batch.change(|options| options.chunk_size(transactions));
                batch.settings.option("chunk_size", is_refused);
            });
        }
        3 => {
            let (passes, is_refused) = PASSES.draw(draw);
            configure(world, at, format!("pass_limit({passes})"), |batch| {
                batch.change(|options| options.pass_limit(passes));
                batch.settings.pass_limit = Some(passes);
                batch.settings.option("pass_limit", is_refused);
            });
        }
        _ => {
            let (bytes, is_refused) = BLOCK_MEMORY.draw(draw);
            configure(world, at, format!("block_memory({bytes})"), |batch| {
                batch.change(|options| options.block_memory(bytes));
                batch.settings.little_local_memory = bytes < 48 << 10;
                batch.settings.option("block_memory", is_refused);
            });
        }
    }
}

fn configure(world: &mut World<'_>, at: usize, text: String, set: impl FnOnce(&mut Entry)) {
    world.call(format!("batch {at}: {text}"));
    set(&mut world.batches[at]);
}

/// Chooses an engine, or several for autotuning.
pub(super) fn engine(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let Some(at) = some(world, draw) else { return Ok(()) };
    let all: &[Engine] = match world.batches[at].fixed {
        Some(_) if !world.scope.all_engines => &[Engine::ALL[0], Engine::ALL[Engine::ALL.len() - 1]],
        _ => Engine::ALL,
    };
    let (mut one, other) = (*draw.pick(all), *draw.pick(all));
    if world.scope.all_engines && draw.chance(300) {
        one = at_a_bound(one, draw);
    }
    // Autotuning compiles several units.
    let is_measured = (world.batches[at].fixed.is_none() || world.scope.all_engines) && draw.chance(150);
    let (selection, engines) = match is_measured {
        true if draw.chance(200) => (Selection::auto(), Engine::ALL.to_vec()),
        true => (Selection::among([one, other]), vec![one, other]),
        false => (Selection::from(one), vec![one]),
    };
    configure(world, at, format!("engine({selection}) of {engines:?}"), |batch| {
        batch.change(|options| options.engine(selection));
        batch.settings.engines = engines;
    });
    Ok(())
}

/// Returns the engine with one of its parameters at a bound.
fn at_a_bound(engine: Engine, draw: &mut Draw) -> Engine {
    let all: Vec<_> = engine.parameters().map(|(parameter, _)| parameter).collect();
    let Some(parameter) = all.get(draw.below(all.len())) else { return engine };
    let value = if draw.chance(500) { parameter.least } else { parameter.most };
    engine.with(parameter.name, value).expect("the bounds of a parameter are among its values")
}
