//! The format of `gpu_println!`: texts, and values.

use proc_macro2::Ident;

use crate::spec::How;

/// A part of a format.
#[derive(Debug, PartialEq)]
pub(super) enum FormatPart {
    /// Literal text, as it is printed: `{{` is one brace here.
    Text(String),
    /// A value: the variable in the braces, if they hold one, and how it is printed.
    Value(Option<Ident>, String),
}

/// Splits a format into parts. Texts and values alternate, and a text, perhaps empty, stands at both ends.
///
/// # Errors
/// Returns the problem with the format.
pub(super) fn parts(format: &str) -> Result<Vec<FormatPart>, &'static str> {
    let (mut parts, mut text, mut rest) = (Vec::new(), String::new(), format);
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with("{{") || rest.starts_with("}}") {
            text.push_str(&rest[..1]);
            rest = &rest[2..];
            continue;
        }
        let Some(end) = rest.find('}').filter(|_| rest.starts_with('{')) else {
            return Err("a single brace; write `{{` or `}}` for the character itself");
        };
        parts.push(FormatPart::Text(std::mem::take(&mut text)));
        parts.push(value(&rest[1..end])?);
        rest = &rest[end + 1..];
    }
    text.push_str(rest);
    parts.push(FormatPart::Text(text));
    Ok(parts)
}

/// Parses the text between two braces.
fn value(inside: &str) -> Result<FormatPart, &'static str> {
    let (name, how) = inside.split_once(':').unwrap_or((inside, ""));
    if How::parse(how).is_none() {
        return Err(
            "values print as `{}`, `{:?}`, `{:x}`, `{:>8}`, `{:04}`, `{:.2}` and the like, with numbers for width and precision",
        );
    }
    let name = match name {
        "" => None,
        name => {
            let ident = syn::parse_str::<Ident>(name);
            Some(ident.map_err(|_| "`{}` is empty or holds the name of a variable")?)
        }
    };
    Ok(FormatPart::Value(name, how.to_owned()))
}

/// Returns the same format with nothing between its braces.
pub(super) fn without_names(parts: &[FormatPart]) -> String {
    let plain = parts.iter().map(|part| match part {
        FormatPart::Text(text) => text.replace('{', "{{").replace('}', "}}"),
        FormatPart::Value(_, how) if how.is_empty() => "{}".to_owned(),
        FormatPart::Value(_, how) => format!("{{:{how}}}"),
    });
    plain.collect()
}

#[cfg(test)]
mod tests;
