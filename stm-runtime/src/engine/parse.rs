//! Parsing of engines: `jvstm`, `jvstm(versions=16)`.

use std::str::FromStr;

use kernels_gen::device::engines;
use kernels_gen::nearest;

use crate::engine::{Engine, Parameter};
use crate::error::Error;

impl FromStr for Engine {
    type Err = Error;

    fn from_str(text: &str) -> Result<Engine, Error> {
        let text = text.trim();
        let (name, inside) = match text.split_once('(') {
            None => (text, ""),
            Some((name, rest)) => {
                let inside = rest.strip_suffix(')').ok_or_else(|| syntax(text, "there is no `)` at its end"))?;
                (name.trim_end(), inside.trim())
            }
        };
        let row = engines::find(name).ok_or_else(|| Error::UnknownEngine { name: name.to_owned(), known: names() })?;
        if inside.is_empty() {
            return Ok(Engine::from_spec(row));
        }
        let mut met = Vec::new();
        inside.split(',').try_fold(Engine::from_spec(row), |engine, setting| {
            let (parameter, value) = setting.split_once('=').ok_or_else(|| syntax(text, "a parameter has no `=`"))?;
            let (parameter, value) = (parameter.trim(), value.trim());
            if met.contains(&parameter) {
                return Err(syntax(text, "a parameter is there twice"));
            }
            met.push(parameter);
            engine.set(parameter, value)
        })
    }
}

impl TryFrom<&str> for Engine {
    type Error = Error;

    fn try_from(text: &str) -> Result<Engine, Error> {
        text.parse()
    }
}

impl Engine {
    pub(super) fn set(self, name: &str, value: &str) -> Result<Engine, Error> {
        let unknown = || {
            let all: Vec<String> = self.parameters().map(|(parameter, _)| parameter.to_string()).collect();
            let known = if all.is_empty() { "it has none".into() } else { format!("it has {}", all.join("; ")) };
            let names: Vec<&str> = self.parameters().map(|(parameter, _)| parameter.name).collect();
            let known =
                nearest(name, &names).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default() + &known;
            Error::UnknownParameter { engine: self.name(), name: name.to_owned(), known }
        };
        let parameter = self.spec().parameters.iter().find(|known| known.name == name).ok_or_else(unknown)?;
        let Parameter { name, least, most, .. } = Parameter::of(parameter);
        let wrong = || Error::ParameterValue { engine: self.name(), name, value: value.to_owned(), least, most };
        let number = value.parse().ok().filter(|number| (least..=most).contains(number)).ok_or_else(wrong)?;
        Ok(Engine(self.tuned().with(parameter, number)))
    }
}

/// Returns the names of all engines.
fn names() -> String {
    Engine::ALL.iter().map(|engine| engine.name()).collect::<Vec<_>>().join(", ")
}

fn syntax(text: &str, problem: &'static str) -> Error {
    Error::EngineSyntax { text: text.to_owned(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for engine in Engine::ALL {
            assert_eq!(engine.name().parse::<Engine>().unwrap(), *engine);
        }
        assert_eq!(Engine::PRIORITY.to_string(), "priority");
        assert_eq!(Engine::default(), Engine::PRIORITY);
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let message = "quick".parse::<Engine>().unwrap_err().to_string();
        assert!(message.contains("`quick`") && message.contains(Engine::default().name()), "{message}");
        assert!(!message.contains("did you mean"), "{message}");
        let near = "prioritty".parse::<Engine>().unwrap_err().to_string();
        assert!(near.contains("unknown engine `prioritty` (did you mean `priority`?); use one of: "), "{near}");
    }

    #[test]
    fn every_parameter_can_be_set_and_is_shown_where_it_is_unusual() {
        let mut met = 0;
        for engine in Engine::ALL {
            for (parameter, value) in engine.parameters() {
                met += 1;
                assert_eq!(value, parameter.default);
                let other = engine.with(parameter.name, parameter.least).unwrap();
                assert_eq!(other.to_string(), format!("{engine}({}={})", parameter.name, parameter.least));
                assert_eq!(other.to_string().parse::<Engine>().unwrap(), other);
                assert_ne!(other, *engine);
                let back = other.with(parameter.name, parameter.default).unwrap();
                assert_eq!((back.to_string(), back), (engine.to_string(), *engine));
                for outside in parameter.least.checked_sub(1).into_iter().chain([parameter.most + 1]) {
                    let message = engine.with(parameter.name, outside).unwrap_err().to_string();
                    assert!(message.contains(&parameter.least.to_string()), "{message}");
                    assert!(message.contains(&outside.to_string()), "{message}");
                }
            }
        }
        assert!(met > 2, "{met} parameters");
    }

    #[test]
    fn text_that_is_wrong_is_an_error() {
        let error = |text: &str| text.parse::<Engine>().unwrap_err();
        assert!(matches!(error("jvstm(versions=16"), Error::EngineSyntax { .. }));
        assert!(matches!(error("jvstm(versions)"), Error::EngineSyntax { .. }));
        assert!(matches!(error("jvstm(versions=9, versions=9)"), Error::EngineSyntax { .. }));
        assert!(matches!(error("jvstm(versions=many)"), Error::ParameterValue { least: 2, .. }));
        assert!(matches!(error("jvstm(versions=-1)"), Error::ParameterValue { .. }));
        let unknown = error("jvstm(version=9)").to_string();
        assert!(
            unknown.contains("`version`; did you mean `versions`? it has ")
                && unknown.contains("versions=8 (2 to 256)"),
            "{unknown}"
        );
        assert!(error("serial(versions=9)").to_string().contains("it has none"));
        assert!(matches!(error("(versions=9)"), Error::UnknownEngine { .. }));
        assert_eq!("jvstm()".parse::<Engine>().unwrap().to_string(), "jvstm");
    }
}
