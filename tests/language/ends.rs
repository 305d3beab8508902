//! Patterns of arrays whose length only rustc knows: a constant, or the type of a field that another item declares.

use stm_runtime::prelude::*;

const SHARDS: usize = 3;
const PRIMES: [u32; 4] = [2, 3, 5, 7];

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Word {
    letters: [u8; SHARDS + 2],
    steps: [[i16; 2]; SHARDS],
}

#[gpu_fn]
fn window(a: u32, b: u32) -> [u32; SHARDS] {
    [a, a ^ b, b]
}

#[gpu_fn]
impl Word {
    fn ends(&self) -> (u8, u8) {
        let [first, .., last] = self.letters;
        (first, last)
    }

    fn inner(self) -> (i16, u8) {
        let Word { letters: [.., before, _], steps: [.., [_, last]] } = self;
        (last, before)
    }

    fn kind(&self) -> u8 {
        match self.letters {
            [0, .., 0] => 1,
            [.., 1..=99] => 2,
            [a, .., b] if a < b => 3,
            [_, second, ..] => second,
        }
    }

    fn turn(&mut self) {
        let [first, .., last] = &mut self.letters;
        (*first, *last) = (*last, first.wrapping_add(1));
        let [.., [a, b]] = &mut self.steps;
        (*a, *b) = (*b, *a);
    }
}

#[gpu_fn]
fn of_fields(word: Word) -> (u8, u8, i16, u8, u8, Word) {
    let mut turned = word;
    turned.turn();
    let (first, last) = word.ends();
    let (step, before) = turned.inner();
    (first, last, step, before, word.kind(), turned)
}

#[gpu_fn]
fn of_calls(a: u32, b: u32) -> [u32; 4] {
    let found = window(a, b);
    let [first, .., last] = found;
    let [.., largest] = PRIMES;
    let sum = match window(b, a) {
        [x, .., y] if x > y => x ^ largest,
        [.., y] => y,
    };
    let mut list = [0; SHARDS];
    let [.., end] = &mut list;
    *end = b;
    [first, last, sum, list[SHARDS - 1]]
}

#[gpu_fn]
fn of_parameters(list: [i16; SHARDS], words: [[u8; SHARDS]; 2]) -> (i16, i16, u8) {
    let [first, .., last] = list;
    let [[.., a], [b, ..]] = words;
    (last, first, a ^ b)
}

same_as_plain! { the_end_of_an_array_is_where_rustc_knows:
    of_fields(word: Word) -> (u8, u8, i16, u8, u8, Word);
    of_calls(a: u32, b: u32) -> [u32; 4];
    of_parameters(list: [i16; SHARDS], words: [[u8; SHARDS]; 2]) -> (i16, i16, u8);
}
