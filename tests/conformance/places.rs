//! The columns of the matrix: a back end with an engine.

use stm_runtime::{Device, Engine, Error};
use stm_tests::{Backend, Environment, engines_for_cpu};

use crate::options::Options;

/// One column: the environments on which a scenario must hold there.
pub(crate) struct Place {
    /// For people.
    pub(crate) name: String,
    /// One, or one a seed.
    pub(crate) environments: Vec<Environment>,
    /// Once more without recording, which is the code that users run, and another unit.
    pub(crate) unchecked: Vec<Environment>,
    /// One scenario of so many is run without recording.
    pub(crate) turns: usize,
    /// Scenarios that it can run at a time; `None` for as many as the machine has processors.
    pub(crate) at_once: Option<usize>,
}

/// Interleavings that fibers try under the default engine.
const MOST_TRIES: usize = 6;
/// Under the other engines so many scenarios take turns at running without recording, where nobody asks for more: most of the time
/// goes to compiling.
const TURNS: usize = 8;
/// Scenarios at a time on a GPU. Most of their time goes to compiling, on the processor; their launches take turns on the one
/// stream of the device, so that each has all of it.
const AT_ONCE_ON_GPU: usize = 4;

/// The name of a back end that this machine does not have, and the reason.
pub(crate) type Missing = (String, String);

/// Returns every column that this machine has, or the one that was asked for, and the back ends that it does not have.
///
/// # Errors
/// What was asked for is not here.
pub(crate) fn find(options: &Options) -> Result<(Vec<Place>, Vec<Missing>), String> {
    let (mut places, mut missing) = (Vec::new(), Vec::new());
    let engines: Vec<Engine> = match options.engine.as_deref() {
        Some("default") => vec![Engine::default()],
        Some(name) => vec![name.parse().map_err(|error| format!("STM_TEST_ENGINE: {error}"))?],
        None => Engine::ALL.iter().flat_map(|engine| engine.with_variants()).collect(),
    };
    for (name, backends, required) in backends(options)? {
        for engine in of_column(&backends, &engines) {
            match place(&name, &backends, engine, options) {
                Ok(place) => places.push(place),
                Err(why) if required => return Err(format!("{name} was asked for: {why}")),
                Err(why) => {
                    missing.push((name, why.to_string()));
                    break;
                }
            }
        }
    }
    Ok((places, missing))
}

/// Returns the column of a back end with an engine.
fn place(name: &str, backends: &[Backend], engine: Engine, options: &Options) -> Result<Place, Error> {
    let tried = match backends[0] {
        Backend::EmulatedFibers { .. } => tries(options, engine).min(backends.len()),
        Backend::CpuSeeded { .. } => options.seeds.map_or(2, |seeds| seeds as usize).clamp(1, backends.len()),
        _ => backends.len(),
    };
    let backends = &backends[..tried];
    // On host threads under the default engine alone.
    let threads = matches!(backends[0], Backend::EmulatedThreads);
    let once = usize::from(!threads || engine == Engine::default());
    let open = |backend: &Backend| Environment::new(*backend, engine);
    let environments = backends.iter().map(open).collect::<Result<_, _>>()?;
    let unchecked = backends.iter().take(once).map(|backend| open(backend).map(Environment::unchecked));
    let unchecked = unchecked.collect::<Result<_, _>>()?;
    let is_asked = options.engine.is_some() || options.seeds.is_some();
    let at_once = at_once(backends[0], engine);
    let turns = if at_once.is_some() || is_asked || engine == Engine::default() { 1 } else { TURNS };
    Ok(Place { name: format!("{name}/{engine}"), environments, unchecked, turns, at_once })
}

/// The engines of a column. CPU threads know two at the most. On host threads the variants of an engine are alike.
fn of_column(backends: &[Backend], engines: &[Engine]) -> Vec<Engine> {
    if backends == [Backend::EmulatedThreads] {
        let mut distinct = engines.to_vec();
        distinct.dedup_by_key(|engine| engine.name());
        return distinct;
    }
    if let Backend::CpuSeeded { .. } = backends[0] {
        return engines.iter().copied().filter(|engine| !engine.spec().is_sequential()).take(1).collect();
    }
    if backends == [Backend::Cpu] {
        return engines_for_cpu(engines);
    }
    engines.to_vec()
}

/// How many scenarios the back end can run at a time.
fn at_once(backend: Backend, engine: Engine) -> Option<usize> {
    match backend {
        // The memory of blocks is an attribute of the loaded kernel, which batches on the same kinds share.
        Backend::Gpu { .. } if engine.spec().requires.partitions => Some(1),
        Backend::Gpu { .. } => Some(AT_ONCE_ON_GPU),
        _ => None,
    }
}

/// How many interleavings fibers try: where nobody says, the most for the default, and the fewest where every step waits for a
/// server.
fn tries(options: &Options, engine: Engine) -> usize {
    let usual = match engine.spec().execution().is_served() {
        false if engine == Engine::default() => MOST_TRIES,
        false => 2,
        true => 1,
    };
    options.seeds.map_or(usual, |seeds| seeds as usize).max(1)
}

/// Name, back ends of the column, and whether their absence is an error.
type Column = (String, Vec<Backend>, bool);

fn backends(options: &Options) -> Result<Vec<Column>, String> {
    let most = options.seeds.unwrap_or(MOST_TRIES as u64).max(1);
    let seeds = |backend: fn(u64) -> Backend| -> Vec<Backend> { (1..=most).map(backend).collect() };
    let all: Vec<Column> = vec![
        ("cpu".into(), vec![Backend::Cpu], false),
        ("cpu-seeded".into(), seeds(|seed| Backend::CpuSeeded { seed }), false),
        ("threads".into(), vec![Backend::EmulatedThreads], false),
        ("fibers".into(), seeds(|seed| Backend::EmulatedFibers { seed }), false),
        ("cuda:0".into(), gpu(0), false),
    ];
    let Some(wanted) = &options.device else { return Ok(all) };
    if let Some(ordinal) = wanted.strip_prefix("cuda:").and_then(|number| number.parse().ok()) {
        return Ok(vec![(wanted.clone(), gpu(ordinal), true)]);
    }
    let found = all.into_iter().find(|(name, ..)| name == wanted);
    let known = "use cpu, cpu-seeded, threads, fibers or cuda:N";
    found.map(|(name, backends, _)| vec![(name, backends, true)]).ok_or(format!("STM_TEST_DEVICE: `{wanted}`; {known}"))
}

/// A real device with the threads that it chooses itself, and with so many that all are in each other's way.
fn gpu(ordinal: usize) -> Vec<Backend> {
    [Some(512), Some(1 << 14), None].map(|threads| Backend::Gpu { ordinal, threads }).to_vec()
}

/// What the devices are, for the head of the matrix.
pub(crate) fn describe(place: &Place) -> String {
    place.environments.first().map_or_else(String::new, |environment| Device::to_string(&environment.device))
}
