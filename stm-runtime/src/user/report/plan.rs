//! The plan of a run: its steps, and what they have found for later runs, also of other processes.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::outcome::PlanStep;
use crate::tuning::{InFile, SavedPlan, Selection, load, save};

/// How a batch ran whose engine was left to [the plan](Selection::plan): [`Report::plan`](crate::Report::plan).
///
/// A plan can be [saved](Plan::save), [loaded](Plan::load) by another process, and given to
/// [`RunOptions::engine`](crate::RunOptions::engine): the first run there then begins with what was found. It tries no place that was too
/// slow, and CPU threads begin with the faster method. The outcome does not depend on it. A plan of other procedures, of another device,
/// order or version is not used, and the report has a note that says why.
///
/// ```
/// # use stm_runtime::prelude::*;
/// # use stm_runtime::report::Plan;
/// # #[gpu_transaction]
/// # fn count(tx: &mut Tx, counters: &Shared<u64>, at: u32) -> TxResult {
/// #     tx.update(counters, at, |count| count + 1)
/// # }
/// # fn main() -> Result<(), Error> {
/// # let device = Device::cpu(2);
/// # let counters = device.shared(&[0_u64; 16])?;
/// # let mut batch = device.batch();
/// # batch.push(count::call(&counters, 3));
/// # let file = std::env::temp_dir().join(format!("plan-{}.toml", std::process::id()));
/// let plan = batch.run()?.plan.expect("no engine was chosen");
/// plan.steps.iter().for_each(|step| println!("{step}"));
/// plan.save(&file)?;
/// batch.run_with(&RunOptions::new().engine(Plan::load(&file)?))?;
/// # std::fs::remove_file(file).ok();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Plan {
    saved: SavedPlan,
    /// What each method did, in order; in one that was loaded, in the run that found it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<PlanStep>,
}

impl Plan {
    pub(super) fn new(saved: SavedPlan, steps: Vec<PlanStep>) -> Plan {
        Plan { saved, steps }
    }

    /// Writes the plan to a file: TOML that people can read.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        save(self, path.as_ref())
    }

    /// Reads a file that [`Plan::save`] wrote.
    ///
    /// # Errors
    /// The file cannot be read, or holds something else.
    pub fn load(path: impl AsRef<Path>) -> Result<Plan, Error> {
        load(path.as_ref())
    }
}

impl InFile for Plan {
    const FORMAT: &'static str = "plan of a batch of GPU transactions";
    const VERSION: u32 = 1;
    const NAME: &'static str = "plan";

    fn checked(&self) -> Result<(), &'static str> {
        if self.steps.iter().any(|step| !step.predicted.is_finite() || step.predicted < 0.0) {
            return Err("`predicted` must be a number that is not negative");
        }
        self.saved.checked()
    }

    fn wrong(path: &Path, problem: String) -> Error {
        Error::PlanFile { path: path.to_owned(), problem }
    }
}

impl From<Plan> for Selection {
    fn from(plan: Plan) -> Selection {
        Selection::of_saved(plan.saved)
    }
}

impl From<&Plan> for Selection {
    fn from(plan: &Plan) -> Selection {
        plan.clone().into()
    }
}

/// Prints a line for each step.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().try_for_each(|step| writeln!(f, "{step}"))
    }
}
