use super::*;
use crate::spec::{Addition, Doubt, Facts, ForeseenWrite, Foresight, Param, Role, Scalar};

const ADDS: Option<Addition> = Some(Addition { arrays: &[], between: &[], is_nothing: false });

const fn write(
    param: u32,
    address: &'static [u32],
    value: &'static [u32],
    addition: Option<Addition>,
) -> ForeseenWrite {
    ForeseenWrite { location: param, param, times: Some(1), address, value, addition }
}

/// Takes a number from array 0, if array 1 says that there is room, and writes to array 2 where the number says.
const ENTER: Foresight = Foresight {
    accesses: &[0],
    result: &[0],
    doubts: &[Doubt { location: 9, arrays: &[0, 1] }],
    writes: &[write(0, &[], &[0], ADDS), write(2, &[0], &[], None)],
};
/// Writes where its arguments say.
const fn put(writes: &'static [ForeseenWrite]) -> Foresight {
    Foresight { accesses: &[], result: &[], doubts: &[], writes }
}

fn spec(foresight: Foresight) -> ProcedureSpec {
    const ARRAY: Param = Param { name: "array", role: Role::Array(Scalar::U64) };
    let mut facts = Facts::NONE;
    facts.flow.foresight = Some(foresight);
    ProcedureSpec {
        name: "procedure",
        module: "m",
        file: "m.rs",
        line: 1,
        params: &[ARRAY, ARRAY, ARRAY],
        result: &[],
        cuda: "",
        facts,
        locations: &[],
        lines: &[],
        checked: false,
        max_iterations: 1,
        variables: 0,
    }
}

/// Returns what is known where ENTER is called with arrays 0 to 2, and another procedure with these.
fn known(other: Foresight, arrays: [usize; 3], seen: [bool; 3]) -> Foreseen {
    let specs = [spec(ENTER), spec(other)];
    Foreseen::of(&Calls {
        procedures: specs.iter().collect(),
        calls: vec![(0, &[0, 1, 2]), (1, &arrays)],
        seen: seen.to_vec(),
        pushed: false,
    })
}

#[test]
fn numbers_tell_where_to_write() {
    const COUNTS: Foresight = put(&[write(0, &[], &[0], ADDS)]);
    const MARKS: Foresight = put(&[write(2, &[], &[2], None)]);
    let found = known(COUNTS, [0, 1, 2], [true, false, true]);
    let enter = found.procedures[0].as_ref().expect("array 0 has tickets");
    assert!(enter.outcome && enter.complete && enter.is_late && enter.tickets == [0], "{enter:?}");
    assert_eq!((&enter.open, found.listed(2)), (&[vec![9], vec![]], Listed::Unread));
    assert_eq!(found.writes, [1, 0, 1]);
    // Who reads the entries needs their order, and those who write to known places wait for the numbers, too.
    let found = known(MARKS, [0, 1, 2], [true, false, true]);
    assert_eq!((found.listed(0), found.listed(2), found.writes), (Listed::First, Listed::Late, [1, 1, 0]));
    assert!(found.procedures[1].as_ref().is_some_and(|known| known.is_late && !known.complete), "{found:?}");
}

#[test]
fn what_decides_about_numbers_has_to_be_known() {
    let is_foreseen = |other, arrays, seen| known(other, arrays, seen).procedures[0].is_some();
    const SETS: Foresight = put(&[write(0, &[], &[], None)]);
    // Somebody sets the number, or what it is compared with; or puts it where it is not.
    assert!(!is_foreseen(SETS, [0, 1, 2], [true, false, true]));
    assert!(!is_foreseen(SETS, [1, 0, 2], [true, true, true]));
    assert!(is_foreseen(SETS, [2, 1, 0], [true, false, true]));
    // The same parameter is the numbers in one call, and entries in another one.
    let specs = [spec(ENTER)];
    let calls: Vec<(usize, &[usize])> = vec![(0, &[0, 1, 2]), (0, &[2, 1, 0])];
    let found = Foreseen::of(&Calls {
        procedures: specs.iter().collect(),
        calls,
        seen: vec![true, false, true],
        pushed: false,
    });
    assert_eq!(found.procedures, [None]);
}
