//! Several engines in one argument.

use std::str::FromStr;

use stm_runtime::Error;

use crate::contender::Contender;

/// `priority,jvstm(versions=16,records=64)`: a comma within parentheses stands between parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Engines(pub(crate) Vec<Contender>);

impl FromStr for Engines {
    type Err = Error;

    fn from_str(text: &str) -> Result<Engines, Error> {
        let mut depth = 0;
        let is_between = |letter: char| {
            match letter {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            letter == ',' && depth <= 0
        };
        text.split(is_between).map(str::parse).collect::<Result<_, _>>().map(Engines)
    }
}

#[cfg(test)]
mod tests {
    use stm_runtime::Engine;

    use super::*;

    fn names(text: &str) -> Result<Vec<String>, Error> {
        Ok(text.parse::<Engines>()?.0.iter().map(Contender::to_string).collect())
    }

    #[test]
    fn commas_in_parentheses_belong_to_parameters() {
        let tuned = Engine::ALL.iter().find(|engine| engine.parameters().len() > 1).unwrap();
        let settings: Vec<String> =
            tuned.parameters().map(|(known, _)| format!("{}={}", known.name, known.least)).collect();
        let tuned = format!("{}({})", tuned.name(), settings.join(", "));
        let usual = Engine::default().to_string();
        assert_eq!(names(&format!("{usual},{tuned},{usual}")).unwrap(), [usual.clone(), tuned.clone(), usual.clone()]);
        for wrong in ["", "nobody", &tuned[..tuned.len() - 1], &format!("{usual},"), &format!("{tuned}),{usual}")] {
            assert!(names(wrong).is_err(), "{wrong}");
        }
    }
}
