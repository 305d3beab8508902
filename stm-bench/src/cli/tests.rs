//! The command line on a small benchmark.

use std::ffi::OsString;
use std::fs;

use serde_json::Value;

use super::run_as;
use crate::error::BenchError;
use crate::tests::COUNTERS;

fn run(words: &str) -> (u8, String) {
    let mut out = Vec::new();
    let code = run_as(&[COUNTERS], ["bench"].into_iter().chain(words.split_whitespace()).map(OsString::from), &mut out);
    (code, String::from_utf8(out).unwrap())
}

#[test]
fn everything_can_be_asked_for() {
    let (code, listed) = run("list");
    assert!(code == 0 && listed.contains("counts on a few counters") && listed.contains("(default)"), "{listed}");
    let lists: Value = serde_json::from_str(&run("list --json").1).unwrap();
    assert_eq!(lists["benchmarks"][0]["parameters"], serde_json::json!(["counters", "lose", "sorted"]));

    let small = "--transactions 300 --runs 2 --warmup 0 --device cpu:2";
    let (code, shown) = run(&format!("run counters {small}"));
    assert!(code == 0 && shown.contains("300 transactions on 2 CPU threads") && shown.contains(" ok "), "{shown}");
    assert!(shown.contains("committed 300, rejected 0"), "{shown}");
    assert!(shown.contains("\nplan: serial (cpu-serial): 300 of 300 in "), "{shown}");
    let (code, shown) = run(&format!("run counters {small} --engine plan(priority,readers-at-rest) --json"));
    let step = &serde_json::from_str::<Value>(&shown).unwrap()["cells"][0]["runs"][0]["plan"][0];
    assert!(code == 0 && step["method"] == "priority" && step["finished"] == 300, "{shown}");
    let (code, text) = run(&format!("compare counters {small} --check --json --counters 3"));
    let object: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, object["cells"].as_array().unwrap().len()), (0, 2), "{text}");
    assert_eq!(object["cells"][1]["runs"][1]["serializable"], true);
    assert_eq!(object["cells"][0]["parameters"]["counters"], "3");
    let (code, broken) = run(&format!("run counters {small} --lose 2 --csv"));
    assert!(code == 1 && broken.contains("counted") && broken.lines().count() == 2, "{broken}");

    let file = std::env::temp_dir().join(format!("stm-bench-profile-{}.svg", std::process::id()));
    let (code, profiled) = run(&format!("run counters {small} --counters 1 --profile --picture {}", file.display()));
    assert!(code == 0 && profiled.contains("add: committed 300, conflicts "), "{profiled}");
    let picture = fs::read_to_string(&file).unwrap();
    fs::remove_file(&file).unwrap();
    assert!(picture.contains("counters: conflicts under plan") && picture.contains(">\nadd\n<"), "{picture}");

    let (code, kernel) = run("kernel counters");
    assert!(code == 0 && kernel.contains("__global__"), "{kernel}");
    assert!(run("kernel counters --body").1.len() < kernel.len());
    let (code, findings) = run("doctor --device cpu --json");
    let findings: Value = serde_json::from_str(&findings).unwrap();
    assert_eq!((code, &findings["findings"][2]["state"]), (0, &Value::from("good")), "{findings}");
    for words in
        ["list --json", "kernel counters --json", "doctor --device cpu --json", &format!("run counters {small} --json")]
    {
        let object: Value = serde_json::from_str(&run(words).1).unwrap();
        assert_eq!(object["schema"], 1, "{words}");
    }
    let (code, findings) = run("doctor --device tpu");
    assert!(code == 1 && findings.contains("WRONG   device") && findings.contains("to do: "), "{findings}");
}

#[test]
fn kernels_are_compiled_and_measured_without_a_gpu() {
    if let Err(why) = stm_runtime::nvrtc::Nvrtc::find() {
        return println!("SKIPPED compiling with NVRTC: {why}");
    }
    let (code, text) = run("kernel counters --compile --json");
    let rows: Value = serde_json::from_str(&text).unwrap();
    let one = &rows["compilations"][0];
    assert!(code == 0 && one["what"].as_str().is_some_and(|what| what.ends_with(" alone")), "{text}");
    let number = |name: &str| one[name].as_f64().unwrap_or_default();
    let sizes = ["text_bytes", "seconds", "ptx_instructions", "machine_code_bytes", "registers"];
    assert!(sizes.into_iter().all(|name| number(name) > 0.0), "{text}");
    let (code, table) = run("kernel counters --compile compute_90 --engine serial");
    assert!(code == 0 && table.contains("PTX instructions") && table.contains(" alone "), "{table}");
    // The reason goes to standard error.
    let (code, nothing) = run("kernel counters --compile sm_1");
    assert!(code != 0 && nothing.is_empty(), "{nothing}");
}

