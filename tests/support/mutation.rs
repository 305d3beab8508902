//! Engines broken on purpose, made by patching the text of a good one.
//!
//! The headers that engines share are part of an engine's algorithm here: a mutant has copies of them in front of its own
//! text; of those that every unit has, under other names.

use kernels_gen::device::EngineSpec;
use stm_runtime::Engine;

/// What every engine includes: headers of the device code that hold parts of its algorithm. Its row names the others.
const SHARED: [&str; 2] =
    [include_str!("../../kernels-gen/src/device/locks.cuh"), include_str!("../../kernels-gen/src/device/sets.cuh")];

/// Replaces one text by another wherever it stands.
pub type Patch = (&'static str, &'static str);

/// The engine with all patches applied, one after the other.
///
/// # Errors
/// A patch finds nothing to replace: the engine has changed, and the mutant has to follow.
pub fn mutant(engine: Engine, name: &'static str, patches: &[Patch]) -> Result<Engine, String> {
    let spec = engine.spec();
    let needs: String = spec.needs.iter().map(|(_, header)| *header).collect();
    let mut text = SHARED.concat() + &needs + spec.text;
    for (from, to) in patches {
        if !text.contains(from) {
            return Err(format!("`{}` and what it includes no longer contain `{from}`", spec.file));
        }
        text = text.replace(from, to);
    }
    let text = format!("{}{text}", SHARED.iter().map(|header| renames(header)).collect::<String>());
    // Engines are rows of a constant table, so one that is made now has to live for ever.
    let mutated: &'static EngineSpec = Box::leak(Box::new(EngineSpec { name, text: text.leak(), needs: &[], ..*spec }));
    Ok(Engine::from_spec(mutated))
}

/// Gives everything that a header declares another name.
fn renames(header: &str) -> String {
    let mut names: Vec<&str> = header.lines().filter_map(declared).collect();
    names.sort_unstable();
    names.dedup();
    names.iter().map(|name| format!("#define {name} mutant_{name}\n")).collect()
}

/// What a line at the top level declares.
fn declared(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix("struct ") {
        return rest.split([' ', ';', ':', '<']).next();
    }
    if let Some(rest) = line.strip_prefix("constexpr ") {
        return rest.split(" =").next()?.split(' ').next_back();
    }
    if line.starts_with("STM_DEVICE") || line.starts_with("STM_OUTLINE") {
        return line.split('(').next()?.split(' ').next_back();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_found() {
        assert_eq!(declared("struct stm_entry {"), Some("stm_entry"));
        assert_eq!(declared("struct stm_chained<true, ROOM> {"), Some("stm_chained"));
        assert_eq!(declared("constexpr u32 STM_SEEN = 2;    // set"), Some("STM_SEEN"));
        assert_eq!(declared("STM_DEVICE stm_pair stm_peek(const stm_ref& ref) {"), Some("stm_peek"));
        assert_eq!(declared("STM_OUTLINE u64 stm_settled(stm_ref ref, u32 owner) {"), Some("stm_settled"));
        assert_eq!(declared("  STM_DEVICE void begin() {"), None);
        assert!(renames(SHARED[0]).contains("#define stm_let_go mutant_stm_let_go\n"));
    }

    #[test]
    fn a_patch_that_finds_nothing_is_an_error() {
        assert!(mutant(Engine::default(), "broken", &[("no such text", "")]).is_err());
    }
}
