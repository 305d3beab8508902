//! One annotated function as the macro describes it.

use std::sync::atomic::{AtomicU32, Ordering};

use super::ty::Type;

/// A constant of the user's program as Rust evaluated it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    /// Its type.
    pub ty: Type,
    /// The words of its components.
    pub words: Vec<u64>,
}

/// One annotated function as the macro describes it: its intermediate form, and what only rustc can resolve. Names, types and
/// constants of the user's program are entries of lists, which the intermediate form refers to by number.
///
/// Each function has one static `Source`, so that its address identifies the function. Functions that call each other
/// refer to each other's source: a program is a graph of sources, and not a tree of copies. Where what a function names depends on its
/// parameters for types, it has a constant `Source` for each use of it.
#[derive(Clone, Copy)]
pub struct Source {
    /// The intermediate form, encoded.
    pub ir: &'static [u8],
    /// `module_path!()` where it is declared.
    pub module: &'static str,
    /// Integer overflow is a fault (as in a debug build) instead of wrapping.
    pub checked: bool,
    /// The types that it names.
    pub types: &'static [Type],
    /// The constants that it names.
    pub constants: &'static [fn() -> Constant],
    /// The functions that it calls, one entry for each call, in source order.
    pub functions: &'static [&'static Source],
    /// For each call, the first number of the called function's locations, counted from the first location of this function.
    /// The compilation of a transaction fills it in: the numbers depend on all that the called functions call.
    pub first_locations: &'static [AtomicU32],
    /// The same numbers for a constant `Source`, which rustc computes: only a static can be filled in.
    pub placed: &'static [u32],
    /// The number of its own locations.
    pub locations: u32,
    /// Distinguishes the function from others at compile time, where addresses cannot be compared: the [`identity`] of its module,
    /// name, place and intermediate form.
    pub identity: u64,
    /// The message for a function that calls itself through others.
    pub recursion: &'static str,
}

/// The module of what stands for built-in methods.
const METHOD: &str = ".";

/// The module of the functions that the device runs in place of Rust's own methods.
const IN_PLACE_OF_RUST: &str = "stm_runtime::procedure::callee::built_in::functions";

impl Source {
    /// A function without a body.
    pub const EMPTY: Source = Source {
        ir: &[],
        module: "",
        checked: false,
        types: &[],
        constants: &[],
        functions: &[],
        first_locations: &[],
        placed: &[],
        locations: 0,
        identity: 0,
        recursion: "",
    };

    /// Stands for an operator of numbers where the macro could not know whether it is a function of the user's program.
    #[must_use]
    pub const fn built_in(operator: &'static str) -> Source {
        Source { identity: identity(operator.as_bytes()), recursion: operator, ..Source::EMPTY }
    }

    /// Stands for a built-in method, likewise.
    #[must_use]
    pub const fn built_in_method(name: &'static str) -> Source {
        Source { module: METHOD, ..Source::built_in(name) }
    }

    /// Returns the operator of numbers; or the built-in method, as in `.len`.
    #[must_use]
    pub fn operator(&self) -> Option<&'static str> {
        let name = (self.ir.is_empty() && self.identity != 0).then_some(self.recursion)?;
        // A procedure is compiled once, and what it names lives as long as it does.
        Some(if self.module == METHOD { format!(".{name}").leak() } else { name })
    }

    /// Returns whether it is run in place of a method that Rust has: its faults are those of the call.
    pub(crate) fn is_in_place_of_rust(&self) -> bool {
        self.module == IN_PLACE_OF_RUST
    }

    /// Returns the first number of the locations of a call, counted from the first location of this function. It is 0 until a
    /// transaction that calls the function was compiled, which happens before its first run.
    #[inline]
    #[must_use]
    pub fn first_location(&self, call: usize) -> u32 {
        // Every compilation stores the same number, and a run begins after the compilation.
        match self.placed.get(call) {
            Some(first) => *first,
            None => self.first_locations.get(call).map_or(0, |first| first.load(Ordering::Relaxed)),
        }
    }

    /// Returns where the locations of each call begin in a function that has `own` ones.
    #[must_use]
    pub const fn place<const CALLS: usize>(own: u32, functions: [&'static Source; CALLS]) -> [u32; CALLS] {
        let (mut placed, mut next, mut k) = ([0; CALLS], own, 0);
        while k < CALLS {
            placed[k] = next;
            next = next.saturating_add(functions[k].all_locations());
            k += 1;
        }
        placed
    }

    /// Returns the number of its locations and those of everything that it calls.
    const fn all_locations(&self) -> u32 {
        let (mut all, mut k) = (self.locations, 0);
        if let ([.., last], [.., called]) = (self.placed, self.functions) {
            return last.saturating_add(called.all_locations());
        }
        while k < self.functions.len() {
            all = all.saturating_add(self.functions[k].all_locations());
            k += 1;
        }
        all
    }
}

/// Returns a number for a text, by which rustc can distinguish functions: FNV-1a, and never 0.
#[must_use]
pub const fn identity(text: &[u8]) -> u64 {
    let (mut hash, mut k) = (0xcbf2_9ce4_8422_2325_u64, 0);
    while k < text.len() {
        hash = (hash ^ text[k] as u64).wrapping_mul(0x100_0000_01b3);
        k += 1;
    }
    hash | 1
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("module", &self.module).field("bytes", &self.ir.len()).finish_non_exhaustive()
    }
}
