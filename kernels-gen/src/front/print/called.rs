//! What a function calls, as rustc resolves it: the host version of a call, and the source of what it names.
//!
//! A function or method without the attribute has neither. Names of the runtime then take their place, whose use is an error with a
//! text of ours. An explicit import hides one by `*`, and a method of the type itself one of a trait for all types; so these names
//! are met only where the attribute is missing.

use proc_macro2::{Delimiter, Group, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Ident;
use syn::ext::IdentExt;

use super::by_path;
use crate::front::parse::{BuiltIn, CallSite, Called, Witness, Witnesses, built_in, is_of_language, is_operator};

/// The most arguments of a function for which the runtime has a name that takes its place.
const MOST_ARGUMENTS: usize = 8;

/// Returns the items that the call of a function needs, and the host version without its arguments.
pub(super) fn run(site: &CallSite) -> (TokenStream, TokenStream) {
    let (span, written) = (generated(site.span()), site.span());
    match &site.called {
        Called::Function(path) => {
            let (path, stated) = without_arguments(path);
            let (called, imports) = match imports(site, &path) {
                Some(imports) => (Ident::new("stm_called", written).into_token_stream(), Some(imports)),
                None => (path.to_token_stream(), None),
            };
            let (tries, takes) = (tries(site, span), takes(site, span));
            let open = site.witnesses.is_none() && stated.as_ref().is_none_or(leaves_open);
            let determined = open.then(
                || quote_spanned!(span=> let () = <#called as ::stm_runtime::__private::callee::Determined>::OK;),
            );
            let checks = quote_spanned! {span=>
                #imports
                let () = <#called as ::stm_runtime::__private::callee::Annotated>::OK;
                let () = <#called as ::stm_runtime::__private::callee::Callee>::OK;
                let () = <#called as ::stm_runtime::__private::callee::#tries>::OK;
                let () = <#called as ::stm_runtime::__private::callee::#takes>::OK;
                #determined
            };
            (checks, quote_spanned!(written=> #called #stated::stm_run::<_, STM_CHECKED>))
        }
        Called::Associated(of, name) => {
            let run = format_ident!("stm_run_{}", name.unraw(), span = written);
            let run = match site.by_path {
                true => quote_spanned!(written=> #of::#run::<_, STM_CHECKED>),
                false => quote_spanned!(written=> <#of>::#run::<_, STM_CHECKED>),
            };
            (absent(site, span), run)
        }
        Called::Converts(of, _) => {
            let run = Ident::new("stm_run_from", written);
            (converts(span), quote_spanned!(written=> <#of>::#run::<_, STM_CHECKED>))
        }
        Called::Method(..) | Called::Operator(..) | Called::Perhaps(..) => (TokenStream::new(), TokenStream::new()),
    }
}

/// Returns the check that a function without the attribute is the one of `core::cmp`, for these arguments.
pub(super) fn is_of_core(name: &Ident, args: &[Ident]) -> TokenStream {
    let span = generated(name.span());
    quote_spanned! {span=>
        {
            use ::stm_runtime::__private::callee::OfProgram as _;
            <stm_called>::stm_is(::core::cmp::#name::<i32>, #name, #(#args),*);
        }
    }
}

/// The methods of `char` that need the tables of Unicode.
const OF_UNICODE: [&str; 7] =
    ["is_alphabetic", "is_numeric", "is_alphanumeric", "is_lowercase", "is_uppercase", "to_lowercase", "to_uppercase"];

/// Returns the trait that stands in for the host version of a method without the attribute.
pub(super) fn absent(site: &CallSite, span: Span) -> TokenStream {
    let (name, receiver) = match &site.called {
        Called::Function(_) | Called::Converts(..) | Called::Operator(..) | Called::Perhaps(..) => {
            return TokenStream::new();
        }
        // What stands for the function is in the trait, where rustc would find both.
        Called::Associated(of, _) if is_of_language(of) => return TokenStream::new(),
        Called::Associated(_, name) => match by_path::trait_in_scope(site, span) {
            Some(import) => return import,
            None => (name, None),
        },
        // A method is found here after all others: last are those that borrow the receiver mutably.
        Called::Method(_, name) => (name, Some(quote_spanned!(span=> &mut self,))),
    };
    let built_in = receiver.is_some().then(|| built_in::of(name, site.arguments)).flatten();
    let import = built_in.map(|of| imported(of, span));
    if built_in == Some(BuiltIn::Changes) {
        return import.unwrap_or_default();
    }
    let run = format_ident!("stm_run_{}", name.unraw(), span = name.span());
    let args = (0..site.arguments).map(|_| quote_spanned!(span=> _: impl ::core::marker::Sized));
    if receiver.is_some() && !of_unicode(site, name) {
        return quote!(#import);
    }
    let (stands, requires) = match receiver {
        Some(_) => {
            ("NeedsTables", Some(quote_spanned!(span=> where Self: ::stm_runtime::__private::callee::HasTables)))
        }
        None => ("NoAttribute", None),
    };
    let stands = Ident::new(stands, span);
    quote_spanned! {span=>
        #import
        #[allow(dead_code, non_camel_case_types, clippy::too_many_arguments)]
        trait stm_absent {
            fn #run<StmKind: ::stm_runtime::__private::Kind, const STM_CHECKED: bool>(
                #receiver #(#args),*
            ) -> ::stm_runtime::__private::callee::#stands #requires {
                ::stm_runtime::__private::callee::#stands
            }
        }
        impl<T> stm_absent for T {}
    }
}

fn of_unicode(site: &CallSite, name: &Ident) -> bool {
    site.arguments == 0 && OF_UNICODE.iter().any(|known| name == known)
}

/// Returns whether rustc may find a method of a trait where nothing else has the name.
fn is_found_last(site: &CallSite, name: &Ident) -> bool {
    match site.called {
        Called::Method(..) => built_in::of(name, site.arguments) != Some(BuiltIn::Changes) && !of_unicode(site, name),
        _ => built_in::of(name, site.arguments).is_none(),
    }
}

/// Returns the items by which rustc finds the host version of such a method, each with a name. They stand once in a function, because
/// rustc would find those of two calls, one in the other, together.
pub(super) fn found_last(site: &CallSite) -> Vec<(String, TokenStream)> {
    let (Called::Method(_, name) | Called::Perhaps(_, name)) = &site.called else { return Vec::new() };
    if !is_found_last(site, name) {
        return Vec::new();
    }
    let find = format_ident!("stm_find_{}", name.unraw(), span = name.span());
    let run = (format!("run {name} {}", site.arguments), run_last(name, site.arguments));
    vec![run, (format!("find {name}"), find_last(&find, generated(name.span())))]
}

/// Returns the trait by which rustc finds the host version of a method last: one of a trait that takes `&mut self`, or one without the
/// attribute.
fn run_last(name: &Ident, arguments: usize) -> TokenStream {
    let span = generated(name.span());
    let run = format_ident!("stm_run_{}", name.unraw(), span = name.span());
    let last = format_ident!("stm_last_{}_{arguments}", name.unraw(), span = span);
    let args: Vec<_> = (0..arguments).map(|k| format_ident!("stm_{k}", span = span)).collect();
    let types: Vec<_> = (0..arguments).map(|k| format_ident!("StmArg{k}", span = span)).collect();
    let callee = quote!(::stm_runtime::__private::callee);
    let deferred = quote_spanned!(span=> #callee::Deferred<'_, Self, (#(#types,)*), StmKind, STM_CHECKED>);
    quote_spanned! {span=>
        #[allow(unused_imports)]
        use #callee::Direct as _;
        #[allow(dead_code, non_camel_case_types, clippy::too_many_arguments)]
        trait #last<#(#types),*>: ::core::marker::Sized {
            fn #run<StmKind: ::stm_runtime::__private::Kind, const STM_CHECKED: bool>(&mut self, #(#args: #types),*) -> #deferred {
                #callee::Deferred::new(self, (#(#args,)*))
            }
        }
        impl<T, #(#types),*> #last<#(#types),*> for T {}
    }
}

/// Returns the trait by which rustc finds that there is no such method.
fn find_last(find: &Ident, span: Span) -> TokenStream {
    let (absent, callee) =
        (format_ident!("stm_not_found_{find}", span = span), quote!(::stm_runtime::__private::callee));
    quote_spanned! {span=>
        #[allow(dead_code, non_camel_case_types)]
        trait #absent {
            fn #find(&mut self) -> #callee::NoAttribute { #callee::NoAttribute }
        }
        impl<T> #absent for T {}
    }
}

/// Returns what adds the method of a trait to a call that rustc has found last.
/// `close`: the end of the user's call, up to which messages underline it.
pub(super) fn with_found(site: &CallSite, call: &TokenStream, close: Span) -> TokenStream {
    let (Called::Method(_, name) | Called::Perhaps(_, name)) = &site.called else { return call.clone() };
    if !is_found_last(site, name) {
        return call.clone();
    }
    let find = format_ident!("stm_find_{}", name.unraw(), span = name.span());
    let span = generated(name.span());
    let mut args = Group::new(Delimiter::Parenthesis, quote_spanned!(span=> |stm_of| (*stm_of).#find()));
    args.set_span(close);
    quote_spanned!(span=> #call.stm_found #args)
}

/// Returns the traits that stand for a built-in method of this name, and in for one of the user's own without the attribute. rustc finds
/// the latter last, because it borrows the value mutably.
pub(super) fn perhaps_absent(name: &Ident) -> TokenStream {
    let span = generated(name.span());
    let [run, find] = ["run", "find"].map(|start| format_ident!("stm_{start}_{}", name.unraw(), span = name.span()));
    let built_in = format_ident!("stm_built_in_{}", name.unraw(), span = span);
    let (number, arguments) = crate::methods::built_in(&name.to_string());
    let has = match built_in::of(name, arguments) {
        // Integers have one of this name as well, and no other type of the language.
        Some(_) => quote!(ops::Int),
        // These are methods of `Ord`, which the user's types have, too.
        None if name == "max" || name == "min" || name == "clamp" => quote!(local::Ordered),
        None => quote!(local::BuiltIn),
    };
    let args = vec![quote_spanned!(span=> _: impl ::core::marker::Sized); arguments];
    let number = Literal::usize_unsuffixed(number);
    let callee = quote!(::stm_runtime::__private::callee);
    let last = built_in::of(name, arguments).map(|of| imported(of, span));
    quote_spanned! {span=>
        #[allow(unused_imports)]
        use #callee::Direct as _;
        #[allow(dead_code, non_camel_case_types, clippy::too_many_arguments)]
        trait #built_in {
            fn #find(&self) -> #callee::BuiltInMethod<#number> { #callee::BuiltInMethod }
            fn #run<StmKind: ::stm_runtime::__private::Kind, const STM_CHECKED: bool>(&self, #(#args),*) -> #callee::NotRun<StmKind> {
                #callee::NotRun::VALUE
            }
        }
        impl<T: ::stm_runtime::__private::#has + ?::core::marker::Sized> #built_in for T {}
        #last
    }
}

/// Returns the import of the methods of arrays and of `Option` that the user's types can have, too.
fn imported(of: BuiltIn, span: Span) -> TokenStream {
    let of = Ident::new(of.name(), span);
    quote_spanned!(span=> #[allow(unused_imports)] use ::stm_runtime::__private::callee::#of as _;)
}

/// Returns the source of what is called, as a constant expression. rustc checks there that the call has the required form.
///
/// `dependent`: the parameters of the function have a meaning there.
pub(super) fn source(site: &CallSite, dependent: bool) -> TokenStream {
    let span = generated(site.span());
    let check = |marker: TokenStream| {
        let tries = Ident::new(if site.tries { "tries" } else { "plain" }, span);
        let takes = Ident::new(if site.handle.is_some() { "takes_tx" } else { "takes_no_tx" }, span);
        quote_spanned! {span=>
            ::stm_runtime::__private::callee::#tries(::stm_runtime::__private::callee::#takes(#marker))
        }
    };
    match &site.called {
        Called::Function(path) => {
            let (path, stated) = without_arguments(path);
            let (imports, called) = match imports(site, &path) {
                Some(imports) => (Some(imports), Ident::new("stm_called", span).into_token_stream()),
                None => (None, path.to_token_stream()),
            };
            // Only some functions need to know for which types it is.
            let found = match (&site.witnesses, stated) {
                (_, Some(stated)) if !leaves_open(&stated) => quote_spanned!(span=> <#called #stated>::stm_stated()),
                (Some(Witnesses { arguments, result: Some(result) }), stated) => {
                    quote_spanned!(span=> #called #stated::stm_given(&|| (#(#arguments,)*), &|| #result))
                }
                (Some(Witnesses { arguments, result: None }), stated) => {
                    quote_spanned!(span=> #called #stated::stm_at(&|| (#(#arguments,)*)))
                }
                _ => quote_spanned!(span=> <#called>::stm_source()),
            };
            quote_spanned!(span=> { #imports #found })
        }
        Called::Associated(of, name) if site.by_path => by_path::source(site, (of, name), check),
        Called::Associated(of, name) if is_of_language(of) => {
            // Only traits with the attribute have functions of such a type.
            let found = format_ident!("stm_trait_{}", name.unraw(), span = name.span());
            let found = check(quote_spanned!(span=> <#of>::#found));
            quote_spanned!(span=> #found.stm_get())
        }
        Called::Associated(of, name) if site.of_trait.is_some() && !site.of_param => {
            by_path::source(site, (of, name), check)
        }
        Called::Associated(of, name) => {
            // Of a parameter, only its traits are known.
            named(&quote!(#of), (if site.of_param { "trait" } else { "marker" }, name), None, check)
        }
        Called::Converts(of, _) => {
            let (import, found) = (converts(span), check(quote_spanned!(span=> <#of>::stm_marker_from)));
            quote_spanned!(span=> { #import #found.stm_get() })
        }
        Called::Operator(receiver, name) | Called::Perhaps(receiver, name) => {
            perhaps(receiver.witness.as_ref().filter(|_| dependent || !receiver.of_params), name)
        }
        Called::Method(receiver, name) => match &receiver.witness {
            Some(Witness::Named(ty)) => {
                let value = quote!(::stm_runtime::__private::callee::never::<#ty>());
                let (items, marker) = found(&value, name, site.arguments);
                named(ty, ("marker", name), Some((items, check(marker))), check)
            }
            Some(Witness::Value(value)) => {
                let (items, marker) = found(value, name, site.arguments);
                let marker = check(marker);
                quote_spanned!(span=> { #items ::stm_runtime::__private::callee::source_of(&|| #marker) })
            }
            // The call is never reached.
            None => quote_spanned!(span=> ::stm_runtime::__private::callee::NoAttribute.stm_get()),
        },
    }
}

/// Returns the import of what stands for the `from` of a type without one of the user's program.
fn converts(span: Span) -> TokenStream {
    quote_spanned!(span=> #[allow(unused_imports)] use ::stm_runtime::__private::callee::Converts as _;)
}

/// Returns the source of an operator, or of a method with the name of a built-in one: without a witness it is built in.
fn perhaps(witness: Option<&Witness>, name: &Ident) -> TokenStream {
    let (span, callee) = (generated(name.span()), quote!(::stm_runtime::__private::callee));
    let find = format_ident!("stm_find_{}", name.unraw(), span = name.span());
    let value = match witness {
        Some(Witness::Named(ty)) => quote!(#callee::never::<#ty>()),
        Some(Witness::Value(value)) => value.clone(),
        None => quote!(0),
    };
    let (items, source) = match is_operator(name) {
        true => (
            quote!(
                use ::stm_runtime::__private::ops::Operators as _;
            ),
            "source_of",
        ),
        false => {
            let built_in = built_in::of(name, crate::methods::built_in(&name.to_string()).1);
            let (items, last) = (perhaps_absent(name), built_in.is_none().then(|| find_last(&find, span)));
            (quote!(#items #last), "source_of_either")
        }
    };
    let source = Ident::new(source, span);
    quote_spanned!(span=> { #items #callee::#source(&|| (#value).#find()) })
}

/// Returns the expression by which rustc finds the method of a value, and the items that it needs. What stands for a method without the
/// attribute is found last, because it borrows the value mutably.
fn found(value: &TokenStream, name: &Ident, arguments: usize) -> (TokenStream, TokenStream) {
    let span = generated(name.span());
    let find = format_ident!("stm_find_{}", name.unraw(), span = name.span());
    let call = quote_spanned!(span=> (#value).#find());
    let built_in = built_in::of(name, arguments);
    let import = built_in.map(|of| imported(of, span));
    if built_in == Some(BuiltIn::Changes) {
        return (import.unwrap_or_default(), call);
    }
    let last = find_last(&find, span);
    (quote!(#import #last), call)
}

/// Returns the source of a function of a type that the program names. `default`: what finds a method of a trait.
fn named(
    of: &TokenStream,
    (start, name): (&str, &Ident),
    default: Option<(TokenStream, TokenStream)>,
    check: impl Fn(TokenStream) -> TokenStream,
) -> TokenStream {
    let span = generated(name.span());
    let marker = format_ident!("stm_{start}_{}", name.unraw(), span = name.span());
    let found = check(quote_spanned!(span=> <#of>::#marker));
    let (items, get) = match default {
        Some((items, default)) => (Some(items), quote_spanned!(span=> stm_get_or(&|| #default))),
        None => (None, quote_spanned!(span=> stm_get())),
    };
    quote_spanned! {span=>
        {
            #items
            #[allow(dead_code, non_camel_case_types, non_upper_case_globals)]
            trait stm_absent {
                const #marker: ::stm_runtime::__private::callee::NoAttribute =
                    ::stm_runtime::__private::callee::NoAttribute;
            }
            impl<T> stm_absent for T {}
            #found.#get
        }
    }
}

/// Returns the path of a function, and what the call states for its parameters.
fn without_arguments(path: &syn::Path) -> (syn::Path, Option<syn::AngleBracketedGenericArguments>) {
    let mut path = path.clone();
    let arguments =
        path.segments.last_mut().map(|last| std::mem::replace(&mut last.arguments, syn::PathArguments::None));
    match arguments {
        Some(syn::PathArguments::AngleBracketed(stated)) => (path, Some(stated)),
        _ => (path, None),
    }
}

/// Returns whether a call leaves a type open among those that it states, as in `first::<_, 4>(..)`.
fn leaves_open(stated: &syn::AngleBracketedGenericArguments) -> bool {
    stated.args.iter().any(|argument| matches!(argument, syn::GenericArgument::Type(syn::Type::Infer(_))))
}

/// Returns the imports that make `stm_called` the companion of a function, or a type of the runtime if it has none.
fn imports(site: &CallSite, path: &syn::Path) -> Option<TokenStream> {
    let plain = path.segments.iter().all(|segment| segment.arguments.is_none());
    // An import finds these names twice: in the program, and among those of the standard library that every module has.
    const PRELUDE: [&str; 5] = ["drop", "size_of", "size_of_val", "align_of", "align_of_val"];
    let known = path.get_ident().is_some_and(|name| PRELUDE.iter().any(|known| name == known));
    if !plain || known || site.arguments > MOST_ARGUMENTS {
        return None;
    }
    let span = generated(site.span());
    let instead = match site.of_core() {
        Some(name) => format_ident!("core_{name}"),
        None => format_ident!("without_attribute_{}", site.arguments),
    };
    Some(quote_spanned! {span=>
        #[allow(unused_imports)]
        use ::stm_runtime::__private::callee::#instead::*;
        #[allow(unused_imports)]
        use #path as stm_called;
    })
}

fn tries(site: &CallSite, span: Span) -> Ident {
    Ident::new(if site.tries { "Tries" } else { "Plain" }, span)
}

fn takes(site: &CallSite, span: Span) -> Ident {
    Ident::new(if site.handle.is_some() { "TakesTx" } else { "TakesNoTx" }, span)
}

/// Returns the span of a user's token for a generated token: messages point there, and lints know that it is generated.
fn generated(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}
