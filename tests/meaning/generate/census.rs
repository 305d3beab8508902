//! What random programs contain: how often each construct stands in their texts.

/// The constructs with parts of their texts that nothing else has. `#` stands for a number.
const CONSTRUCTS: [(&str, &[&str]); 59] = [
    ("methods of records and enums", &["pub fn h"]),
    ("traits with one method", &["pub trait T"]),
    ("own methods in place of default ones", &["_other: &Self"]),
    ("methods of a trait", &[".weight(", ".total(", ".above(", ".change(", ".better("]),
    ("constants and functions of a trait by the type", &[" as Q>::"]),
    ("parameters with a trait of the module", &["q0(", "q1(", "q2(", "q3("]),
    ("parameters with Ord", &["g2(", "g4(", "g8(", "g9("]),
    ("parameters with Add", &["g3("]),
    ("constant parameters", &["g5::<"]),
    ("generic records", &["Pair {", "Pair::<", "Pair::new("]),
    ("generic enums", &[">::Just(", ">::Both {", ">::Nothing"]),
    ("enums with fields", &["U0::V"]),
    ("patterns over references", &["match &"]),
    ("array patterns", &["Some([", " @ ..] ", ", ..] =>", "[.., "]),
    ("alternatives with names", &["_) | (_, ", ") | Err(p", ") | U0::V", "] | ["]),
    ("map", &[".map("]),
    ("filter", &[".filter(", ".filter_map("]),
    ("zip", &[".zip("]),
    ("enumerate", &[".enumerate("]),
    ("rev", &[".rev("]),
    ("skip, take, step_by", &[".skip(", ".take(", ".step_by("]),
    ("chain", &[".chain("]),
    ("flatten, flat_map", &[".flatten()", ".flat_map("]),
    ("scan, map_while, skip_while, take_while", &[".scan(", ".map_while(", ".skip_while(", ".take_while("]),
    ("once, repeat", &["iter::once(", "iter::repeat"]),
    ("fold, reduce, sum, product", &[".fold(", ".try_fold(", ".reduce(", ".sum::<", ".product::<"]),
    ("min, max, by key and by order", &[".min()", ".max()", ".min_by", ".max_by"]),
    ("any, all, position, count, find", &[".any(", ".all(", ".position(", ".count()", ".find"]),
    ("unzip, transpose", &[".unzip()", ".transpose()"]),
    ("map and from_fn of arrays", &["array::from_fn", "]; w"]),
    ("arrays in another order", &[".sort", ".swap(", ".reverse()", ".rotate_left("]),
    ("searches in arrays", &[".binary_search(", ".partition_point(", ".contains("]),
    ("parts of arrays", &["..].", ".split_at(", ".windows(", ".chunks"]),
    ("closures with a name", &[" = |"]),
    ("functions by their name", &["::max)", "::wrapping_add)", ".map(h"]),
    ("integers of 128 bits", &["i128", "u128"]),
    ("letters", &["char", ".to_digit(", ".is_ascii"]),
    ("methods of Option", &[".and_then(", ".unwrap_or", ".or_else(", ".get_or_insert(", ".take();", ".replace("]),
    ("bytes", &["_bytes("]),
    ("lists of shared arrays", &["; 2], ", "in [r", "in [&r", "[r0, ", "[&r", "l0[", "l1["]),
    ("lists of shared arrays for functions", &[", [r", ", [&", ", l#)", ", s#)"]),
    ("names of shared arrays", &["let s#", "let mut s#", "let (mut s#"]),
    ("names assigned again", &["\ns# = "]),
    ("names exchanged", &["mem::swap(&mut s#", ") = (s#"]),
    ("names in tuples", &["s#.0", "s#.2"]),
    ("names in lists", &["= s#[", "] = s#;", "s#[0]", "s#[1]"]),
    ("names in Options", &["Option<&Shared<"]),
    ("parts of parts of arrays by names", &["= &s#.", "= &s#["]),
    ("methods by their name", &["Key::"]),
    ("From by its name", &["::from)"]),
    ("traits with parameters", &["y0(", "y0::<", "y1::<", "y2(", ".scaled(", ".raised(", "W::"]),
    ("types without fields", &["y3::<"]),
    ("functions found by their results", &["= W::made_of(", "= y2(", "= Q::made()"]),
    ("rev after steps that count", &["0).rev()", "1).rev()", "2).rev()", "3).rev()", ")).rev()", ".enumerate().rev()"]),
    ("zip with a chain", &[".zip((", ".zip(std", ".zip(w#", ".zip(v#", ".zip(a#", ".into_iter()).map("]),
    (
        "iter_mut and flatten",
        &[".iter_mut().flatten()", ".iter_mut().rev().flatten()", ".iter_mut().skip(1).flatten()"],
    ),
    ("names for the rest of an array", &["rest# @ ..", "w# @ .."]),
    ("tables by get", &["D#.get("]),
    ("tables", &["D#."]),
];

/// How often a construct stands in some modules, and in how many of their transactions.
#[derive(Debug)]
pub(crate) struct Count {
    pub(crate) name: &'static str,
    pub(crate) times: usize,
    pub(crate) transactions: usize,
}

/// Returns the counts of all constructs.
pub(crate) fn count(modules: &[String]) -> Vec<Count> {
    let lines = |text: &String| text.lines().map(|line| format!("{}\n", line.trim_start())).collect::<String>();
    let modules: Vec<String> = modules.iter().map(lines).collect();
    let of = |text: &str, parts: &[&str]| parts.iter().map(|part| occurrences(text, part)).sum::<usize>();
    let transactions = || modules.iter().flat_map(|text| text.split("#[gpu_transaction").skip(1));
    let count = |(name, parts): &(&'static str, &[&str])| Count {
        name,
        times: modules.iter().map(|text| of(text, parts)).sum(),
        transactions: transactions().filter(|text| of(text, parts) > 0).count(),
    };
    CONSTRUCTS.iter().map(count).collect()
}

/// Returns how often a part stands in a text.
fn occurrences(text: &str, part: &str) -> usize {
    let Some((before, after)) = part.split_once('#') else { return text.matches(part).count() };
    let follows = |at: usize| {
        let rest = &text[at + before.len()..];
        let end = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        end.len() < rest.len() && end.starts_with(after)
    };
    text.match_indices(before).filter(|(at, _)| follows(*at)).count()
}
