//! The columns of the matrix: a back end with an engine.

use stm_runtime::{Device, Engine, Error};
use stm_tests::{Backend, Environment, engines_for_cpu, takes_turns};

use crate::options::Options;

/// One column: the environments in which a scenario must hold.
pub(crate) struct Place {
    /// Its name in messages.
    pub(crate) name: String,
    /// One environment, or one for each seed.
    pub(crate) environments: Vec<Environment>,
    /// The same environments without recording: that is the code that users run, and another unit.
    pub(crate) unchecked: Vec<Environment>,
    /// One of this many scenarios also runs without recording.
    pub(crate) turns: usize,
    /// It runs one of this many scenarios.
    pub(crate) every: usize,
    /// The number of scenarios that it can run at a time; `None` for as many as the machine has processors.
    pub(crate) at_once: Option<usize>,
}

/// The number of interleavings that fibers run under the default engine.
const MOST_TRIES: usize = 6;
/// One of this many scenarios also runs without recording under the other engines, unless the user chooses an engine: most of
/// the time goes to compiling.
const TURNS: usize = 8;
/// The number of concurrent scenarios on a GPU. Most of their time goes to compiling, on the processor; their launches take turns
/// on the one stream of the device, so that each has the whole device.
const AT_ONCE_ON_GPU: usize = 4;

/// The name of a back end that this machine lacks, and the reason.
pub(crate) type Missing = (String, String);

/// Returns every column that this machine supports, or the one that was chosen, and the back ends that it lacks.
///
/// # Errors
/// The chosen device or engine does not exist here.
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
        Backend::CpuSeeded { .. }
        | Backend::CpuStaged { .. }
        | Backend::EmulatedPlan { .. }
        | Backend::EmulatedPushed { .. } => options.seeds.map_or(2, |seeds| seeds as usize).clamp(1, backends.len()),
        Backend::EmulatedCluster { .. } if options.engine.is_none() => 1,
        _ => backends.len(),
    };
    let backends = &backends[..tried];
    // Fibers run the text without recording.
    let threads = matches!(backends[0], Backend::EmulatedThreads | Backend::EmulatedCluster { .. });
    let once = usize::from(!threads || options.engine.is_some());
    let open = |backend: &Backend| Environment::new(*backend, engine);
    let environments = backends.iter().map(open).collect::<Result<_, _>>()?;
    let unchecked = backends.iter().take(once).map(|backend| open(backend).map(Environment::unchecked));
    let unchecked = unchecked.collect::<Result<_, _>>()?;
    let is_asked = options.engine.is_some() || options.seeds.is_some();
    let at_once = at_once(backends[0], engine);
    let turns = if at_once.is_some() || is_asked || engine == Engine::default() { 1 } else { TURNS };
    let is_pushed = matches!(backends[0], Backend::EmulatedPushed { .. });
    let is_cluster = matches!(backends[0], Backend::EmulatedCluster { .. });
    let is_fibers = matches!(backends[0], Backend::EmulatedFibers { .. });
    let is_planned = matches!(backends[0], Backend::EmulatedPlan { .. });
    let usual = match share(engine) {
        _ if is_pushed || is_cluster || threads && engine != Engine::default() => SHARE,
        _ if is_planned => SHARE_OF_PLAN,
        1 if is_fibers && engine != Engine::default() && engine.spec().extends.is_none() => SHARE_ON_FIBERS,
        usual => usual,
    };
    let every = if is_asked || at_once.is_some() { 1 } else { usual };
    Ok(Place { name: format!("{name}/{engine}"), environments, unchecked, turns, every, at_once })
}

/// One of this many scenarios runs where most of the code runs in other columns, too: all engines run the text of host threads on fibers.
const SHARE: usize = 3;

/// One of this many scenarios runs on fibers under engines other than the default, in turn, unless the user chooses an engine.
const SHARE_ON_FIBERS: usize = 2;

/// One of this many scenarios runs by the plan, which compiles several units for each.
const SHARE_OF_PLAN: usize = 2;

/// Returns one of how many scenarios an engine runs, unless the user chooses it: variants, and engines that add stages to another one,
/// have little code of their own, and most of the time goes to compiling. The engine with all stages runs every scenario.
fn share(engine: Engine) -> usize {
    let is_variant = engine.to_string() != engine.name();
    let has_all_stages = engine.spec().extends.is_none_or(|extended| extended.extends.is_some());
    if is_variant || !has_all_stages { SHARE } else { 1 }
}

