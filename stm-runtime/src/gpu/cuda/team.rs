//! Threads that are kept from one large copy to the next: to start them takes as long as to copy megabytes.

use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Kept threads. Each has something of its own, and so does the caller of [`Team::with`].
pub(super) struct Team<L> {
    shared: Arc<Shared<L>>,
    own: L,
}

struct Shared<L> {
    state: Mutex<State<L>>,
    begun: Condvar,
    left: Condvar,
}

struct State<L> {
    work: Option<Work<L>>,
    /// The number of the last work.
    number: u64,
    /// The members that work on it.
    inside: usize,
    /// Whether a member has panicked, and has left its work undone.
    has_panicked: bool,
}

/// What every member does.
type Task<'w, L> = dyn Fn(&L) + Sync + 'w;

/// A task whose lifetime is not in its type.
struct Work<L>(*const Task<'static, L>);

// SAFETY: what it points to is `Sync`.
unsafe impl<L> Send for Work<L> {}

impl<L: Send + 'static> Team<L> {
    /// Starts a thread for each of these but the last, which is for the caller; `None` for an empty list. If the system refuses threads,
    /// the team is smaller.
    pub(super) fn new(mut each: Vec<L>) -> Option<Team<L>> {
        let own = each.pop()?;
        let state = Mutex::new(State { work: None, number: 0, inside: 0, has_panicked: false });
        let shared = Arc::new(Shared { state, begun: Condvar::new(), left: Condvar::new() });
        for own in each {
            let shared = shared.clone();
            let _ = thread::Builder::new().name("stm-copy".into()).spawn(move || shared.member(&own));
        }
        Some(Team { shared, own })
    }

    /// Returns what the caller of [`Team::with`] has.
    pub(super) fn own(&self) -> &L {
        &self.own
    }

    /// Lets every member do the work once, and does `mine` meanwhile. Returns when no member works any more: one that is late does
    /// not begin.
    ///
    /// # Panics
    /// If a member panics, as a thread of `std::thread::scope` does: what it had begun is not done.
    pub(super) fn with<R>(&mut self, work: &(dyn Fn(&L) + Sync), mine: impl FnOnce(&L) -> R) -> R {
        let task: *const Task<'_, L> = work;
        // SAFETY: only the lifetime changes. No member uses the task after `end` is dropped, which is before this function ends.
        let task = unsafe { mem::transmute::<*const Task<'_, L>, *const Task<'static, L>>(task) };
        let mut state = self.shared.state();
        (state.work, state.number) = (Some(Work(task)), state.number + 1);
        drop(state);
        self.shared.begun.notify_all();
        let end = End(&self.shared);
        let result = mine(&self.own);
        drop(end);
        // The other members do the next work without it.
        let has_panicked = mem::take(&mut self.shared.state().has_panicked);
        assert!(!has_panicked, "a copying thread has panicked");
        result
    }
}

impl<L> Shared<L> {
    fn state(&self) -> MutexGuard<'_, State<L>> {
        // Every change is complete when the lock is given back.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes part in all works, as long as the process lives.
    fn member(&self, own: &L) {
        let mut known = 0;
        loop {
            let task = self.next(&mut known);
            let _leave = Leave(self);
            // SAFETY: `Team::with` does not end while a member is inside.
            (unsafe { &*task })(own);
        }
    }

    /// Waits for the next work, and enters it.
    fn next(&self, known: &mut u64) -> *const Task<'static, L> {
        let mut state = self.state();
        loop {
            if state.number != *known {
                *known = state.number;
                if let Some(Work(task)) = state.work {
                    state.inside += 1;
                    return task;
                }
            }
            state = self.begun.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Ends a work when it is dropped.
struct End<'t, L>(&'t Shared<L>);

impl<L> Drop for End<'_, L> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.work = None;
        while state.inside > 0 {
            state = self.0.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A member that leaves a work when this is dropped.
struct Leave<'t, L>(&'t Shared<L>);

impl<L> Drop for Leave<'_, L> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.inside -= 1;
        state.has_panicked |= thread::panicking();
        if state.inside == 0 {
            self.0.left.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn each_piece_is_done_once_by_somebody_before_the_call_returns() {
        let mut team = Team::new((0..4).collect::<Vec<usize>>()).unwrap();
        for pieces in [0, 1, 1000] {
            let done: Vec<AtomicUsize> = (0..pieces).map(|_| AtomicUsize::new(0)).collect();
            let next = AtomicUsize::new(0);
            let work = |member: &usize| {
                while let Some(piece) = done.get(next.fetch_add(1, Ordering::Relaxed)) {
                    piece.fetch_add(1 + member, Ordering::Relaxed);
                }
            };
            assert_eq!(team.with(&work, |own| (work(own), *own).1), 3);
            assert!(done.iter().all(|piece| (1..=4).contains(&piece.load(Ordering::Relaxed))), "{pieces}");
        }
    }

    #[test]
    fn members_have_left_even_if_the_caller_panics() {
        let mut team = Team::new(vec![(), ()]).unwrap();
        let began = AtomicUsize::new(0);
        let work = |(): &()| {
            began.store(1, Ordering::Relaxed);
            thread::sleep(std::time::Duration::from_millis(20));
            began.store(2, Ordering::Relaxed);
        };
        let mine = |(): &()| {
            while began.load(Ordering::Relaxed) == 0 {
                thread::yield_now();
            }
            panic!("in the middle");
        };
        let panics = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| team.with(&work, mine)));
        assert_eq!((panics.is_err(), began.load(Ordering::Relaxed)), (true, 2));
        assert!(Team::<()>::new(Vec::new()).is_none());
    }

    #[test]
    fn work_that_a_member_left_undone_is_not_taken_for_done() {
        let mut team = Team::new(vec![false, true]).unwrap();
        let began = AtomicUsize::new(0);
        let work = |is_own: &bool| {
            began.store(1, Ordering::Relaxed);
            assert!(is_own, "in the middle");
        };
        let mine = |_: &bool| {
            while began.load(Ordering::Relaxed) == 0 {
                thread::yield_now();
            }
        };
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| team.with(&work, mine))).is_err());
        assert!(team.with(&|_| {}, |is_own| *is_own), "the next work is done without that member");
    }
}
