//! How many transactions can run at a time, by the elements that they write.

use std::collections::HashSet;

use kernels_gen::device::Known;
use kernels_gen::spec::ProcedureSpec;

use crate::backend::{Job, Specialization};
use crate::gpu::backend::Limits;
use crate::gpu::memory::array::GpuArray;
use crate::gpu::memory::sums::MOST_SUMMED;
use crate::gpu::unit::foreseen;

/// The minimum number of transactions of each thread that makes its start worthwhile.
pub(super) const TRANSACTIONS_A_THREAD: u64 = 2;

/// Threads for each footprint's worth of elements: up to about this number, conflicts cost less than idle threads (one H200,
/// transfers between 10 to 10^6 accounts, docs/results).
pub(super) const CROWD: u64 = 4;

/// The minimum number of threads where transactions are long, or find their addresses while they run. Contention control searches from there.
const UNKNOWN_ADDRESSES: u64 = 1024;

/// The fewest transactions, in all and for each element, for which sums are faster than locks without conflicts (one H200, transfers between
/// 100,000 to 2.5 million accounts, docs/results).
const DENSE: usize = 1 << 20;
const TRANSACTIONS_AN_ELEMENT: u64 = 4;

/// The part of the device's threads that long transactions begin with: with more of them, their logs do not fit into the caches
/// (YCSB, one H200, docs/results).
const LOGGED_PART: u64 = 4;

/// Returns whether transactions of these procedures are many for the elements that they write: the threads that the batch and the device
/// have work and room for would conflict.
pub(crate) fn is_crowded(job: &Job<'_>, limits: Limits, is_meant: impl Fn(&ProcedureSpec) -> bool) -> bool {
    let wanted = wanted(job.transactions as u64, limits);
    let mut those = job.specializations.iter().filter(|of| is_meant(job.procedures[of.procedure].spec));
    let none = vec![false; job.arrays.len()];
    those.any(|specialization| specialization_contention(job, &none, specialization).is_some_and(|most| most < wanted))
}

/// Returns whether a batch has many more transactions than there are elements in the arrays of these procedures, and the sums of these fit into
/// a cache. Then a visit of each element costs little, and sums are faster than locks even without conflicts.
pub(crate) fn are_dense(job: &Job<'_>, is_meant: impl Fn(&ProcedureSpec) -> bool) -> bool {
    let those = job.specializations.iter().filter(|of| is_meant(job.procedures[of.procedure].spec));
    let arrays: HashSet<usize> = those.flat_map(|of| of.arrays.iter().copied()).collect();
    let elements: u64 =
        arrays.iter().filter_map(|at| job.arrays[*at].store()).map(|array: &GpuArray| array.len() as u64).sum();
    job.transactions >= DENSE
        && job.transactions as u64 >= TRANSACTIONS_AN_ELEMENT * elements
        && elements <= MOST_SUMMED
}

/// Returns the threads that a batch and the device have work and room for.
pub(super) fn wanted(transactions: u64, limits: Limits) -> u64 {
    transactions.div_ceil(TRANSACTIONS_A_THREAD).min(limits.threads)
}

/// Returns the smallest `elements / footprint` over the arrays that a procedure may write, and no more threads than are fast where the
/// access sets are logs in memory.
pub(super) fn contention(job: &Job<'_>, defers_sums: bool, limits: Limits) -> Option<u64> {
    let logged = (job.logged() > 0).then_some(limits.threads / LOGGED_PART);
    let deferred = if defers_sums { job.deferrable_arrays() } else { vec![false; job.arrays.len()] };
    let of_arrays = job.specializations.iter();
    let of_arrays = of_arrays.filter_map(|specialization| specialization_contention(job, &deferred, specialization));
    of_arrays.chain(logged).min()
}

