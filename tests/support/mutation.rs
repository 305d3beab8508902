//! Engines broken on purpose: headers in which lines that a comment `// mutation: <label>` marks are replaced.
//!
//! All headers of a unit can be broken that way, those that every engine has among them. Within the headers of one engine a
//! label stands once.

use kernels_gen::device::EngineSpec;
use kernels_gen::device::header::{Header, MARK, headers_of};
use stm_runtime::Engine;

/// The label of a marked line, and what takes its place: nothing, or lines in which `@` stands for the line itself.
pub type Edit = (&'static str, &'static str);

/// The engine with these edits, and its parameters as they are.
///
/// # Errors
/// A label marks no line of the engine's headers, or several.
pub fn mutant(engine: Engine, name: &'static str, edits: &[Edit]) -> Result<Engine, String> {
    let spec = engine.spec();
    let mut headers: Vec<(&'static str, String)> =
        headers_of(spec).map(|(file, text)| (file, text.to_owned())).collect();
    for edit in edits {
        apply(edit, &mut headers).map_err(|found| {
            format!("the headers of `{}` should mark one line as `{}`, and mark {found}", spec.name, edit.0)
        })?;
    }
    let replaced: Vec<Header> = headers
        .into_iter()
        .zip(headers_of(spec))
        .filter(|((_, text), (_, original))| text != original)
        .map(|((file, text), _)| (file, &*text.leak()))
        .collect();
    // Engines are transactions of a constant batch, so one that is made now has to live for ever.
    let mutated: &'static EngineSpec = Box::leak(Box::new(EngineSpec { name, replaced: replaced.leak(), ..*spec }));
    let parameters = engine.parameters();
    parameters
        .into_iter()
        .try_fold(Engine::from_spec(mutated), |mutated, (parameter, value)| mutated.with(parameter.name, value))
        .map_err(|error| error.to_string())
}

/// The labels in a text, in their order.
pub fn labels(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.split_once(MARK).map(|(_, label)| label))
}

/// Replaces the one marked line; the error is how many there are.
fn apply((label, replacement): &Edit, headers: &mut [(&'static str, String)]) -> Result<(), usize> {
    let found: usize = headers.iter().map(|(_, text)| labels(text).filter(|other| other == label).count()).sum();
    if found != 1 {
        return Err(found);
    }
    for (_, text) in headers.iter_mut().filter(|(_, text)| labels(text).any(|other| other == *label)) {
        *text = replace(text, label, replacement);
    }
    Ok(())
}

fn replace(text: &str, label: &str, replacement: &str) -> String {
    let mut out = String::with_capacity(text.len() + replacement.len());
    // The mark stood alone on the line before.
    let mut is_next = false;
    for line in text.lines() {
        match line.split_once(MARK) {
            Some((code, found)) if found == label && code.trim().is_empty() => is_next = true,
            Some((code, found)) if found == label => out.push_str(&replacement.replace('@', code)),
            _ if std::mem::take(&mut is_next) => out.push_str(&replacement.replace('@', line)),
            _ => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_at_the_end_of_its_line_or_alone_before_it() {
        let text = "a;\n  b;  // mutation: one\n  // mutation: two\n  c;\n";
        assert_eq!(labels(text).collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(replace(text, "one", ""), "a;\n\n  // mutation: two\n  c;\n");
        assert_eq!(replace(text, "one", "if (x) @"), "a;\nif (x)   b;  \n  // mutation: two\n  c;\n");
        assert_eq!(replace(text, "two", "@ d;\ne;"), "a;\n  b;  // mutation: one\n\n  c; d;\ne;\n");
    }

    #[test]
    fn a_label_that_marks_nothing_is_an_error() {
        let error = mutant(Engine::default(), "broken", &[("no such label", "")]).unwrap_err();
        assert!(error.contains("`no such label`, and mark 0"), "{error}");
    }

    #[test]
    fn parameters_stay_as_they_are() {
        let engine =
            Engine::ALL.iter().find(|engine| engine.parameters().len() > 0).expect("an engine with parameters");
        let (parameter, _) = engine.parameters().next().expect("a parameter");
        let set = engine.with(parameter.name, parameter.least).expect("within its bounds");
        let (_, value) =
            mutant(set, "control", &[]).expect("no edits").parameters().next().expect("the same parameter");
        assert_eq!(value, parameter.least);
    }
}
