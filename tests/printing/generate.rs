//! Generates transactions that print one random line each. The build script calls it.

use crate::generate::Dice;

/// The number of transactions.
const LINES: usize = 48;
/// The types of their values.
const TYPES: [&str; 12] = [
    "f64",
    "f32",
    "i8",
    "u64",
    "isize",
    "bool",
    "u16",
    "Option<f32>",
    "(i64, bool)",
    "[f64; 2]",
    "Option<[i16; 2]>",
    "()",
];
/// Characters that need special treatment somewhere on the way to the output.
const MINDED: [char; 20] = [
    '{', '}', '%', '\\', '"', '\'', '?', '\0', '\u{1}', '\u{2}', '\n', '\r', '\t', '\u{1b}', '\u{7f}', '\u{80}', 'é',
    '数', '🦀', '\u{202e}',
];

/// Returns the source of all of them, and the list `ALL` of functions that push a call and return the expected line.
pub(crate) fn file(seed: u64) -> String {
    let mut dice = Dice::new(seed, 77);
    let mut text = "use stm_runtime::prelude::*;\nuse stm_tests::draw::Draw;\n".to_owned();
    (0..LINES).for_each(|number| text += &line(&mut dice, number));
    let names: Vec<String> = (0..LINES).map(|number| format!("push_{number}")).collect();
    text + &format!("pub const ALL: &[fn(&mut Batch, &mut Draw) -> String] = &[{}];\n", names.join(", "))
}

fn line(dice: &mut Dice, number: usize) -> String {
    let values = if dice.chance(10) { 34 + dice.below(6) } else { dice.below(8) };
    let mut format = literal(dice);
    let (mut params, mut names, mut draws) = (String::new(), String::new(), String::new());
    for k in 0..values {
        let ty = *dice.pick(&TYPES);
        let is_scalar = ty.chars().all(|c| c.is_ascii_alphanumeric());
        let is_int = is_scalar && !ty.starts_with(['f', 'b']);
        format += &match dice.below(4) {
            0 | 1 => how(dice, is_scalar, is_int),
            2 if is_scalar => "{}".to_owned(),
            _ => "{:?}".to_owned(),
        };
        format += &literal(dice);
        params += &format!(", v{k}: {ty}");
        names += &format!(", v{k}");
        draws += &format!("let v{k}: {ty} = draw.value();\n");
    }
    let arguments = names.trim_start_matches(", ");
    format!(
        "#[gpu_transaction]\nfn line_{number}(_tx: &mut Tx{params}) -> TxResult {{\ngpu_println!(\"{format}\"{names});\nOk(())\n}}\n\
         fn push_{number}(batch: &mut Batch, draw: &mut Draw) -> String {{\n{draws}batch.push(line_{number}::call({arguments}));\n\
         format!(\"{format}\"{names})\n}}\n"
    )
}

/// Returns braces with alignment, flags, width, precision and kind.
fn how(dice: &mut Dice, is_scalar: bool, is_int: bool) -> String {
    let mut how = (*dice.pick(&["", "<", "^", ">"])).to_owned();
    ["+", "#", "0", "1", "14"].iter().for_each(|part| how += if dice.chance(40) { part } else { "" });
    how += match dice.below(3) {
        0 if is_int => *dice.pick(&["x", "X", "b", "o"]),
        1 => *dice.pick(&[".0", ".3", ".17"]),
        _ => "",
    };
    let debug = !is_scalar || !how.ends_with(['x', 'X', 'b', 'o']) && dice.chance(50);
    format!("{{:{how}{}}}", if debug { "?" } else { "" })
}

/// Returns a random text, as a Rust format literal.
fn literal(dice: &mut Dice) -> String {
    let length = if dice.chance(3) { 5000 } else { dice.below(12) };
    let mut text = String::new();
    for _ in 0..length {
        let c = match dice.below(3) {
            0 => *dice.pick(&MINDED),
            1 => char::from(b' ' + dice.below(95) as u8),
            _ => char::from_u32(dice.below(0x11_0000) as u32).unwrap_or('-'),
        };
        match c {
            '{' | '}' => text.extend([c, c]),
            c => text.extend(c.escape_default()),
        }
    }
    text
}
