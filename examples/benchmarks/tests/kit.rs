//! Uses the kit with one's own benchmark, and for the figures.

use std::ffi::OsString;

use stm_bench::Entry;

#[allow(dead_code)]
#[path = "../own_benchmark.rs"]
mod own;

fn words(line: &str) -> impl Iterator<Item = OsString> {
    line.split_whitespace().map(OsString::from)
}

#[test]
fn a_benchmark_of_ones_own_runs() {
    let own = [Entry::of::<own::Counters>()];
    let mut out = Vec::new();
    let line = "own compare counters --counters 7 --transactions 2000 --runs 2 --check --device cpu:2";
    assert_eq!(stm_bench::run_as(&own, words(line), &mut out), 0);
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("counters=7") && text.matches(" ok ").count() == 2, "{text}");
    assert!(include_str!("../own_benchmark.rs").lines().count() < 40, "the documents promise so");
}

#[test]
fn figures_are_done_in_moments() {
    let batch = include_str!("../figures/figures.toml");
    let folder = tempfile::tempdir().unwrap();
    let line = format!("figures --all --quick --device cpu:2 --out {}", folder.path().display());
    let mut out = Vec::new();
    let code = stm_bench::figures_as(batch, benchmarks::ALL, words(&line), &mut out);
    let page = std::fs::read_to_string(folder.path().join("index.html")).unwrap();
    let notes = page.lines().filter(|line| line.contains("class=\"note\""));
    let (without_plot, others): (Vec<&str>, Vec<&str>) =
        notes.partition(|line| line.contains("measured on a GPU alone"));
    assert_eq!((code, others.as_slice()), (0, &[] as &[&str]));
    let drawn = page.matches("<img ").count() + without_plot.len();
    assert!(drawn >= page.matches("<section>").count(), "every figure is drawn, but times of GPU threads");
}
