//! How many transactions a second a place will run, by what is known of a batch before it runs.
//!
//! Two numbers decide: how many transactions can run at a time, because no two of them need the same element, and how long an element
//! is in use by one transaction before the next one gets it. The second depends on the place.

use std::time::Duration;

use super::crowd::{self, Writers};
use super::sample;
use crate::backend::Job;
use crate::threads::processors;

/// From the lock of an element in device memory to the next one by another thread, with what happens meanwhile (one H200, transfers on
/// 16 to 1,000 accounts, docs/results).
const DEVICE_HAND_OVER: Duration = Duration::from_micros(2);
/// What each access after the second adds to that: a transaction with many accesses has its elements for longer.
const DEVICE_ACCESS: Duration = Duration::from_nanos(200);
/// Accesses a second of a whole device.
const DEVICE_ACCESSES: f64 = 30e9;
/// The same where each is listed and sorted before; each transaction counts as two more (YCSB and transfers, one H200, docs/results).
const IN_ORDER_ACCESSES: f64 = 4e9;
/// How many of the transactions that could run at a time do so where the order is given.
const GIVEN_ORDER: f64 = 0.25;
/// From the end of a transaction in order to that of one that waits for it.
const IN_ORDER_HAND_OVER: Duration = Duration::from_nanos(2500);
/// A round of claims and runs, for each procedure, as lanes that run different ones take turns (one H100, docs/results).
const ROUND: Duration = Duration::from_micros(4);
/// From the end of a turn to that of the next one within one block, at least.
const TURN: Duration = Duration::from_nanos(210);
/// The transactions that a warp of it runs together, and the time of the block for each of their accesses: to arrays that it keeps in its memory,
/// by their bytes, and to others (one H100, transfers and SmallBank, docs/results).
const TOGETHER: f64 = 32.0;
const TURN_ACCESS: [(u64, Duration); 1] = [(200 << 10, Duration::from_nanos(27))];
const FAR_TURN_ACCESS: Duration = Duration::from_nanos(70);
/// How much slower than measured the others count beside `in-order`, which is predicted too slow by about as much, and was faster there.
const FAR_TURNS: f64 = 2.0;
/// Accesses a second of a whole device in rounds.
const IN_ROUNDS_ACCESSES: f64 = 8e9;
/// Transactions that threads of a device hold at most in rounds.
const MOST_HELD: f64 = 32e3;
/// The time of a transaction on a core of the host.
const HOST_TRANSACTION: Duration = Duration::from_nanos(6);
/// That of each of its accesses: to arrays that fit into a cache, by the bytes of the cache, and to larger ones.
const HOST_ACCESS: [(u64, Duration); 2] = [(HOST_BYTES, Duration::from_nanos(2)), (16 << 20, Duration::from_nanos(8))];
const FAR_ACCESS: Duration = Duration::from_nanos(22);
/// The most bytes of all arrays for which a core of the host is considered beforehand: they fit into its own cache.
const HOST_BYTES: u64 = 1 << 20;
/// The same where the device has turned out to be slow, so that moving them pays.
const MOVED_BYTES: u64 = 1 << 30;
/// Bytes a second of arrays on their way to the host, or back.
const MOVED_A_SECOND: f64 = 5e9;
/// How many times longer the rest of a batch has to take than moving the arrays, for a change of place.
const WORTH_MOVING: u32 = 10;
/// The most accesses of a transaction that may be much shorter than it can be.
const FEW_ACCESSES: f64 = 16.0;

/// How much slower than the prediction of another place a place has to be before it is left: predictions are not exact, and no place
/// is as fast as predicted where most guards are false.
pub(super) const DOUBT: f64 = 8.0;
/// The same for a core of the host in push order: where guards wait, it does a third to a seventh of what is predicted, and about all of it where
/// none does (one H100 and its host, transfers on 16 to 6,000 accounts, docs/results). It runs what reservations leave, too. They must not leave
/// too early: where 1.7 stood for this number, transfers on 64 and 256 accounts were slower than without (one H200). This one was not measured there.
pub(super) const HOST_DOUBT: f64 = 4.0;
/// The same where the rate of the other place was measured.
pub(super) const MEASURED_DOUBT: f64 = 2.0;

