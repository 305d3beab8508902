//! Checks that the programs end like other tools when their output is closed.

#[allow(dead_code, unreachable_pub, reason = "other tests use the rest of it")]
mod support;

use std::process::Stdio;

use support::{closed, ends_as_other_tools, full, run, run_with};

const SMALL: &str = "--accounts 10 --transactions 100 --device cpu:2";

#[test]
fn programs_end_where_their_output_is_gone() {
    ends_as_other_tools("counter", "");
    ends_as_other_tools("bank", "--help");
    ends_as_other_tools("bank", "--version");
    ends_as_other_tools("bank", "--source");
    ends_as_other_tools("bank", SMALL);
    ends_as_other_tools("bank", &format!("{SMALL} --json"));
    ends_as_other_tools("bank", &format!("{SMALL} --fill index --runs 2"));
    ends_as_other_tools("service", "--device cpu:2 --seconds 0.02 --accounts 10");
    ends_as_other_tools("service", "--device cpu:2 --seconds 0.02 --threads 1 --list 100 --rate 100000 --json");
    ends_as_other_tools("cookbook", "--device cpu:2 --transactions 1000 --runs 1");
    let picture = std::env::temp_dir().join(format!("simulation-{}.png", std::process::id()));
    let simulation = format!("--device cpu:2 --bits 3 --steps 5 --every 2 --picture {}", picture.display());
    ends_as_other_tools("simulation", &simulation);
    ends_as_other_tools("simulation", &format!("{simulation} --order pushed --check --json"));
    let _ = std::fs::remove_file(&picture);
    ends_as_other_tools("ways", &format!("{SMALL} --runs 1"));
    ends_as_other_tools("limits", "--help");
    // On a machine with a GPU it would measure first.
    if run("limits", "", Stdio::piped()).is_some_and(|ended| ended.out.contains("nothing was measured")) {
        ends_as_other_tools("limits", "");
    }
}

#[test]
fn a_simulation_in_push_order_ends_alike_everywhere() {
    let picture = std::env::temp_dir().join(format!("simulations-{}.png", std::process::id()));
    // The emulator runs it where it is built in.
    let digests = ["cpu:1", "cpu:3", "cpu:2@7", "emulated@5"].map(|device| {
        let words =
            format!("--device {device} --bits 4 --steps 20 --order pushed --json --picture {}", picture.display());
        let ended = run("simulation", &words, Stdio::piped()).filter(|ended| !ended.err.contains("unknown device"))?;
        let digest = ended.out.split("\"digest\":\"").nth(1).and_then(|rest| rest.split('"').next());
        assert!(ended.code == Some(0) && digest.is_some_and(|digest| digest.len() == 16), "{device}: {ended:?}");
        digest.map(str::to_owned)
    });
    let _ = std::fs::remove_file(&picture);
    let first = &digests[0];
    assert!(digests.iter().flatten().all(|digest| Some(digest) == first.as_ref()), "{digests:?}");
}

#[test]
fn help_names_every_device_and_a_wrong_title_is_refused() {
    for program in ["bank", "service", "simulation", "cookbook", "ways"] {
        let Some(ended) = run(program, "--help", Stdio::piped()) else { return };
        let words: String = ended.out.split_whitespace().collect();
        assert!(words.contains("cpu:N@SEED") && words.contains("emulated@SEED"), "{}", ended.out);
    }
    let Some(ended) = run("cookbook", "--device cpu:1 --only ledgr", Stdio::piped()) else { return };
    assert!(ended.code == Some(2) && ended.err.contains("they are Accounts, "), "{ended:?}");
}

#[test]
fn nobody_needs_standard_error() {
    let errors = [Some(closed()), full()];
    for error in errors.into_iter().flatten() {
        let Some(ended) = run_with("bank", &format!("{SMALL} --json"), Stdio::piped(), error) else { return };
        assert_eq!(ended.code, Some(0));
        assert!(ended.out.contains("\"committed\":100"), "{}", ended.out);
    }
    for words in ["--device tpu", "--accounts 0"] {
        let Some(ended) = run_with("bank", words, Stdio::piped(), closed()) else { return };
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{words}");
    }
}
