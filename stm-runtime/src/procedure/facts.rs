//! The compiler's facts about a procedure, as a table.

use std::fmt::{self, Display, Formatter};
use std::ops::Deref;

use kernels_gen::device::engines::ENGINES;
use kernels_gen::spec::{Facts, Intent, ProcedureSpec};

/// The compiler's facts about a procedure. They print as a table with `{}`, which also names the engines that cannot run the
/// procedure, and says why.
///
/// ```
/// # use stm_runtime::prelude::*;
/// #[gpu_transaction]
/// fn transfer(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult {
///     let balance = tx.read(accounts, from)?;
///     tx.guard(balance >= amount)?;
///     tx.write(accounts, from, balance - amount)?;
///     let target = tx.read(accounts, to)?;
///     tx.write(accounts, to, target + amount)
/// }
///
/// # fn main() -> Result<(), Error> {
/// let facts = transfer::kernel().facts()?;
/// assert!(facts.orderable && !facts.read_only);
/// assert_eq!(facts.footprint(), 2);
/// println!("{facts}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, PartialEq)]
pub struct KernelFacts {
    spec: &'static ProcedureSpec,
}

impl KernelFacts {
    pub(crate) fn of(spec: &'static ProcedureSpec) -> KernelFacts {
        KernelFacts { spec }
    }

    /// Returns the source text and the position of a location.
    fn location(&self, location: u32) -> (String, String) {
        match self.spec.locations.get(location as usize) {
            Some(location) => {
                (location.text.to_owned(), format!("{}:{}:{}", location.file, location.line, location.column))
            }
            None => Default::default(),
        }
    }

    fn rows(&self) -> Vec<[String; 6]> {
        let mut rows = vec![["slot", "array", "element", "used to", "always", "first at"].map(str::to_owned)];
        for (k, slot) in self.slots.iter().enumerate() {
            let intent = match slot.intent {
                Intent::Read => "read",
                Intent::Update => "read and write",
                Intent::Write => "write",
            };
            let always = if slot.always { "yes" } else { "no" };
            let (text, place) = self.location(slot.location);
            let array = self.spec.params.get(slot.param as usize).map_or("", |param| param.name);
            rows.push([k.to_string(), array.to_owned(), text, intent.to_owned(), always.to_owned(), place]);
        }
        rows
    }
}

impl Deref for KernelFacts {
    type Target = Facts;

    fn deref(&self) -> &Facts {
        &self.spec.facts
    }
}

impl Display for KernelFacts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let spec = self.spec;
        writeln!(f, "{} ({}:{})", spec.name, spec.file, spec.line)?;
        let how = match (self.stated, self.inexact) {
            (true, Some(why)) => format!(", of which {} as stated, because {why}", self.indexed),
            (true, None) => format!(", of which {} as stated", self.indexed),
            (false, _) if self.indexed > 0 => format!(", of which {} in loops", self.indexed),
            (false, _) => String::new(),
        };
        writeln!(f, "  footprint   at most {}{how}", count(self.footprint(), "element"))?;
        let (reads, writes) = (self.count(|i| i != Intent::Write), self.count(|i| i != Intent::Read));
        writeln!(f, "  slots       {}: {reads} read, {writes} written", self.slots.len())?;
        writeln!(f, "  read-only   {}", yes(self.read_only))?;
        match self.unordered {
            None => writeln!(f, "  ordered     yes: every address is computed from the arguments alone")?,
            Some(why) => writeln!(f, "  ordered     no: {why}")?,
        }
        let refusals = ENGINES.iter().filter_map(|engine| Some((engine.name, engine.requires.refusal(spec)?)));
        for (k, (engine, why)) in refusals.enumerate() {
            writeln!(f, "  {:11} `{engine}`: {why}", if k == 0 { "not for" } else { "" })?;
        }
        for guard in self.guards {
            let (text, place) = self.location(guard.location);
            let slots: Vec<String> = guard.reads.iter().map(ToString::to_string).collect();
            let slots = match slots.len() {
                0 => "no slot".to_owned(),
                1 => format!("slot {}", slots[0]),
                _ => format!("slots {}", slots.join(", ")),
            };
            writeln!(f, "  guard       `{text}` at {place} depends on {slots}")?;
        }
        if !self.slots.is_empty() {
            put_table(f, &self.rows())?;
        }
        Ok(())
    }
}

impl KernelFacts {
    fn count(&self, is: impl Fn(Intent) -> bool) -> usize {
        self.slots.iter().filter(|slot| is(slot.intent)).count()
    }
}

impl fmt::Debug for KernelFacts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.spec.facts.fmt(f)
    }
}

fn put_table(f: &mut Formatter<'_>, rows: &[[String; 6]]) -> fmt::Result {
    let width = |k: usize| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0);
    for row in rows {
        let cells: Vec<String> = row.iter().enumerate().map(|(k, cell)| format!("{cell:<0$}", width(k))).collect();
        writeln!(f, "  {}", cells.join("  ").trim_end())?;
    }
    Ok(())
}

fn count(number: u32, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn yes(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}
