//! Engines broken on purpose: headers with some of the mutations that are written in them (`kernels_gen::device::header`).
//!
//! All headers of a unit can be broken that way, the common headers of all engines included. Within the headers of one engine
//! a label is unique.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use kernels_gen::device::EngineSpec;
use kernels_gen::device::header::{Header, headers_of, mutations};
use stm_runtime::Engine;

/// Returns the engine with these mutations and unchanged parameters. An engine that already has mutations keeps them.
///
/// # Errors
/// The headers of the engine have none or several mutations with a label.
pub fn mutant(engine: Engine, name: &'static str, labels: &[&str]) -> Result<Engine, String> {
    let parameters = engine.parameters();
    parameters
        .into_iter()
        .try_fold(Engine::from_spec(row(engine.spec(), name, labels)?), |mutated, (parameter, value)| {
            mutated.with(parameter.name, value)
        })
        .map_err(|error| error.to_string())
}

/// The key of a mutated row: the row it was made from, its name, and the labels of its mutations.
type Recipe = (usize, &'static str, String);

/// Returns the row with these mutations. Engines are entries of a constant table, so each row is made once and leaked.
fn row(spec: &'static EngineSpec, name: &'static str, labels: &[&str]) -> Result<&'static EngineSpec, String> {
    static MADE: Mutex<BTreeMap<Recipe, &'static EngineSpec>> = Mutex::new(BTreeMap::new());
    let recipe = (std::ptr::from_ref(spec).addr(), name, labels.join("\n"));
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(row) = made.get(&recipe) {
        return Ok(row);
    }
    let replaced = replaced(spec, labels)?.leak();
    let row: &'static EngineSpec = Box::leak(Box::new(EngineSpec { name, replaced, ..*spec }));
    made.insert(recipe, row);
    Ok(row)
}

/// Returns the headers that differ from those of the table.
fn replaced(spec: &EngineSpec, labels: &[&str]) -> Result<Vec<Header>, String> {
    let current = |(file, text): Header| {
        let replaced = spec.replaced.iter().find(|(replaced, _)| *replaced == file);
        (file, replaced.map_or(text, |(_, text)| text).to_owned())
    };
    let mut headers: Vec<(&'static str, String)> = headers_of(spec).map(current).collect();
    for label in labels {
        apply(label, &mut headers).map_err(|found| {
            format!("the headers of `{}` should have one mutation `{label}`, and have {found}", spec.name)
        })?;
    }
    let changed = headers.into_iter().zip(headers_of(spec)).filter(|((_, text), (_, original))| text != original);
    Ok(changed.map(|((file, text), _)| (file, &*text.leak())).collect())
}

/// Applies the one mutation with that label; the error is the number of mutations with it.
fn apply(label: &str, headers: &mut [(&'static str, String)]) -> Result<(), usize> {
    let replaced: Vec<(usize, String)> = headers
        .iter()
        .enumerate()
        .flat_map(|(at, (_, text))| replacements(text, label).into_iter().map(move |text| (at, text)))
        .collect();
    match <[(usize, String); 1]>::try_from(replaced) {
        Ok([(at, text)]) => {
            headers[at].1 = text;
            Ok(())
        }
        Err(several) => Err(several.len()),
    }
}

/// Returns a copy of the text for each mutation of that label.
fn replacements(text: &str, label: &str) -> Vec<String> {
    let found = mutations(text).into_iter().filter(|mutation| mutation.label == label);
    found
        .map(|mutation| {
            let put = |(number, line): (usize, &str)| {
                if number != mutation.line {
                    return format!("{line}\n");
                }
                // The replacement may continue after the line with code, which would become a part of the line's comment.
                let code = line.split_once("//").map_or(line, |(code, _)| code).trim_end();
                format!("{}\n", mutation.replacement.replace('@', code))
            };
            text.lines().enumerate().map(put).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutation_replaces_the_line_after_it() {
        let text = "a;\n  // mutation \"one\":\n  // mutation \"two\": if (x) @ d;\n  b;  // why\nc;\n";
        let before = "a;\n  // mutation \"one\":\n  // mutation \"two\": if (x) @ d;\n";
        assert_eq!(replacements(text, "one"), [format!("{before}\nc;\n")]);
        assert_eq!(replacements(text, "two"), [format!("{before}if (x)   b; d;\nc;\n")]);
        assert!(replacements(text, "three").is_empty());
    }

    #[test]
    fn a_label_of_no_mutation_is_an_error() {
        let error = mutant(Engine::default(), "broken", &["no such label"]).unwrap_err();
        assert!(error.contains("`no such label`, and have 0"), "{error}");
    }

    #[test]
    fn a_mutant_can_be_broken_further() {
        let engine = Engine::default();
        let labels: Vec<&str> =
            headers_of(engine.spec()).flat_map(|(_, text)| mutations(text)).map(|mutation| mutation.label).collect();
        let both = mutant(engine, "both", &[labels[0], labels[labels.len() - 1]]).expect("two mutations");
        let one = mutant(engine, "one", &[labels[0]]).expect("a mutation");
        let then = mutant(one, "both", &[labels[labels.len() - 1]]).expect("another mutation");
        assert_eq!(both.spec().replaced, then.spec().replaced);
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
