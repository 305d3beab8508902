//! External crates against the lists of `deny.toml`, for the platform that this machine builds for. cargo-deny, which
//! `ci/test.sh --all` runs if it is installed, reads the same file and checks all platforms.

use std::collections::HashSet;
use std::process::Command;

use serde_json::Value;

use crate::licence::is_allowed;
use crate::root;

/// A crate as `cargo metadata` describes it.
struct Crate {
    name: String,
    licence: Option<String>,
    /// `None` for a crate of this workspace.
    source: Option<String>,
}

/// Returns a list of texts in `deny.toml`.
fn list(section: &str, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml should be readable");
    let table: toml::Table = text.parse().expect("deny.toml should be TOML");
    let list = table.get(section).and_then(|section| section.get(name)).and_then(toml::Value::as_array);
    let texts = list.unwrap_or_else(|| panic!("deny.toml has no list `{name}` in `{section}`")).iter();
    texts.map(|text| text.as_str().expect("the list should hold texts").to_owned()).collect()
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(root()).output();
    let output = output.unwrap_or_else(|why| panic!("{program}: {why}"));
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output should be text")
}

/// Returns every crate that a build of all packages uses.
fn crates() -> Vec<Crate> {
    let version = output("rustc", &["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc should name its host");
    // Offline: everything that this platform builds with was downloaded before this test could be built.
    let fixed =
        ["metadata", "--format-version=1", "--locked", "--offline", "--all-features", "--filter-platform", host];
    let metadata: Value = serde_json::from_str(&output(env!("CARGO"), &fixed)).expect("cargo should print JSON");
    let of = |value: &Value, name: &str| value[name].as_str().map(str::to_owned);
    let nodes = metadata["resolve"]["nodes"].as_array().expect("cargo should resolve the workspace");
    let used: HashSet<String> = nodes.iter().filter_map(|node| of(node, "id")).collect();
    let packages = metadata["packages"].as_array().expect("cargo should list packages").iter();
    let packages = packages.filter(|package| of(package, "id").is_some_and(|id| used.contains(&id)));
    let entry = |package: &Value| Crate {
        name: [of(package, "name"), of(package, "version")].map(Option::unwrap_or_default).join(" "),
        licence: of(package, "license"),
        source: of(package, "source"),
    };
    packages.map(entry).collect()
}

#[test]
fn crates_of_others_have_licences_and_sources_that_are_allowed() {
    let (licences, registries) = (list("licenses", "allow"), list("sources", "allow-registry"));
    let all = crates();
    assert!(all.len() > 50, "only {} crates", all.len());
    let mut wrong = Vec::new();
    for Crate { name, licence, source } in all {
        let licence = licence.unwrap_or_default();
        match is_allowed(&licence, &licences) {
            Ok(true) => {}
            Ok(false) => wrong.push(format!("{name}: licence `{licence}`")),
            Err(why) => wrong.push(format!("{name}: {why}")),
        }
        let is_known = |registry: &String| source.as_deref() == Some(format!("registry+{registry}").as_str());
        if source.is_some() && !registries.iter().any(is_known) {
            wrong.push(format!("{name}: from {}", source.unwrap_or_default()));
        }
    }
    assert!(wrong.is_empty(), "take another crate, or change deny.toml\n{}", wrong.join("\n"));
}
