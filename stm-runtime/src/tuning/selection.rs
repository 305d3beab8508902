//! The selection of a batch's engine.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::methods::Methods;
use super::result::Tuning;
use super::saved::SavedPlan;
use crate::engine::Engine;
use crate::error::Error;

/// The name of a measured trial in text.
const AUTO: &str = "auto";
/// The name of the default in text.
const PLAN: &str = "plan";

/// The value of [`RunOptions::engine`](crate::RunOptions::engine): an [`Engine`], an earlier [`Tuning`] or [`Plan`](crate::report::Plan),
/// [`Selection::auto`], [`Selection::plan_of`], or [`Selection::plan`], the default. As text: the name of an engine, with parameters or
/// without, `auto`, `plan`, or `plan(readers-at-rest,priority)` for some methods of a plan.
#[derive(Debug, Clone)]
pub struct Selection(What);

#[derive(Debug, Clone)]
enum What {
    Engine(Engine),
    /// A trial among these engines; never empty.
    Among(Arc<[Engine]>),
    Chosen(Arc<Tuning>),
    Planned(Methods, Option<Arc<SavedPlan>>),
}

/// The same in the form that a run uses.
pub(crate) enum Selected<'a> {
    Engine(Engine),
    Among(&'a [Engine]),
    Chosen(&'a Tuning),
    Planned(Methods),
}

impl Selection {
    /// Returns the selection by what is known of a batch before it runs: the default engine, after stages that finish transactions
    /// without locks where there are such transactions. Nothing is measured on a GPU. The report names the engine.
    ///
    /// - Where some procedures write nothing, their transactions run first, while no element changes (`readers-at-rest`).
    /// - Where most procedures that write only add to elements, and these are few or hot, or few beside the transactions, their
    ///   transactions run next, all at once (`commuting`).
    /// - Where there are many transactions, most of them have accesses that are known beforehand, and locks would be slow, they run next,
    ///   in order (`in-order`).
    /// - All others run under `priority`, alone if there are no such procedures.
    ///
    /// On CPU threads, those that write nothing run first, and the others on one thread in place or on all threads under locks,
    /// whichever is faster in a short trial: [`Algorithm::CpuPlan`](crate::report::Algorithm::CpuPlan).
    #[must_use]
    pub fn plan() -> Selection {
        Methods::ALL.into()
    }

    /// Returns the selection of [a plan](Selection::plan) that chooses among these methods alone, to compare them, or to rule one out.
    /// They are engines: `priority`, `readers-at-rest`, `commuting` and `in-order`, in push order also `in-rounds` and `in-turns`, and
    /// `serial` for transactions that run one at a time on the host. As ever, a method is used where it suits the batch.
    ///
    /// The engines `commuting`, `in-order`, `in-rounds` and `in-turns` begin with the stage of `readers-at-rest`. On CPU threads
    /// `readers-at-rest` is the stage at rest, `serial` is one thread in place, and `priority` is all threads under locks; other
    /// methods do not exist there, and the transactions run by those that do.
    ///
    /// ```
    /// # fn main() -> Result<(), stm_runtime::Error> {
    /// use stm_runtime::Selection;
    ///
    /// let plan = Selection::plan_of(["readers-at-rest", "priority"])?;
    /// assert_eq!(plan.to_string(), "plan(priority,readers-at-rest)");
    /// let refused = Selection::plan_of(["commuting"]).unwrap_err();
    /// assert!(refused.to_string().ends_with("add `priority` or `serial`"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A plan never chooses one of these engines, or none of them can run all transactions: neither `priority` nor `serial` is among
    /// them. In push order, a run needs `serial`.
    pub fn plan_of<E: TryInto<Engine>>(methods: impl IntoIterator<Item = E>) -> Result<Selection, Error>
    where
        Error: From<E::Error>,
    {
        Methods::of(methods).map(Selection::from)
    }

    /// Returns the methods of a plan; `None` if it is another selection.
    #[must_use]
    pub fn methods(&self) -> Option<Methods> {
        match self.get() {
            Selected::Planned(methods) => Some(methods),
            Selected::Engine(_) | Selected::Among(_) | Selected::Chosen(_) => None,
        }
    }

    /// Returns the selection of a measured trial: the first transactions of a batch, run briefly under several engines, pick
    /// the engine and the shape of its launches. See [`Tuning`]. Engines with a [caveat](Engine::caveat) are
    /// not tried, nor those that measure something for the report.
    #[must_use]
    pub fn auto() -> Selection {
        Selection::among(Engine::ALL.iter().copied().filter(|engine| engine.spec().is_candidate()))
    }

    /// Returns the selection of a trial among these engines alone; where nothing can be measured, the first of them runs.
    #[must_use]
    pub fn among(engines: impl IntoIterator<Item = Engine>) -> Selection {
        let engines: Arc<[Engine]> = engines.into_iter().collect();
        if engines.is_empty() { Selection::default() } else { Selection(What::Among(engines)) }
    }

    pub(crate) fn get(&self) -> Selected<'_> {
        match &self.0 {
            What::Engine(engine) => Selected::Engine(*engine),
            What::Among(engines) => Selected::Among(engines),
            What::Chosen(tuning) => Selected::Chosen(tuning),
            What::Planned(methods, _) => Selected::Planned(*methods),
        }
    }

    /// Returns the selection of a plan that begins with what was found before.
    pub(crate) fn of_saved(saved: SavedPlan) -> Selection {
        Selection(What::Planned(saved.methods, Some(Arc::new(saved))))
    }

    /// Returns what a plan begins with.
    pub(crate) fn saved(&self) -> Option<&SavedPlan> {
        match &self.0 {
            What::Planned(_, saved) => saved.as_deref(),
            What::Engine(_) | What::Among(_) | What::Chosen(_) => None,
        }
    }

    /// Returns the engine that runs where nothing is measured.
    pub(crate) fn usual(&self) -> Engine {
        match self.get() {
            Selected::Engine(engine) => engine,
            Selected::Among(engines) => engines[0],
            Selected::Chosen(tuning) => tuning.engine,
            Selected::Planned(_) => Engine::default(),
        }
    }

    /// Returns the report's tuning where nothing is measured, with the reason. `None` where no tuning was requested.
    pub(crate) fn unmeasured(&self, device: &str, reason: &str) -> Option<Tuning> {
        match self.get() {
            Selected::Engine(_) | Selected::Planned(_) => None,
            Selected::Among(engines) => Some(Tuning::unmeasured(engines[0], device, reason)),
            Selected::Chosen(tuning) => Some(tuning.clone()),
        }
    }
}

