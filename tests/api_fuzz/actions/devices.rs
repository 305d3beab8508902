//! Devices and their names.

use stm_runtime::{Device, EmulatorOptions, Engine, Sanitizer, Schedule};
use stm_tests::draw::Draw;

use super::names::spoil;
use crate::world::{Checked, MOST_CPU_THREADS, Place, Sort, World, must};

/// The largest number of devices in one sequence.
const MOST: usize = 4;
/// The largest number of threads of a device here: each run starts all of them.
const MOST_THREADS: usize = 64;

const NAMES: &[&str] = &[
    "auto",
    "cpu",
    "cpu:0",
    "cpu:1",
    "cpu:3",
    "cpu:64",
    "cpu:2@7",
    "cpu@9",
    "cpu:1@18446744073709551615",
    "cuda",
    "cuda:0",
    "cuda:1",
    "cuda:18446744073709551615",
    "cpu:18446744073709551616",
    "cpu:-1",
    "cpu:@",
    "@",
    ":",
    "",
    "CPU",
    "cpu:+1",
    "cpu:1:2",
    "cpu: 1",
    "auto@1",
    "cuda:0@1",
    "cpu:1@2@3",
    "gpu",
    "cpu\0",
];

/// Opens a device that transactions run on.
pub(super) fn create(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    if world.places.len() >= MOST {
        return Ok(());
    }
    let at = world.places.len();
    if world.scope.emulator && (at == 0 || draw.chance(300)) {
        return emulated(world, draw);
    }
    let is_refused = draw.chance(30);
    let threads = match is_refused {
        true => *draw.pick(&[MOST_CPU_THREADS + 1, usize::MAX]),
        false => *draw.pick(&[0, 1, 1, 2, 2, 3, 4, 7, 33]),
    };
    let (device, sort) = match draw.chance(300) {
        true => {
            let (threads, seed) = (if is_refused { threads } else { threads.min(4) }, draw.bits());
            world.call(format!("device {at}: cpu_seeded({threads}, {seed})"));
            let device = Device::cpu_seeded(threads, seed);
            (device, Sort::Seeded(threads))
        }
        false => {
            world.call(format!("device {at}: cpu({threads})"));
            (Device::cpu(threads), Sort::Threads(threads))
        }
    };
    must!(!device.is_gpu(), "{device} is no CPU");
    add(world, device, sort, false);
    world.places[at].is_refused = is_refused;
    Ok(())
}

fn add(world: &mut World<'_>, device: Device, sort: Sort, is_poor: bool) {
    world.places.push(Place { device, sort, is_poor, is_refused: false, engines: vec![Engine::default()] });
}

/// Opens an emulated device; its options may be invalid, so that opening must fail.
fn emulated(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let mut options = match draw.chance(500) {
        true => EmulatorOptions::threads(),
        false => EmulatorOptions::fibers(draw.bits()),
    };
    options.threads = *draw.pick(&[1, 31, 32, 33, 64, 64, 64, 100, u64::MAX]);
    if draw.chance(100) {
        options.threads = 0;
    }
    options.block = *draw.pick(&[32, 32, 64, 96, 256, 0, 31, 33, 288, u32::MAX]);
    let mut is_poor = false;
    if draw.chance(100) {
        is_poor = true;
        options.max_steps = *draw.pick(&[0, 1, 50, 1000, u64::MAX]);
        options.memory = *draw.pick(&[0, 1, 4096, 1 << 14, 1 << 30, u64::MAX]);
    }
    if options.schedule == Schedule::Threads {
        // Each thread costs a thread of the host.
        options.max_steps = options.max_steps.max(1000);
    }
    if draw.chance(30) {
        // A sanitizer must be loaded when a process starts.
        options.sanitizer = Some(*draw.pick(&[Sanitizer::Thread, Sanitizer::Address]));
    }
    let is_whole = (32..=256).contains(&options.block) && options.block % 32 == 0 && options.threads > 0;
    let is_good = is_whole && options.sanitizer.is_none();
    world.call(format!("device {}: emulated({options:?})", world.places.len()));
    match Device::emulated(options) {
        Ok(device) => {
            must!(is_good, "{device} should have been refused");
            add(world, device, Sort::Emulated, is_poor);
            Ok(())
        }
        Err(_) if !is_good => Ok(()),
        Err(why) => Err(format!("no emulator: {why}")),
    }
}

/// Calls all infallible methods.
pub(super) fn look(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let at = draw.below(world.places.len());
    world.call(format!("look at device {at}"));
    let Some(place) = world.places.get(at) else { return Ok(()) };
    let device = place.device.clone();
    let engine = *draw.pick(Engine::ALL);
    let text = format!("{device} {device:?} {} {} {}", device.reason(), device.describe(), device.algorithm(engine));
    must!(text.len() > 20, "{text}");
    must!(device.is_gpu() == (place.sort == Sort::Emulated), "{device} is another sort of device");
    must!(device.batch().is_empty(), "a new batch has transactions");
    Ok(())
}

/// Opens a device by a name as users type it, or by a similar name.
pub(super) fn by_name(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let mut name = (*draw.pick(NAMES)).to_owned();
    if draw.chance(300) {
        name = spoil(&name, draw);
    }
    world.call(format!("{name:?}.parse::<Device>()"));
    let device = match name.parse::<Device>() {
        Ok(device) => device,
        Err(why) => {
            must!(!why.to_string().is_empty(), "an error without words");
            return Ok(());
        }
    };
    must!(!device.reason().is_empty(), "{name:?}: no reason for the tuning");
    // Other tests cover GPUs and devices of very many threads.
    let number = name.trim_start_matches("cpu").trim_start_matches(':').split('@').next().unwrap_or_default();
    let threads = number.parse().unwrap_or(0);
    if !device.is_gpu() && threads <= MOST_THREADS && world.places.len() < MOST {
        let sort = if name.contains('@') { Sort::Seeded(threads) } else { Sort::Threads(threads) };
        add(world, device, sort, false);
    }
    Ok(())
}

/// Sets another engine for the batches of the same device: a new entry would count as another device.
pub(super) fn with_engine(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let at = draw.below(world.places.len());
    let Some(place) = world.places.get(at).filter(|place| place.sort != Sort::Emulated) else { return Ok(()) };
    let device = place.device.clone();
    let name = super::names::engine(draw);
    world.call(format!("device {at}: with_engine({name:?})"));
    match (device.with_engine(name.as_str()), name.parse::<Engine>()) {
        (Ok(device), engine) if ["auto", "plan"].contains(&name.trim()) || engine.is_ok() => {
            let engines = engine.map_or_else(|_| vec![Engine::default()], |engine| vec![engine]);
            let place = &mut world.places[at];
            (place.device, place.engines) = (device, engines);
            Ok(())
        }
        (Err(_), Err(_)) => Ok(()),
        (device, engine) => Err(format!("{name:?} is {device:?} for a device and {engine:?} as an engine")),
    }
}
