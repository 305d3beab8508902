//! What is rejected, and in which words: a folder for each rule, a program and its expected messages for each case.
//!
//! After a wanted change: `TRYBUILD=overwrite cargo test -p stm-tests --test ui`, and read the difference.

#[test]
fn rejected_programs() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/*/*.rs");
}
