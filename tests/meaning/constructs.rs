//! The constructs in the random programs of the build, counted.

use stm_tests::harness::Trial;

use crate::generate::{self, OF_MODULE, Reader};

/// The least number of programs that contain everything.
const ENOUGH: usize = 200;

/// Returns the test that the programs contain every construct. It prints how often.
pub(crate) fn test(seed: u64, programs: usize) -> Trial {
    Trial::test("every_construct_occurs", move || {
        let modules = 0..programs.div_ceil(OF_MODULE) as u64;
        let text: String = modules.map(|number| generate::module(seed, number, OF_MODULE, Reader::Rustc)).collect();
        let counts = generate::count(&text);
        let words: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
        println!("{}", words.join("; "));
        match counts.iter().find(|(_, count)| *count == 0) {
            Some((name, _)) if programs >= ENOUGH => Err(format!("no program has {name}").into()),
            _ => Ok(()),
        }
    })
}
