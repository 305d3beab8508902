//! All cells as tests, by scenario: the back ends of one engine compile the same unit, and later ones find it in the cache.

use std::collections::BTreeMap;
use std::panic;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use stm_tests::Scenario;
use stm_tests::harness::{self, Trial};

use crate::cell::Cell;
use crate::matrix::{self, Cells};
use crate::places::{Missing, Place};
use crate::watch::{Gate, Watch, lock};

/// The state that the tests share.
pub(crate) struct Suite {
    scenarios: Vec<Scenario>,
    places: Vec<Place>,
    /// One gate for each limit that a place has.
    gates: BTreeMap<Option<usize>, Gate>,
    watch: Arc<Watch>,
    cells: Mutex<Cells>,
}

impl Suite {
    /// Creates the suite of every scenario in every place.
    pub(crate) fn new(scenarios: Vec<Scenario>, places: Vec<Place>) -> Suite {
        let gates = places.iter().map(|place| (place.at_once, Gate::new(place.at_once))).collect();
        Suite { scenarios, places, gates, watch: Watch::start(), cells: Mutex::default() }
    }

    /// Runs the tests that the command line chooses, and prints the matrix.
    pub(crate) fn run(self, missing: Vec<Missing>) -> ExitCode {
        // The text of a panic is printed with its test, not when it happens.
        panic::set_hook(Box::new(|_| {}));
        let begin = Instant::now();
        let suite = Arc::new(self);
        let absent = missing.into_iter().map(|(name, why)| {
            harness::cannot_run(format!("{name}::every_scenario"), format!("the conformance suite on {name}"), why)
        });
        let status = harness::run(std::env::args().skip(1), suite.trials().chain(absent).collect());
        let cells = lock(&suite.cells);
        if !cells.is_empty() {
            matrix::print(&suite.scenarios, &suite.places, &cells, begin.elapsed());
        }
        status
    }

    /// Returns the tests, places without a limit first: cells that wait for others would block threads of the runner.
    fn trials(self: &Arc<Suite>) -> impl Iterator<Item = Trial> {
        let of_limit = move |limit: Option<usize>| {
            let places = (0..self.places.len()).filter(move |p| self.places[*p].at_once == limit);
            let places: Vec<usize> = places.collect();
            let of_scenario = move |s: usize| {
                let is_turn = move |p: &usize| (s + p).is_multiple_of(self.places[*p].every);
                places.clone().into_iter().filter(is_turn).map(move |p| self.trial(s, p))
            };
            (0..self.scenarios.len()).flat_map(of_scenario)
        };
        self.gates.keys().copied().flat_map(of_limit)
    }

    fn trial(self: &Arc<Suite>, s: usize, p: usize) -> Trial {
        let name = format!("{}::{}", self.places[p].name.replace('/', "::"), self.scenarios[s].name);
        let (suite, cell) = (self.clone(), name.clone());
        Trial::ignorable_test(name, move || {
            let cell = suite.cell(&cell, s, p);
            let completion = cell.completion();
            lock(&suite.cells).insert((s, p), cell);
            completion
        })
    }

    fn cell(&self, name: &str, s: usize, p: usize) -> Cell {
        let place = &self.places[p];
        let run = || Cell::run(self.scenarios[s], place, (s + p).is_multiple_of(place.turns));
        self.gates[&place.at_once].pass(|| self.watch.during(name, run))
    }
}
