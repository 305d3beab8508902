//! The items for a method or function of an `impl` block with `#[gpu_fn]`.
//!
//! Beside `price` the type gets `stm_run_price`, its host version, and `stm_marker_price`, a value of a type that stands for the
//! method; `stm_find_price` returns that value for a receiver, so that rustc finds it as it finds the method, and
//! `stm_path_price` for calls by a path.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Generics, Ident, ItemFn, ReceiverKind, Type, Visibility, WherePredicate};

use super::by_path;
use super::exclusive;
use super::generic;
use super::item::{HANDLE, Item, cfgs, here, no_source, source_method_with, source_of_each};
use super::marker::{
    argument_types, arguments, asked_of, given_types, host_params, marker, number, number_of, receiver,
};
use super::passed::{Passed, changed, values};
use super::rejected;
use crate::front::parse::{Kind, Signature};
use crate::ir::open::Form;

/// What the attribute generates for one function of an `impl` block.
pub(crate) struct MethodItems {
    /// The function in the user's block.
    pub(crate) inside: TokenStream,
    /// The hidden functions and constants of the type.
    pub(crate) hidden: TokenStream,
    /// The declaration of the marker.
    pub(crate) marker: TokenStream,
    /// What the marker implements.
    pub(crate) outside: TokenStream,
    /// The number of the method of a trait with its source, and how it runs for code that knows only the trait.
    pub(crate) own: Option<(TokenStream, TokenStream)>,
}

/// What the `impl` block around a method says.
pub(crate) struct Block<'a> {
    /// The type.
    pub(crate) owner: &'a Type,
    /// The last name in the path of the trait.
    pub(crate) of: Option<&'a Ident>,
    /// Its parameters.
    pub(crate) generics: &'a Generics,
    /// What the hidden functions require.
    pub(crate) requires: &'a [WherePredicate],
    /// Where the hidden functions lie.
    pub(crate) place: Place,
}

/// Where the hidden functions of a block lie.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// With the type.
    Type,
    /// In the `impl` of the trait: the type is one of the language.
    Impl,
    /// In the trait, for its default methods.
    Trait,
}

/// The parts in which the methods that compiled and those that did not differ.
struct Parts<'a> {
    item: &'a ItemFn,
    block: &'a Block<'a>,
    /// The arguments and their types, if the body can run.
    args: Option<(Vec<Ident>, Vec<TokenStream>)>,
    params: Vec<TokenStream>,
    result: TokenStream,
    tx: TokenStream,
    body: TokenStream,
    source: TokenStream,
    /// The values of its arguments; `None` where one is an array.
    values: Option<Vec<Passed>>,
    /// Whether it returns a `TxResult`, and whether it takes the handle.
    asked: (bool, bool),
    /// The types of the arguments, as a call by a path passes them; `None` where the signature cannot be used.
    given: Option<Vec<TokenStream>>,
}

