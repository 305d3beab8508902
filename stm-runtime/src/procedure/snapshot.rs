//! A procedure as text for snapshot tests; it changes only when the compiled code changes.

use std::fmt::{self, Display, Formatter};

use kernels_gen::spec::{Intent, ProcedureSpec, Role};

/// The parameters, the facts and the CUDA C of a procedure, without lines and files: edits elsewhere in the program do not
/// change it.
pub(crate) struct Snapshot(pub(crate) &'static ProcedureSpec);

impl Display for Snapshot {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.0.name)?;
        self.signature(f)?;
        self.facts(f)?;
        writeln!(f)?;
        for line in self.0.cuda.lines().filter(|line| !line.trim_start().starts_with("#line")) {
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}

impl Snapshot {
    fn signature(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for param in self.0.params {
            match param.role {
                Role::Partition(scalar, part) => {
                    writeln!(f, "  array     {}: {}, parts of {part}", param.name, scalar.rust())?;
                }
                Role::Array(scalar) => writeln!(f, "  array     {}: {}", param.name, scalar.rust())?,
                Role::Value(scalar) => writeln!(f, "  value      {}: {}", param.name, scalar.rust())?,
            }
        }
        self.0.result.iter().try_for_each(|component| writeln!(f, "  result     {}", component.rust()))
    }

    fn facts(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let facts = &self.0.facts;
        let how = if facts.stated { "stated for loops" } else { "in loops" };
        writeln!(f, "  footprint  {}, of which {} {how}", facts.footprint(), facts.indexed)?;
        for (k, slot) in facts.slots.iter().enumerate() {
            let intent = match slot.intent {
                Intent::Read => "read",
                Intent::Update => "read and write",
                Intent::Write => "write",
            };
            let array = self.0.params.get(slot.param as usize).map_or("", |param| param.name);
            let always = if slot.always { "" } else { ", not always" };
            writeln!(f, "  slot {k:<5} {array}, `{}`: {intent}{always}", self.location(slot.location))?;
        }
        writeln!(f, "  read-only  {}", facts.read_only)?;
        writeln!(f, "  ordered    {}", facts.orderable)?;
        facts.guards.iter().try_for_each(|guard| {
            writeln!(f, "  guard      `{}` depends on slots {:?}", self.location(guard.location), guard.reads)
        })
    }

    /// Returns the source text at a location.
    fn location(&self, location: u32) -> &'static str {
        self.0.locations.get(location as usize).map_or("", |location| location.text)
    }
}
