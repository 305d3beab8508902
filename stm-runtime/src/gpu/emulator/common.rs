//! What the units of an engine have in common, as a precompiled header: to read it for each unit would take a third of its time.

pub(super) const HEADER: &str = include_str!("shim/stm_emulator.h");
pub(super) const SCHEDULER: &str = include_str!("shim/stm_scheduler.h");
pub(super) const ENTRY: &str = include_str!("shim/entry.cpp");

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
}
