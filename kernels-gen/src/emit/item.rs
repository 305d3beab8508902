//! The items that the attribute leaves behind: the function, and the type of the same name with `call` and `kind`.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Ident, ItemFn, Type};

use crate::analysis::Facts;
use crate::ir::{Options, Overflow, Transaction};
use crate::parse::{ParamSyntax, Signature};
use crate::spec::{Intent, Role, Scalar, SiteKind};

/// The default of `max_iterations`: far above what a transaction does, reached within seconds by one that never ends.
pub(crate) const MAX_ITERATIONS: u32 = 1_000_000;

/// Everything for a function that compiled. `checked`: the body names the overflow mode.
pub(crate) fn items(
    item: &ItemFn,
    signature: &Signature,
    (tx, facts, cuda): (&Transaction, &Facts, &str),
    checked: bool,
) -> TokenStream {
    let mode = mode(&tx.options);
    let mut function = item.clone();
    if checked {
        let constant = syn::parse_quote!(const STM_CHECKED: bool = #mode;);
        function.block.stmts.insert(0, constant);
    }
    let spec = spec(tx, facts, cuda, &mode);
    let name = &signature.name;
    let run = run(signature);
    let kind = quote! {
        static KIND: ::stm_runtime::Kind = ::stm_runtime::Kind { spec: #spec, run: #name::stm_run };
        &KIND
    };
    let (regions, values): (Vec<_>, Vec<_>) = signature.params.iter().partition(|p| matches!(p.role, Role::Region(_)));
    let (regions, values) = (idents(&regions), idents(&values));
    let call = quote! {
        ::stm_runtime::Call::new(
            Self::kind(),
            [#(#regions.erased()),*],
            [#(::stm_runtime::__private::Element::to_word(#values)),*],
        )
    };
    let companion = companion(item, signature, &kind, &call, &run);
    // `Ok(a + b)` has become `Ok(add(a, b)?)`.
    quote!(#[allow(clippy::needless_question_mark)] #function #companion)
}

/// A function that did not compile, for its users and for editors. `repeated`: rustc would report the same errors again
/// in other words, so the body is for editors alone.
pub(crate) fn rejected(item: &ItemFn, repeated: bool) -> TokenStream {
    if !repeated {
        return quote!(#[allow(unused)] #item);
    }
    let ItemFn { attrs, vis, sig, block, .. } = item;
    quote! {
        #[allow(unused, unexpected_cfgs)]
        #(#attrs)*
        #vis #sig {
            #[cfg(rust_analyzer)]
            return #block;
            #[cfg(not(rust_analyzer))]
            ::core::unreachable!("the transaction did not compile");
        }
    }
}

/// The companion type of a function that did not compile, so that its uses elsewhere are not errors too.
pub(crate) fn stubs(item: &ItemFn, signature: &Signature) -> TokenStream {
    let stop = quote!(::core::unreachable!("the transaction did not compile"));
    companion(item, signature, &stop, &stop, &TokenStream::new())
}

fn companion(
    item: &ItemFn,
    signature: &Signature,
    kind: &TokenStream,
    call: &TokenStream,
    more: &TokenStream,
) -> TokenStream {
    let (vis, name) = (&item.vis, &signature.name);
    // Where the function is left out, so is its type.
    let cfgs: Vec<_> = item.attrs.iter().filter(|a| a.path().is_ident("cfg")).collect();
    let result = result_type(signature.result);
    let count = |regions| signature.params.iter().filter(|p| matches!(p.role, Role::Region(_)) == regions).count();
    let (regions, values) = (Literal::usize_unsuffixed(count(true)), Literal::usize_unsuffixed(count(false)));
    let params = signature.params.iter().map(call_param);
    let about =
        format!("The transaction [`{name}`](fn@{name}) as a kind: makes calls for tables, shows the generated code.");
    let call_about = format!("A call of [`{name}`](fn@{name}), to push into a table.");
    quote! {
        #(#cfgs)*
        #[doc = #about]
        #[allow(non_camel_case_types, dead_code)]
        #vis struct #name {}

        #(#cfgs)*
        #[allow(dead_code, unused_variables, clippy::too_many_arguments)]
        impl #name {
            #[doc(hidden)]
            pub fn kind() -> &'static ::stm_runtime::Kind { #kind }

            #[doc = #call_about]
            #[inline]
            pub fn call<'stm>(#(#params),*) -> ::stm_runtime::Call<'stm, #result, #regions, #values> { #call }

            /// The generated code, and what the compiler knows of it.
            pub fn kernel() -> ::stm_runtime::Kernel { ::stm_runtime::Kernel::of(Self::kind()) }

            #more
        }
    }
}

fn idents<'a>(params: &[&'a ParamSyntax]) -> Vec<&'a Ident> {
    params.iter().map(|p| &p.ident).collect()
}

fn result_type(result: Option<Scalar>) -> TokenStream {
    match result {
        Some(scalar) => {
            let name = format_ident!("{}", scalar.rust());
            quote!(#name)
        }
        None => quote!(()),
    }
}

/// A parameter of `call`: the user's type, with the lifetime of the call for a region.
fn call_param(param: &ParamSyntax) -> TokenStream {
    let name = &param.ident;
    match &param.ty {
        Type::Reference(reference) => {
            let element = &reference.elem;
            quote_spanned!(name.span()=> #name: &'stm #element)
        }
        ty => quote_spanned!(name.span()=> #name: #ty),
    }
}

/// Decodes a row, calls the user's function, encodes the result.
fn run(signature: &Signature) -> TokenStream {
    let name = &signature.name;
    let (mut regions, mut values) = (0_usize, 0_usize);
    let args = signature.params.iter().map(|param| match param.role {
        Role::Region(scalar) => {
            let (ty, k) = (format_ident!("{}", scalar.rust()), Literal::usize_unsuffixed(regions));
            regions += 1;
            quote!(row.region::<#ty>(#k))
        }
        Role::Value(scalar) => {
            let (ty, k) = (format_ident!("{}", scalar.rust()), Literal::usize_unsuffixed(values));
            values += 1;
            quote!(row.value::<#ty>(#k))
        }
    });
    let args: Vec<TokenStream> = args.collect();
    quote! {
        fn stm_run(
            tx: &mut ::stm_runtime::Tx<'_>,
            row: &::stm_runtime::__private::Row<'_>,
        ) -> ::core::result::Result<u64, ::stm_runtime::Abort> {
            #name(tx, #(#args),*).map(::stm_runtime::__private::Returned::to_result)
        }
    }
}

/// Whether overflow faults, as an expression in the user's crate: only there `cfg!` means the user's build.
fn mode(options: &Options) -> TokenStream {
    match options.overflow {
        Overflow::AsBuilt => quote!(::core::cfg!(debug_assertions)),
        Overflow::Check => quote!(true),
        Overflow::Wrap => quote!(false),
    }
}

/// The kind's data as a constant expression.
fn spec(tx: &Transaction, facts: &Facts, cuda: &str, mode: &TokenStream) -> TokenStream {
    let (name, file, line) = (&tx.name, &tx.file, tx.at.line);
    let params = tx.params.iter().map(|p| {
        let (name, role) = (&p.name, role(p.role));
        quote!(spec::Param { name: #name, role: #role })
    });
    let result = match tx.result {
        Some(result) => {
            let result = scalar(result);
            quote!(::core::option::Option::Some(#result))
        }
        None => quote!(::core::option::Option::None),
    };
    let sites = tx.sites.iter().map(|s| {
        let (line, column, what, text) = (s.at.line, s.at.column, site_kind(s.what), &s.text);
        quote!(spec::Site { line: #line, column: #column, what: #what, text: #text })
    });
    let facts = facts_tokens(facts);
    let iterations = tx.options.max_iterations.unwrap_or(MAX_ITERATIONS);
    quote! {{
        use ::stm_runtime::__private::spec;
        spec::KindSpec {
            name: #name,
            module: ::core::module_path!(),
            file: #file,
            line: #line,
            params: &[#(#params),*],
            result: #result,
            cuda: #cuda,
            facts: #facts,
            sites: &[#(#sites),*],
            checked: #mode,
            max_iterations: #iterations,
        }
    }}
}

fn facts_tokens(facts: &Facts) -> TokenStream {
    let slots = facts.slots.iter().map(|s| {
        let intent = match s.intent {
            Intent::Read => quote!(Read),
            Intent::Update => quote!(Update),
            Intent::Write => quote!(Write),
        };
        let (param, always, site) = (s.param, s.always, s.site);
        quote!(spec::Slot { param: #param, intent: spec::Intent::#intent, always: #always, site: #site })
    });
    let guards = facts.guards.iter().map(|g| {
        let (site, reads) = (g.site.0, &g.reads);
        quote!(spec::Guard { site: #site, reads: &[#(#reads),*] })
    });
    let Facts { indexed, stated, read_only, blind_writes, orderable, .. } = facts;
    quote! {
        spec::Facts {
            slots: &[#(#slots),*],
            indexed: #indexed,
            stated: #stated,
            read_only: #read_only,
            blind_writes: #blind_writes,
            orderable: #orderable,
            guards: &[#(#guards),*],
        }
    }
}

fn role(role: Role) -> TokenStream {
    match role {
        Role::Value(ty) => {
            let ty = scalar(ty);
            quote!(spec::Role::Value(#ty))
        }
        Role::Region(ty) => {
            let ty = scalar(ty);
            quote!(spec::Role::Region(#ty))
        }
    }
}

fn scalar(scalar: Scalar) -> TokenStream {
    // The derived name of the variant is its name in Rust.
    let variant = format_ident!("{}", format!("{scalar:?}"));
    quote!(spec::Scalar::#variant)
}

fn site_kind(what: SiteKind) -> TokenStream {
    match what {
        SiteKind::Read { in_loop } => quote!(spec::SiteKind::Read { in_loop: #in_loop }),
        SiteKind::Write { in_loop } => quote!(spec::SiteKind::Write { in_loop: #in_loop }),
        SiteKind::Guard => quote!(spec::SiteKind::Guard),
        SiteKind::Reject => quote!(spec::SiteKind::Reject),
        SiteKind::Arithmetic => quote!(spec::SiteKind::Arithmetic),
        SiteKind::Loop => quote!(spec::SiteKind::Loop),
    }
}
