use super::super::engines::ENGINES;
use super::*;

const TEXT: &str = "a;\n  // mutation \"one\":\n  // mutation \"two: more\": if (x) @\n  //| y;\n  b;  // why\nc;";

#[test]
fn mutations_do_not_enter_a_unit_and_lines_keep_their_numbers() {
    let mut out = String::new();
    put_header(&mut out, ENGINES[0], ("some.cuh", TEXT));
    assert_eq!(out, "#line 1 \"stm/some.cuh\"\na;\n\n\n\n  b;  // why\nc;\n");
}

#[test]
fn mutations_are_for_the_next_line_of_code() {
    let one = Mutation { label: "one", line: 4, replacement: String::new() };
    let two = Mutation { label: "two: more", line: 4, replacement: "if (x) @\ny;".to_owned() };
    assert_eq!(mutations(TEXT), [one, two]);
}

#[test]
fn a_replaced_header_takes_the_place_of_the_one_with_its_name() {
    let engine = EngineSpec { replaced: &[("locks.cuh", "broken")], ..*ENGINES[0] };
    let mut out = String::new();
    put_header(&mut out, &engine, LOCKS);
    put_header(&mut out, &engine, ("other.cuh", "whole"));
    assert_eq!(out, "#line 1 \"stm/locks.cuh\"\nbroken\n#line 1 \"stm/other.cuh\"\nwhole\n");
}
