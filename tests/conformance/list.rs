//! What the suite prints.

use std::io::Write;

use stm_tests::Scenario;

use crate::places::{Place, describe};
use crate::runner::{Cell, Matrix};

/// The names, in the form that tools which run tests expect.
pub(crate) fn print(scenarios: &[Scenario]) {
    for scenario in scenarios {
        println!("{}: test", scenario.name);
    }
}

/// A cell as soon as it is done.
pub(crate) fn print_cell(scenario: &Scenario, place: &Place, cell: &Cell) {
    println!("{:32} {:24} {}", scenario.name, place.name, cell.text());
    // Into a file, lines would wait for each other.
    let _ = std::io::stdout().flush();
}

/// One line a scenario, one column a place.
pub(crate) fn print_matrix(scenarios: &[Scenario], places: &[Place], matrix: &Matrix) {
    for place in places {
        println!("{}: {}", place.name, describe(place));
    }
    let width = scenarios.iter().map(|scenario| scenario.name.len()).max().unwrap_or(0);
    let head: Vec<String> = places.iter().map(|place| format!("{:>16}", place.name)).collect();
    println!("\n{:width$}{}", "", head.join(""));
    for (scenario, cells) in scenarios.iter().zip(&matrix.cells) {
        print!("{:width$}", scenario.name);
        for cell in cells {
            let text = match cell {
                None => "not run".to_owned(),
                Some(cell) => cell.text(),
            };
            print!("{text:>16}");
        }
        println!();
    }
    let cells = scenarios.len() * places.len();
    let (failed, refused) = (matrix.failures(), matrix.refusals());
    println!(
        "\nconformance: {} passed, {failed} failed, {refused} not supported, {} scenarios in {} places, {:.1} s",
        cells - failed - refused,
        scenarios.len(),
        places.len(),
        matrix.took.as_secs_f64()
    );
}
