//! Known numbers, drawn.

use super::{Chart, Scale, Series};
use crate::Spread;
use crate::cell::{Metric, Status};
use crate::tests::cell;

fn spread(median: f64) -> Spread {
    Spread { median, min: 0.9 * median, max: 1.2 * median, mad: 0.05 * median }
}

fn chart() -> Chart {
    let series = |name: &str, scale: f64| Series {
        name: name.to_owned(),
        points: [2.0, 8.0, 32.0, 128.0].map(|x| (x, spread(scale / x))).into(),
        missing: Vec::new(),
    };
    Chart {
        title: "Bank: throughput by accounts & transaction".to_owned(),
        subtitle: "2,621,440 accounts, 512 threads".to_owned(),
        x: Scale { label: "accounts of a transaction".to_owned(), log: true, words: Vec::new() },
        y: Scale { label: "million commits a second".to_owned(), log: true, words: Vec::new() },
        series: vec![series("first", 1000.0), series("second", 300.0)],
    }
}

#[test]
fn a_plot_says_what_it_shows() {
    let svg = chart().svg().unwrap();
    for text in [
        "Bank: throughput by accounts &amp; transaction",
        "2,621,440 accounts, 512 threads",
        "accounts of a transaction, log scale",
        "million commits a second, log scale",
        "first",
        "second",
        "128",
        "100",
    ] {
        assert!(svg.lines().any(|line| line.trim() == text), "{text} is not in\n{svg}");
    }
    assert!(svg.starts_with("<svg role=\"img\" aria-label=\"Bank: throughput by accounts &amp; transaction\" "));
    assert_eq!(svg.matches("<polygon").count(), 2 * 4 + 2, "a marker for each point and each line of the legend");
    let bars = svg.matches("stroke-width=\"1\" points").count();
    assert!(bars >= 3 * 2 * 4, "{bars} lines of bars");
}

#[test]
fn nothing_to_show_is_said() {
    let empty = Chart { series: Vec::new(), ..chart() };
    assert!(empty.svg().unwrap().contains("no results"));
    let words = Chart {
        x: Scale { words: vec!["general".to_owned(), "sorted".to_owned()], ..Scale::default() },
        series: vec![Series {
            name: "one".to_owned(),
            points: vec![(0.0, spread(1.0)), (1.0, spread(2.0))],
            missing: Vec::new(),
        }],
        ..chart()
    };
    let svg = words.svg().unwrap();
    let gap = Series { name: "two".to_owned(), ..Series::default() };
    assert!(Chart { series: vec![gap], ..chart() }.svg().unwrap().contains("two (none)"));
    assert!(svg.contains("general") && svg.contains("sorted"));
}

#[test]
fn points_without_a_result_are_marked_on_the_axis() {
    let mut cells = [2, 8, 32].map(|x| cell("one", x, &[1e6])).to_vec();
    let mut late = cell("one", 128, &[]);
    (late.status, late.rate) = (Status::TimedOut, None);
    cells.push(late);
    let chart = Chart::of(&cells, "counters", Metric::Throughput);
    assert_eq!((chart.series[0].points.len(), &*chart.series[0].missing), (3, &[128.0][..]));
    let svg = chart.svg().unwrap();
    assert!(svg.contains("no result") && svg.lines().any(|line| line.trim() == "128"), "{svg}");
    let crosses = |svg: &str| svg.matches("stroke-width=\"2\" points").count();
    let whole = Chart::of(&cells[..3], "counters", Metric::Throughput).svg().unwrap();
    assert_eq!(crosses(&svg), crosses(&whole) + 1);
    assert!(!whole.contains("no result"));
}
