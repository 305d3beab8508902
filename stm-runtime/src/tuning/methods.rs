//! The methods among which a plan chooses.

use std::fmt;
use std::str::FromStr;

use kernels_gen::device::Planned;

use crate::engine::Engine;
use crate::error::Error;

/// The methods among which [a plan](crate::Selection::plan_of) chooses: some of the engines. As text, their names with commas between
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Methods(u32);

impl Methods {
    /// All methods that there are.
    pub const ALL: Methods = Methods(u32::MAX);

    /// Returns some methods.
    ///
    /// # Errors
    /// A plan never chooses one of these engines, or none of them runs all transactions: neither `priority` nor `serial` is among them.
    pub fn of<E: TryInto<Engine>>(methods: impl IntoIterator<Item = E>) -> Result<Methods, Error>
    where
        Error: From<E::Error>,
    {
        let mut chosen = Methods(0);
        for method in methods {
            chosen.0 |= 1 << place(method.try_into().map_err(|unknown| in_a_plan(unknown.into()))?)?;
        }
        if !chosen.has_locks() && !chosen.has_host() {
            return Err(chosen.without_end("", |engine| is_locking(engine) || engine.spec().is_sequential()));
        }
        Ok(if all().all(|engine| chosen.contains(engine)) { Methods::ALL } else { chosen })
    }

    /// Returns whether an engine is among them.
    #[must_use]
    pub fn contains(self, engine: Engine) -> bool {
        place(engine).is_ok_and(|place| self.0 >> place & 1 == 1)
    }

    /// Returns the engines, in the order of [`Engine::ALL`].
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Engine> {
        all().filter(move |engine| self.contains(*engine))
    }

    /// Returns whether transactions may run under locks.
    pub(crate) fn has_locks(self) -> bool {
        self.iter().any(is_locking)
    }

    /// Returns whether the host may run transactions one at a time.
    pub(crate) fn has_host(self) -> bool {
        self.iter().any(|engine| engine.spec().is_sequential())
    }

    /// Returns whether transactions that write nothing may run before all others.
    pub(crate) fn has_rest(self) -> bool {
        self.iter().any(|engine| engine.spec().planned == Planned::WhereUsed)
    }

    /// Returns the error where no method is left that can run what all others leave, with what there is to say of those that could;
    /// `runs_all` returns whether an engine is one.
    pub(crate) fn without_end(self, remark: &str, runs_all: impl Fn(Engine) -> bool) -> Error {
        let missing: Vec<String> = all().filter(|engine| runs_all(*engine)).map(|one| format!("`{one}`")).collect();
        Error::PlanWithoutEnd { methods: self.to_string(), missing: missing.join(" or ") + remark }
    }
}

/// Returns the method of the host.
pub(crate) fn on_host() -> Engine {
    all().find(|engine| engine.spec().is_sequential()).unwrap_or_default()
}

/// Returns the method of transactions that write nothing.
pub(crate) fn at_rest() -> Engine {
    all().find(|engine| engine.spec().planned == Planned::WhereUsed).unwrap_or_default()
}

/// Returns the methods that there are.
fn all() -> impl DoubleEndedIterator<Item = Engine> {
    Engine::ALL.iter().copied().filter(|engine| {
        let spec = engine.spec();
        spec.planned != Planned::Never || spec.keeps_order() || spec.is_sequential() || is_locking(*engine)
    })
}

/// Returns whether the engine runs all transactions under locks.
fn is_locking(engine: Engine) -> bool {
    engine == Engine::default()
}

/// Returns the bit of a method.
fn place(method: Engine) -> Result<usize, Error> {
    let is_one = all().any(|known| known == method);
    let place = Engine::ALL.iter().position(|known| *known == method).filter(|_| is_one);
    place.ok_or_else(|| no_method(method.to_string()))
}

/// Returns the error of an engine, for one that was to be a method.
fn in_a_plan(error: Error) -> Error {
    match error {
        Error::UnknownEngine { name, .. } => no_method(name),
        other => other,
    }
}

fn no_method(name: String) -> Error {
    Error::PlanMethod { name, known: all().map(|engine| engine.to_string()).collect::<Vec<_>>().join(", ") }
}

impl Default for Methods {
    fn default() -> Methods {
        Methods::ALL
    }
}

impl FromStr for Methods {
    type Err = Error;

    fn from_str(text: &str) -> Result<Methods, Error> {
        Methods::of(text.split(',').map(str::trim).filter(|name| !name.is_empty()))
    }
}

impl fmt::Display for Methods {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.iter().map(|engine| engine.to_string()).collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_come_back_from_their_text() {
        let all: Vec<Engine> = Methods::ALL.iter().collect();
        assert!(all.len() > 4 && all.len() < Engine::ALL.len());
        assert_eq!(Methods::of(all.clone()).unwrap(), Methods::ALL);
        assert_eq!(Methods::ALL.to_string().parse::<Methods>().unwrap(), Methods::ALL);
        let two = Methods::of(["priority", "readers-at-rest"]).unwrap();
        assert_eq!(two.to_string(), "priority,readers-at-rest");
        assert_eq!(" readers-at-rest , priority".parse::<Methods>().unwrap(), two);
        assert!(two.has_locks() && two.has_rest() && !two.has_host() && two != Methods::ALL);
        assert_eq!(two.iter().count(), 2);
    }

    #[test]
    fn what_cannot_end_a_batch_or_is_no_method_is_refused() {
        let message = |text: &str| text.parse::<Methods>().unwrap_err().to_string();
        assert!(message("commuting,in-order").contains("add `priority` or `serial`"), "{}", message("commuting"));
        assert!(message("").contains("add `priority` or `serial`"));
        assert!(message("jvstm,priority").contains("no method `jvstm`"));
        assert!(message("comuting,priority").contains("did you mean `commuting`?"), "{}", message("comuting"));
        assert!(Methods::of([Engine::ALL[1]]).is_err());
    }
}
