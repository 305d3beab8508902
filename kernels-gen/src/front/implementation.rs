//! `#[gpu_fn]` on an `impl` block: each of its functions becomes one that transactions call. Constants and types stay as they are.
//!
//! The macro sees the block, and not the type or the trait. So it adds hidden functions to the type, by which rustc finds a method at
//! its calls: see `print/method.rs`.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Generics, Ident, ImplItem, ImplItemFn, ItemFn, ItemImpl, Type};

use crate::front::diag::{Diagnostics, Rule};
use crate::front::parse;
use crate::front::patterns;
use crate::front::print::generic;
use crate::front::print::item::Item;
use crate::front::print::marker;
use crate::front::print::method::{self, Block, MethodItems, Place};
use crate::front::print::operator;
use crate::front::print::rejected;
use crate::front::understood::{CompileOptions, understand};

/// Expands `#[gpu_fn] impl .. { .. }`.
pub(crate) fn expand(mut block: ItemImpl, options: &CompileOptions, mut diags: Diagnostics) -> TokenStream {
    if !check(&block, &mut diags) {
        let (stubs, errors) = (stubs(&block), diags.to_compile_error());
        return quote!(#block #stubs #errors);
    }
    let around = block.clone();
    let generics = parse::generics(&block.generics, &mut diags);
    let of = block.trait_.as_ref().and_then(|of| of.0.segments.last()).map(|last| last.ident.clone());
    let bounded = generic::bounded(&generics);
    let place = if parse::is_of_language(&around.self_ty) { Place::Impl } else { Place::Type };
    let about = Block { owner: &around.self_ty, of: of.as_ref(), generics: &generics, requires: &[], place };
    let (mut hidden, mut markers, mut outside) = (TokenStream::new(), TokenStream::new(), TokenStream::new());
    let mut own = Vec::new();
    for item in &mut block.items {
        let ImplItem::Fn(function) = item else { continue };
        check_name(&around.self_ty, &function.sig.ident, &mut diags);
        let plain = plain_function(function, &around);
        let items = method_items(function, &plain, &about, options, &mut diags);
        *item = ImplItem::Verbatim(items.inside);
        hidden.extend(items.hidden);
        markers.extend(items.marker);
        outside.extend(items.outside);
        own.extend(items.own);
    }
    let (owner, errors) = (&around.self_ty, diags.to_compile_error());
    let hidden = match place {
        Place::Impl => {
            block.items.push(ImplItem::Verbatim(quote! {
                const GPU_FN_BEFORE_THE_TRAIT: &'static [(u64, &'static ::stm_runtime::__private::spec::Source)] = &[];
                #hidden
            }));
            block.attrs.push(syn::parse_quote!(#[allow(non_upper_case_globals, refining_impl_trait)]));
            None
        }
        _ => {
            outside.extend(of.as_ref().map(|of| attributed(of, (owner, &bounded), &own)));
            let path = block.trait_.as_ref().map(|of| &of.0);
            outside.extend(path.and_then(|path| operator::for_parameters(path, owner, &generics)));
            Some(of_type(owner, &bounded, &hidden))
        }
    };
    if of.is_some() {
        // What stands for the methods exists for values of the device alone.
        block.generics.where_clause = bounded.where_clause.clone();
    }
    let cfgs: Vec<_> = block.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect();
    let items = in_const(&markers, &quote!(#block #hidden), &outside);
    quote! {
        #(#cfgs)*
        #items
        #errors
    }
}

/// Returns what callers find where a type with a lifetime was refused, so that its uses have no errors of their own.
fn stubs(block: &ItemImpl) -> Option<TokenStream> {
    if block.trait_.is_some() || block.generics.lifetimes().next().is_none() {
        return None;
    }
    let generics = parse::generics(&block.generics, &mut Diagnostics::default());
    let about = Block { owner: &block.self_ty, of: None, generics: &generics, requires: &[], place: Place::Type };
    let (mut hidden, mut markers, mut outside) = (TokenStream::new(), TokenStream::new(), TokenStream::new());
    for item in &block.items {
        let ImplItem::Fn(function) = item else { continue };
        let plain = plain_function(function, block);
        let signature = parse::parse_method(&plain, &block.self_ty, &generics, &mut Diagnostics::default());
        let items = match signature {
            Some(signature) => method::stub(&plain, &signature, TokenStream::new(), &about),
            None => method::unusable(&plain, TokenStream::new(), &about),
        };
        hidden.extend(items.hidden);
        markers.extend(items.marker);
        outside.extend(items.outside);
    }
    let hidden = of_type(&block.self_ty, &block.generics, &hidden);
    Some(in_const(&markers, &hidden, &outside))
}

/// Returns the items around the functions of a block.
fn in_const(markers: &TokenStream, hidden: &TokenStream, outside: &TokenStream) -> TokenStream {
    quote! {
        const _: () = {
            #[doc(hidden)]
            #[allow(missing_docs, missing_debug_implementations, unreachable_pub, dead_code, clippy::all, clippy::pedantic)]
            mod stm_markers { #markers }

            #hidden

            #outside
        };
    }
}

/// Returns the hidden functions of a type.
fn of_type(owner: &Type, bounded: &Generics, hidden: &TokenStream) -> TokenStream {
    let (params, _, bounds) = bounded.split_for_impl();
    quote! {
        #[allow(
            dead_code, unused_variables, unused_mut, unused_braces, unreachable_code, private_interfaces, missing_docs,
            unreachable_pub, non_upper_case_globals, non_snake_case, deprecated, clippy::all, clippy::pedantic
        )]
        impl #params #owner #bounds { #hidden }
    }
}

/// Returns what says that the `impl` of a trait has the attribute, and the methods of it that the type has.
fn attributed(of: &Ident, (owner, bounded): (&Type, &Generics), own: &[(TokenStream, TokenStream)]) -> TokenStream {
    let (number, (params, _, bounds)) = (marker::number_of(of), bounded.split_for_impl());
    let (methods, runs) = (own.iter().map(|(method, _)| method), own.iter().map(|(_, run)| run));
    quote! {
        impl #params ::stm_runtime::__private::callee::Attributed<#number> for #owner #bounds {
            const METHODS: &'static [(u64, &'static ::stm_runtime::__private::spec::Source)] = &[#(#methods),*];

            #[inline]
            fn run_own<
                const STM_METHOD: u64, StmKind: ::stm_runtime::__private::Kind, const STM_CHECKED: bool, StmArgs: 'static, StmResult: 'static
            >(
                stm_args: StmArgs, stm_base: u32, stm_tx: &mut ::stm_runtime::Tx<'_, StmKind>
            ) -> ::core::option::Option<::core::result::Result<StmResult, ::stm_runtime::Abort>> {
                match STM_METHOD { #(#runs)* _ => ::core::option::Option::None }
            }
        }
    }
}

/// Checks the block itself.
fn check(block: &ItemImpl, diags: &mut Diagnostics) -> bool {
    let before = diags.iter().count();
    if let Some(lifetime) = block.generics.lifetimes().next() {
        let message = "the values of the device have no lifetimes; remove it";
        diags.report(Rule::Generics, lifetime, message);
    }
    if let Some(token) = &block.unsafety {
        diags.report(Rule::Qualifier, token, "the methods of the device are checked; remove `unsafe`");
    }
    let own =
        matches!(&*block.self_ty, Type::Path(path) if path.qself.is_none()) && parse::scalar(&block.self_ty).is_none();
    let of_language = parse::is_of_language(&block.self_ty);
    if of_language && block.trait_.is_none() || !of_language && (!own || parse::refused(&block.self_ty).is_some()) {
        let message = "transactions call the methods of your own types, with `#[derive(GpuData)]`, and of your own traits; write a free \
                       function with `#[gpu_fn]`, a trait with `#[gpu_fn]`, or a struct around this type";
        diags.report(Rule::Type, &block.self_ty, message);
    }
    diags.iter().count() == before
}

fn check_name(of: &Type, name: &Ident, diags: &mut Diagnostics) {
    if matches!(of, Type::Array(_)) && parse::built_in::is_of_slices(name) {
        let message =
            format!("`{name}` of an array is the method of slices here; give the method of your trait another name");
        diags.report(Rule::Method, name, message);
    }
}

pub(crate) fn method_items(
    written: &ImplItemFn,
    function: &ItemFn,
    block: &Block<'_>,
    options: &CompileOptions,
    diags: &mut Diagnostics,
) -> MethodItems {
    let mut found = Diagnostics::default();
    if let Some(token) = &written.modifiers.defaultness {
        found.report(Rule::Qualifier, token, "a method of the device is not specialized; remove `default`");
    }
    let editors = |repeated: bool| rejected::function(&item_of(written), repeated);
    let named = patterns::named(function);
    let function = named.as_ref().unwrap_or(function);
    let Some(signature) = parse::parse_method(function, block.owner, block.generics, &mut found) else {
        diags.append(found);
        return method::unusable(function, editors(true), block);
    };
    match understand(function, &signature, options, None, found) {
        Ok(understood) => {
            let item = Item {
                written: function,
                rewritten: &understood.rewritten,
                signature: &signature,
                transaction: &understood.parsed.transaction,
                external: &understood.parsed.external,
                checked: understood.checked,
                instance: None,
            };
            item.method(written, block)
        }
        Err(found) => {
            let repeated = found.iter().any(|d| d.rule.repeats_rustc());
            diags.append(found);
            method::stub(function, &signature, editors(repeated), block)
        }
    }
}

fn item_of(written: &ImplItemFn) -> ItemFn {
    let ImplItemFn { attrs, vis, modifiers, sig, block } = written.clone();
    ItemFn { attrs, vis, modifiers, sig, block: Box::new(block) }
}

/// Removes `where Self: Sized`, which every type of the device is.
pub(crate) fn without_sized(sig: &mut syn::Signature) {
    let sized = |predicate: &syn::WherePredicate| predicate.to_token_stream().to_string() == "Self : Sized";
    if sig.generics.where_clause.as_ref().is_some_and(|clause| clause.predicates.iter().all(sized)) {
        sig.generics.where_clause = None;
    }
}

/// Returns a function of the block as a function that stands anywhere: `Self` is written out, and what is an operator has a name of
/// its own, which no method has.
pub(crate) fn plain_function(written: &ImplItemFn, block: &ItemImpl) -> ItemFn {
    let mut item = item_of(written);
    without_sized(&mut item.sig);
    let mut owner = (*block.self_ty).clone();
    if let Type::Path(owner) = &mut owner {
        parse::for_values(&mut owner.path);
    }
    let owner = owner.to_token_stream();
    let types = block.items.iter().filter_map(|item| match item {
        ImplItem::Type(item) => Some((item.ident.clone(), write_out(item.ty.to_token_stream(), &owner, &[]))),
        _ => None,
    });
    let types: Vec<_> = types.collect();
    let mut function: ItemFn = syn::parse2(write_out(item.to_token_stream(), &owner, &types)).unwrap_or(item);
    if let Some(name) = block.trait_.as_ref().and_then(|of| parse::operator_function(&of.0)) {
        function.sig.ident = Ident::new(name, function.sig.ident.span());
    }
    function
}

/// Replaces `Self` by the type of the block, and `Self::Output` by the type that the block gives it.
pub(crate) fn write_out(tokens: TokenStream, owner: &TokenStream, types: &[(Ident, TokenStream)]) -> TokenStream {
    let mut written = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) if ident == "Self" => {
                let at = ident.span();
                let after: Vec<_> = tokens.clone().take(3).collect();
                let named = |(name, _): &&(Ident, TokenStream)| {
                    matches!(&after[..], [TokenTree::Punct(a), TokenTree::Punct(b), TokenTree::Ident(of)]
                        if a.as_char() == ':' && b.as_char() == ':' && of == name)
                };
                let path = matches!(&after[..], [TokenTree::Punct(a), ..] if a.as_char() == ':');
                let of_language = || syn::parse2::<Type>(owner.clone()).is_ok_and(|ty| parse::is_of_language(&ty));
                let owner = match types.iter().find(named) {
                    Some((_, ty)) => {
                        tokens.by_ref().take(3).for_each(drop);
                        ty
                    }
                    None if path && of_language() => &quote!(<#owner>),
                    None => owner,
                };
                written.extend(owner.clone().into_iter().map(|mut token| {
                    token.set_span(token.span().located_at(at));
                    token
                }));
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), write_out(group.stream(), owner, types));
                inner.set_span(group.span());
                written.extend([TokenTree::Group(inner)]);
            }
            other => written.extend([other]),
        }
    }
    written
}

#[cfg(test)]
mod tests;
