//! Each crate without features, and with `STM_TEST_FEATURES` each feature alone: a user chooses those that are needed, and other tests build
//! with all of them.

use crate::{PUBLISHED, cargo, members, root, run_without_warnings};

#[test]
fn each_feature_compiles_alone() {
    let (members, are_all) = (members(), std::env::var_os("STM_TEST_FEATURES").is_some());
    for name in PUBLISHED {
        let package = members.iter().find(|package| package["name"] == name).expect("the crate should be a member");
        let features = package["features"].as_object().expect("features").keys().map(String::as_str);
        for feature in features.filter(|feature| are_all && *feature != "default").chain([""]) {
            let words = ["check", "--quiet", "-p", name, "--no-default-features", "--features", feature];
            run_without_warnings(&mut cargo(root(), &words)).unwrap_or_else(|why| panic!("{name}, `{feature}`: {why}"));
        }
    }
}
