//! What each package has.

use std::fs;

use serde_json::Value;

use crate::{PUBLISHED, members, root, unpacked};

/// The largest package, in bytes of all files.
const MOST: u64 = 2_390_000;

#[test]
fn a_package_is_published_or_says_that_it_is_not() {
    let name = |package: &Value| package["name"].as_str().unwrap_or_default().to_owned();
    let is_published = |package: &&Value| package["publish"].is_null();
    let members = members();
    let mut published: Vec<String> = members.iter().filter(is_published).map(name).collect();
    published.sort();
    let mut expect = PUBLISHED.map(str::to_owned);
    expect.sort();
    assert_eq!(published, expect, "a package is in the list, or has `publish = false`");
}

#[test]
fn a_registry_can_describe_each_crate() {
    let members = members();
    for name in PUBLISHED {
        let package = members.iter().find(|package| package["name"] == name).expect("the crate should be a member");
        for field in ["description", "license", "readme", "documentation", "rust_version"] {
            assert!(package[field].as_str().is_some_and(|text| !text.is_empty()), "{name} has no `{field}`");
        }
        for (field, most) in [("keywords", 5), ("categories", 5)] {
            let words = package[field].as_array().map_or(0, Vec::len);
            assert!((1..=most).contains(&words), "{name} has {words} words in `{field}`");
        }
        let docs = &package["metadata"]["docs"]["rs"];
        let features: Vec<&str> =
            package["features"].as_object().expect("features").keys().map(String::as_str).collect();
        // Mutants are for the tests of this project; everything else is documented.
        let shown =
            |feature: &&str| docs["features"].as_array().is_some_and(|shown| shown.iter().any(|word| word == feature));
        let hidden: Vec<&&str> =
            features.iter().filter(|feature| !["default", "mutation"].contains(feature) && !shown(feature)).collect();
        assert!(docs["all-features"] == true || hidden.is_empty(), "{name}: the documentation lacks {hidden:?}");
    }
}

#[test]
fn each_package_has_its_texts_and_nothing_large() {
    let Some(unpacked) = unpacked() else { return };
    for (name, folder) in PUBLISHED.iter().zip(unpacked) {
        for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let packed = fs::read(folder.join(file)).unwrap_or_else(|why| panic!("{name}: {file}: {why}"));
            assert!(packed == fs::read(root().join(file)).expect("the licence"), "{name}: {file} is another text");
        }
        let readme =
            fs::read_to_string(folder.join("README.md")).unwrap_or_else(|why| panic!("{name}: README.md: {why}"));
        assert!(readme.contains("gpu-transactions"), "{name}: README.md does not name the crate to add");
        let size = size(folder);
        assert!((1000..=MOST).contains(&size), "{name} has {size} bytes");
    }
}

/// Returns the bytes of all files in a folder.
fn size(folder: &std::path::Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    let of = |entry: fs::DirEntry| match entry.file_type().expect("a type").is_dir() {
        true => size(&entry.path()),
        false => entry.metadata().expect("a size").len(),
    };
    entries.map(|entry| of(entry.expect("an entry should be readable"))).sum()
}
