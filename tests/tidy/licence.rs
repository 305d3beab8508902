//! Licence expressions of manifests: `MIT OR Apache-2.0`, and the older form `MIT/Apache-2.0`.

/// Returns whether some choice in the expression needs only licences of the list.
///
/// # Errors
/// The expression is not valid SPDX.
pub(crate) fn is_allowed(expression: &str, allowed: &[String]) -> Result<bool, String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = Words { words: spaced.split_whitespace().collect(), at: 0, allowed };
    let result = words.any().filter(|_| words.at == words.words.len());
    result.ok_or_else(|| format!("`{expression}` is not a licence expression"))
}

struct Words<'a> {
    words: Vec<&'a str>,
    at: usize,
    allowed: &'a [String],
}

/// Each method parses a part of the expression and returns whether it is allowed; `None` if it is malformed.
impl Words<'_> {
    fn any(&mut self) -> Option<bool> {
        let mut allowed = self.all()?;
        while self.take("OR") {
            allowed |= self.all()?;
        }
        Some(allowed)
    }

    fn all(&mut self) -> Option<bool> {
        let mut allowed = self.one()?;
        while self.take("AND") {
            allowed &= self.one()?;
        }
        Some(allowed)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let allowed = self.any()?;
            return self.take(")").then_some(allowed);
        }
        let mut licence = self.name()?;
        if self.take("WITH") {
            licence = format!("{licence} WITH {}", self.name()?);
        }
        Some(self.allowed.contains(&licence))
    }

    fn name(&mut self) -> Option<String> {
        let word = *self.words.get(self.at)?;
        self.at += 1;
        (!["(", ")", "AND", "OR", "WITH"].contains(&word)).then(|| word.to_owned())
    }

    fn take(&mut self, word: &str) -> bool {
        let is_next = self.words.get(self.at) == Some(&word);
        self.at += usize::from(is_next);
        is_next
    }
}

#[test]
fn an_expression_is_allowed_if_one_way_of_reading_it_is() {
    let allowed = ["MIT".to_owned(), "Unicode-3.0".to_owned()];
    let result = |expression: &str| is_allowed(expression, &allowed);
    for good in ["MIT", "GPL-3.0 OR MIT", "Unlicense/MIT", "(GPL-3.0 OR MIT) AND Unicode-3.0", "X WITH Y OR MIT"] {
        assert_eq!(result(good), Ok(true), "{good}");
    }
    for bad in ["GPL-3.0", "MIT AND GPL-3.0", "MIT WITH Y", "GPL-3.0 OR MIT AND Z", "(MIT OR Z) AND (X OR Y)"] {
        assert_eq!(result(bad), Ok(false), "{bad}");
    }
    for broken in ["", "MIT OR", "(MIT", "MIT)", "MIT MIT", "OR", "MIT WITH"] {
        assert!(result(broken).is_err(), "{broken}");
    }
}
