//! Each feature of each crate, alone: a user chooses those that are needed, and other tests build with all of them.

use crate::{PUBLISHED, cargo, members, root, run_without_warnings};

#[test]
fn each_feature_compiles_alone() {
    let members = members();
    for name in PUBLISHED {
        let package = members.iter().find(|package| package["name"] == name).expect("the crate should be a member");
        let features = package["features"].as_object().expect("features").keys().map(String::as_str);
        for feature in features.filter(|feature| *feature != "default").chain([""]) {
            let words = ["check", "--quiet", "-p", name, "--no-default-features", "--features", feature];
            run_without_warnings(&mut cargo(root(), &words)).unwrap_or_else(|why| panic!("{name}, `{feature}`: {why}"));
        }
    }
}
