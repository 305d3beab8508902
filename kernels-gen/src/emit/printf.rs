//! `gpu_println!`: CUDA's `printf`.
//!
//! A float is printed with enough digits to read back as the same value. Rust prints the fewest such digits, so the two can differ
//! in how they write a value, and in how they write infinities.

use super::literal;
use crate::ir::{Piece, Transaction};
use crate::spec::Scalar;

/// CUDA's `printf` takes at most so many values.
const MOST_VALUES: usize = 32;

/// The statements that print a line.
pub(super) fn lines(tx: &Transaction, pieces: &[Piece]) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut format, mut args) = (String::new(), Vec::new());
    for piece in pieces {
        match piece {
            Piece::Text(text) => format.push_str(&text.replace('%', "%%")),
            Piece::Value(atom, _) => {
                let (directive, arg) = value(tx.atom_type(atom), &literal::atom(tx, atom));
                format.push_str(directive);
                args.push(arg);
            }
        }
        if args.len() == MOST_VALUES {
            lines.push(call(&std::mem::take(&mut format), &std::mem::take(&mut args)));
        }
    }
    format.push('\n');
    lines.push(call(&format, &args));
    lines
}

fn call(format: &str, args: &[String]) -> String {
    let args: Vec<String> = args.iter().map(|arg| format!(", {arg}")).collect();
    format!("printf({}{});", literal::string(format), args.concat())
}

fn value(scalar: Scalar, text: &str) -> (&'static str, String) {
    match scalar {
        Scalar::Bool => ("%s", format!("({text} ? \"true\" : \"false\")")),
        Scalar::F32 => ("%.9g", format!("(double){text}")),
        Scalar::F64 => ("%.17g", format!("(double){text}")),
        _ if scalar.is_signed() => ("%lld", format!("(long long){text}")),
        _ => ("%llu", format!("(unsigned long long){text}")),
    }
}
