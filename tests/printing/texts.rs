//! The texts between the values.

use stm_runtime::prelude::*;
use stm_tests::draw::Draw;

use crate::places::{compare, everywhere, printed};

/// The generated transactions, which print random texts, and Rust's results of the same lines.
#[allow(warnings, clippy::all)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/printing.rs"));
}

/// Declares a line as a transaction that prints it and as Rust formats it.
macro_rules! lines {
    (($x:ident, $y:ident) $($name:ident: $format:literal $(, $value:expr)*;)*) => {
        mod transactions {
            use stm_runtime::prelude::*;
            $(
                #[gpu_transaction]
                pub(super) fn $name(_tx: &mut Tx, $x: i32, $y: f64) -> TxResult {
                    let _ = ($x, $y);
                    gpu_println!($format $(, $value)*);
                    Ok(())
                }
            )*
        }

        fn push_all(batch: &mut Batch, $x: i32, $y: f64) -> Vec<String> {
            vec![$({
                batch.push(transactions::$name::call($x, $y));
                format!($format $(, $value)*)
            }),*]
        }
    };
}

lines! {
    (x, y)
    empty: "";
    nul: "before\0after";
    control: "\u{1}{}\u{2}{:?}\u{1}\u{1b}[1m\u{7f}", x, y;
    braces: "{{{}}} {{{:?}}} {{}} }}{{ {{:?}}", x, y;
    percent: "100% %s %n %%d{}%", x;
    quotes: "\"\\ \\n ??/ ??= ' {} \t|\r|", x;
    lines: "a\nb\r\nc{}\n", y;
    unicode: "größe 数 🦀 \u{200d}\u{202e}\u{feff} {x}{y:?}";
    many:
        "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}",
        x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x;
    wide: "{:?}", [y; 2000];
}

pub(crate) fn literal_texts_are_kept() {
    everywhere(|environment| {
        let mut batch = environment.device.batch();
        let mut want = push_all(&mut batch, -7, 0.1);
        want.extend(push_all(&mut batch, i32::MIN, f64::NAN));
        let (_, mut lines) = printed(&batch, RunOptions::new().threads(1));
        // Each function has its own pass on a GPU.
        lines.sort();
        want.sort();
        compare(environment, &lines, &want);
    });
}

/// The number of functions in one unit: a unit of all of them takes long to compile.
const AT_ONCE: usize = 16;

pub(crate) fn random_lines_are_the_same_everywhere() {
    everywhere(|environment| {
        let mut draw = Draw::new(5);
        for pushes in generated::ALL.chunks(AT_ONCE) {
            let mut batch = environment.device.batch();
            let mut want: Vec<String> = (0..30).flat_map(|_| pushes).map(|push| push(&mut batch, &mut draw)).collect();
            let (_, mut lines) = printed(&batch, RunOptions::new().threads(1));
            lines.sort();
            want.sort();
            compare(environment, &lines, &want);
        }
    });
}
