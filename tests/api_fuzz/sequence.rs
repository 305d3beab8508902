//! Sequences of steps, from a seed and a number.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use stm_tests::draw::Draw;

use crate::actions::{self, PLANNED};
use crate::log::Log;
use crate::options::Options;
use crate::world::{Counts, Scope, World};

/// The largest number of steps of a sequence.
const MOST_STEPS: usize = 120;

/// The seeds of the steps of a sequence, and the permitted devices and engines.
pub(crate) struct Sequence {
    pub(crate) steps: Vec<u64>,
    scope: Scope,
}

impl Sequence {
    pub(crate) fn new(options: &Options, number: u64) -> Sequence {
        let mut draw = Draw::new(options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number);
        let emulator = options.emulated > 0 && number % options.emulated == options.emulated - 1;
        let steps = (0..10 + draw.below(MOST_STEPS - 10)).map(|_| draw.bits()).collect();
        Sequence { steps, scope: Scope { emulator, all_engines: options.all_engines } }
    }

    /// Runs the steps of these numbers. The error gives the calls, then what was wrong.
    pub(crate) fn run(&self, chosen: Option<&[usize]>, log: &Arc<Log>) -> Result<Counts, String> {
        log.clear();
        let all: Vec<usize> = (0..self.steps.len()).collect();
        let mut counts = Counts::default();
        let ended = panic::catch_unwind(AssertUnwindSafe(|| {
            let mut world = World::new(self.scope, log);
            let steps = chosen.unwrap_or(&all).iter().filter_map(|at| self.steps.get(*at));
            let ended = steps.copied().try_for_each(|seed| {
                log.step();
                actions::step(&mut world, seed)
            });
            counts = world.counts;
            log.step();
            log.note("the end: everything is dropped".to_owned());
            drop(world);
            ended
        }));
        match ended {
            Ok(Ok(())) => Ok(counts),
            Ok(Err(text)) => Err(format!("{}\nWRONG: {text}", log.text())),
            Err(payload) => {
                let text = payload.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("not a text");
                Err(format!("{}\nPANIC: {text}", log.text()))
            }
        }
    }
}

/// Suppresses the messages of planned panics.
pub(crate) fn quiet_planned_panics() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if info.payload().downcast_ref() != Some(&PLANNED) {
            usual(info);
        }
    }));
}
