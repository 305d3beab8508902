//! External crates against the lists of `deny.toml`, for the platform that this machine builds for. cargo-deny, which
//! `ci/test.sh --all` runs if it is installed, reads the same file and checks all platforms.

use std::collections::HashSet;
use std::process::Command;

use serde_json::Value;

use crate::licence::is_allowed;
use crate::{has_word, is_comment, root, sources};

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

/// Returns the names of a manifest's dependencies, as code writes them.
fn dependencies(manifest: &toml::Table) -> Vec<String> {
    let sections = ["dependencies", "dev-dependencies", "build-dependencies"];
    let of_targets = manifest.get("target").and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::values);
    let tables = of_targets.filter_map(toml::Value::as_table).chain([manifest]);
    let lists = tables.flat_map(|table| sections.iter().filter_map(|name| table.get(*name)?.as_table()));
    lists.flat_map(|list| list.keys().map(|name| name.replace('-', "_"))).collect()
}

#[test]
fn every_dependency_is_named_in_the_code_of_its_package() {
    let read = |path: &std::path::Path| {
        std::fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
    };
    let workspace: toml::Table = read(&root().join("Cargo.toml")).parse().expect("the manifest should be TOML");
    let members = workspace["workspace"]["members"].as_array().expect("the members of the workspace");
    let members: Vec<&str> = members.iter().map(|member| member.as_str().expect("a folder")).collect();
    let (mut unused, mut shared) = (Vec::new(), HashSet::new());
    for member in &members {
        let manifest: toml::Table = read(&root().join(member).join("Cargo.toml")).parse().expect("TOML");
        // A package in the folder of another one has its own dependencies.
        let is_own = |file: &str| {
            let home = members
                .iter()
                .filter(|folder| file.starts_with(&format!("{folder}/")))
                .max_by_key(|folder| folder.len());
            home == Some(member)
        };
        let code = |text: &str| text.lines().filter(|line| !is_comment(line)).collect::<Vec<_>>().join("\n");
        let own: String = sources().iter().filter(|(file, _)| is_own(file)).map(|(_, text)| code(text)).collect();
        for name in dependencies(&manifest) {
            if !has_word(&own, &name) {
                unused.push(format!("{member}: {name}"));
            }
            shared.insert(name);
        }
    }
    let listed = workspace["workspace"]["dependencies"].as_table().expect("the shared dependencies");
    unused.extend(
        listed.keys().filter(|name| !shared.contains(&name.replace('-', "_"))).map(|name| format!("workspace: {name}")),
    );
    assert!(shared.len() > 20, "only {} dependencies", shared.len());
    assert!(unused.is_empty(), "remove these dependencies\n{}", unused.join("\n"));
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
