//! What the units of an engine have in common, as a precompiled header: to read it for each unit would take a third of its time.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::build::{Build, ENTRY, HEADER, SCHEDULER, write};
use super::compiler::{HostCompiler, trouble};
use crate::gpu::cache::{Hit, Key, MemoryCache};
use crate::gpu::folder::Temporary;
use crate::gpu::making::Making;

/// The header, which the compiler looks for where it was precompiled or beside the unit.
pub(super) const COMMON: &str = "common.h";
/// What is made of it, beside a unit.
pub(super) const PRECOMPILED: &str = "common.pch";

/// A unit as two texts with the same meaning.
pub(super) struct Pieces {
    /// Declares what is the same in most units of an engine.
    pub(super) common: String,
    /// The rest, with the entry point.
    pub(super) rest: String,
}

impl Pieces {
    /// Divides a unit; `None` for a text of another form, such as one that a user wrote.
    ///
    /// The common text declares every type's functions, and the parameters without their places, whose number differs. So kernels take
    /// the parameters by reference.
    pub(super) fn of(unit: &str) -> Option<Pieces> {
        const CHOICES: [&str; 3] = ["#define RS_SOME", "#define RS_USES_", "#define RS_CALLS_"];
        let (common, own) = unit.split_at(unit.find("namespace stm_k0 {")?);
        let (before, after) = common.split_once("  stm_parameter at[")?;
        let (places, after) = after.split_once("];\n};\nstatic_assert(sizeof(stm_params) == ")?;
        let (bytes, after) = after.split_once(" && ")?;
        let kept = before.lines().filter(|line| !CHOICES.iter().any(|choice| line.starts_with(choice)));
        let before: String = kept.flat_map(|line| [line, "\n"]).collect();
        let entry = ENTRY.replace("sizeof(stm_params)", bytes).replace("(const stm_params)", "(const stm_params&)");
        let own = own.replace("const __grid_constant__ stm_params p", "const stm_params& p");
        let header = HEADER.replace("#include \"stm_scheduler.h\"", SCHEDULER);
        Some(Pieces {
            common: format!("{header}{before}  stm_parameter at[];\n}};\nstatic_assert({after}"),
            rest: format!(
                "static_assert(sizeof(stm_params) + sizeof(stm_parameter[{places}]) == {bytes}, \"host and device agree\");\n\
                 #line 1 \"stm/unit.cu\"\n{own}\n#line 1 \"stm_entry.cpp\"\n{entry}"
            ),
        })
    }

    /// Returns the precompiled header, if there is one or the text was met before: one that no other unit needs is not worth its time.
    pub(super) fn precompiled(&self, build: &Build<'_>, compiler: &HostCompiler) -> Option<Arc<Vec<u8>>> {
        static MADE: OnceLock<MemoryCache<Arc<Vec<u8>>>> = OnceLock::new();
        static MET: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
        let key = Key::of(&["common", &self.common, &compiler.identity()]);
        let is_new = MET.lock().unwrap_or_else(PoisonError::into_inner).insert(key.hex());
        let make = |dir: &Temporary| {
            write(dir, COMMON, &self.common)?;
            compiler.precompile(dir.path(), COMMON, "out").map_err(trouble)
        };
        let found = MADE.get_or_init(MemoryCache::new).get_or_make(key, || match build.cache.get(key) {
            Hit::Found(bytes) => Ok(Arc::new(bytes)),
            _ if is_new => Err(None),
            _ => build.cached(key, &mut Making::begin(), make).map(Arc::new).map_err(Some),
        });
        found.ok()
    }
}
