//! `#[gpu_fn]` on a trait: functions with a parameter for types that implement it can call its methods.
//!
//! Each `#[gpu_fn] impl` of a trait says by `Runs` how a method of this name runs for the type. The attribute on the trait requires that
//! of every type, and adds the hidden functions that a type has by its own `impl`, so that rustc finds them where it knows only the trait.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::{Generics, Ident, ImplItemFn, ItemFn, ItemTrait, TraitItem, TraitItemFn, Type, TypeParamBound};

use crate::front::diag::Diagnostics;
use crate::front::implementation::{method_items, without_sized, write_out};
use crate::front::parse::{self, OWNER, Signature};
use crate::front::print::by_path;
use crate::front::print::exclusive;
use crate::front::print::generic;
use crate::front::print::marker::{argument_types, arguments, given_types, host_params, number, number_of, renamed};
use crate::front::print::method::{self, Block, Place};
use crate::front::print::passed;
use crate::front::understood::CompileOptions;
use crate::ir::open::Form;

/// Expands `#[gpu_fn] trait .. { .. }`.
pub(crate) fn expand(mut item: ItemTrait, options: &CompileOptions, mut diags: Diagnostics) -> TokenStream {
    let owner: Type = syn::parse_quote!(Self);
    // Traits with parameters have no default methods for transactions.
    let alone = item.generics.params.is_empty();
    let of = Of { name: item.ident.clone(), generics: item.generics.clone() };
    let mut hidden = Vec::new();
    for function in &item.items {
        let TraitItem::Fn(TraitItemFn { attrs, sig, default: None, .. }) = function else { continue };
        let mut plain = as_item(attrs, sig, &syn::parse_quote!({}));
        without_sized(&mut plain.sig);
        let signature = parse::parse_method(&plain, &owner, &Generics::default(), &mut Diagnostics::default());
        // Rust allows the others; a transaction that calls one has an error.
        if let Some(signature) = signature {
            let this = exclusive::receiver(&plain.sig);
            hidden.push(Hidden { number: number(&item.ident, &signature.name), signature, of: &of, this });
        }
    }
    let (markers, outside) = match alone {
        true => default_methods(&mut item, options, &mut diags),
        false => Default::default(),
    };
    // Rust allows a trait without that, but what stands for a method names the type.
    if !hidden.is_empty() {
        item.supertraits.push(syn::parse_quote!(::core::marker::Sized));
    }
    let operators: Vec<TypeParamBound> =
        item.supertraits.iter().flat_map(generic::operators).map(|bound| syn::parse_quote!(#bound)).collect();
    item.supertraits.extend(operators);
    for method in &hidden {
        item.supertraits.push(method.bound());
        item.items.extend(method.items());
    }
    let number = number_of(&item.ident);
    item.supertraits.push(syn::parse_quote!(::stm_runtime::__private::callee::Attributed<#number>));
    item.items.push(syn::parse_quote! {
        #[doc(hidden)]
        const GPU_FN_BEFORE_THE_TRAIT: &'static [(u64, &'static ::stm_runtime::__private::spec::Source)] =
            <Self as ::stm_runtime::__private::callee::Attributed<#number>>::METHODS;
    });
    item.colon_token.get_or_insert_with(Default::default);
    let beside = beside(&item, &of, &hidden, &markers, &outside);
    let errors = diags.to_compile_error();
    quote!(#item #beside #errors)
}

/// A trait with its parameters.
struct Of {
    name: Ident,
    generics: Generics,
}

impl Of {
    /// Returns the trait as a bound.
    fn path(&self) -> TokenStream {
        let (name, (_, args, _)) = (&self.name, self.generics.split_for_impl());
        quote!(#name #args)
    }

    /// Returns a parameter for the type that has the trait, and those of the trait; `bounded`: with what they require.
    fn with_owner(&self, bounded: bool) -> Generics {
        let (owner, of) = (Ident::new(OWNER, Span::call_site()), self.path());
        let mut generics = self.generics.clone();
        for param in generics.type_params_mut() {
            param.default = None;
            if !bounded {
                param.bounds.clear();
            }
        }
        if !bounded {
            generics.where_clause = None;
        }
        let at = generics.lifetimes().count();
        generics.params.insert(at, if bounded { syn::parse_quote!(#owner: #of) } else { syn::parse_quote!(#owner) });
        generics
    }

    /// Returns what stands for a method of the trait, for `Self`.
    fn stands_for(&self, method: &Ident) -> TokenStream {
        let (module, generics) = (module(&self.name), self.with_owner(false));
        let (_, args, _) = generics.split_for_impl();
        let stands = quote!(#module::#method #args);
        renamed(stands, &[(OWNER, &Ident::new("Self", Span::call_site()))])
    }
}

/// Returns the module with what stands for the methods of a trait.
fn module(of: &Ident) -> Ident {
    format_ident!("stm_of_{}", of.unraw())
}

/// Returns what stands beside a trait: a type for each of its methods.
fn beside(
    item: &ItemTrait,
    of: &Of,
    hidden: &[Hidden<'_>],
    markers: &TokenStream,
    outside: &TokenStream,
) -> TokenStream {
    let (module, vis) = (module(&of.name), &item.vis);
    if hidden.is_empty() && markers.is_empty() {
        return TokenStream::new();
    }
    let names: Vec<_> = hidden.iter().map(|method| &method.signature.name).collect();
    let sources = names.iter().map(|name| method::source_of(name));
    let exclusive = hidden.iter().filter_map(Hidden::exclusive);
    let (plain, bounded) = (of.with_owner(false), of.with_owner(true));
    let ((params, args, _), (bounded, _, bounds)) = (plain.split_for_impl(), bounded.split_for_impl());
    let (types, lifetimes, of) = (plain.type_params().map(|param| &param.ident), plain.lifetimes(), of.path());
    let marker = quote!(::core::marker::PhantomData<(#(&#lifetimes (),)* #(#types,)*)>);
    quote! {
        #[doc(hidden)]
        #[allow(
            missing_docs, missing_debug_implementations, non_camel_case_types, non_snake_case, unreachable_pub, dead_code, clippy::all,
            clippy::pedantic
        )]
        #vis mod #module {
            #markers
            #(pub struct #names #params (pub #marker);)*
        }
        #(
            impl #params ::core::clone::Clone for #module::#names #args {
                fn clone(&self) -> Self { *self }
            }
            impl #params ::core::marker::Copy for #module::#names #args {}
            impl #bounded ::stm_runtime::__private::callee::Method for #module::#names #args #bounds {
                const SOURCE: &'static ::stm_runtime::__private::spec::Source = <StmSelf as #of>::#sources;
            }
        )*
        #(#exclusive)*
        #outside
    }
}

fn as_item(attrs: &[syn::Attribute], sig: &syn::Signature, block: &syn::Block) -> ItemFn {
    let (vis, modifiers) = (syn::Visibility::Inherited, Default::default());
    ItemFn { attrs: attrs.to_vec(), vis, modifiers, sig: sig.clone(), block: Box::new(block.clone()) }
}

/// Adds what stands for the default methods of a trait. Returns the types that stand for them, and what these implement. A type has
/// these methods unless its own `impl` has them, which `Attributed` says.
fn default_methods(
    item: &mut ItemTrait,
    options: &CompileOptions,
    diags: &mut Diagnostics,
) -> (TokenStream, TokenStream) {
    let of = item.ident.clone();
    let (owner, this) = (Ident::new(OWNER, Span::call_site()), Ident::new("Self", Span::call_site()));
    let data = syn::parse_quote!(#owner: ::stm_runtime::GpuData);
    let known = [syn::parse_quote!(#owner: ::stm_runtime::__private::callee::Known), data];
    let generics: Generics = syn::parse_quote!(<#owner: #of>);
    let ty: Type = syn::parse_quote!(#owner);
    let module = module(&of);
    let inside = |tokens| renamed(tokens, &[(OWNER, &this), ("stm_markers", &module)]);
    let (mut markers, mut outside, mut more) = (TokenStream::new(), TokenStream::new(), TokenStream::new());
    for function in &mut item.items {
        let TraitItem::Fn(TraitItemFn { attrs, sig, default: Some(body), .. }) = function else { continue };
        let changes = |this: &syn::Receiver| matches!(this.kind, syn::ReceiverKind::Reference(_, _, Some(_)));
        if sig.receiver().is_none_or(|this| changes(this) && exclusive::receiver(sig).is_none()) {
            continue;
        }
        let ItemFn { attrs, vis, modifiers, sig, block: body } = as_item(attrs, sig, body);
        let written = ImplItemFn { attrs, vis, modifiers, sig, block: *body };
        let mut plain = written.clone();
        without_sized(&mut plain.sig);
        let plain = write_out(plain.to_token_stream(), &owner.to_token_stream(), &[]);
        let Ok(plain) = syn::parse2::<ItemFn>(plain) else { continue };
        // A type's own method gets values alone, so where an argument is an array, the type has to be known.
        let signature = parse::parse_method(&plain, &ty, &generics, &mut Diagnostics::default());
        let requires =
            if signature.is_some_and(|signature| passed::can_be_replaced(&signature)) { &known[1..] } else { &known };
        let block = Block { owner: &ty, of: Some(&of), generics: &generics, requires, place: Place::Trait };
        let items = method_items(&written, &plain, &block, options, diags);
        *function = TraitItem::Verbatim(inside(items.inside));
        more.extend(inside(items.hidden));
        more.extend(chosen(&of, &plain.sig.ident));
        markers.extend(items.marker);
        outside.extend(renamed(items.outside, &[("stm_markers", &module)]));
    }
    if markers.is_empty() {
        return Default::default();
    }
    item.supertraits.push(syn::parse_quote!(::stm_runtime::GpuData));
    let quiet = quote!(#[allow(unused, unreachable_code, non_upper_case_globals, clippy::all, clippy::pedantic)]);
    let functions: syn::Result<ItemTrait> = syn::parse2(quote!(trait Functions { #more }));
    let functions = functions.map(|hidden| hidden.items).unwrap_or_default();
    item.items.extend(functions.into_iter().map(|item| TraitItem::Verbatim(quote!(#quiet #item))));
    (markers, outside)
}

/// Returns the constant for the source of a default method: that of the type's own, if it has one.
fn chosen(of: &Ident, name: &Ident) -> TokenStream {
    let (module, constant) = (module(of), method::source_of(name));
    let (method, of) = (number(of, name), of);
    quote! {
        #[doc(hidden)]
        const #constant: &'static ::stm_runtime::__private::spec::Source = ::stm_runtime::__private::callee::own_or(
            <Self as #of>::GPU_FN_BEFORE_THE_TRAIT, #method, <#module::#name<Self>>::stm_source()
        );
    }
}

/// What the trait gets for one of its methods.
struct Hidden<'a> {
    number: Literal,
    signature: Signature,
    of: &'a Of,
    /// The name of the receiver of one that takes `&mut self`, where its host version is no method.
    this: Option<Ident>,
}

impl Hidden<'_> {
    fn bound(&self) -> TypeParamBound {
        let (number, types, result) = (&self.number, argument_types(&self.signature), &self.signature.result);
        syn::parse_quote!(for<'stm> ::stm_runtime::__private::callee::Runs<#number, (#(#types,)*), #result>)
    }

    /// Returns how a method that takes `&mut self` runs for a type of which only the trait is known.
    fn exclusive(&self) -> Option<TokenStream> {
        self.this.as_ref()?;
        let (name, result, owner) = (&self.signature.name, &self.signature.result, syn::parse_quote!(StmSelf));
        let mut types = argument_types(&self.signature);
        let (mut generics, stands) = (self.of.with_owner(true), self.of.with_owner(false));
        let (module, (_, stands, _)) = (module(&self.of.name), stands.split_for_impl());
        let stands = quote!(#module::#name #stands);
        for (k, param) in self.signature.params.iter().enumerate() {
            let Some(lent) = param.lent(&Generics::default()) else { continue };
            let ty = format_ident!("StmArg{k}");
            generics.params.push(syn::parse_quote!(#ty: ::stm_runtime::__private::local::Lent<#lent> + 'stm));
            types[k] = quote!(#ty);
        }
        let runs = exclusive::runs(
            (&stands, &self.of.path(), &owner),
            &generics,
            (&format_ident!("stm_run_{}", name.unraw()), &quote!(#result)),
            &types,
        );
        Some(renamed(runs, &[("Self", &Ident::new(OWNER, Span::call_site()))]))
    }

    fn items(&self) -> Vec<TraitItem> {
        let Hidden { number, signature, of, this } = self;
        let (name, result) = (&signature.name, &signature.result);
        let named = |start: &str| {
            format_ident!("stm_{start}_{}", name.unraw(), span = Span::call_site().located_at(name.span()))
        };
        let (run, find) = (named("run"), named("find"));
        let tries = signature.form == Form::Function { tries: true };
        let takes = signature.tx.is_some();
        let stands = of.stands_for(name);
        let marker = quote!(::stm_runtime::__private::callee::OfTrait<#stands, #tries, #takes>);
        let (source, of_impl) =
            (method::source_of(name), quote!(<Self as ::stm_runtime::__private::callee::Implements<#number>>::Marker));
        let source = syn::parse_quote! {
            #[doc(hidden)]
            #[allow(non_upper_case_globals)]
            const #source: &'static ::stm_runtime::__private::spec::Source =
                <#of_impl as ::stm_runtime::__private::callee::Method>::SOURCE;
        };
        let types = of.generics.type_params().map(|param| &param.ident);
        let find = signature.params.first().filter(|first| first.receiver.is_some()).map(|_| {
            syn::parse_quote! {
                #[doc(hidden)]
                fn #find(&self) -> #marker where Self: ::core::marker::Sized { <#marker>::VALUE }
            }
        });
        let (mut params, mut names) = (host_params(signature), arguments(signature));
        if let Some(this) = this {
            (params[0], names[0]) = (exclusive::param(this), this.clone());
        }
        let names = names.iter().zip(&signature.params).map(|(name, param)| match param.lent(&Generics::default()) {
            Some(_) => quote!(::stm_runtime::__private::local::Lent::lend(&#name)),
            None => quote!(#name),
        });
        let given = quote!(::core::result::Result<#result, ::stm_runtime::Abort>);
        let body = quote! {
            move |stm_base: u32, stm_tx: &mut ::stm_runtime::Tx<'_, StmKind>| -> #given {
                <Self as ::stm_runtime::__private::callee::Runs<#number, _, #result>>::run::<StmKind, STM_CHECKED>(
                    (#(#names,)*), stm_base, stm_tx
                )
            }
        };
        let (given, body) = by_path::version(find.is_some(), &quote!(#result), body);
        let run = syn::parse_quote! {
            #[doc(hidden)]
            #[allow(clippy::all, clippy::pedantic)]
            fn #run<'stm, StmKind: ::stm_runtime::__private::Kind, const STM_CHECKED: bool>(#(#params),*) -> #given
            where
                Self: ::core::marker::Sized + 'stm, #(#types: 'stm,)*
            {
                #body
            }
        };
        find.into_iter().chain([source, run]).chain(self.found(&marker)).collect()
    }

    /// Returns what finds the method without a value of the type. `marker` stands for the method.
    fn found(&self, marker: &TokenStream) -> [TraitItem; 2] {
        let Hidden { signature, .. } = self;
        let (name, result) = (&signature.name, &signature.result);
        let constant = format_ident!("stm_trait_{}", name.unraw(), span = Span::call_site().located_at(name.span()));
        let constant = syn::parse_quote! {
            #[doc(hidden)]
            #[allow(non_upper_case_globals)]
            const #constant: #marker = <#marker>::VALUE;
        };
        let path = by_path::found_by(name, Some(&given_types(signature)), (marker, &quote!(#result)));
        let path = syn::parse_quote! {
            #[doc(hidden)]
            #path where Self: ::core::marker::Sized { <#marker>::VALUE }
        };
        [constant, path]
    }
}
