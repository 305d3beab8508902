use super::*;
use crate::spec::{Addition, Doubt, Facts, ForeseenWrite, Foresight, Param, PieceInputs, Scalar};

const ADDS: Option<Addition> = Some(Addition { arrays: &[], between: &[], is_nothing: false });

const fn write(
    param: u32,
    address: &'static [u32],
    value: &'static [u32],
    addition: Option<Addition>,
) -> ForeseenWrite {
    ForeseenWrite { location: param, param, times: Some(1), address, value, addition, piece: None }
}

/// Takes a number from array 0, if array 1 says that there is room, and writes to array 2 where the number says.
const ENTER: Foresight = Foresight {
    accesses: &[0],
    result: &[0],
    doubts: &[Doubt { location: 9, arrays: &[0, 1] }],
    writes: &[write(0, &[], &[0], ADDS), write(2, &[0], &[], None)],
    together: &[&[0], &[2]],
};
/// Writes where its arguments say.
const fn put(writes: &'static [ForeseenWrite]) -> Foresight {
    Foresight { accesses: &[], result: &[], doubts: &[], writes, together: &[] }
}

fn spec(foresight: Foresight) -> ProcedureSpec {
    const ARRAY: Param = Param::array("array", Scalar::U64);
    let mut facts = Facts::NONE;
    facts.flow.foresight = Some(foresight);
    ProcedureSpec {
        name: "procedure",
        module: "m",
        file: "m.rs",
        params: &[ARRAY, ARRAY, ARRAY],
        facts,
        checked: false,
        ..ProcedureSpec::EMPTY
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
    assert_eq!((found.listings.places, found.listings.unread), ([1, 0], 1));
    // Who reads the entries needs their order, and those who write to known places wait for the numbers, too.
    let found = known(MARKS, [0, 1, 2], [true, false, true]);
    assert_eq!((found.listed(0), found.listed(2), found.listings.places), (Listed::First, Listed::Late, [1, 1]));
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

/// Writes to its three arrays, in these rows. Their order matters, so that all are listed.
const fn rows(together: &'static [&'static [u32]]) -> Foresight {
    const WRITES: &[ForeseenWrite] = &[write(0, &[], &[0], None), write(1, &[], &[1], None), write(2, &[], &[2], None)];
    Foresight { accesses: &[], result: &[], doubts: &[], writes: WRITES, together }
}

/// Returns the groups where procedures with these rows are called with these arrays.
fn groups(calls: &[(&'static [&'static [u32]], [usize; 3])]) -> Vec<Vec<usize>> {
    let specs: Vec<ProcedureSpec> = calls.iter().map(|(together, _)| spec(rows(together))).collect();
    let found = Foreseen::of(&Calls {
        procedures: specs.iter().collect(),
        calls: calls.iter().enumerate().map(|(at, (_, arrays))| (at, arrays.as_slice())).collect(),
        seen: vec![true; 6],
        pushed: false,
    });
    found.groups().to_vec()
}

#[test]
fn arrays_that_are_always_written_together_have_their_places_together() {
    const ALL: &[&[u32]] = &[&[0, 1, 2]];
    assert_eq!(groups(&[(ALL, [0, 1, 2])]), [[0, 1, 2]]);
    assert_eq!(groups(&[(&[&[2, 1, 0]], [0, 1, 2])]), [[2, 1, 0]]);
    assert_eq!(groups(&[(ALL, [0, 1, 2]), (ALL, [3, 4, 5])]), [[0, 1, 2], [3, 4, 5]]);
    // Another procedure writes one of them elsewhere, in another order, or with another array.
    assert_eq!(groups(&[(ALL, [0, 1, 2]), (&[&[0, 1], &[2]], [0, 1, 2])]), [vec![0, 1], vec![2]]);
    assert_eq!(groups(&[(ALL, [0, 1, 2]), (&[&[1, 0, 2]], [0, 1, 2])]), [[0], [1], [2]]);
    assert_eq!(groups(&[(ALL, [0, 1, 2]), (ALL, [0, 1, 3])]), [vec![0, 1], vec![2], vec![3]]);
    // One of them has two names, or is written twice.
    assert_eq!(groups(&[(ALL, [0, 1, 1])]), [[0], [1]]);
    assert_eq!(groups(&[(&[&[0, 1, 2, 0]], [0, 1, 2])]), [vec![0], vec![1, 2]]);
}

#[test]
fn what_is_only_added_to_has_no_places() {
    const ADD: &[ForeseenWrite] = &[write(0, &[], &[0], ADDS), write(1, &[], &[1], ADDS)];
    let found = |result: &'static [u32], other: Foresight| {
        let specs = [spec(Foresight { result, ..put(ADD) }), spec(other)];
        let calls: Vec<(usize, &[usize])> = vec![(0, &[0, 1, 2]), (1, &[0, 1, 2])];
        let found =
            Foreseen::of(&Calls { procedures: specs.iter().collect(), calls, seen: vec![true; 3], pushed: false });
        [found.listed(0), found.listed(1)]
    };
    assert_eq!(found(&[], put(ADD)), [Listed::Summed, Listed::Summed]);
    // Some procedure returns an element of the first array, writes to it what is known, or compares it.
    assert_eq!(found(&[0], put(ADD)), [Listed::First, Listed::Summed]);
    const SETS: Foresight = put(&[write(0, &[], &[], None)]);
    assert_eq!(found(&[], SETS), [Listed::First, Listed::Summed]);
    const DOUBTS: &[Doubt] = &[Doubt { location: 9, arrays: &[0] }];
    assert_eq!(found(&[], Foresight { doubts: DOUBTS, ..put(ADD) }), [Listed::First, Listed::First]);
}

