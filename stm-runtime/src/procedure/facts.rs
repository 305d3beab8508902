//! The compiler's facts about a procedure, as a table.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::ops::Deref;

use kernels_gen::device::engines::ENGINES;
use kernels_gen::spec::{Bound, Change, Facts, ForeseenWrite, Foresight, Intent, ProcedureSpec, Sources, Sums};

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

    /// Returns a location in words.
    fn place(&self, location: u32) -> String {
        let (text, place) = self.location(location);
        format!("`{text}` at {place}")
    }

    /// Returns the new value of a slot in words.
    fn new_value(&self, slot: usize) -> String {
        let written = self.flow.written.iter().find(|written| written.slot as usize == slot);
        written.map_or(String::new(), |written| match written.change {
            Some(change) => change.rust().to_owned(),
            None => format!("by {}", sources(written.sources)),
        })
    }

    fn rows(&self) -> Vec<[String; 7]> {
        let head = ["slot", "array", "element", "used to", "new value", "always", "first at"];
        let mut rows = vec![head.map(str::to_owned)];
        for (k, slot) in self.slots.iter().enumerate() {
            let intent = match slot.intent {
                Intent::Read => "read",
                Intent::Update => "read and write",
                Intent::Write => "write",
            };
            let always = if slot.always { "yes" } else { "no" };
            let (text, place) = self.location(slot.location);
            let array = self.spec.params.get(slot.param as usize).map_or("", |param| param.name);
            let value = self.new_value(k);
            rows.push([k.to_string(), array.to_owned(), text, intent.to_owned(), value, always.to_owned(), place]);
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
        match self.flow.order_matters {
            None => {
                writeln!(f, "  commutes    yes: where its guards hold, the order of such transactions does not matter")?
            }
            Some(why) => writeln!(f, "  commutes    no: {why}")?,
        }
        match self.flow.last_doubt {
            None => writeln!(f, "  certain     from the start: no guard, reject or fault")?,
            Some(last) => writeln!(f, "  certain     after {}", self.place(last))?,
        }
        self.put_foresight(f)?;
        self.put_sums(f)?;
        if !self.flow.result.is_empty() {
            writeln!(f, "  result      depends on {}", sources(self.flow.result))?;
        }
        let refusals = ENGINES.iter().filter_map(|engine| Some((engine.name, engine.requires.refusal(spec)?)));
        for (k, (engine, why)) in refusals.enumerate() {
            writeln!(f, "  {:11} `{engine}`: {why}", if k == 0 { "not for" } else { "" })?;
        }
        for guard in self.guards {
            let reads = sources(Sources { slots: guard.reads, in_loops: false });
            writeln!(f, "  guard       {} depends on {reads}{}", self.place(guard.location), asks(guard.bounds))?;
        }
        if !self.slots.is_empty() {
            put_table(f, &self.rows())?;
        }
        Ok(())
    }
}

impl KernelFacts {
    /// Says what is known before the transaction runs: from its arguments, or once elements of some arrays are known.
    fn put_foresight(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(Foresight { accesses, doubts, writes, .. }) = self.flow.foresight else {
            return writeln!(f, "  foreseen    no: nothing is known about its accesses");
        };
        let name = |param: &u32| self.spec.params.get(*param as usize).map_or("", |param| param.name);
        let once = |arrays: &mut dyn Iterator<Item = &u32>| match arrays.collect::<BTreeSet<_>>() {
            arrays if arrays.is_empty() => String::new(),
            arrays => {
                let names: Vec<String> = arrays.into_iter().map(|param| format!("`{}`", name(param))).collect();
                format!(" once {} {} known", names.join(", "), if names.len() == 1 { "is" } else { "are" })
            }
        };
        let (accesses, outcome) = (once(&mut accesses.iter()), once(&mut doubts.iter().flat_map(|doubt| doubt.arrays)));
        let is_known = |write: &&ForeseenWrite| write.value.is_empty();
        let adds = |write: &&ForeseenWrite| write.addition.is_some_and(|addition| addition.arrays.is_empty());
        let values = count(writes.iter().filter(is_known).count() as u32, "value");
        write!(f, "  foreseen    accesses{accesses}, outcome{outcome}, {values}")?;
        let (additions, others): (Vec<&ForeseenWrite>, Vec<&ForeseenWrite>) =
            writes.iter().filter(|write| !is_known(write)).partition(adds);
        let pieces = others.iter().filter(|write| write.piece.is_some_and(|piece| piece.arrays.is_empty()));
        for (number, what) in [(additions.len(), "addition"), (pieces.count(), "piece")] {
            if number > 0 {
                write!(f, ", {}", count(number as u32, what))?;
            }
        }
        writeln!(f)
    }

    /// Says which arrays the transaction changes by sums alone, and why not where it may look so.
    fn put_sums(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = |sums: &Sums| self.spec.params.get(sums.param as usize).map_or("", |param| param.name);
        let adds = |sums: &&Sums| {
            self.flow.written.iter().any(|written| {
                written.change == Some(Change::Add) && self.slots[written.slot as usize].param == sums.param
            })
        };
        for sums in self.sums.iter().filter(|sums| sums.additions > 0 || adds(sums)) {
            let name = name(sums);
            match sums.otherwise {
                Some(why) => writeln!(f, "  sums        `{name}` is needed otherwise: {why}")?,
                None if sums.can_overflow && self.spec.checked => {
                    writeln!(f, "  sums        `{name}` is needed: an addition that overflows is a fault")?;
                }
                None if sums.additions == 0 => {
                    writeln!(f, "  sums        `{name}` is not needed: it is written back as it was")?;
                }
                None => {
                    let most = count(sums.additions, "addition");
                    writeln!(
                        f,
                        "  sums        `{name}` is not needed: at most {most}, which can be made after the commit"
                    )?;
                }
            }
        }
        Ok(())
    }

    fn count(&self, is: impl Fn(Intent) -> bool) -> usize {
        self.slots.iter().filter(|slot| is(slot.intent)).count()
    }
}

impl fmt::Debug for KernelFacts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.spec.facts.fmt(f)
    }
}

fn put_table(f: &mut Formatter<'_>, rows: &[[String; 7]]) -> fmt::Result {
    let width = |k: usize| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0);
    for row in rows {
        let cells: Vec<String> = row.iter().enumerate().map(|(k, cell)| format!("{cell:<0$}", width(k))).collect();
        writeln!(f, "  {}", cells.join("  ").trim_end())?;
    }
    Ok(())
}

/// Returns reads in words.
fn sources(of: Sources) -> String {
    let slots: Vec<String> = of.slots.iter().map(ToString::to_string).collect();
    let slots = match slots.len() {
        0 => None,
        1 => Some(format!("slot {}", slots[0])),
        _ => Some(format!("slots {}", slots.join(", "))),
    };
    match (slots, of.in_loops) {
        (None, false) => "no slot".to_owned(),
        (None, true) => "reads in loops".to_owned(),
        (Some(slots), false) => slots,
        (Some(slots), true) => format!("{slots} and reads in loops"),
    }
}

/// Returns what a guard asks in words.
fn asks(bounds: Option<&[Bound]>) -> String {
    match bounds {
        None => ", and asks no bound of one element".to_owned(),
        Some([]) => String::new(),
        Some(bounds) => {
            let bound = |bound: &Bound| format!("`{} e` of slot {}", bound.compare.rust(), bound.slot);
            format!(", and asks {}", bounds.iter().map(bound).collect::<Vec<_>>().join(" and "))
        }
    }
}

fn count(number: u32, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn yes(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}
