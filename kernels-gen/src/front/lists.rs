//! Lists of shared arrays as parameters: `tables: [&Shared<u32>; 3]` is a parameter for each array, and a list of them in the body.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Expr, FnArg, Ident, ItemFn, Lit, Pat, PatIdent, Type};

use crate::front::parse::{Signature, argument};

/// The beginning of the names of the parameters that stand for a list.
const LIST: &str = "stm_it_list_";

/// The most arrays of a list.
const MOST: usize = 8;

/// Returns the function with a parameter for each array of its lists. `None`: it has no lists.
pub(super) fn spread(function: &ItemFn) -> Option<ItemFn> {
    let (mut inputs, mut lets) = (Vec::new(), Vec::new());
    for input in &function.sig.inputs {
        let Some((PatIdent { mutability, ident: name, .. }, element, count)) = list(input) else {
            inputs.push(input.clone());
            continue;
        };
        let names: Vec<Ident> = (0..count).map(|k| format_ident!("{LIST}{k}_{name}", span = name.span())).collect();
        inputs.extend(names.iter().map(|name| -> FnArg { syn::parse_quote!(#name: #element) }));
        lets.push(syn::parse_quote!(let #mutability #name = [#(#names),*];));
    }
    if lets.is_empty() {
        return None;
    }
    let mut spread = function.clone();
    spread.sig.inputs = inputs.into_iter().collect();
    spread.block.stmts.splice(0..0, lets);
    Some(spread)
}

/// Returns the name of a list, the type of its elements, and their number.
fn list(input: &FnArg) -> Option<(&PatIdent, &Type, usize)> {
    let FnArg::Typed(input) = input else { return None };
    let Pat::Ident(name) = &*input.pat else { return None };
    let ty = match &*input.ty {
        Type::Reference(reference) if reference.mutability.is_none() => &*reference.elem,
        other => other,
    };
    let Type::Array(array) = ty else { return None };
    let Type::Reference(element) = &*array.elem else { return None };
    argument(&element.elem, "Shared")?;
    let Expr::Lit(syn::ExprLit { lit: Lit::Int(count), .. }) = &array.len else { return None };
    let count = count.base10_parse().ok().filter(|count| (1..=MOST).contains(count))?;
    Some((name, &array.elem, count))
}

/// Returns the parameters as the user wrote them, each array with this lifetime, and the statements that take lists apart. `one`: of a
/// parameter that is no list.
pub(super) fn written(
    signature: &Signature,
    lifetime: Option<TokenStream>,
    one: impl Fn(&crate::front::parse::ParamSyntax) -> TokenStream,
) -> (Vec<TokenStream>, TokenStream) {
    let (mut params, mut lets, mut at) = (Vec::new(), TokenStream::new(), 0);
    while let Some(param) = signature.params.get(at) {
        let Some(name) = of_list(&param.ident) else {
            params.push(one(param));
            at += 1;
            continue;
        };
        let names = signature.params[at..].iter().map(|param| &param.ident);
        let names: Vec<_> = names.take_while(|other| of_list(other).as_ref() == Some(&name)).collect();
        let (count, element) = (
            names.len(),
            match &param.ty {
                Type::Reference(reference) => &reference.elem,
                _ => return (params, lets),
            },
        );
        params.push(quote!(#name: [& #lifetime #element; #count]));
        lets.extend(quote!(let [#(#names),*] = #name;));
        at += count;
    }
    (params, lets)
}

fn of_list(ident: &Ident) -> Option<Ident> {
    let text = ident.to_string();
    let (_, name) = text.strip_prefix(LIST)?.split_once('_')?;
    Some(Ident::new(name, ident.span()))
}
