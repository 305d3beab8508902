//! Threads that run one at a time, in an order that a seed chooses: the same seed interleaves the same batch in the same way, so
//! that a failure can be reproduced.
//!
//! A thread passes its turn at its steps, which are the points where other threads can interleave: before a read, a lock, a store,
//! and while it waits. No thread observes the middle of another thread's step.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The order of turns among the threads of one run.
#[derive(Debug)]
pub(crate) struct Turns {
    state: Mutex<State>,
    /// One for each thread.
    called: Vec<Condvar>,
}

#[derive(Debug)]
struct State {
    random: u64,
    /// Threads that have not joined yet; no thread runs before all have.
    awaited: usize,
    present: Vec<usize>,
    holder: Option<usize>,
}

impl Turns {
    /// Returns the turns for that many threads, numbered from 0.
    pub(crate) fn new(threads: usize, seed: u64) -> Turns {
        // Neighbouring seeds start far apart, and no seed at 0, which is a fixed point of the generator.
        let random = (seed.wrapping_add(1)).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let state = State { random, awaited: threads, present: Vec::new(), holder: None };
        Turns { state: Mutex::new(state), called: (0..threads).map(|_| Condvar::new()).collect() }
    }

    /// Returns the turn of a thread of that number.
    pub(crate) fn of(&self, thread: usize) -> Turn<'_> {
        Turn { turns: self, thread, joined: false }
    }

    /// Calls the next thread, once all have joined.
    fn call_next(&self, state: &mut State) {
        state.holder = None;
        if state.awaited > 0 || state.present.is_empty() {
            return;
        }
        state.random ^= state.random << 13;
        state.random ^= state.random >> 7;
        state.random ^= state.random << 17;
        let next = state.present[(state.random >> 33) as usize % state.present.len()];
        state.holder = Some(next);
        self.called[next].notify_one();
    }

    fn wait_for_turn(&self, mut state: MutexGuard<'_, State>, thread: usize) {
        while state.holder != Some(thread) {
            state = self.called[thread].wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each change leaves the state complete, even if a thread panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One thread's participation. It ends on panics too, so that the others continue.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
    thread: usize,
    joined: bool,
}

impl Turn<'_> {
    /// Joins; returns when all threads have joined and this one is called.
    pub(crate) fn join(&mut self) {
        let mut state = self.turns.lock();
        self.joined = true;
        state.awaited = state.awaited.saturating_sub(1);
        let at = state.present.partition_point(|other| *other < self.thread);
        state.present.insert(at, self.thread);
        if state.awaited == 0 {
            self.turns.call_next(&mut state);
        }
        self.turns.wait_for_turn(state, self.thread);
    }

    /// Passes the turn to the thread that the seed chooses.
    #[cold]
    pub(crate) fn step(&self) {
        let mut state = self.turns.lock();
        self.turns.call_next(&mut state);
        self.turns.wait_for_turn(state, self.thread);
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.turns.lock();
        if self.joined {
            state.present.retain(|other| *other != self.thread);
        } else {
            state.awaited = state.awaited.saturating_sub(1);
        }
        if state.holder.is_none_or(|holder| holder == self.thread) {
            self.turns.call_next(&mut state);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Returns the output of three threads that step between their letters; one of them leaves early.
    fn written(seed: u64) -> String {
        let (turns, text) = (Turns::new(3, seed), Mutex::new(String::new()));
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let (mut turn, text) = (turns.of(thread), &text);
                scope.spawn(move || {
                    turn.join();
                    for _ in 0..4 + 4 * thread {
                        text.lock().unwrap().push(char::from(b'a' + thread as u8));
                        turn.step();
                    }
                });
            }
        });
        text.into_inner().unwrap()
    }

    #[test]
    fn a_seed_gives_one_order_and_others_give_others() {
        let all: Vec<String> = (0..8).map(written).collect();
        assert_eq!(all, (0..8).map(written).collect::<Vec<_>>());
        assert!(all.iter().all(|text| text.len() == 24));
        assert!(all.windows(2).any(|two| two[0] != two[1]), "{all:?}");
        assert!(all.iter().any(|text| !text.contains("aaaa")), "{all:?}");
    }

    #[test]
    fn a_thread_that_never_comes_is_not_waited_for() {
        let turns = Turns::new(2, 1);
        drop(turns.of(1));
        let mut alone = turns.of(0);
        alone.join();
        alone.step();
    }
}