/// Returns the fewest elements of an array that transactions of a specialization may write, without arrays that `deferred` says
/// transactions do not conflict on; `None` if there is no such array.
fn fewest_elements(job: &Job<'_>, deferred: &[bool], specialization: &Specialization) -> Option<u64> {
    let spec = job.procedures[specialization.procedure].spec;
    let arrays = spec.seen_arrays().filter(|_| !spec.facts.read_only).map(|nth| specialization.arrays[nth]);
    let arrays = arrays.filter(|array| !deferred[*array]).map(|array| &job.arrays[array]);
    arrays.filter_map(|array| array.store()).map(|array: &GpuArray| array.len() as u64).min()
}

/// For each array of a job, whether others wait for the transactions of a specialization there.
pub(super) type Arrays = Vec<bool>;

/// The arrays where others wait for the transactions of each specialization.
#[derive(Debug)]
pub(super) struct Writers {
    /// Under locks: what it may write, with all fields of the records.
    pub(super) under_locks: Vec<Arrays>,
    /// In order: what it writes and is not known before it runs.
    pub(super) in_order: Vec<Arrays>,
}

impl Writers {
    pub(super) fn of(job: &Job<'_>) -> Writers {
        let (records, foreseen) = (job.records(), foreseen(job));
        let under_locks: Vec<Arrays> = job.specializations.iter().map(|of| written(job, &records, of)).collect();
        let in_order = job.specializations.iter().zip(&under_locks);
        let in_order = in_order.map(|(of, written)| match &foreseen.procedures[of.procedure] {
            Some(known) => waited(job, known, of),
            None => written.clone(),
        });
        Writers { in_order: in_order.collect(), under_locks }
    }
}

/// Returns the arrays that a specialization may write, with all fields of the records.
fn written(job: &Job<'_>, records: &[usize], specialization: &Specialization) -> Arrays {
    let spec = job.procedures[specialization.procedure].spec;
    let arrays = spec.seen_arrays().filter(|_| !spec.facts.read_only);
    let written: Vec<usize> = arrays.map(|nth| records[specialization.arrays[nth]]).collect();
    records.iter().map(|first| written.contains(first)).collect()
}

/// Returns the arrays to which a foreseen specialization writes what is not known before.
fn waited(job: &Job<'_>, known: &Known, specialization: &Specialization) -> Arrays {
    let params = (0_u32..).zip(job.procedures[specialization.procedure].spec.params);
    let arrays = params.filter(|(_, param)| param.role.array().is_some()).zip(&specialization.arrays);
    let waited: Vec<usize> =
        arrays.filter(|((param, _), _)| known.waited().any(|of| of == *param)).map(|(_, array)| *array).collect();
    (0..job.arrays.len()).map(|array| waited.contains(&array)).collect()
}

/// Returns how many transactions can run at a time without waiting for each other, if they wait only at elements of these arrays. Returns
/// `None` where no transaction waits.
pub(super) fn disjoint(job: &Job<'_>, waited: &[Arrays]) -> Option<f64> {
    let each = job.specializations.iter().zip(waited).filter_map(|(specialization, waited)| {
        let free: Vec<bool> = waited.iter().map(|waited| !waited).collect();
        let elements = fewest_elements(job, &free, specialization)?;
        let footprint = job.procedures[specialization.procedure].spec.facts.footprint();
        Some((elements as f64 / f64::from(footprint.max(1))).max(1.0))
    });
    each.min_by(f64::total_cmp)
}

/// Returns the threads for one specialization, without arrays that `deferred` says transactions do not conflict on.
fn specialization_contention(job: &Job<'_>, deferred: &[bool], specialization: &Specialization) -> Option<u64> {
    let spec = job.procedures[specialization.procedure].spec;
    let elements = fewest_elements(job, deferred, specialization)?;
    let most = CROWD * elements / u64::from(spec.facts.footprint().max(1));
    // The footprint is a bound that few transactions reach if their addresses depend on what they read. Where transactions are long,
    // most of them have hot elements and others.
    let is_exact = spec.facts.orderable && spec.facts.logged() == 0;
    Some(if is_exact { most } else { most.max(UNKNOWN_ADDRESSES) })
}
