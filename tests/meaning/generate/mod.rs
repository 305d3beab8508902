//! Random programs: modules of records, enums, constants, functions and transactions, as source text.
//!
//! The same seed gives the same text on every machine. Programs are well typed and end; about half of their calls commit,
//! because operands are mostly small.

mod alternatives;
mod arrays;
mod bytes;
mod census;
mod chain;
mod closures;
mod compound;
mod counted;
mod dice;
mod elements;
mod expr;
mod flattened;
mod float;
mod function;
mod generics;
mod int;
mod lanes;
mod letters;
mod names;
mod options;
mod paths;
mod pattern;
mod references;
mod scales;
mod slices;
mod steps;
mod stmt;
mod tables;
mod traits;
mod types;

#[allow(unused_imports, reason = "the test uses it, and the build script does not")]
pub(crate) use census::count;
pub(crate) use dice::Dice;

use types::World;

/// Transactions in a module.
pub(crate) const OF_MODULE: usize = 8;

/// What reads a text, which says what the text can contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Reader {
    /// rustc, with everything that only it resolves: traits, generic records, operators of records.
    #[default]
    Rustc,
    /// `kernels_gen::module`, which knows the names of the text alone.
    Tool,
}

/// Returns the source of a module with that many transactions.
pub(crate) fn module(seed: u64, number: u64, transactions: usize, reader: Reader) -> String {
    let mut dice = Dice::new(seed, number);
    let mut world = World::new(&mut dice, reader);
    let helpers = 2 + dice.below(4);
    let mut text = world.declarations();
    // Its own methods do not call it: the device has no recursion.
    if let Some(own) = world.own_trait.take() {
        text += &own.items(&mut dice, &world);
        world.own_trait = Some(own);
    }
    if let Some(scales) = world.scales.take() {
        text += &scales.items(&mut dice, &world);
        world.scales = Some(scales);
    }
    for k in 0..helpers {
        text += &function::helper(&mut dice, &mut world, k);
    }
    for k in 0..transactions {
        text += &function::transaction(&mut dice, &world, k);
    }
    indent(&text)
}

/// Returns the modules of a seed, each in its own `mod`, and a function that lists the procedures of all of them.
#[allow(dead_code, reason = "the build script calls it")]
pub(crate) fn file(seed: u64, programs: usize) -> String {
    let mut text = String::new();
    let mut lists = String::new();
    for (number, first) in (0..programs).step_by(OF_MODULE).enumerate() {
        let transactions = OF_MODULE.min(programs - first);
        text += &format!("pub mod m{number} {{\nuse stm_runtime::prelude::*;\n");
        text += &module(seed, number as u64, transactions, Reader::Rustc);
        text += "}\n";
        (0..transactions).for_each(|k| lists += &format!("m{number}::t{k}::procedure(),\n"));
    }
    format!("{text}pub fn procedures() -> Vec<&'static stm_runtime::Procedure> {{\nvec![\n{lists}]\n}}\n")
}

/// Indents each line by its depth of open braces.
fn indent(text: &str) -> String {
    let (mut out, mut depth) = (String::new(), 0_usize);
    for line in text.lines() {
        let closing = line.chars().take_while(|c| *c == '}' || *c == ')').count();
        out += &"    ".repeat(depth.saturating_sub(closing));
        out += line;
        out.push('\n');
        let count = |sign| line.matches(sign).count();
        depth = (depth + count('{')).saturating_sub(count('}'));
    }
    out
}
