//! The constructs in the random programs of the build, counted.

use stm_tests::harness::Trial;

use crate::generate::{self, OF_MODULE, Reader};

/// The least number of programs that contain everything.
const ENOUGH: usize = 200;

/// Returns the test that the programs contain every construct. It prints how often.
pub(crate) fn test(seed: u64, programs: usize) -> Trial {
    Trial::test("every_construct_occurs", move || {
        let modules = 0..programs.div_ceil(OF_MODULE) as u64;
        let modules: Vec<String> =
            modules.map(|number| generate::module(seed, number, OF_MODULE, Reader::Rustc)).collect();
        let counts = generate::count(&modules);
        let words = counts.iter().map(|count| format!("{} {} in {}", count.name, count.times, count.transactions));
        println!("{}", words.collect::<Vec<_>>().join("; "));
        match counts.iter().find(|count| count.times == 0) {
            Some(count) if programs >= ENOUGH => Err(format!("no program has {}", count.name).into()),
            _ => Ok(()),
        }
    })
}