/// Returns the engines of a column. CPU threads have at most two. On host threads the variants of an engine are alike, and an engine
/// that adds stages to another one executes as that one does; its stages run on host threads under ThreadSanitizer.
fn of_column(backends: &[Backend], engines: &[Engine]) -> Vec<Engine> {
    // Launches are divided among devices in the same way under all engines.
    if let (Backend::EmulatedCluster { .. }, 2..) = (backends[0], engines.len()) {
        return engines.iter().copied().take(1).collect();
    }
    if let Backend::EmulatedThreads | Backend::EmulatedCluster { .. } = backends[0] {
        let mut distinct = engines.to_vec();
        distinct.dedup_by_key(|engine| engine.name());
        if engines.len() > 1 {
            distinct.retain(|engine| engine.spec().extends.is_none());
        }
        return distinct;
    }
    if let Backend::CpuSeeded { .. } | Backend::CpuStaged { .. } | Backend::EmulatedPlan { .. } = backends[0] {
        return engines.iter().copied().filter(|engine| !engine.spec().is_sequential()).take(1).collect();
    }
    if let Backend::EmulatedPushed { .. } = backends[0] {
        return engines.iter().copied().filter(|engine| takes_turns(*engine)).take(1).collect();
    }
    if backends == [Backend::Cpu] {
        return engines_for_cpu(engines);
    }
    engines.to_vec()
}

/// Returns how many scenarios the back end can run at a time.
fn at_once(backend: Backend, engine: Engine) -> Option<usize> {
    match backend {
        // The block memory is an attribute of the loaded kernel, which batches of the same procedures share.
        Backend::Gpu { .. } | Backend::Gpus { .. } if engine.spec().requires.partitions => Some(1),
        Backend::Gpu { .. } | Backend::Gpus { .. } => Some(AT_ONCE_ON_GPU),
        _ => None,
    }
}

/// Returns how many interleavings fibers run: by default the most for the default engine, and the fewest where every step waits
/// for a server, or where stages before the execution leave little to it.
fn tries(options: &Options, engine: Engine) -> usize {
    let usual = match engine.spec().execution().is_served() {
        false if engine == Engine::default() => MOST_TRIES,
        false if engine.spec().extends.is_some() => 1,
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
        ("cpu-staged".into(), seeds(|seed| Backend::CpuStaged { seed }), false),
        ("threads".into(), vec![Backend::EmulatedThreads], false),
        ("cluster".into(), [3, 2].map(|devices| Backend::EmulatedCluster { devices }).to_vec(), false),
        ("plan".into(), seeds(|seed| Backend::EmulatedPlan { seed }), false),
        ("pushed".into(), seeds(|seed| Backend::EmulatedPushed { seed }), false),
        ("fibers".into(), seeds(|seed| Backend::EmulatedFibers { seed }), false),
        ("cuda:0".into(), gpu(0), false),
    ];
    let Some(wanted) = &options.device else { return Ok(all) };
    if let Some(ordinal) = wanted.strip_prefix("cuda:").and_then(|number| number.parse().ok()) {
        return Ok(vec![(wanted.clone(), gpu(ordinal), true)]);
    }
    if let Some(last) = wanted.strip_prefix("cuda:0-").and_then(|number| number.parse::<usize>().ok()) {
        let gpus = [Some(512), Some(1 << 14), None].map(|threads| Backend::Gpus { devices: last + 1, threads });
        return Ok(vec![(wanted.clone(), gpus.to_vec(), true)]);
    }
    let found = all.into_iter().find(|(name, ..)| name == wanted);
    let known = "use cpu, cpu-seeded, cpu-staged, threads, cluster, plan, pushed, fibers, cuda:N or cuda:0-N";
    found.map(|(name, backends, _)| vec![(name, backends, true)]).ok_or(format!("STM_TEST_DEVICE: `{wanted}`; {known}"))
}

/// Returns a real device with fixed numbers of threads that provoke conflicts, and with its own choice.
fn gpu(ordinal: usize) -> Vec<Backend> {
    [Some(512), Some(1 << 14), None].map(|threads| Backend::Gpu { ordinal, threads }).to_vec()
}

/// Describes the devices for the head of the matrix.
pub(crate) fn describe(place: &Place) -> String {
    place.environments.first().map_or_else(String::new, |environment| Device::to_string(&environment.device))
}
