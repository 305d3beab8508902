//! Figures of a small table.

use std::ffi::OsString;
use std::fs;

use super::figures_as;
use super::reading::reading;
use super::table::{Claim, Table, text};
use crate::cell::Cell;
use crate::tests::{COUNTERS, cell};

const TABLE: &str = r#"
[papers]
9 = "A Paper on Counters"

[quick.counters]
lose = 0

[[figure]]
paper = "9"
number = "1"
title = "Counters, throughput by number"
benchmark = "counters"
engines = ["priority", "serial"]
transactions = 100_000
with = { threads = 64, lose = 1 }
axis = { name = "counters", label = "counters", values = [1, 4, 16, 64], log = true }
says = "More is better."
claims = [{ rises = "priority" }]
[[figure.panel]]
letter = "A"
[[figure.panel]]
letter = "B"
what = "sorted"
with = { sorted = true }
relative_to = "serial"

[[figure]]
paper = "9"
number = "2"
title = "A song"
benchmark = "song"
engines = ["priority"]
transactions = 1
axis = { name = "verses", label = "verses", values = [1] }
says = "La."
"#;

fn make(words: &str, folder: &std::path::Path) -> (u8, String) {
    let mut out = Vec::new();
    let mut arguments: Vec<OsString> = vec!["figures".into()];
    arguments.extend(words.split_whitespace().map(OsString::from));
    if !words.contains("--list") {
        arguments.extend([OsString::from("--out"), folder.into()]);
    }
    let code = figures_as(TABLE, &[COUNTERS], arguments, &mut out);
    (code, String::from_utf8(out).unwrap())
}

#[test]
fn figures_are_made_and_what_cannot_be_made_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let (code, listed) = make("--list", folder.path());
    assert!(code == 0 && listed.contains("A song (this program lacks the benchmark)"), "{listed}");

    let (code, page) = make("--paper 9 --figure 1 --quick --device cpu:2", folder.path());
    assert_eq!(code, 0);
    let page = fs::read_to_string(page.trim()).unwrap();
    for part in ["More is better.", "No GPU", "9-1A.svg", "9-1B.svg", "figure 1: Counters", "<dt>processor</dt>"] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let table = read("9-1.csv");
    let (head, first) = table.split_once('\n').unwrap();
    assert!(head.starts_with("benchmark,engine,counters,lose,sorted,transactions,threads,"), "{head}");
    assert!(first.starts_with("counters,cpu-occ,1,0,false,2000,,"), "a CPU has no GPU threads: {first}");
    assert_eq!(table.lines().count(), 1 + 2 * 2 * 3, "two graphs, two algorithms, three places");
    assert!(read("9-1B.svg").contains("throughput / that of cpu-serial"));
    assert!(read("9-1A.svg").contains("A Paper on Counters, fig. 1 (A): Counters"));

    // A second run is refused without an option for existing results, and measures nothing again with one.
    let before = read("cells.jsonl");
    assert_eq!(make("--paper 9 --figure 1 --quick --device cpu:2", folder.path()).0, 2);
    let (code, object) = make("--all --quick --device cpu:2 --resume --json", folder.path());
    let object: serde_json::Value = serde_json::from_str(&object).unwrap();
    assert_eq!((code, &object["figures"][0]["cells"]), (1, &12.into()), "a figure is missing: {object}");
    assert_eq!(object["figures"][0]["files"], serde_json::json!(["9-1.csv", "9-1A.svg", "9-1B.svg"]));
    assert!(object["figures"][1]["missing"].as_str().unwrap().contains("song"), "{object}");
    let after = read("cells.jsonl");
    assert_eq!(after.lines().count(), before.lines().count() + 1, "one line more: the session");
    assert!(read("index.html").contains("unknown benchmark `song`; use one of: counters"));
    // Stored results are drawn again, on any machine.
    fs::remove_file(folder.path().join("9-1A.svg")).unwrap();
    assert_eq!(make("--paper 9 --figure 1 --quick --draw", folder.path()).0, 0);
    assert_eq!((read("9-1.csv"), read("cells.jsonl")), (table, after));
    assert!(folder.path().join("9-1A.svg").exists());
    // An incomplete line of a program that is writing there; and a command that cannot run deletes nothing.
    let cut = format!("{}{{\"line\":\"cell\",\"x\":\"", read("cells.jsonl"));
    fs::write(folder.path().join("cells.jsonl"), &cut).unwrap();
    assert_eq!(make("--paper 9 --figure 1 --quick --draw", folder.path()).0, 0);
    assert_eq!(make("--paper 9 --figure 1 --quick --overwrite --device tpu", folder.path()).0, 2);
    assert_eq!(read("cells.jsonl"), cut);
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(make("--paper 9 --figure 1 --quick --draw", empty.path()).0, 2, "nothing is kept there");
    assert_eq!(make("--paper 9 --figure 7", folder.path()).0, 2);
    assert!(Table::parse("[[figure]]\npaper = 1").is_err());
    let unnamed = Table::parse(&TABLE.replace("9 = ", "8 = ")).unwrap_err().to_string();
    assert!(unnamed.contains("paper `9` has no name"), "{unnamed}");
}

