//! The mutants of the stages that run transactions in order.

use super::Mutant;

const fn mutant(name: &'static str, at: &'static [&'static str], caught_by: &'static [&'static str]) -> Mutant {
    Mutant { engine: "in-order", name, at, caught_by }
}

const ROWS: &[&str] = &["rows_in_order"];
const RECORDS: &[&str] = &["records_in_order"];
const NUMBERS: &[&str] = &["numbers_in_order"];
const TURNS: &[&str] = &["turns_in_push_order"];
const ENDS: &[&str] = &["rows_that_end"];
const UNREAD: &[&str] = &["entries_that_nobody_reads"];
const MARKED: &[&str] = &["entries_that_are_marked"];
const PIECES: &[&str] = &["pieces_in_order"];
const PUSHED: &[&str] = &["entries_in_push_order"];

pub(super) const IN_ORDER: &[Mutant] = &[
    mutant("what depends on reads is published before they are made", &["publish what is not foreseen"], ROWS),
    mutant("a list that is not used stays", &["withdraw"], ENDS),
    mutant("a transaction overlooks its own writes", &["own writes", "no place before"], ROWS),
    mutant("a read sees a later write of its transaction", &["source of a read", "no place before"], ROWS),
    mutant("a version that is not there yet is skipped", &["wait for a version", "no place before"], ROWS),
    mutant("versions of a transaction that ends are expected forever", &["void versions"], ENDS),
    mutant("versions are not published", &["publish"], ENDS),
    mutant("writes are seen before the commit", &["publish too early"], ENDS),
    mutant("writes to one element are in reverse", &["order of equal keys"], ROWS),
    mutant("the last write to an element is lost", &["end of a range"], ROWS),
    mutant("a read overlooks the place before the write after it", &["place before the next write"], ROWS),
    mutant("what a block has added before its last places is lost", &["additions before the last tile"], NUMBERS),
    mutant("what other blocks have added is lost", &["additions of other blocks"], NUMBERS),
    mutant("the last one adds, and the others do not", &["sums apart"], NUMBERS),
    mutant("the last sum replaces the others", &["sums in place"], NUMBERS),
    mutant("what is added to an unknown value is published", &["additions after an unknown value"], ROWS),
    mutant("a sum contains what its transaction has not seen", &["additions of one transaction"], ROWS),
    mutant("a piece overlooks those of its element before it", &["pieces of an element"], PIECES),
    mutant("what a piece leaves is lost", &["what a piece leaves"], PIECES),
    mutant("a lane keeps the value before its own", &["who keeps a value"], PIECES),
    mutant("a piece has other inputs", &["inputs of a piece"], PIECES),
    mutant("a ticket is that of the last transaction", &["ticket of another transaction"], MARKED),
    mutant("numbers are drawn by transactions that are rejected", &["refuse what does not commit"], UNREAD),
    mutant("what was refused is listed again", &["list again what was refused"], UNREAD),
    mutant("an addition is what was there", &["what is put back"], MARKED),
    mutant("who comes last stays, though another one is later", &["last one of those that are not read"], UNREAD),
    mutant("elements keep their old values", &["install an element"], ROWS),
    mutant("elements that are not known are overlooked", &["notice who cannot run in turn"], TURNS),
    mutant("a transaction is refused at its turn, and runs again", &["end at its turn"], TURNS),
    mutant("the reason of an end is lost", &["detail of an end"], TURNS),
    mutant("what is refused stays where nobody reads", &["what ends writes nothing"], PUSHED),
    mutant("values of several fields lie at one place", &["cells of a place"], RECORDS),
    mutant("a record that was just written is read as before", &["place of the last look"], RECORDS),
    mutant("who stores last stays, though another one is later", &["two writers of an element"], UNREAD),
    mutant("what ends overlooks its own writes", &["own writes of what ends"], ENDS),
    mutant("readers run after all others", &["turns of readers"], TURNS),
    mutant(
        "later transactions run before those that they wait for",
        &["visit the last ones first", "what is left moves up"],
        &["lost_update_in_loops", "many_arrays"],
    ),
];
