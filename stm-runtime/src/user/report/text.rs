//! A report as a block of text.

use std::fmt;
use std::time::Duration;

use super::summary::Report;
use crate::digits::grouped;

/// How many codes, faults, unresolved transactions and source lines are printed; the fields have more.
const PRINTED: usize = 5;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} transactions on {}", grouped(self.transactions), self.device)?;
        let shape = self.shape.to_string();
        line(f, "engine", format_args!("{}{}{shape}", self.engine, separator(&shape)))?;
        if let Some(tuning) = &self.tuning {
            line(f, "tuning", format_args!("{}", tuning.line()))?;
        }
        self.steps().iter().try_for_each(|step| line(f, "plan", format_args!("{step}")))?;
        line(f, "committed", format_args!("{}, {:.3} million a second", grouped(self.committed), self.rate() / 1e6))?;
        self.write_rejected(f)?;
        self.write_faulted(f)?;
        self.write_unresolved(f)?;
        self.write_conflicts(f)?;
        let passes = if self.passes == 1 { "pass" } else { "passes" };
        line(f, "postponed", format_args!("{} times, in {} {passes}", grouped(self.postponements), self.passes))?;
        self.write_profile(f)?;
        self.write_hottest(f)?;
        self.write_times(f)?;
        self.write_compilation(f)?;
        self.write_phases(f)?;
        self.write_memory(f)?;
        match &self.proof {
            Some(proof) => line(f, "serializable", format_args!("{proof}"))?,
            None => line(f, "serializable", format_args!("not checked"))?,
        }
        self.notes.iter().try_for_each(|note| line(f, "note", format_args!("{note}")))
    }
}

impl Report {
    fn write_rejected(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.codes.iter().take(PRINTED);
        let mut codes: Vec<String> = shown.map(|(code, n)| format!("code {code} {}", grouped(*n))).collect();
        if self.codes.len() > PRINTED {
            codes.push(format!("and {} codes more", grouped((self.codes.len() - PRINTED) as u64)));
        }
        let codes = codes.join(", ");
        line(f, "rejected", format_args!("{}{}{codes}", grouped(self.rejected), separator(&codes)))
    }

    fn write_faulted(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        line(f, "faulted", format_args!("{}", grouped(self.faulted)))?;
        list(f, &self.faults, self.faulted)
    }

    fn write_unresolved(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        line(f, "unresolved", format_args!("{}", grouped(self.unresolved)))?;
        list(f, &self.unresolved_transactions, self.unresolved)
    }

    fn write_conflicts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let causes = self.conflicts.by_cause().into_iter().filter(|(_, n)| *n > 0);
        let causes: Vec<String> = causes.map(|(cause, n)| format!("{cause} {}", grouped(n))).collect();
        let causes = causes.join(", ");
        line(f, "conflicts", format_args!("{}{}{causes}", grouped(self.conflicts.total()), separator(&causes)))?;
        for location in self.conflict_locations.iter().take(PRINTED) {
            let (n, text) = (grouped(location.conflicts), location.text);
            writeln!(
                f,
                "    {n} at {}:{}:{} `{text}` of {}",
                location.file, location.line, location.column, location.procedure
            )?;
        }
        Ok(())
    }

    fn write_profile(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(profile) = &self.profile else { return Ok(()) };
        profile.procedures.iter().try_for_each(|procedure| line(f, "profile", format_args!("{procedure}")))?;
        profile.elements.iter().take(PRINTED).try_for_each(|element| line(f, "contended", format_args!("{element}")))
    }

    fn write_hottest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.hottest.is_empty() && self.uncounted == 0 {
            return Ok(());
        }
        let counted = grouped(self.transactions - self.uncounted);
        let uncounted = match self.uncounted {
            0 => String::new(),
            n => format!("; {} not, since they find addresses on the way", grouped(n)),
        };
        line(f, "hot elements", format_args!("of {counted} transactions{uncounted}"))?;
        self.hottest.iter().take(PRINTED).try_for_each(|element| writeln!(f, "    {element}"))
    }

    fn write_times(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = &self.times;
        let parts = times.by_part().into_iter().chain([("check", times.check)]);
        let parts = parts.filter(|(_, time)| !time.is_zero());
        let parts: Vec<String> = parts.map(|(name, time)| format!("{name} {}", seconds(time))).collect();
        let parts = parts.join(", ");
        line(f, "time", format_args!("{}{}{parts}", seconds(times.total), separator(&parts)))
    }

    fn write_compilation(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = self.times.compile_steps.by_step().into_iter().filter(|(_, time)| !time.is_zero());
        let steps: Vec<String> = steps.map(|(name, time)| format!("{name} {}", seconds(time))).collect();
        let origins = match self.units.as_slice() {
            [] => return Ok(()),
            [unit] => unit.origin.to_string(),
            units => ["compiled", "disk", "memory"]
                .map(|name| (name, units.iter().filter(|unit| unit.origin.name() == name).count()))
                .into_iter()
                .filter(|(_, count)| *count > 0)
                .map(|(name, count)| format!("{count} {}{name}", if name == "compiled" { "" } else { "from " }))
                .collect::<Vec<String>>()
                .join(", "),
        };
        line(f, "compile", format_args!("{origins}: {}", steps.join(", ")))
    }

    fn write_phases(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(phases) = &self.phases else { return Ok(()) };
        let per_commit = |time: Duration| microseconds(time, self.committed);
        let parts = phases.of_commit().into_iter();
        let parts: Vec<String> = parts.map(|(name, time)| format!("{name} {}", per_commit(time))).collect();
        let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
        line(
            f,
            "phases",
            format_args!(
                "{} us a commit: body {}, commit {}{parts}; wasted {}",
                per_commit(phases.total()),
                per_commit(phases.body),
                per_commit(phases.commit),
                per_commit(phases.wasted)
            ),
        )
    }

    fn write_memory(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let memory = &self.memory;
        line(
            f,
            "memory",
            format_args!(
                "{}: data {}, locks {}, arguments {}, results {}, bookkeeping {}",
                bytes(memory.total()),
                bytes(memory.data),
                bytes(memory.locks),
                bytes(memory.arguments),
                bytes(memory.results),
                bytes(memory.bookkeeping)
            ),
        )
    }
}

fn line(f: &mut fmt::Formatter<'_>, name: &str, value: fmt::Arguments<'_>) -> fmt::Result {
    writeln!(f, "  {name:<13}{value}")
}

fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T], all: u64) -> fmt::Result {
    let shown = items.len().min(PRINTED);
    for item in &items[..shown] {
        writeln!(f, "    {item}")?;
    }
    let more = all - shown as u64;
    if more > 0 { writeln!(f, "    and {} more", grouped(more)) } else { Ok(()) }
}

fn separator(after: &str) -> &'static str {
    if after.is_empty() { "" } else { ": " }
}

fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds >= 1.0 { format!("{seconds:.2} s") } else { format!("{:.2} ms", 1e3 * seconds) }
}

/// Returns the share of one commit, in microseconds.
fn microseconds(time: Duration, of: u64) -> String {
    format!("{:.3}", 1e6 * time.as_secs_f64() / of.max(1) as f64)
}

/// Returns a number of bytes in words.
pub(crate) fn bytes(n: u64) -> String {
    const UNITS: [&str; 4] = ["B", "KiB", "MiB", "GiB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{n} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(3 << 19), "1.5 MiB");
        assert_eq!(seconds(Duration::from_micros(1500)), "1.50 ms");
    }
}
