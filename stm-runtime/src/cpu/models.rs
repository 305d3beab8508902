//! Models of the threaded engine: loom runs every interleaving of two or three transactions, under the memory orders as
//! written, and each outcome must be that of some one-at-a-time order. Weakening any one of those orders, or leaving out
//! any one check, fails a model here.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, Ordering};
use loom::thread;

use crate::cpu::parking::Parking;
use crate::cpu::room::Room;
use crate::cpu::waiter::Waiter;
use crate::tx::attempt::Attempt;
use crate::tx::lock::{self, Taken};
use crate::tx::{Abort, CpuArray, Memory, View};

/// The array that a model's threads share.
struct World {
    array: CpuArray,
    /// Whether attempts take the fast path.
    is_fast: bool,
}

/// An attempt of a model.
struct Access<'a> {
    attempt: Attempt<'a>,
    is_fast: bool,
}

impl Access<'_> {
    fn read(&mut self, index: u64) -> Result<u64, Abort> {
        if self.is_fast {
            return self.attempt.read_at_once(0, index, 0).ok_or(Abort::NEEDS_SLOW_PATH);
        }
        self.attempt.read(0, index, 0, true)
    }

    fn write(&mut self, index: u64, word: u64) -> Result<(), Abort> {
        if self.is_fast {
            let is_done = self.attempt.write_at_once(0, index, word, 0);
            return is_done.then_some(()).ok_or(Abort::NEEDS_SLOW_PATH);
        }
        self.attempt.write(0, index, word, 0, true)
    }

    fn commit(&mut self) -> Result<bool, Abort> {
        if self.is_fast { self.attempt.commit() } else { self.attempt.commit_slowly() }
    }
}

impl World {
    fn new(words: &[u64], coverage_log2: u32) -> Arc<World> {
        World::with(words, coverage_log2, false)
    }

    /// Returns an array on which attempts take the fast path.
    fn fast(words: &[u64]) -> Arc<World> {
        World::with(words, 0, true)
    }

    fn with(words: &[u64], coverage_log2: u32, is_fast: bool) -> Arc<World> {
        Arc::new(World { array: CpuArray::of_scalars(words.iter().copied(), coverage_log2), is_fast })
    }

