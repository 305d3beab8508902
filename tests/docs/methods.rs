//! The table of methods in the document.

use std::collections::BTreeMap;

use kernels_gen::methods::{ASSOCIATED, Faults, METHODS, Method, Receiver};

/// Returns a row for each sort of receiver and each way to fault.
pub(crate) fn table() -> String {
    let mut rows: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
    for method in METHODS {
        rows.entry(row(method)).or_default().push(method.name.to_owned());
    }
    for function in ASSOCIATED {
        rows.entry(row(function)).or_default().push(format!("f64::{}", function.name));
    }
    let mut table = "\n| of | methods | where Rust panics |\n|---|---|---|\n".to_owned();
    for ((on, faults), mut names) in rows {
        names.sort();
        let (on, faults) = (RECEIVERS[on].1, FAULTS[faults].1);
        table.push_str(&format!("| {on} | `{}` | {faults} |\n", names.join("`, `")));
    }
    table.push('\n');
    table
}

const RECEIVERS: [(Receiver, &str); 5] = [
    (Receiver::Int, "integers"),
    (Receiver::Signed, "signed integers"),
    (Receiver::Unsigned, "unsigned integers"),
    (Receiver::Float, "floats"),
    (Receiver::Bool, "`bool`"),
];

const FAULTS: [(Faults, &str); 4] = [
    (Faults::Never, ""),
    (Faults::WhenChecked, "a fault where overflow is checked; else it wraps"),
    (Faults::Always, "a fault"),
    (Faults::Both, "a fault; for overflow only where that is checked"),
];

fn row(method: &Method) -> (usize, usize) {
    let on = RECEIVERS.iter().position(|(on, _)| *on == method.on);
    let faults = FAULTS.iter().position(|(faults, _)| *faults == method.faults);
    on.zip(faults).expect("every receiver and every way to fault is listed")
}
