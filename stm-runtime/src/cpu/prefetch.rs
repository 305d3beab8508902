//! Loads the elements of the next transactions into the cache in advance.
//!
//! Where all addresses of a procedure follow from its arguments, they are known before it runs. The loads of several transactions
//! then overlap. An attempt's own loads cannot, because every lock of a commit waits for the operations before it; without locks, those of
//! a few attempts do.
//!
//! Most indices are arguments as they are, and come from the columns. Where an index is computed, the procedure's function is run
//! with zeros in place of values, only to find its elements. This run uses no values, and writes nothing. With zeros the function
//! may behave as it never does with real values, such as loop forever. So a prefetch ends at the last element, which the facts know,
//! and may make a few loop iterations until then. A procedure that needs more iterations is not prefetched again.

use std::ops::Range;

use kernels_gen::fault::FaultCode;
use kernels_gen::spec::{Param, Role};

use crate::backend::{Job, Resolved, Specialization};
use crate::columns::Column;
use crate::cpu::state::CpuRun;
use crate::tx::{Abort, AbortKind, Prefetcher, Tx, View};

/// Transactions that are prefetched together: enough that their loads overlap.
pub(crate) const GROUP: usize = 64;
/// Arrays of fewer elements stay in the cache anyway.
const WORTH_IT: u64 = 1 << 15;
/// The same where a processor looks ahead itself, so that the loads of a few transactions overlap anyway.
const WORTH_IT_IN_PLACE: u64 = 1 << 17;
/// The most loop iterations of one prefetch. They take less time than one cache miss.
const ITERATIONS: u32 = 32;

/// Prefetches for one thread.
#[derive(Debug)]
pub(crate) struct LookAhead<'a> {
    tx: Tx<'a>,
    /// How the elements of each specialization are found.
    ways: Vec<Way<'a>>,
    /// The elements of the group in columns.
    indices: Vec<(&'a View<'a>, u64)>,
    /// The elements of all arrays.
    elements: u64,
}

/// How the elements of a transaction are found.
#[derive(Debug)]
enum Way<'a> {
    /// Not at all: it does not pay.
    None,
    /// Each is in an array, at the index in a column.
    Columns(Vec<(&'a View<'a>, &'a Column<'a>)>),
    /// By a run of the function.
    Call,
}