#[test]
fn pieces_are_resolved_where_every_write_is_known() {
    /// The new value follows from the old one and from arguments.
    const fn piece(param: u32, value: &'static [u32]) -> ForeseenWrite {
        ForeseenWrite { piece: Some(PieceInputs { arrays: &[], between: &[] }), ..write(param, &[], value, None) }
    }
    const FIRST: &[ForeseenWrite] = &[piece(0, &[0]), write(1, &[], &[1], ADDS)];
    let found_of = |second: &'static [ForeseenWrite], calls: Vec<(usize, &[usize])>| {
        let specs = [spec(Foresight { result: &[0], ..put(FIRST) }), spec(put(second))];
        Foreseen::of(&Calls { procedures: specs.iter().collect(), calls, seen: vec![true; 4], pushed: false })
    };
    let found = |second, arrays: [usize; 3]| found_of(second, vec![(0, &[0, 1, 2]), (1, &arrays)]);
    let numbers = |found: &Foreseen| {
        let known = found.procedures.iter().flatten().flat_map(|known| &known.writes);
        known.map(|write| (write.param, write.piece, write.adds)).collect::<Vec<_>>()
    };
    // What is added to an array with pieces is one, too, and what is written there alone is known.
    const ADDED: &[ForeseenWrite] = &[write(0, &[], &[0], ADDS), piece(2, &[2])];
    let all = found(ADDED, [0, 1, 2]);
    assert_eq!(numbers(&all), [(0, Some(1), false), (1, None, true), (0, Some(0), false), (2, Some(2), false)]);
    assert!(all.procedures.iter().flatten().all(|known| known.complete), "{all:?}");
    assert_eq!(all.pieced(Listed::First).collect::<Vec<_>>(), [[0, 0], [2, 2]]);
    assert!(!all.any_awaited());
    const SET: &[ForeseenWrite] = &[write(0, &[], &[], None)];
    assert_eq!(numbers(&found(SET, [0, 1, 2])), [(0, Some(1), false), (1, None, true), (0, None, false)]);
    // Another write follows from an array that changes: so transactions wait for each other.
    const OTHER: &[ForeseenWrite] = &[write(0, &[], &[0, 1], None)];
    let none = found(OTHER, [0, 1, 2]);
    assert_eq!(numbers(&none)[0], (0, None, false));
    assert!(none.any_awaited() && none.pieced(Listed::First).next().is_none());
    assert_eq!(numbers(&found(OTHER, [2, 1, 0]))[0], (0, Some(1), false));
    // One parameter stands for two arrays, and no transaction writes to the second one.
    const REST: &[ForeseenWrite] = &[piece(2, &[2])];
    let read = found_of(REST, vec![(0, &[0, 1, 2]), (1, &[0, 1, 2]), (1, &[3, 1, 2])]);
    assert_eq!(read.pieced(Listed::First).collect::<Vec<_>>(), [[0, 0], [2, 2]]);
}

#[test]
fn arrays_that_are_one_parameter_have_one_cell() {
    // Array 1 is the second of a row in one call, and alone in another one, as the parameter that is array 4 elsewhere.
    let specs = [spec(rows(&[&[0, 1], &[2]])), spec(rows(&[&[0], &[1], &[2]]))];
    let calls: Vec<(usize, &[usize])> = vec![(0, &[0, 1, 2]), (1, &[3, 4, 5]), (1, &[3, 1, 5])];
    let found = Foreseen::of(&Calls { procedures: specs.iter().collect(), calls, seen: vec![true; 6], pushed: false });
    assert_eq!(found.groups(), [[0], [1], [2], [3], [4], [5]]);
}

#[test]
fn a_place_has_as_many_cells_as_a_word_has_bits() {
    const WIDE: usize = 40;
    const ARRAY: Param = Param::array("array", Scalar::U64);
    let numbers: &'static [u32] = Vec::leak((0..WIDE as u32).collect());
    let writes = Vec::leak(numbers.iter().map(|of| write(*of, &[], std::slice::from_ref(of), ADDS)).collect());
    let foresight = Foresight { writes, together: Vec::leak(vec![numbers]), result: numbers, ..put(&[]) };
    let procedure = ProcedureSpec { params: Vec::leak(vec![ARRAY; WIDE]), ..spec(foresight) };
    let arrays: Vec<usize> = (0..WIDE).collect();
    let calls = vec![(0, arrays.as_slice())];
    let found = Foreseen::of(&Calls { procedures: vec![&procedure], calls, seen: vec![true; WIDE], pushed: false });
    assert_eq!(found.groups(), [(0..32).collect::<Vec<_>>(), (32..40).collect()]);
    assert_eq!(found.cells_that_add(Listed::First), u32::MAX);
}