impl Item<'_> {
    /// Returns all items of a function of an `impl` block. `original`: the function as it stands there.
    pub(crate) fn method(&self, original: &syn::ImplItemFn, block: &Block<'_>) -> MethodItems {
        let result = &self.signature.result;
        let tx = self.signature.tx.clone().unwrap_or_else(|| Ident::new(HANDLE, Span::mixed_site()));
        let inside = self.callable(original);
        let parts = Parts {
            item: self.written,
            block,
            args: Some((arguments(self.signature), argument_types(self.signature))),
            params: host_params(self.signature),
            result: quote!(#result),
            tx: quote!(#tx),
            body: self.host_body(),
            source: match self.external.dependent {
                true => source_of_each("stm_source", &self.source(), &self.external.items),
                false => source_method_with(&self.source(), &self.external.items),
            },
            values: values(self.signature),
            asked: asked(self.signature),
            given: Some(given_types(self.signature)),
        };
        parts.items(inside)
    }
}

/// Returns the items for a function whose body did not compile.
pub(crate) fn stub(item: &ItemFn, signature: &Signature, inside: TokenStream, block: &Block<'_>) -> MethodItems {
    let result = &signature.result;
    let parts = Parts {
        item,
        block,
        args: Some((arguments(signature), argument_types(signature))),
        params: host_params(signature),
        result: quote!(#result),
        tx: quote!(_),
        body: rejected::stop(),
        source: no_source(),
        values: values(signature),
        asked: asked(signature),
        given: Some(given_types(signature)),
    };
    parts.items(inside)
}

/// Returns the items for a function whose signature cannot be used.
pub(crate) fn unusable(item: &ItemFn, inside: TokenStream, block: &Block<'_>) -> MethodItems {
    let (mut params, handle) = rejected::params(item, Kind::Function);
    let (result, tries) = rejected::result(item, Kind::Function);
    if let Some(this) = item.sig.receiver().filter(|this| !matches!(this.kind, ReceiverKind::Typed(..))) {
        params.insert(0, receiver(this));
    }
    let parts = Parts {
        item,
        block,
        args: None,
        params,
        result: quote!(#result),
        tx: quote!(_),
        body: rejected::stop(),
        source: no_source(),
        values: None,
        asked: (tries, handle),
        given: None,
    };
    parts.items(inside)
}

/// Returns the constant of a trait for the source of a method.
pub(crate) fn source_of(name: &Ident) -> Ident {
    format_ident!("stm_source_{}", name.unraw(), span = Span::call_site().located_at(name.span()))
}

fn asked(signature: &Signature) -> (bool, bool) {
    (matches!(signature.form, Form::Function { tries: true }), signature.tx.is_some())
}

impl Parts<'_> {
    fn items(self, inside: TokenStream) -> MethodItems {
        let name = &self.item.sig.ident;
        let generics = self.block.generics;
        let (cfgs, of, span) = (cfgs(self.item), marker(name, generics), here(name));
        let (tries, handle) = self.asked;
        let (asked, source) = (asked_of(&cfgs, (&of, generics), tries, handle), &self.source);
        let params = generic::names(generics);
        let types = generics.type_params().map(|param| &param.ident);
        let marker = quote_spanned! {span=>
            #(#cfgs)*
            #[allow(non_camel_case_types)]
            pub struct #name<#params>(pub ::core::marker::PhantomData<(#(#types,)*)>);
        };
        let bounded = generic::bounded(generics);
        let (bounds, _, clause) = bounded.split_for_impl();
        let (of_trait, of_exclusive) = (self.of_trait(&of, &bounded), self.of_exclusive(&of, &bounded));
        let finds = exclusive::finds(&of, generics, &cfgs);
        let chosen = match self.block.place {
            Place::Trait => {
                let (owner, of_trait, constant) = (self.block.owner, self.block.of, source_of(name));
                quote!(<#owner as #of_trait>::#constant)
            }
            _ => quote!(Self::stm_source()),
        };
        let outside = quote! {
            #asked
            #(#cfgs)*
            impl<#params> ::core::clone::Clone for #of {
                fn clone(&self) -> Self { *self }
            }
            #(#cfgs)*
            impl<#params> ::core::marker::Copy for #of {}
            #(#cfgs)*
            impl #bounds #of #clause {
                #source

                pub const fn stm_get(self) -> &'static ::stm_runtime::__private::spec::Source { #chosen }

                pub const fn stm_get_or<O>(
                    self, _: &impl ::core::ops::FnOnce() -> O
                ) -> &'static ::stm_runtime::__private::spec::Source { #chosen }
            }
            #(#cfgs)*
            impl #bounds ::stm_runtime::__private::callee::Method for #of #clause {
                const SOURCE: &'static ::stm_runtime::__private::spec::Source = #chosen;
            }
            #of_trait
            #finds
            #of_exclusive
        };
        let own = if self.block.place == Place::Type { self.own(&of) } else { None };
        MethodItems { inside, hidden: self.hidden(), marker, outside, own }
    }

    /// Returns how the method of a trait runs for the type, for functions that know only the trait.
    fn of_trait(&self, of: &TokenStream, bounded: &Generics) -> Option<TokenStream> {
        let (Some(of_trait), Some((args, types))) = (self.block.of, &self.args) else { return None };
        if self.block.place != Place::Type {
            return None;
        }
        let (owner, result, cfgs) = (self.block.owner, &self.result, cfgs(self.item));
        let method = number(of_trait, &self.item.sig.ident);
        let run = format_ident!("stm_run_{}", self.item.sig.ident.unraw());
        let (bounds, _, clause) = bounded.split_for_impl();
        let mut with_lifetime = bounded.clone();
        with_lifetime.params.insert(0, syn::parse_quote!('stm));
        let (with_lifetime, ..) = with_lifetime.split_for_impl();
        let names: Vec<_> = (0..args.len()).map(|k| format_ident!("stm_{k}")).collect();
        Some(quote! {
            #(#cfgs)*
            impl #bounds ::stm_runtime::__private::callee::Implements<#method> for #owner #clause {
                type Marker = #of;
            }
            #(#cfgs)*
            impl #with_lifetime ::stm_runtime::__private::callee::Runs<#method, (#(#types,)*), #result> for #owner #clause {
                #[inline]
                fn run<StmKind: ::stm_runtime::__private::Kind, const STM_CHECKED: bool>(
                    (#(#names,)*): (#(#types,)*), stm_base: u32, stm_tx: &mut ::stm_runtime::Tx<'_, StmKind>
                ) -> ::core::result::Result<#result, ::stm_runtime::Abort> {
                    <#owner>::#run::<StmKind, STM_CHECKED>(#(#names),*)(stm_base, stm_tx)
                }
            }
        })
    }

    /// Returns the number of a method of a trait with its source, and how it runs with values for its arguments.
    fn own(&self, of: &TokenStream) -> Option<(TokenStream, TokenStream)> {
        let of_trait = self.block.of?;
        let (owner, name, cfgs) = (self.block.owner, &self.item.sig.ident, cfgs(self.item));
        let (number, run) = (number(of_trait, name), format_ident!("stm_run_{}", name.unraw()));
        let source = quote!(#(#cfgs)* (#number, <#of>::stm_source()));
        let Some(values) = &self.values else { return Some((source, TokenStream::new())) };
        let names: Vec<_> = (0..values.len()).map(|k| format_ident!("stm_{k}")).collect();
        let types = values.iter().map(|value| &value.ty);
        let mutable = values.iter().map(|value| value.exclusive.then(|| quote!(mut)));
        let passed = names.iter().zip(values).map(|(name, value)| match (value.exclusive, value.lent) {
            (true, _) => quote!(&mut #name),
            (false, true) => quote!(&#name),
            (false, false) => quote!(#name),
        });
        let changed = changed(&names, values);
        Some((
            source,
            quote! {
                #(#cfgs)*
                #number => ::stm_runtime::__private::callee::run_as(stm_args, |(#(#mutable #names,)*): (#(#types,)*)| {
                    let stm_result = <#owner>::#run::<StmKind, STM_CHECKED>(#(#passed),*)(stm_base, stm_tx)?;
                    ::core::result::Result::Ok((stm_result, #(#changed,)*))
                }),
            },
        ))
    }

    /// Returns the body of a default method's host version: the type's own method runs, if it has one.
    fn chosen(&self, inner: &Ident, args: &[Ident]) -> TokenStream {
        let (name, result) = (&self.item.sig.ident, &self.result);
        let default = quote!(Self::#inner::<StmKind, STM_CHECKED>(#(#args),*));
        let Some(of_trait) = self.block.of else { return default };
        let (of, number) = (number_of(of_trait), number(of_trait, name));
        let Some(values) = &self.values else {
            return quote! {
                const {
                    ::stm_runtime::__private::callee::refuse_own(
                        <Self as ::stm_runtime::__private::callee::Attributed<#of>>::METHODS, #number
                    )
                }
                #default
            };
        };
        let given = args.iter().zip(values).map(|(arg, value)| match value.lent {
            true if arg == "self" || value.exclusive => quote!(*#arg),
            true => quote!(*::stm_runtime::__private::local::Lent::lend(&#arg)),
            false => quote!(#arg),
        });
        // What the method changes comes back as a value.
        let changed = changed(args, values);
        let new: Vec<_> = (0..changed.len()).map(|k| format_ident!("stm_new_{k}")).collect();
        quote! {
            move |stm_base: u32, stm_tx: &mut ::stm_runtime::Tx<'_, StmKind>|
                -> ::core::result::Result<#result, ::stm_runtime::Abort> {
                match <Self as ::stm_runtime::__private::callee::Attributed<#of>>::run_own::<#number, StmKind, STM_CHECKED, _, _>(
                    (#(#given,)*), stm_base, stm_tx
                ) {
                    ::core::option::Option::Some(::core::result::Result::Ok((stm_own, #(#new,)*))) => {
                        #(*#changed = #new;)*
                        ::core::result::Result::Ok(stm_own)
                    }
                    ::core::option::Option::Some(::core::result::Result::Err(stm_abort)) => ::core::result::Result::Err(stm_abort),
                    ::core::option::Option::None => #default(stm_base, stm_tx),
                }
            }
        }
    }

    /// Returns a host version with this body.
    fn version(&self, name: &Ident, requires: &[WherePredicate], body: TokenStream) -> TokenStream {
        self.version_with(name, &self.params, requires, body)
    }

    fn version_with(
        &self,
        name: &Ident,
        params: &[TokenStream],
        requires: &[WherePredicate],
        body: TokenStream,
    ) -> TokenStream {
        let Parts { item, block, result, .. } = self;
        let (vis, cfgs, owner) = (self.visibility(), cfgs(item), block.owner);
        // One of a type says itself which type that is.
        let receiver = block.place == Place::Type || item.sig.receiver().is_some();
        let (given, body) = by_path::version(receiver, result, body);
        quote! {
            #(#cfgs)*
            #[doc(hidden)]
            #vis fn #name<'stm, StmKind: ::stm_runtime::__private::Kind, const STM_CHECKED: bool>(#(#params),*) -> #given
            where
                #owner: 'stm, #(#requires),*
            {
                #body
            }
        }
    }

    /// Returns parameters and arguments of the host version of a trait's method. What takes `&mut self` is no method of the trait, because
    /// rustc would find it together with what stands for a method without the attribute.
    fn last(&self, args: &[Ident]) -> (Vec<TokenStream>, Vec<Ident>) {
        let (mut params, mut args) = (self.params.clone(), args.to_vec());
        if let (Some(this), [first, ..]) = (exclusive::receiver(&self.item.sig), &mut args[..]) {
            *first = this;
            params[0] = exclusive::param(first);
        }
        (params, args)
    }

    /// Returns how a default method that takes `&mut self` runs.
    fn of_exclusive(&self, of: &TokenStream, bounded: &Generics) -> Option<TokenStream> {
        let (Some(of_trait), Some((_, types))) = (self.block.of, &self.args) else { return None };
        if self.block.place != Place::Trait || exclusive::receiver(&self.item.sig).is_none() {
            return None;
        }
        // One that no method of the type can replace is refused where it is found, and runs as it is.
        let start = if self.values.is_some() { "stm_run" } else { "stm_body" };
        let (cfgs, run) = (cfgs(self.item), format_ident!("{start}_{}", self.item.sig.ident.unraw()));
        let runs = exclusive::runs((of, of_trait, self.block.owner), bounded, (&run, &self.result), types);
        Some(quote!(#(#cfgs)* #runs))
    }

    fn visibility(&self) -> Visibility {
        match self.block.place {
            Place::Impl | Place::Trait => Visibility::Inherited,
            Place::Type if self.block.of.is_some() => syn::parse_quote!(pub),
            Place::Type => self.item.vis.clone(),
        }
    }

    /// Returns what the type gets, as visible as the method; those of a trait are as visible as the trait, which only rustc knows.
    fn hidden(&self) -> TokenStream {
        let Parts { item, block, result, tx, body, .. } = self;
        let (owner, requires) = (block.owner, block.requires);
        let (name, cfgs) = (&item.sig.ident, cfgs(item));
        let (of, value) = (marker(name, block.generics), quote!(stm_markers::#name(::core::marker::PhantomData)));
        let vis = self.visibility();
        let plain = name.unraw();
        let span = here(name);
        let (run, find) =
            (format_ident!("stm_run_{plain}", span = span), format_ident!("stm_find_{plain}", span = span));
        // What a type has itself is found by another name than what it has by its trait.
        let start = if block.place == Place::Trait { "trait" } else { "marker" };
        let constant = format_ident!("stm_{start}_{plain}", span = span);
        let find = item.sig.receiver().map(|_| quote!(fn #find(&self) -> #of));
        let path = by_path::found_by(name, self.given.as_deref(), (&of, result));
        let found = find.into_iter().chain([path]);
        let found = found.map(|found| quote!(#(#cfgs)* #[doc(hidden)] #vis #found where #(#requires),* { #value }));
        let found = quote!(#(#found)*);
        let given = quote!(::core::result::Result<#result, ::stm_runtime::Abort>);
        let body = quote!(move |stm_base: u32, #tx: &mut ::stm_runtime::Tx<'_, StmKind>| -> #given { #body });
        let run = match (requires, &self.args) {
            // What the callers need does not hold in the body: there the type is a parameter.
            ([_, ..], Some((args, _))) => {
                let inner = format_ident!("stm_body_{plain}", span = span);
                let data = [syn::parse_quote!(#owner: ::stm_runtime::GpuData)];
                let body = self.version(&inner, &data, body);
                let (params, args) = self.last(args);
                let run = self.version_with(&run, &params, requires, self.chosen(&inner, &args));
                quote!(#body #run)
            }
            (_, Some((args, _))) if block.place == Place::Impl => {
                let (params, _) = self.last(args);
                let body = match exclusive::receiver(&item.sig) {
                    Some(this) => exclusive::renamed(body, &this),
                    None => body,
                };
                self.version_with(&run, &params, requires, body)
            }
            _ => self.version(&run, requires, body),
        };
        if block.place == Place::Impl {
            let source = source_of(name);
            return quote! {
                #(#cfgs)*
                const #source: &'static ::stm_runtime::__private::spec::Source = <#of>::stm_source();
                #run
            };
        }
        quote! {
            #(#cfgs)*
            #[doc(hidden)]
            #vis const #constant: #of = #value;

            #found

            #run
        }
    }
}
