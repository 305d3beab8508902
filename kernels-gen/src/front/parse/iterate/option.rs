//! Methods of `Option` and `bool` that take a closure: each is a `match` or an `if`. Those that a `Result` has, too, are a `match` for both:
//! types are not known yet.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::{Expr, ExprMethodCall};

use super::arrays::ArrayNames;
use super::bind::Item;
use super::closure::Closure;
use super::generate::Generator;
use super::{Desugared, Refused};
use crate::front::parse::tree::{BAD, GOOD, strip};

/// The methods, with the number of arguments, and the parameters of the closures among them.
const METHODS: [(&str, &[usize]); 13] = [
    ("map", &[1]),
    ("and_then", &[1]),
    ("filter", &[1]),
    ("is_some_and", &[1]),
    ("is_none_or", &[1]),
    ("inspect", &[1]),
    ("map_or", &[VALUE, 1]),
    ("map_or_else", &[0, 1]),
    ("unwrap_or_else", &[0]),
    ("or_else", &[0]),
    ("then", &[0]),
    ("is_multiple_of", &[VALUE]),
    ("zip", &[VALUE]),
];

/// An argument that is no closure.
const VALUE: usize = usize::MAX;

/// Desugars a method of an `Option` or `bool` that takes a closure.
pub(super) fn method(generator: &mut Generator<'_>, call: &ExprMethodCall, variables: &ArrayNames) -> Desugared {
    let name = call.method.to_string();
    let (_, params) = METHODS.iter().find(|(method, _)| *method == name)?;
    let args: Vec<&Expr> = call.args.iter().collect();
    if args.len() != params.len() || call.turbofish.is_some() {
        return None;
    }
    // A variable is no function: this is a method of the user's own type.
    let is_closure = |arg: &&Expr| match strip(arg) {
        Expr::Closure(_) => true,
        Expr::Path(path) => !path.path.get_ident().is_some_and(|name| variables.declares(name)),
        _ => false,
    };
    let closures = params.iter().zip(&args).filter(|(count, _)| **count != VALUE);
    let (all, no) = (closures.clone().all(|(_, arg)| is_closure(arg)), closures.clone().count() == 0);
    if !all || (no && name != "is_multiple_of" && name != "zip") {
        return None;
    }
    // `filter` and `inspect` only look at the value.
    let lent = matches!(name.as_str(), "filter" | "inspect") || variables.lent.is_lent(&call.receiver);
    let closure = |(count, arg): (&usize, &&Expr)| Closure::with(arg, &vec![lent; *count]);
    let closures: Result<Vec<Closure>, Refused> = closures.map(closure).collect();
    if name == "zip" {
        let (span, receiver, with, [one, other]) =
            (generator.span, strip(&call.receiver), args[0], [(); 2].map(|()| generator.name()));
        return Some(Ok(quote_spanned! {span=>
            match (#receiver, #with) { (Some(#one), Some(#other)) => Some((#one, #other)), _ => None }
        }));
    }
    Some(closures.map(|closures| written_out(generator, call, (&name, &closures), &args)))
}

fn written_out(
    generator: &mut Generator<'_>,
    call: &ExprMethodCall,
    (name, closures): (&str, &[Closure]),
    args: &[&Expr],
) -> TokenStream {
    let (span, receiver, some) = (generator.span, strip(&call.receiver), generator.name());
    let last = closures.last();
    let item = |closure: Option<&Closure>| {
        closure.map(|closure| closure.call(generator, vec![Item::name(&some)])).unwrap_or_default()
    };
    let nothing = || closures.first().map(|closure| closure.call(generator, Vec::new())).unwrap_or_default();
    let [good, bad] = [GOOD, BAD].map(|name| proc_macro2::Ident::new(name, span));
    let of_both = |given: TokenStream| quote_spanned!(span=> match #receiver { #good(#some) => #given, #bad(#some) => #bad(#some) });
    let (matched, other) = match name {
        "map" => {
            let mapped = item(last);
            return of_both(quote_spanned!(span=> #good(#mapped)));
        }
        "and_then" => return of_both(item(last)),
        "inspect" => {
            let seen = item(last);
            return of_both(quote_spanned!(span=> { #seen; #good(#some) }));
        }
        "is_some_and" => (item(last), quote_spanned!(span=> false)),
        "is_none_or" => (item(last), quote_spanned!(span=> true)),
        "map_or_else" => (item(last), nothing()),
        "unwrap_or_else" => (quote_spanned!(span=> #some), nothing()),
        "or_else" => (quote_spanned!(span=> Some(#some)), nothing()),
        "filter" => {
            let holds = item(last);
            (quote_spanned!(span=> if #holds { Some(#some) } else { None }), quote_spanned!(span=> None))
        }
        "map_or" => {
            let mapped = item(last);
            let (default, default_name) = (args[0], generator.name());
            let other = generator.name();
            return quote_spanned! {span=>
                match (#receiver, #default) { (#other, #default_name) => match #other { #good(#some) => #mapped, #bad(_) => #default_name } }
            };
        }
        "is_multiple_of" => {
            let by = args[0];
            return quote_spanned! {span=>
                match (#receiver, #by) { (stm_it_n, stm_it_by) => stm_it_n == 0 || stm_it_by != 0 && stm_it_n % stm_it_by == 0 }
            };
        }
        "then" => {
            let value = nothing();
            return quote_spanned!(span=> if #receiver { Some(#value) } else { None });
        }
        _ => (TokenStream::new(), TokenStream::new()),
    };
    quote_spanned!(span=> match #receiver { Some(#some) => #matched, None => #other })
}