#[test]
fn shells_learn_every_command_and_option() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, script) = run(&format!("completions {shell}"));
        let words = ["compare", "counters", "doctor", "engine", "warmup"];
        let lacks = words.iter().find(|word| !script.contains(**word));
        assert!(code == 0 && lacks.is_none(), "{shell}: {lacks:?} is not in\n{script}");
    }
    assert_eq!(run("completions dos").0, 2);
}

#[test]
fn names_that_are_nearly_right_are_suggested() {
    let asked = |words: &str| {
        let command = super::arguments::command(&[COUNTERS]);
        let words = ["bench"].into_iter().chain(words.split_whitespace());
        command.try_get_matches_from(words).unwrap_err().to_string()
    };
    for (words, near) in [
        ("run conters", "'counters'"),
        ("rum counters", "'run'"),
        ("run counters --engine seriel", "(did you mean `serial`?)"),
        ("compare counters --engines serial,prioritty", "(did you mean `priority`?)"),
        ("run counters --engine plam", "(did you mean `plan`?)"),
    ] {
        let said = asked(words);
        assert!(said.contains(near), "{words}: {said}");
    }
    let unknown = BenchError::UnknownBenchmark { name: "conters".to_owned(), known: "bank, counters".to_owned() };
    assert!(unknown.to_string().contains("(did you mean `counters`?); use one of: bank, counters"), "{unknown}");
}

#[test]
fn the_help_names_every_kind_of_device() {
    let help = run("run counters --help").1;
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("cpu:N@SEED"), "{help}");
}

#[test]
fn what_is_wrong_is_refused() {
    for words in [
        "",
        "song",
        "run song",
        "run counters --engine song",
        "run counters --runs 0",
        "run counters --device tpu",
        "sweep counters",
        "sweep counters --axis counters",
        "sweep counters --axis colour=1,2 --device cpu",
        "sweep counters --axis threads=many --device cpu",
        "sweep counters --axis counters=1,2 --resume",
    ] {
        assert_eq!(run(words), (2, String::new()), "{words}");
    }
    assert_eq!(run("--help").0, 0);
    assert!(run("run counters --help").1.contains("Parameters of counters"));
}

#[test]
fn a_sweep_leaves_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new");
    let axes = "--axis counters=1,2,4 --axis sorted=false,true";
    let words = format!("sweep counters {axes} --transactions 300 --runs 1 --device cpu --out {}", path.display());
    let (code, shown) = run(&words);
    assert_eq!(code, 0, "{shown}");
    let page = fs::read_to_string(path.join("index.html")).unwrap();
    for part in
        ["throughput.svg", "throughput-2.svg", "counters: throughput by counters, sorted true", "<td>cpu-occ</td>"]
    {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
    let plot = fs::read_to_string(path.join("throughput.svg")).unwrap();
    assert!(plot.contains("cpu-serial") && plot.contains("million commits a second"));
    assert_eq!(fs::read_to_string(path.join("cells.csv")).unwrap().lines().count(), 1 + 3 * 2 * 2);
    assert_eq!(run(&words).0, 2, "what is there is not overwritten");
    assert_eq!(run(&format!("{words} --resume")).0, 0);
    let kept = fs::read(path.join("cells.jsonl")).unwrap();
    for wrong in ["sweep counters --axis colour=1 --device cpu", "sweep counters --axis counters=1 --device tpu"] {
        assert_eq!(run(&format!("{wrong} --overwrite --out {}", path.display())).0, 2);
        assert_eq!(fs::read(path.join("cells.jsonl")).unwrap(), kept, "{wrong}");
    }
}

/// An output that fails.
struct Failing(std::io::ErrorKind);

impl std::io::Write for Failing {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_output_that_is_gone_says_so_by_the_status_alone() {
    use std::io::ErrorKind;

    let words = || ["bench", "list"].into_iter().map(OsString::from);
    assert_eq!(run_as(&[COUNTERS], words(), &mut Failing(ErrorKind::BrokenPipe)), 141);
    assert_eq!(run_as(&[COUNTERS], words(), &mut Failing(ErrorKind::StorageFull)), 1);
}