/// What the transactions of a batch ask of a place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Demand {
    /// Transactions that can run at a time: under locks, and where the order is given.
    at_once: f64,
    in_order: f64,
    /// The same, by the hottest element of a sample alone.
    hottest: f64,
    /// Accesses of a transaction, at most.
    accesses: f64,
    /// Procedures of the batch.
    procedures: f64,
    /// The time of an access by a core of the host, and by a warp of the block that runs turns.
    host_access: Duration,
    turn_access: Duration,
}

impl Demand {
    pub(crate) fn of(job: &Job<'_>) -> Demand {
        let writers = Writers::of(job);
        let hottest = sample::at_once(job, &writers).map(|hottest| hottest.max(1.0));
        let disjoint = [&writers.under_locks, &writers.in_order].map(|waited| crowd::disjoint(job, waited));
        let [at_once, in_order] =
            [0, 1].map(|order| disjoint[order].map_or(hottest[order], |disjoint| disjoint.min(hottest[order])));
        let (accesses, procedures) = (job.footprint().max(1) as f64, job.procedures.len() as f64);
        let [host_access, turn_access] = [(&HOST_ACCESS[..], FAR_ACCESS), (&TURN_ACCESS, FAR_TURN_ACCESS)]
            .map(|(near, far)| access(bytes(job), near, far));
        Demand { at_once, in_order, hottest: hottest[0], accesses, procedures, host_access, turn_access }
    }

    /// Returns whether that many threads would wait for the hottest element.
    pub(crate) fn is_hot(self, threads: u64) -> bool {
        self.hottest < threads as f64
    }

    /// Returns the transactions a second on the whole device.
    pub(crate) fn on_device(self) -> f64 {
        let held = DEVICE_HAND_OVER.as_secs_f64() + (self.accesses - 2.0).max(0.0) * DEVICE_ACCESS.as_secs_f64();
        (self.at_once / held).min(DEVICE_ACCESSES / self.accesses)
    }

    /// Returns the same where they run in order and none of them waits.
    pub(crate) fn in_order(self) -> f64 {
        IN_ORDER_ACCESSES / (self.accesses + 2.0)
    }

    /// Returns the same where some wait for others.
    pub(crate) fn in_order_with_waits(self) -> f64 {
        (self.in_order * GIVEN_ORDER / IN_ORDER_HAND_OVER.as_secs_f64()).min(self.in_order())
    }

    /// Returns the transactions a second in rounds, in the order of the batch.
    pub(crate) fn in_rounds(self) -> f64 {
        let round = ROUND.as_secs_f64() * self.procedures;
        ((self.at_once * GIVEN_ORDER).min(MOST_HELD) / round).min(IN_ROUNDS_ACCESSES / self.accesses)
    }

    /// Returns whether the arrays fit into the memory of a block.
    pub(crate) fn fits_a_block(self) -> bool {
        self.turn_access < FAR_TURN_ACCESS
    }

    /// Returns the same where one block runs them turn by turn. Warps run those of one procedure together.
    pub(crate) fn in_turns(self) -> f64 {
        self.turns_of(self.procedures, if self.fits_a_block() { 1.0 } else { FAR_TURNS })
    }

    /// Returns the same for what is left by stages that run all but those of that many procedures.
    pub(crate) fn turns_of_rest(self, procedures: usize) -> f64 {
        self.turns_of(procedures.max(1) as f64, 1.0)
    }

    fn turns_of(self, procedures: f64, slower: f64) -> f64 {
        let of_a_turn = (self.at_once * GIVEN_ORDER).max(1.0);
        let warps = (of_a_turn / TOGETHER).max(procedures.min(of_a_turn));
        of_a_turn / (slower * warps * self.accesses * self.turn_access.as_secs_f64()).max(TURN.as_secs_f64())
    }

