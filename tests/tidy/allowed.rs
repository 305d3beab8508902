//! Lists of remaining violations of a rule: `tests/tidy/allowed/RULE.txt` has a line for each place with a number, which may only
//! decrease.
//!
//! A rule fails if it finds more than its list allows, and also if it finds less: then the list is out of date.
//! `TIDY_UPDATE=always` removes what is gone from the lists. `TIDY_UPDATE=all` writes down everything that is found; use it only
//! after changes of a rule.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::root;

/// The number of violations of a rule, by place.
pub(crate) type Found = BTreeMap<String, usize>;

/// Compares the violations of a rule with its list.
///
/// # Panics
/// The violations differ from the list.
pub(crate) fn check(rule: &str, found: &Found, advice: &str) {
    let path = root().join("tests/tidy/allowed").join(format!("{rule}.txt"));
    let allowed = read(&path);
    match std::env::var("TIDY_UPDATE").as_deref() {
        Ok("all") => return write(&path, found),
        Ok("always") => {
            let fewer = |(place, number): (&String, &usize)| Some((place.clone(), *number.min(found.get(place)?)));
            write(&path, &allowed.iter().filter_map(fewer).collect());
        }
        _ => {}
    }
    let of = |list: &Found, place: &String| list.get(place).copied().unwrap_or(0);
    let is_new = |(place, number): &(&String, &usize)| **number > of(&allowed, place);
    let new = found.iter().filter(is_new);
    let new: Vec<String> = new.map(|(place, n)| format!("{place}: {n}, and {} allowed", of(&allowed, place))).collect();
    assert!(new.is_empty(), "{advice}\n{}", new.join("\n"));
    let gone: Vec<&String> =
        allowed.iter().filter(|(place, n)| **n > of(found, place)).map(|(place, _)| place).collect();
    let is_updated = std::env::var_os("TIDY_UPDATE").is_some();
    assert!(
        gone.is_empty() || is_updated,
        "better than {}: update it with TIDY_UPDATE=always\n{gone:#?}",
        path.display()
    );
}

fn read(path: &PathBuf) -> Found {
    let text = fs::read_to_string(path).unwrap_or_default();
    let entry = |line: &str| {
        let (number, place) = line.split_once(' ').unwrap_or_else(|| panic!("{}: `{line}`", path.display()));
        (place.to_owned(), number.parse().unwrap_or_else(|_| panic!("{}: `{line}`", path.display())))
    };
    text.lines().map(entry).collect()
}

fn write(path: &PathBuf, list: &Found) {
    let lines: String = list.iter().map(|(place, number)| format!("{number} {place}\n")).collect();
    fs::write(path, lines).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
}
