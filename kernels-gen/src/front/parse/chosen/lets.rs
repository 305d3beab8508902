//! `let` of choices: a name for one of several arrays, several such names at once, and lists.

use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Expr, Local, Pat};

use super::elements::Shape;
use super::{Choices, List, name_of};
use crate::front::parse::text;
use crate::front::parse::tree::strip;

impl Choices {
    /// Takes `let (from, to, most) = if sells { (goods, cash, 5) } else { (cash, goods, 7) };`: one number says what each name of an
    /// array is.
    pub(super) fn several(&mut self, local: &mut Local) -> Option<()> {
        let (Pat::Tuple(pat), Some(init)) = (&local.pat, &local.init) else { return None };
        let span = pat.span();
        if init.diverge.is_some() {
            return None;
        }
        let (number, numbered, arrays) = self.choices(&init.expr, pat.elems.len())?;
        let name = |pat: &Pat| match pat {
            Pat::Ident(name) if name.mutability.is_none() => {
                Some(text::key(&name.ident)).filter(|name| self.names.is_local(name))
            }
            _ => None,
        };
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for (pat, arrays) in pat.elems.iter().zip(arrays) {
            match (arrays, pat) {
                (Some(_), Pat::Wild(_)) => {}
                (Some(arrays), pat) => names.push((name(pat)?, arrays)),
                (None, pat) => values.push(pat),
            }
        }
        let new = match values.as_slice() {
            [] => quote_spanned!(span=> let #number: u8 = #numbered;),
            _ => quote_spanned!(span=> let (#number, #(#values),*) = #numbered;),
        };
        let Ok(syn::Stmt::Local(new)) = syn::parse2(new) else { return None };
        *local = new;
        for (name, arrays) in names {
            self.name(name, syn::parse_quote!(#number), arrays);
        }
        Some(())
    }

    /// Takes `let tables = [a, b];`, and `let [first, second] = tables;`.
    pub(super) fn lists(&mut self, local: &mut Local) -> Option<()> {
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        let (numbers, shape) = self.list(&init.expr)?;
        let span = local.pat.span();
        let new = match (untyped(&local.pat), strip(&init.expr)) {
            (Pat::Ident(name), Expr::Array(node)) if name.mutability.is_none() => {
                let (key, list, count) = (text::key(&name.ident), self.variable(&init.expr), node.elems.len());
                if !self.names.is_local(&key) {
                    return None;
                }
                let ty = matches!(shape, Shape::Array(_)).then(|| quote_spanned!(span=> : [u8; #count]));
                self.hidden.insert(key.clone());
                self.lists.insert(key, List { numbers: list.clone(), shape, count });
                quote_spanned!(span=> #[allow(unused_variables)] let #list #ty = #numbers;)
            }
            (Pat::Slice(pat), _) => {
                let Shape::Array(arrays) = shape else { return None };
                let number = self.variable(&init.expr);
                let name = |(pat, array): (&Pat, Expr)| match pat {
                    Pat::Ident(name) if name.mutability.is_none() => {
                        let key = text::key(&name.ident);
                        self.names.is_local(&key).then_some((key, array))
                    }
                    _ => None,
                };
                if pat.elems.len() != arrays.len() {
                    return None;
                }
                let names = pat.elems.iter().zip(arrays).filter(|(pat, _)| !matches!(pat, Pat::Wild(_)));
                let names = names.map(name).collect::<Option<Vec<_>>>()?;
                for (name, array) in names {
                    self.name(name, syn::parse_quote!(#number), vec![array]);
                }
                quote_spanned!(span=> #[allow(unused_variables)] let #number = 0_u8;)
            }
            _ => return None,
        };
        let Ok(syn::Stmt::Local(new)) = syn::parse2(new) else { return None };
        *local = new;
        Some(())
    }

    /// Takes `let rows = if hot { a } else { b };`, and another name for what has one.
    pub(super) fn one(&mut self, local: &mut Local) -> Option<()> {
        let (Pat::Ident(name), Some(init)) = (untyped(&local.pat), &local.init) else { return None };
        let key = text::key(&name.ident);
        if name.mutability.is_some() || init.diverge.is_some() || !self.names.is_local(&key) {
            return None;
        }
        let known = name_of(strip(&init.expr)).and_then(|name| self.known.get(&name).cloned());
        let known = known.or_else(|| self.array(&init.expr).map(|one| (syn::parse_quote!(0_u8), vec![one])));
        let one = known.map(|(numbered, arrays)| (self.variable(&init.expr), numbered, arrays));
        let (number, numbered, arrays) = one.or_else(|| self.choice(&init.expr))?;
        let span = name.ident.span();
        self.name(key, syn::parse_quote!(#number), arrays);
        let Ok(syn::Stmt::Local(new)) = syn::parse2(quote_spanned!(span=> let #number: u8 = #numbered;)) else {
            return None;
        };
        *local = new;
        Some(())
    }
}

fn untyped(pat: &Pat) -> &Pat {
    match pat {
        Pat::Type(typed) => &typed.pat,
        other => other,
    }
}
