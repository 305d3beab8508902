//! What random programs contain: how often each construct stands in their texts.

/// The constructs with a part of their texts that nothing else has.
const CONSTRUCTS: [(&str, &[&str]); 40] = [
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
];

/// Returns the number of each construct in a text, by its name.
pub(crate) fn count(text: &str) -> Vec<(&'static str, usize)> {
    let of = |parts: &[&str]| parts.iter().map(|part| text.matches(part).count()).sum();
    CONSTRUCTS.iter().map(|(name, parts)| (*name, of(parts))).collect()
}
