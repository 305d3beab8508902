//! The message of a panic. The report shows it as it is written, with the arguments of the transaction next to it; the values in
//! it are checked and used, so that rustc knows that they are.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::{Expr, ExprLit, Lit, LitStr};

use super::tree::{FAULT, ungrouped};

/// A message, as far as it is given.
#[derive(Default)]
pub(super) struct Message {
    pub(super) text: Option<String>,
    pub(super) values: Vec<Expr>,
}

impl Message {
    /// Returns the message that the arguments of a macro are.
    ///
    /// # Errors
    /// Fails if they are no format with its values.
    pub(super) fn of(args: &[&Expr]) -> syn::Result<Message> {
        let Some((first, rest)) = args.split_first() else { return Ok(Message::default()) };
        let message = ungrouped((*first).clone());
        let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &message else {
            return Err(syn::Error::new_spanned(first, "the message is a literal, as in `\"balance {}\"`"));
        };
        let mut values: Vec<Expr> = rest.iter().map(|value| given(value)).collect();
        let (places, names) = places(text)?;
        if places != rest.len() && !rest.iter().any(|value| matches!(value, Expr::Assign(_))) {
            let message = format!("the message has {places} `{{}}`, but {} values follow", rest.len());
            return Err(syn::Error::new_spanned(text, message));
        }
        values.extend(names);
        let text = text.value();
        let plain = if values.is_empty() { text.replace("{{", "{").replace("}}", "}") } else { text };
        Ok(Message { text: Some(plain), values })
    }

    /// Returns the message with a text for the case that none is given.
    pub(super) fn or_else(mut self, default: impl FnOnce() -> String) -> Message {
        self.text = Some(self.text.unwrap_or_else(default));
        self
    }

    /// Returns the panic.
    pub(super) fn fault(&self, span: Span) -> TokenStream {
        let (name, text, values) = (Ident::new(FAULT, span), &self.text, &self.values);
        quote_spanned!(span=> #(let _ = #values;)* #name!(#text))
    }
}

/// Returns the value of `value` or `name = value`.
fn given(value: &Expr) -> Expr {
    match value {
        Expr::Assign(node) => (*node.right).clone(),
        other => other.clone(),
    }
}

/// Returns the number of `{}` that take the next value, and the variables in braces.
fn places(text: &LitStr) -> syn::Result<(usize, Vec<Expr>)> {
    let value = text.value().replace("{{", "").replace("}}", "");
    let (mut places, mut names) = (0, Vec::new());
    for part in value.split('{').skip(1) {
        let Some((inside, _)) = part.split_once('}') else {
            return Err(syn::Error::new_spanned(text, "a `{` is never closed; write `{{` for the character itself"));
        };
        let name = inside.split(':').next().unwrap_or_default().trim();
        match syn::parse_str::<Ident>(name) {
            _ if name.is_empty() => places += 1,
            Ok(name) => {
                let name = Ident::new(&name.to_string(), text.span());
                names.push(syn::parse_quote!(#name));
            }
            Err(_) => {
                return Err(syn::Error::new_spanned(text, "`{}` is empty or holds the name of a variable"));
            }
        }
    }
    Ok((places, names))
}
