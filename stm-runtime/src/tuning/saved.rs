//! What runs of a batch have found for its plan, as another process can use it.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use kernels_gen::spec::ProcedureSpec;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use super::encoding;
use super::methods::Methods;
use crate::engine::Engine;

/// The version of this library: another one may choose otherwise.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a run has found, and for which batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedPlan {
    /// The methods among which the plan chooses.
    #[serde(with = "encoding::text")]
    pub(crate) methods: Methods,
    pub(crate) batch: PlannedBatch,
    pub(crate) found: Found,
}

/// The batch of a plan, and where it ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlannedBatch {
    pub(crate) device: String,
    version: String,
    pub(crate) in_push_order: bool,
    pub(crate) transactions: u64,
    pub(crate) procedures: Procedures,
}

/// What runs have found. It changes what a plan chooses first, and no outcome.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Found {
    /// The time of the launches that executed all transactions; 0 where that is not known.
    #[serde(rename = "launches_seconds", with = "encoding::seconds")]
    pub(crate) launches: Duration,
    /// The faster method of CPU threads, if both were tried.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "encoding::engine::optional")]
    pub(crate) faster: Option<Engine>,
    /// The methods whose place was left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) slow: Vec<Slow>,
}

/// A method whose place was left, with the transactions a second there.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Slow {
    #[serde(with = "encoding::engine")]
    pub(crate) method: Engine,
    pub(crate) rate: f64,
}

/// The procedures of a batch.
#[derive(Debug, Clone)]
pub(crate) enum Procedures {
    /// Of a run.
    Run(Vec<&'static ProcedureSpec>),
    /// Of a file: the name of each, with a number that other code does not have.
    File(Vec<String>),
}

impl PlannedBatch {
    /// Returns the batch of a run.
    pub(crate) fn new(
        device: String,
        in_push_order: bool,
        transactions: usize,
        procedures: Vec<&'static ProcedureSpec>,
    ) -> PlannedBatch {
        let (version, transactions) = (VERSION.to_owned(), transactions as u64);
        PlannedBatch { device, version, in_push_order, transactions, procedures: Procedures::Run(procedures) }
    }
}

impl SavedPlan {
    /// Returns why the plan is not for a batch, if it is not.
    pub(crate) fn misfit(&self, run: &PlannedBatch) -> Option<String> {
        let saved = &self.batch;
        let order = |in_push_order: bool| if in_push_order { "in push order" } else { "in any order" };
        let list = |procedures: &Procedures| procedures.names().join(", ");
        if saved.version != run.version {
            return Some(format!(
                "version {} of this library has saved it, and this is {}",
                saved.version, run.version
            ));
        }
        if saved.device != run.device {
            return Some(format!("it was found on another device: {}", saved.device));
        }
        if saved.in_push_order != run.in_push_order {
            return Some(format!("it was found in runs {}", order(saved.in_push_order)));
        }
        let differs = saved.procedures != run.procedures;
        differs.then(|| {
            format!("it is for other procedures: {}; and not {}", list(&saved.procedures), list(&run.procedures))
        })
    }

    /// Returns what was found, as far as it holds for that many transactions.
    pub(crate) fn found(&self, transactions: usize) -> Found {
        let is_same = self.batch.transactions == transactions as u64;
        let launches = if is_same { self.found.launches } else { Duration::ZERO };
        Found { launches, ..self.found.clone() }
    }

    /// Refuses what no run finds.
    pub(crate) fn checked(&self) -> Result<(), &'static str> {
        if self.found.slow.iter().any(|slow| !slow.rate.is_finite() || slow.rate < 0.0) {
            return Err("a `rate` must be a number that is not negative");
        }
        let is_method = |method: &Engine| Methods::ALL.contains(*method);
        let slow = self.found.slow.iter().map(|slow| &slow.method);
        if !slow.chain(&self.found.faster).all(is_method) {
            return Err("an engine that is no method of a plan");
        }
        Ok(())
    }
}

impl Procedures {
    fn names(&self) -> Vec<String> {
        match self {
            Procedures::Run(specs) => specs.iter().map(|spec| name(spec)).collect(),
            Procedures::File(names) => names.clone(),
        }
    }
}

impl PartialEq for Procedures {
    fn eq(&self, other: &Procedures) -> bool {
        self.names() == other.names()
    }
}

impl Serialize for Procedures {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.names().serialize(to)
    }
}

impl<'de> Deserialize<'de> for Procedures {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Procedures, D::Error> {
        Vec::deserialize(from).map(Procedures::File)
    }
}

/// Returns the name of a procedure with a digest of its code. Each procedure needs the digest once.
fn name(spec: &'static ProcedureSpec) -> String {
    static NAMES: Mutex<Option<HashMap<usize, String>>> = Mutex::new(None);
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let known = names.get_or_insert_default().entry(std::ptr::from_ref(spec).addr());
    known.or_insert_with(|| with_digest(spec)).clone()
}

fn with_digest(spec: &ProcedureSpec) -> String {
    let mut text = format!("{}::{} ", spec.module, spec.name);
    for byte in &Sha256::digest(spec.cuda)[..8] {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