impl Default for Selection {
    fn default() -> Selection {
        Selection::plan()
    }
}

impl From<Engine> for Selection {
    fn from(engine: Engine) -> Selection {
        Selection(What::Engine(engine))
    }
}

impl From<Methods> for Selection {
    fn from(methods: Methods) -> Selection {
        Selection(What::Planned(methods, None))
    }
}

impl From<Tuning> for Selection {
    fn from(tuning: Tuning) -> Selection {
        Selection(What::Chosen(Arc::new(tuning)))
    }
}

impl From<&Tuning> for Selection {
    fn from(tuning: &Tuning) -> Selection {
        tuning.clone().into()
    }
}

impl FromStr for Selection {
    type Err = Error;

    fn from_str(text: &str) -> Result<Selection, Error> {
        let text = text.trim();
        if let Some(methods) = text.strip_prefix(PLAN).and_then(within) {
            return methods.parse::<Methods>().map(Selection::from);
        }
        match text {
            AUTO => Ok(Selection::auto()),
            PLAN => Ok(Selection::plan()),
            engine => match engine.parse::<Engine>() {
                Err(Error::UnknownEngine { name, known }) => {
                    Err(Error::UnknownEngine { name, known: format!("{PLAN}, {AUTO}, {known}") })
                }
                parsed => parsed.map(Selection::from),
            },
        }
    }
}

/// Returns what is within parentheses.
fn within(text: &str) -> Option<&str> {
    text.trim().strip_prefix('(')?.strip_suffix(')')
}

impl TryFrom<&str> for Selection {
    type Error = Error;

    fn try_from(text: &str) -> Result<Selection, Error> {
        text.parse()
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.get() {
            Selected::Engine(engine) => engine.fmt(f),
            Selected::Among(_) => f.pad(AUTO),
            Selected::Chosen(tuning) => tuning.engine.fmt(f),
            Selected::Planned(Methods::ALL) => f.pad(PLAN),
            Selected::Planned(methods) => f.pad(&format!("{PLAN}({methods})")),
        }
    }
}