impl<'a> LookAhead<'a> {
    /// Returns the prefetcher for the transactions of a job, of those specializations, or `None` if it would not pay.
    pub(crate) fn new(
        job: &Job<'a>,
        views: &'a [View<'a>],
        is_of_use: impl Fn(usize) -> bool,
    ) -> Option<LookAhead<'a>> {
        let elements: u64 = views.iter().map(|view| view.len() as u64).sum();
        let way = |(at, specialization)| if is_of_use(at) { Way::of(job, views, specialization) } else { Way::None };
        let ways: Vec<Way<'a>> = job.specializations.iter().enumerate().map(way).collect();
        let pays = elements >= WORTH_IT && ways.iter().any(|way| !matches!(way, Way::None));
        pays.then(|| LookAhead {
            tx: Tx::prefetching(Prefetcher::new(views.to_vec())),
            ways,
            indices: Vec::new(),
            elements,
        })
    }

    /// Returns what of it pays where a processor looks ahead itself. To find elements otherwise than in columns would take as long as to run.
    pub(crate) fn in_place(mut self) -> Option<LookAhead<'a>> {
        let is_call = |way: &&mut Way<'a>| matches!(way, Way::Call);
        self.ways.iter_mut().filter(is_call).for_each(|way| *way = Way::None);
        let pays = self.elements >= WORTH_IT_IN_PLACE && self.ways.iter().any(|way| matches!(way, Way::Columns(_)));
        pays.then_some(self)
    }

    /// Touches the elements of a group of transactions.
    pub(crate) fn group(&mut self, run: &CpuRun<'_>, mut transactions: Range<usize>) {
        while !transactions.is_empty() {
            let alike = run.job.alike(transactions.clone());
            transactions.start = alike.end;
            self.collect_alike(run, alike);
        }
        self.touch();
    }

    /// Touches the elements of a group of transactions of one specialization.
    pub(crate) fn alike(&mut self, run: &CpuRun<'_>, transactions: &[usize]) {
        self.collect_alike(run, transactions.iter().copied());
        self.touch();
    }

    /// Collects the elements of transactions of one specialization.
    fn collect_alike(&mut self, run: &CpuRun<'_>, transactions: impl Iterator<Item = usize> + Clone) {
        let Some(first) = transactions.clone().next() else { return };
        let number = run.job.specialization_of(first);
        match &self.ways[number] {
            Way::None => {}
            Way::Columns(places) => {
                let indices = &mut self.indices;
                let rows = transactions.map(|one| run.job.row_of(one));
                places.iter().for_each(|(view, column)| match column {
                    // The usual width, without a branch for each.
                    Column::U32(cells) => {
                        let cells: &[u32] = cells;
                        let index = |row: usize| cells.get(row).map_or(0, |cell| u64::from(*cell));
                        indices.extend(rows.clone().map(|row| (*view, index(row))));
                    }
                    _ => indices.extend(rows.clone().map(|row| (*view, column.get(row)))),
                });
            }
            Way::Call => transactions.for_each(|one| self.collect(number, &run.specializations[number], one)),
        }
    }

    /// Loads what was collected, in a short loop: a core overlaps only the loads of some hundred instructions, and none after a branch
    /// that it guesses wrong.
    fn touch(&mut self) {
        self.indices.drain(..).for_each(|(view, index)| view.touch(index));
        self.tx.touch_collected();
    }

    /// Collects the elements of a transaction of that specialization.
    fn collect(&mut self, specialization: usize, resolved: &Resolved<'_>, transaction: usize) {
        self.tx.begin_look_ahead(resolved.spec, ITERATIONS);
        // It may end early, because zeros are not the real values.
        let ended = resolved.call(&mut self.tx, transaction, &mut []);
        let is_long =
            |abort: Abort| matches!(abort.kind(), AbortKind::Fault { code: FaultCode::TooManyIterations, .. });
        if ended.is_err_and(is_long) {
            self.ways[specialization] = Way::None;
        }
    }
}

impl<'a> Way<'a> {
    fn of(job: &Job<'a>, views: &'a [View<'a>], specialization: &Specialization) -> Way<'a> {
        let spec = job.procedures[specialization.procedure].spec;
        if !spec.facts.orderable {
            return Way::None;
        }
        // The position of a parameter among those of its sort.
        let position = |at: u32, is_sort: &dyn Fn(&Param) -> bool| {
            spec.params.get(..at as usize).map_or(0, |before| before.iter().filter(|param| is_sort(param)).count())
        };
        let is_array = |param: &Param| param.role.array().is_some();
        let columns = &job.columns[specialization.columns.clone()];
        let places = spec.facts.slots.iter().map(|slot| {
            let index = slot.index.filter(|_| matches!(spec.params[slot.param as usize].role, Role::Array(_)))?;
            let view = &views[specialization.arrays[position(slot.param, &is_array)]];
            Some((view, &columns[position(index, &|param| !is_array(param))]))
        });
        places.collect::<Option<Vec<_>>>().map_or(Way::Call, |places| Way::Columns(without_near(places)))
    }
}

/// Leaves out the elements that others bring into the cache: most components of a record.
fn without_near<'a>(places: Vec<(&'a View<'a>, &'a Column<'a>)>) -> Vec<(&'a View<'a>, &'a Column<'a>)> {
    let mut kept: Vec<(&View<'_>, &Column<'_>)> = Vec::with_capacity(places.len());
    for (view, column) in places {
        let is_near = |(other, by): &(&View<'_>, &Column<'_>)| std::ptr::eq(*by, column) && other.is_near(view);
        if !kept.iter().any(is_near) {
            kept.push((view, column));
        }
    }
    kept
}
