//! The errors of the front end: rules with stable codes, collected and shown together.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

pub(crate) use crate::nearest::nearest;

/// Declares each rule once: variant, code, and the sentence that the documentation shows.
macro_rules! rules {
    ($($name:ident = $code:literal, $text:literal;)*) => {
        /// A rule of the language that a function can break.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "`text` documents each")]
        pub enum Rule { $($name,)* }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Rule] = &[$(Rule::$name,)*];

            /// Returns the stable code.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(Rule::$name => $code,)* }
            }

            /// Returns the rule in one sentence.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Rule::$name => $text,)* }
            }
        }
    };
}

rules! {
    NotAFunction = "STM0001", "the attribute stands on a function, or on a constant whose value is a closure";
    Signature = "STM0002", "a transaction takes `tx: &mut Tx` first and returns `TxResult`";
    ParameterType = "STM0003", "a parameter is a value of the device or a shared array, `&Shared<T>`";
    Qualifier = "STM0004", "a function of the device is a plain `fn`";
    Generics = "STM0005", "a generic transaction lists its types with `instantiate`";
    Option = "STM0006", "the attribute takes only known options";
    Data = "STM0007", "`GpuData` is derived for `Copy` structs and enums";
    CannotInfer = "STM0010", "the type of every value is known";
    Literal = "STM0011", "a literal fits its type";
    Mismatch = "STM0012", "operands, values and results have the expected types";
    Operator = "STM0013", "an operator or cast exists for the type";
    Expression = "STM0020", "an expression has a meaning on the device";
    Iterator = "STM0021", "an iterator goes over ranges and arrays, and becomes a loop";
    Pattern = "STM0022", "a pattern copies what it names";
    Method = "STM0023", "a method has the same result on every machine, bit for bit";
    Macro = "STM0024", "a macro is one that panics, or `matches!`, `cfg!` or `gpu_println!`";
    Call = "STM0025", "a function that a transaction calls has `#[gpu_fn]`";
    Name = "STM0026", "a name is a parameter, a local variable, or a constant";
    Statement = "STM0027", "a block holds `let`, expressions, constants, and attributes for lints";
    Result = "STM0028", "every way out of a function returns a value of its result type";
    Type = "STM0029", "a type exists on the device";
    SharedState = "STM0030", "shared data changes only through `tx`";
    GuardEffect = "STM0031", "a guard's condition only reads";
    MissingTry = "STM0033", "the result of a verb is passed on with `?`";
    Recursion = "STM0040", "a function of the device does not call itself";
    ReservedName = "STM0041", "names that start with `stm_` belong to the generated code";
    Captures = "STM0042", "the variables that a closure captures are declared with `captures`";
    Unbounded = "STM0050", "the footprint is bounded, or stated with `max_accesses`";
    TooLarge = "STM0051", "the footprint is at most 65,535 elements";
    LocalMemory = "STM0052", "the local variables of a transaction take at most 64 KiB";
    Expansion = "STM0053", "a transaction and the functions it calls fit in one kernel";
    Nesting = "STM0054", "code nests no deeper than the compiler can follow";
}

impl Rule {
    /// Returns whether rustc usually reports an error for it too, which would repeat this one in other words.
    pub(crate) fn repeats_rustc(self) -> bool {
        use Rule::{Call, Expansion, LocalMemory, Macro, Option, ReservedName, TooLarge, Unbounded};
        !matches!(self, Option | Macro | Call | ReservedName | Unbounded | TooLarge | LocalMemory | Expansion)
    }
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.code())
    }
}

/// The first and the last token of a piece of source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceSpan {
    pub(crate) first: Span,
    pub(crate) last: Span,
}

impl SourceSpan {
    pub(crate) fn of(tokens: &(impl ToTokens + ?Sized)) -> SourceSpan {
        let mut spans = tokens.to_token_stream().into_iter().map(|t| t.span());
        let first = spans.next().unwrap_or_else(Span::call_site);
        SourceSpan { first, last: spans.last().unwrap_or(first) }
    }
}

impl From<Span> for SourceSpan {
    fn from(span: Span) -> SourceSpan {
        SourceSpan { first: span, last: span }
    }
}

impl ToTokens for SourceSpan {
    /// Emits two tokens with these spans, so that syn can underline from one to the other.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        proc_macro2::Ident::new("first", self.first).to_tokens(tokens);
        proc_macro2::Ident::new("last", self.last).to_tokens(tokens);
    }
}

/// One broken rule.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    /// The rule.
    pub rule: Rule,
    /// The message with its position; the text starts with the code.
    pub error: syn::Error,
    at: SourceSpan,
}

/// The errors of a function.
#[derive(Debug, Clone, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Adds a broken rule at some tokens. `message` gives the problem, the reason, and what to write instead.
    pub(crate) fn report(&mut self, rule: Rule, at: impl ToTokens, message: impl std::fmt::Display) {
        let at = SourceSpan::of(&at);
        let error = syn::Error::new_spanned(at, format!("{}: {message}", rule.code()));
        self.list.push(Diagnostic { rule, error, at });
    }

    /// Adds the errors of another function.
    pub(crate) fn append(&mut self, other: Diagnostics) {
        self.list.extend(other.list);
    }

    /// Merges the errors of several instances of one function: errors that all instances have appear once, the others with the
    /// name of their instance.
    pub(crate) fn merge(&mut self, instances: &[(String, Diagnostics)], of: usize) {
        let key = |d: &Diagnostic| {
            let start = d.error.span().start();
            (start.line, start.column, d.error.to_string())
        };
        let mut seen = Vec::new();
        for (name, list) in instances {
            for diagnostic in &list.list {
                let this = key(diagnostic);
                if seen.contains(&this) {
                    continue;
                }
                let count = instances.iter().filter(|(_, l)| l.list.iter().any(|d| key(d) == this)).count();
                seen.push(this);
                let mut diagnostic = diagnostic.clone();
                if count < of {
                    let text = format!("{} (where {name})", diagnostic.error);
                    diagnostic.error = syn::Error::new_spanned(diagnostic.at, text);
                }
                self.list.push(diagnostic);
            }
        }
    }

    /// Returns whether no rule is broken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the broken rules in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// Returns the `compile_error!` invocations, in source order.
    #[must_use]
    pub fn to_compile_error(&self) -> TokenStream {
        let mut errors: Vec<&syn::Error> = self.list.iter().map(|d| &d.error).collect();
        errors.sort_by_key(|e| (e.span().start().line, e.span().start().column));
        errors.into_iter().map(syn::Error::to_compile_error).collect()
    }
}

impl std::fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for diagnostic in &self.list {
            let start = diagnostic.error.span().start();
            writeln!(f, "{}:{}: {}", start.line, start.column + 1, diagnostic.error)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_ordered() {
        let codes: Vec<&str> = Rule::ALL.iter().map(|r| r.code()).collect();
        assert!(codes.is_sorted_by(|a, b| a < b), "{codes:?}");
    }
}