    fn begin(&self, me: u64, for_update: u64) -> Access<'_> {
        let mut attempt = Attempt::new(vec![View::written(&self.array)], me);
        attempt.make_room();
        attempt.begin_with(for_update);
        Access { attempt, is_fast: self.is_fast }
    }

    /// Attempts a transaction once; `None` after a conflict.
    fn attempt<R>(&self, me: u64, body: impl Fn(&mut Access<'_>) -> Result<R, Abort>) -> Option<R> {
        self.attempt_for_update(me, 0, body)
    }

    /// Does the same with the locations whose reads take the lock, one bit each.
    fn attempt_for_update<R>(
        &self,
        me: u64,
        for_update: u64,
        body: impl Fn(&mut Access<'_>) -> Result<R, Abort>,
    ) -> Option<R> {
        let mut access = self.begin(me, for_update);
        let result = body(&mut access).ok()?;
        access.commit().ok()?;
        Some(result)
    }
}

fn model(check: impl Fn() + Sync + Send + 'static) {
    with_preemptions(3, check);
}

/// Limits the preemptions of each interleaving.
fn with_preemptions(most: usize, check: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(most);
    model.check(check);
}

fn increment(access: &mut Access<'_>) -> Result<(), Abort> {
    let value = access.read(0)?;
    access.write(0, value + 1)
}

#[test]
fn increments_are_not_lost() {
    for (mine, others, is_fast) in
        [(0, 0, false), (0, 1, false), (1, 1, false), (0, 0, true), (0, 1, true), (1, 1, true)]
    {
        model(move || {
            let world = World::with(&[0], 0, is_fast);
            let other = world.clone();
            let thread = thread::spawn(move || other.attempt_for_update(1, others, increment).is_some());
            let mine = world.attempt_for_update(0, mine, increment).is_some();
            let committed = u64::from(mine) + u64::from(thread.join().unwrap());
            assert_eq!(world.array.words().unwrap(), [committed]);
        });
    }
}

/// Returns a transaction that reads one element and writes its value plus one to another.
fn skew(from: u64, to: u64) -> impl Fn(&mut Access<'_>) -> Result<(), Abort> {
    move |access| {
        let seen = access.read(from)?;
        access.write(to, seen + 1)
    }
}

#[test]
fn crosswise_reads_and_writes_are_ordered() {
    for is_fast in [false, true] {
        model(move || {
            let world = World::with(&[0, 0], 0, is_fast);
            let other = world.clone();
            let thread = thread::spawn(move || other.attempt(1, skew(0, 1)).is_some());
            let mine = world.attempt(0, skew(1, 0)).is_some();
            let both = mine && thread.join().unwrap();
            assert!(!both || world.array.words().unwrap() != [1, 1]);
        });
    }
}

/// Adds one to both elements.
fn both(access: &mut Access<'_>) -> Result<(), Abort> {
    for index in 0..2 {
        let value = access.read(index)?;
        access.write(index, value + 1)?;
    }
    Ok(())
}

#[test]
fn a_reader_that_ends_has_not_seen_half_a_commit() {
    for (coverage_log2, for_update, is_fast) in
        [(0, 0, false), (1, 0, false), (0, 1, false), (0, 0, true), (0, 1, true)]
    {
        model(move || {
            let world = World::with(&[0, 0], coverage_log2, is_fast);
            let other = world.clone();
            let thread = thread::spawn(move || other.attempt_for_update(1, for_update, both));
            let mut access = world.begin(0, 0);
            if let (Ok(first), Ok(second)) = (access.read(0), access.read(1)) {
                // Without a commit, as before a guard that is false.
                assert!(first == second || access.attempt.check_reads().is_err());
            }
            thread.join().unwrap();
        });
    }
}

/// Returns the versions of two elements that a transaction has seen; `None` after a conflict.
fn versions(world: &World, me: u64, elements: [u64; 2]) -> Option<[u64; 2]> {
    let mut access = world.begin(me, 0);
    for index in elements {
        access.read(index).ok()?;
    }
    access.attempt.check_reads().ok()?;
    Some([access.attempt.reads()[0].version, access.attempt.reads()[1].version])
}

#[test]
fn two_readers_see_two_commits_in_one_order() {
    with_preemptions(2, || {
        let world = World::fast(&[0, 0]);
        // Only the last step of a commit, because four threads have many interleavings.
        let commits = |index| {
            let world = world.clone();
            thread::spawn(move || lock::free(world.array.table().row(index).unwrap().lock, 1))
        };
        let threads = [commits(0), commits(1)];
        let other = world.clone();
        let thread = thread::spawn(move || versions(&other, 2, [1, 0]));
        let (first, second) = (versions(&world, 1, [0, 1]), thread.join().unwrap());
        // One would have seen only the first commit, and the other only the second.
        assert!(!(first == Some([1, 0]) && second == Some([1, 0])));
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn an_abort_leaves_the_values() {
    model(|| {
        let world = World::new(&[5, 5], 0);
        let other = world.clone();
        let thread = thread::spawn(move || {
            let mut access = other.begin(1, 1);
            let read = access.read(0);
            if read.is_ok() {
                access.write(0, 9).unwrap();
            }
            access.attempt.release();
        });
        let seen = world.attempt(0, both);
        thread.join().unwrap();
        let expected = if seen.is_some() { [6, 6] } else { [5, 5] };
        assert_eq!(world.array.words().unwrap(), expected);
    });
}

#[test]
fn a_lock_excludes_and_publishes() {
    model(|| {
        let world = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
        let bump = |world: &(AtomicU64, AtomicU64), me| {
            if let Taken::Now(version) = lock::take(&world.0, me) {
                let value = world.1.load(Ordering::Relaxed);
                world.1.store(value + 1, Ordering::Relaxed);
                lock::free(&world.0, version + 1);
                return 1;
            }
            0
        };
        let other = world.clone();
        let thread = thread::spawn(move || bump(&other, 1));
        let taken = bump(&world, 2) + thread.join().unwrap();
        assert_eq!(world.1.load(Ordering::Relaxed), taken);
    });
}

/// Wakes the transactions that wait for an element, as a commit does; returns whether the model's one transaction was among them.
fn wakes(room: &Room, element: u64) -> bool {
    room.is_used() && room.wake(element, 0, true).unwrap().first.is_some()
}

/// Lets transaction 0 wait for all of the elements, unless one of them is already set. Returns `None` if one is set; otherwise,
/// whether this thread woke the transaction.
fn waits(world: &World, room: &Room, elements: u64) -> Option<bool> {
    let mut access = world.begin(0, 0);
    let mut sum = 0;
    for index in 0..elements {
        sum += access.read(index).ok()?;
    }
    let attempt = &mut access.attempt;
    if sum > 0 || attempt.end_early(Abort::POSTPONED) == Abort::CONFLICT {
        return None;
    }
    let (mut parking, mut changed) = (Parking::default(), Vec::new());
    parking.add(Waiter { transaction: 0, visits: 1 }, attempt).unwrap();
    parking.settle(room, attempt, &mut changed).unwrap();
    Some(changed.into_iter().any(|(element, _)| wakes(room, element)))
}

/// Sets an element, and wakes the transactions that wait for it.
fn sets(world: &World, room: &Room, me: u64, index: u64) -> bool {
    let mut access = world.begin(me, 0);
    access.write(index, 1).unwrap();
    access.commit().unwrap();
    access.attempt.elements_written().any(|element| wakes(room, element))
}

#[test]
fn no_wake_up_is_lost() {
    for is_fast in [false, true] {
        model(move || {
            let (world, room) = (World::with(&[0], 0, is_fast), Arc::new(Room::new(1)));
            let other = (world.clone(), room.clone());
            let thread = thread::spawn(move || sets(&other.0, &other.1, 1, 0));
            let waited = waits(&world, &room, 1);
            let woken = thread.join().unwrap();
            // The waiting transaction is woken, and by only one of the two.
            assert_eq!(waited.map(u32::from).unwrap_or(1) + u32::from(woken), 1);
        });
    }
}

#[test]
fn who_waits_for_two_elements_is_taken_up_once() {
    // Three threads have far more interleavings.
    with_preemptions(2, || {
        let (world, room) = (World::new(&[0, 0], 0), Arc::new(Room::new(1)));
        let threads: Vec<_> = (0..2)
            .map(|index| {
                let (world, room) = (world.clone(), room.clone());
                thread::spawn(move || sets(&world, &room, index + 1, index))
            })
            .collect();
        let waited = waits(&world, &room, 2);
        let woken: u32 = threads.into_iter().map(|thread| u32::from(thread.join().unwrap())).sum();
        assert_eq!(waited.map(u32::from).unwrap_or(1) + woken, 1);
    });
}

/// Attempts a transaction once, on a record of two fields; returns whether it committed.
fn attempt_at_record(
    record: &[CpuArray],
    me: u64,
    (for_update, is_fast): (u64, bool),
    body: impl Fn(&mut Attempt<'_>) -> Result<(), Abort>,
) -> bool {
    let mut attempt = Attempt::new(record.iter().map(View::written).collect(), me);
    attempt.make_room();
    attempt.begin_with(for_update);
    let ended = body(&mut attempt);
    ended.and_then(|()| if is_fast { attempt.commit() } else { attempt.commit_slowly() }).is_ok()
}

fn record_of_two() -> Arc<Vec<CpuArray>> {
    Arc::new(CpuArray::of_record(&[vec![0], vec![0]], 0).unwrap())
}

const WAYS: [(u64, bool); 4] = [(0, false), (1, false), (0, true), (1, true)];

#[test]
fn a_record_is_seen_whole_by_one_look() {
    for way in WAYS {
        model(move || {
            let record = record_of_two();
            let other = record.clone();
            let adds_one = |attempt: &mut Attempt<'_>| {
                let mut words = [0; 2];
                attempt.read_row(0, 0, 0, &mut words)?;
                attempt.write_otherwise(1, 0, words[1] + 1, 1)?;
                attempt.write_otherwise(0, 0, words[0] + 1, 1)
            };
            let thread = thread::spawn(move || attempt_at_record(&other, 1, way, adds_one));
            attempt_at_record(&record, 0, (0, true), |attempt| {
                let mut words = [0; 2];
                attempt.read_row(0, 0, 0, &mut words)?;
                assert_eq!(words[0], words[1]);
                Ok(())
            });
            let committed = u64::from(thread.join().unwrap());
            assert_eq!([0, 1].map(|field| record[field].words().unwrap()[0]), [committed; 2]);
        });
    }
}

#[test]
fn writers_of_different_fields_are_ordered() {
    for way in WAYS {
        model(move || {
            let record = record_of_two();
            // Each reads one field, and writes the other.
            let skew = |from: u32| {
                move |attempt: &mut Attempt<'_>| {
                    let seen = attempt.read_otherwise(from, 0, 0)?;
                    attempt.write_otherwise(1 - from, 0, seen + 1, 1)
                }
            };
            let other = record.clone();
            let thread = thread::spawn(move || attempt_at_record(&other, 1, way, skew(0)));
            let mine = attempt_at_record(&record, 0, way, skew(1));
            let both = mine && thread.join().unwrap();
            assert!(!both || [0, 1].map(|field| record[field].words().unwrap()[0]) != [1, 1]);
        });
    }
}
