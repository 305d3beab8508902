use super::*;
use crate::spec::{Facts, Param, Scalar};

/// A procedure on one array that can access that many elements.
fn procedure(accesses: u32, read_only: bool) -> ProcedureSpec {
    const PARAM: Param = Param::array("cells.left", Scalar::I64);
    ProcedureSpec {
        name: "add",
        module: "m",
        file: "m.rs",
        params: &[PARAM],
        facts: Facts { indexed: accesses, read_only, ..Facts::NONE },
        ..ProcedureSpec::EMPTY
    }
}

#[test]
fn what_an_engine_has_no_room_for_is_refused_unless_it_is_only_read() {
    let requires = Requires { max_footprint: Some(511), ..Requires::NOTHING };
    assert_eq!(requires.refusal(&procedure(511, false)), None);
    let refusal = requires.refusal(&procedure(512, false)).expect("it is too large");
    assert_eq!(refusal, Refusal::TooManyElements { most: 511, elements: 512 });
    assert_eq!(refusal.to_string(), "at most 511 elements for each transaction that writes");
    assert_eq!(requires.refusal(&procedure(512, true)), None);
    assert_eq!(Requires::NOTHING.refusal(&procedure(u32::MAX, false)), None);
}

#[test]
fn whole_arrays_and_unknown_addresses_are_refused_where_they_matter() {
    let parts = Requires { partitions: true, ..Requires::NOTHING };
    assert_eq!(parts.refusal(&procedure(1, false)), Some(Refusal::WholeArray { parameter: "cells" }));
    let known = Requires { known_addresses: true, ..Requires::NOTHING };
    assert_eq!(known.refusal(&procedure(1, false)), Some(Refusal::UnknownAddresses));
}