    /// Returns the transactions a second on one core of the host.
    pub(crate) fn on_host(self) -> f64 {
        host_rate(self.accesses, self.host_access)
    }

    /// Returns the same on all cores at best, where transactions are shorter than they can be and do not wait for each other.
    pub(crate) fn on_host_at_best(self) -> f64 {
        processors() as f64 * host_rate(self.accesses.min(FEW_ACCESSES), self.host_access)
    }
}

/// The transactions a second of places where no transaction waits for another one.
pub(super) struct Rates {
    pub(super) on_host: f64,
    pub(super) on_device: f64,
}

/// Returns the rates of a batch where no transaction waits for another one.
pub(super) fn undisturbed(job: &Job<'_>) -> Rates {
    let accesses = job.footprint().max(1) as f64;
    let host_access = access(bytes(job), &HOST_ACCESS, FAR_ACCESS);
    Rates { on_host: host_rate(accesses, host_access), on_device: DEVICE_ACCESSES / accesses }
}

fn host_rate(accesses: f64, access: Duration) -> f64 {
    1.0 / (HOST_TRANSACTION.as_secs_f64() + accesses * access.as_secs_f64())
}

/// Whether the cores of the host may run what the user left to the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnHost {
    Never,
    /// By what is predicted.
    Predicted,
    /// If the device turns out to be slow, and what is left takes at least that time there.
    Afterwards(Duration),
    /// No method of the plan runs what is left on the device.
    Always,
}

impl OnHost {
    pub(crate) fn of(job: &Job<'_>) -> OnHost {
        let methods = job.options.selection.methods().unwrap_or_default();
        match bytes(job) {
            _ if !methods.has_locks() => OnHost::Always,
            _ if !methods.has_host() || !is_left_to_the_plan(job) => OnHost::Never,
            0..=HOST_BYTES => OnHost::Predicted,
            bytes if bytes <= MOVED_BYTES => {
                OnHost::Afterwards(Duration::from_secs_f64(2.0 * bytes as f64 / MOVED_A_SECOND) * WORTH_MOVING)
            }
            _ => OnHost::Never,
        }
    }
}

/// Returns whether nothing in the options is about a device.
pub(super) fn is_left_to_the_plan(job: &Job<'_>) -> bool {
    let options = job.options;
    options.threads.is_none()
        && options.lanes.is_none()
        && options.block_memory.is_none()
        && options.chunk_size.is_none()
        && options.pass_limit.is_none()
        && !options.profile
        && !options.phases
}

/// Returns the bytes of all arrays.
fn bytes(job: &Job<'_>) -> u64 {
    job.arrays.iter().map(|array| (array.len() * array.scalar().size()) as u64).sum()
}

/// Returns the time of an access, where all arrays together have that many bytes.
fn access(bytes: u64, near: &[(u64, Duration)], far: Duration) -> Duration {
    near.iter().find(|(most, _)| bytes <= *most).map_or(far, |(_, time)| *time)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::Device;
    use crate::backend::JobOptions;
    use crate::test_procedures::deposit;

    #[test]
    fn large_arrays_move_to_the_host_only_if_the_device_is_slow_for_long() {
        let on_host = |accounts: usize, options: &JobOptions| {
            let device = Device::cpu(1);
            let accounts = device.shared(&vec![0_i64; accounts]).unwrap();
            let mut batch = device.batch();
            batch.push(deposit::call(&accounts, 0, 1));
            OnHost::of(&batch.job(options))
        };
        let any = JobOptions::default();
        assert_eq!(on_host(1 << 17, &any), OnHost::Predicted);
        // 10 MB that go and come at 5 GB/s, ten times.
        assert_eq!(on_host(1_250_000, &any), OnHost::Afterwards(Duration::from_millis(40)));
        let of_a_device = JobOptions { threads: Some(64), ..JobOptions::default() };
        assert_eq!(on_host(4, &of_a_device), OnHost::Never);
    }
}