#[test]
fn a_figure_has_what_it_is_like() {
    let song = "title = \"A song\"\nlike = [\"songs\"]\nwith = { a = 1 }";
    let table = TABLE.replace("title = \"A song\"", song).replace("says = \"La.\"\n", "");
    let unknown = Table::parse(&table).unwrap_err().to_string();
    assert!(unknown.ends_with("figure 9, 2: `[shared]` has no `songs`"), "{unknown}");
    let table = format!("{table}[shared.songs]\ntitle = \"Songs\"\nsays = \"La.\"\nwith = {{ a = 2, b = 3 }}\n");
    let figure = &Table::parse(&table).unwrap().figure[1];
    assert_eq!((figure.title.as_str(), figure.says.as_str()), ("A song", "La."));
    assert_eq!(figure.with.values().map(text).collect::<Vec<_>>(), ["1", "3"]);
}

#[cfg(feature = "emulator")]
#[test]
fn what_a_device_measured_is_drawn_without_it() {
    if stm_runtime::Device::emulated(stm_runtime::EmulatorOptions::threads()).is_err() {
        println!("SKIPPED figures on the emulator: there is no C++ compiler");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // Several kernels: they are compiled in advance.
    let asked = "--paper 9 --figure 1 --quick --transactions 300";
    assert_eq!(make(&format!("{asked} --device emulated"), folder.path()).0, 0);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let (table, page) = (read("9-1.csv"), read("9-1.html"));
    assert!(
        table.contains("counters,priority,1,") && table.contains(",serial,"),
        "engines, and no algorithms of a CPU: {table}"
    );
    assert!(!page.contains("No GPU"), "{page}");
    assert_eq!(make(&format!("{asked} --draw"), folder.path()).0, 0);
    assert_eq!((read("9-1.csv"), read("9-1.html")), (table, page));
}

const TIMED: &str = r#"
[papers]
9 = "A Paper on Counters"

[[figure]]
paper = "9"
number = "table-I"
title = "Counters, where the time goes"
benchmark = "counters"
engines = ["priority"]
transactions = 100_000
axis = { name = "counters", label = "counters", values = [1, 4] }
says = "Most goes to commits."
[[figure.panel]]
letter = "a"
metric = "total-time"
[[figure.panel]]
letter = "b"
phases_of = "priority"
"#;

#[test]
fn times_of_threads_are_no_figure_of_a_cpu() {
    let folder = tempfile::tempdir().unwrap();
    let mut words: Vec<OsString> =
        "figures --all --quick --device cpu:1 --out".split(' ').map(OsString::from).collect();
    words.push(folder.path().into());
    let mut out = Vec::new();
    assert_eq!(figures_as(TIMED, &[COUNTERS], words, &mut out), 0);
    let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
    for part in ["A Paper on Counters (9), table I: Counters", "measured on a GPU alone", "<td>cpu-occ</td>"] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
    assert!(!page.contains("<img") && page.matches("measured on a GPU alone").count() == 1, "{page}");
    let cells = fs::read_to_string(folder.path().join("cells.jsonl")).unwrap();
    assert_eq!(cells.matches("\"phases\":true").count(), 2, "both graphs have the same cells");
}

#[test]
fn numbers_are_read_against_claims() {
    let cells: Vec<Cell> = [("one", [1.0, 2.0, 4.0]), ("two", [2.0, 1.0, 1.1])]
        .into_iter()
        .flat_map(|(engine, rates)| {
            rates.into_iter().zip([1, 2, 4]).map(move |(rate, x)| cell(engine, x, &[rate * 1e6]))
        })
        .collect();
    let say = |claim: Claim| reading(&[claim], "counters", &cells).concat();
    let (one, two) = (|| "one".to_owned(), || "two".to_owned());
    let faster = say(Claim::Faster(one(), two()));
    assert_eq!(
        faster,
        "one is 0.50 to 3.64 times as fast as two, faster at 2 of 3 places: only in part as the paper says."
    );
    let rises = say(Claim::Rises(one()));
    assert_eq!(rises, "one: throughput times 4.00 from counters 1 to 4; in the paper it rises, as here.");
    assert!(say(Claim::Rises(two())).ends_with("unlike here."));
    let fallen: Vec<Cell> = [(1, 1e9), (4, 1.66e6)].into_iter().map(|(x, rate)| cell("one", x, &[rate])).collect();
    let sentence = reading(&[Claim::Falls(one())], "counters", &fallen).concat();
    assert!(sentence.starts_with("one: throughput times 0.0017 from counters 1 to 4;"), "{sentence}");
    assert!(say(Claim::Falls(two())).ends_with("it falls, as here."));
    assert!(say(Claim::Steady(one())).ends_with("unlike here."));
    assert_eq!(say(Claim::Faster(one(), "three".to_owned())), "", "nothing is said of what did not run");
}
