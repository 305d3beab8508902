//! Recursive functions, found by rustc while it evaluates constants.

use kernels_gen::spec::Source;

/// The most functions to check. The compilation of the transaction checks further ones.
const MOST_FUNCTIONS: usize = 4096;

/// Refuses a transaction that calls a function which calls itself, directly or through others.
///
/// Each function is checked once, so that the time is linear in the size of the program. Addresses cannot be compared at compile
/// time, so functions are identified by [`Source::identity`].
///
/// # Panics
/// At compile time, at the declaration of the transaction, with the message of that function.
#[track_caller]
pub const fn refuse_recursion(transaction: &'static Source) {
    let mut seen = Identities::NONE;
    let (place, _) = seen.find(transaction.identity);
    seen.on_path[place] = true;
    // The functions from the transaction to the current one: each with the next call to follow, and its index in `seen`.
    let mut path = [(transaction, 0, place); MOST_FUNCTIONS];
    let mut depth = 1;
    while depth > 0 {
        let (function, call, place) = path[depth - 1];
        if call == function.functions.len() {
            seen.on_path[place] = false;
            depth -= 1;
            continue;
        }
        path[depth - 1].1 += 1;
        let called = function.functions[call];
        let (place, new) = seen.find(called.identity);
        if !new {
            assert!(!seen.on_path[place], "{}", called.recursion);
            continue;
        }
        if seen.count == MOST_FUNCTIONS {
            return;
        }
        seen.on_path[place] = true;
        path[depth] = (called, 0, place);
        depth += 1;
    }
}

/// The checked functions, by their identity: a hash table of twice as many slots as entries.
struct Identities {
    /// 0 for an empty slot.
    numbers: [u64; 2 * MOST_FUNCTIONS],
    /// Whether the function is on the path to the current one.
    on_path: [bool; 2 * MOST_FUNCTIONS],
    count: usize,
}

impl Identities {
    const NONE: Identities =
        Identities { numbers: [0; 2 * MOST_FUNCTIONS], on_path: [false; 2 * MOST_FUNCTIONS], count: 0 };

    /// Returns the slot of a function, and whether it is new.
    const fn find(&mut self, number: u64) -> (usize, bool) {
        let mut place = (number >> 1) as usize % self.numbers.len();
        while self.numbers[place] != 0 && self.numbers[place] != number {
            place = (place + 1) % self.numbers.len();
        }
        let new = self.numbers[place] == 0;
        self.numbers[place] = number;
        self.count += new as usize;
        (place, new)
    }
}

#[cfg(test)]
mod tests {
    use kernels_gen::spec::identity;

    use super::*;

    macro_rules! source {
        ($name:ident calls $($called:ident)*) => {
            static $name: Source =
                Source { identity: identity(stringify!($name).as_bytes()), recursion: concat!(stringify!($name), " again"),
                         functions: &[$(&$called),*], ..Source::EMPTY };
        };
    }

    source!(COMPONENT calls);
    source!(TWICE calls COMPONENT COMPONENT);
    source!(DIAMOND calls TWICE COMPONENT TWICE);
    source!(EVEN calls COMPONENT ODD);
    source!(ODD calls TWICE EVEN);
    source!(ENTERS calls DIAMOND EVEN);
    source!(ITSELF calls ITSELF);

    const _: () = refuse_recursion(&DIAMOND);

    fn refused(source: &'static Source) -> String {
        let panic = std::panic::catch_unwind(|| refuse_recursion(source)).expect_err("it is refused");
        panic.downcast_ref::<String>().cloned().unwrap_or_default()
    }

    #[test]
    fn a_ring_is_found_from_wherever_it_is_entered() {
        refuse_recursion(&DIAMOND);
        assert_eq!(refused(&ENTERS), "EVEN again");
        assert_eq!(refused(&ODD), "ODD again");
        assert_eq!(refused(&ITSELF), "ITSELF again");
    }

    #[test]
    #[cfg_attr(miri, ignore = "the functions that it makes are never freed")]
    fn a_long_chain_is_no_ring_and_is_looked_at_up_to_a_limit() {
        let mut last: &'static Source = &EVEN;
        for k in 0..2 * MOST_FUNCTIONS {
            let functions: &'static [&'static Source] = vec![last, last].leak();
            let identity = identity(k.to_string().as_bytes());
            last = Box::leak(Box::new(Source { identity, functions, ..Source::EMPTY }));
            if k + 6 == MOST_FUNCTIONS {
                assert_eq!(refused(last), "EVEN again");
            }
        }
        refuse_recursion(last);
    }
}
