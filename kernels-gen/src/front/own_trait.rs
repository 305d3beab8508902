//! `#[gpu_fn]` on a trait: functions with a parameter for types that implement it can call its methods.
//!
//! Each `#[gpu_fn] impl` of a trait says by `Runs` how a method of this name runs for the type. The attribute on the trait requires that
//! of every type, and adds the hidden functions that a type has by its own `impl`, so that rustc finds them where it knows only the trait.

use proc_macro2::{Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::{Generics, Ident, ImplItemFn, ItemFn, ItemTrait, TraitItem, TraitItemFn, Type, TypeParamBound};

use crate::front::diag::Diagnostics;
use crate::front::implementation::{method_items, without_sized, write_out};
use crate::front::parse::{self, OWNER, Signature};
use crate::front::print::exclusive;
use crate::front::print::generic;
use crate::front::print::marker::{argument_types, arguments, host_params, number, number_of, renamed};
use crate::front::print::method::{self, Block, Place};
use crate::front::print::passed;
use crate::front::understood::CompileOptions;
use crate::ir::open::Form;

/// Expands `#[gpu_fn] trait .. { .. }`.
pub(crate) fn expand(mut item: ItemTrait, options: &CompileOptions, mut diags: Diagnostics) -> TokenStream {
    let owner: Type = syn::parse_quote!(Self);
    // Traits with parameters are for types of the program alone, and have no default methods for transactions.
    let alone = item.generics.params.is_empty();
    let mut hidden = Vec::new();
    for function in &item.items {
        let TraitItem::Fn(TraitItemFn { attrs, sig, default: None, .. }) = function else { continue };
        let mut plain = as_item(attrs, sig, &syn::parse_quote!({}));
        without_sized(&mut plain.sig);
        let signature = parse::parse_method(&plain, &owner, &Generics::default(), &mut Diagnostics::default());
        // Rust allows the others; a transaction that calls one has an error.
        if let Some(signature) = signature {
            let module = alone.then(|| module(&item.ident));
            // A method of a trait with parameters is always a type's own.
            let this = exclusive::receiver(&plain.sig).filter(|_| alone);
            hidden.push(Hidden { number: number(&item.ident, &signature.name), signature, module, this });
        }
    }
    let (markers, outside) = match alone {
        true => default_methods(&mut item, options, &mut diags),
        false => Default::default(),
    };
    // Rust allows a trait to return `Self` without that, but the bounds below name what it returns.
    if hidden.iter().any(Hidden::names_self) {
        item.supertraits.push(syn::parse_quote!(::core::marker::Sized));
    }
    let operators: Vec<TypeParamBound> =
        item.supertraits.iter().flat_map(generic::operators).map(|bound| syn::parse_quote!(#bound)).collect();
    item.supertraits.extend(operators);
    for method in &hidden {
        item.supertraits.push(method.bound());
        item.items.extend(method.items());
    }
    if hidden.is_empty() || alone {
        let number = number_of(&item.ident);
        item.supertraits.push(syn::parse_quote!(::stm_runtime::__private::callee::Attributed<#number>));
        item.items.push(syn::parse_quote! {
            #[doc(hidden)]
            const GPU_FN_BEFORE_THE_TRAIT: &'static [(u64, &'static ::stm_runtime::__private::spec::Source)] =
                <Self as ::stm_runtime::__private::callee::Attributed<#number>>::METHODS;
        });
    }
    item.colon_token.get_or_insert_with(Default::default);
    let beside = beside(&item, &hidden, &markers, &outside);
    let errors = diags.to_compile_error();
    quote!(#item #beside #errors)
}

/// Returns the module with what stands for the methods of a trait.
fn module(of: &Ident) -> Ident {
    format_ident!("stm_of_{}", of.unraw())
}

/// Returns what stands beside a trait: a type for each of its methods.
fn beside(item: &ItemTrait, hidden: &[Hidden], markers: &TokenStream, outside: &TokenStream) -> TokenStream {
    let (module, vis, of) = (module(&item.ident), &item.vis, &item.ident);
    let hidden: Vec<_> = hidden.iter().filter(|method| method.module.is_some()).collect();
    if hidden.is_empty() && markers.is_empty() {
        return TokenStream::new();
    }
    let names: Vec<_> = hidden.iter().map(|method| &method.signature.name).collect();
    let sources = names.iter().map(|name| method::source_of(name));
    let exclusive = hidden.iter().filter_map(|method| method.exclusive(&module, of));
    quote! {
        #[doc(hidden)]
        #[allow(
            missing_docs, missing_debug_implementations, non_camel_case_types, non_snake_case, unreachable_pub, dead_code, clippy::all,
            clippy::pedantic
        )]
        #vis mod #module {
            #markers
            #(pub struct #names<T>(pub ::core::marker::PhantomData<T>);)*
        }
        #(
            impl<T> ::core::clone::Clone for #module::#names<T> {
                fn clone(&self) -> Self { *self }
            }
            impl<T> ::core::marker::Copy for #module::#names<T> {}
            impl<T: #of> ::stm_runtime::__private::callee::Method for #module::#names<T> {
                const SOURCE: &'static ::stm_runtime::__private::spec::Source = <T as #of>::#sources;
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
    // What a type has itself is found as a constant.
    let functions = functions.into_iter().filter(|item| match item {
        TraitItem::Const(item) => item.ident.to_string().starts_with("stm_source_"),
        _ => true,
    });
    item.items.extend(functions.map(|item| TraitItem::Verbatim(quote!(#quiet #item))));
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
struct Hidden {
    number: Literal,
    signature: Signature,
    /// Where the type lies that stands for the method.
    module: Option<Ident>,
    /// The name of the receiver of one that takes `&mut self`, where its host version is no method.
    this: Option<Ident>,
}

impl Hidden {
    /// Returns whether `Self` stands in the types of the method.
    fn names_self(&self) -> bool {
        let types = argument_types(&self.signature);
        let result = &self.signature.result;
        contains_self(quote!(#(#types,)* #result))
    }

    fn bound(&self) -> TypeParamBound {
        let (number, types, result) = (&self.number, argument_types(&self.signature), &self.signature.result);
        syn::parse_quote!(for<'stm> ::stm_runtime::__private::callee::Runs<#number, (#(#types,)*), #result>)
    }

    /// Returns how a method that takes `&mut self` runs for a type of which only the trait is known.
    fn exclusive(&self, module: &Ident, of: &Ident) -> Option<TokenStream> {
        self.this.as_ref()?;
        let (name, result, owner) = (&self.signature.name, &self.signature.result, syn::parse_quote!(StmSelf));
        let mut types = argument_types(&self.signature);
        let mut generics: Generics = syn::parse_quote!(<StmSelf: #of>);
        for (k, param) in self.signature.params.iter().enumerate() {
            let Some(lent) = param.lent(&Generics::default()) else { continue };
            let ty = format_ident!("StmArg{k}");
            generics.params.push(syn::parse_quote!(#ty: ::stm_runtime::__private::local::Lent<#lent> + 'stm));
            types[k] = quote!(#ty);
        }
        let runs = exclusive::runs(
            (&quote!(#module::#name<StmSelf>), of, &owner),
            &generics,
            (&format_ident!("stm_run_{}", name.unraw()), &quote!(#result)),
            &types,
        );
        Some(renamed(runs, &[("Self", &Ident::new(OWNER, Span::call_site()))]))
    }

    fn items(&self) -> Vec<TraitItem> {
        let Hidden { number, signature, module, this } = self;
        let (name, result) = (&signature.name, &signature.result);
        let named = |start: &str| {
            format_ident!("stm_{start}_{}", name.unraw(), span = Span::call_site().located_at(name.span()))
        };
        let (run, find, constant) = (named("run"), named("find"), named("trait"));
        let tries = signature.form == Form::Function { tries: true };
        let takes = signature.tx.is_some();
        let of_impl = quote!(<Self as ::stm_runtime::__private::callee::Implements<#number>>::Marker);
        let stands = module.as_ref().map_or_else(|| of_impl.clone(), |module| quote!(#module::#name<Self>));
        let marker = quote!(::stm_runtime::__private::callee::OfTrait<#stands, #tries, #takes>);
        let source = module.is_some().then(|| {
            let source = method::source_of(name);
            syn::parse_quote! {
                #[doc(hidden)]
                #[allow(non_upper_case_globals)]
                const #source: &'static ::stm_runtime::__private::spec::Source =
                    <#of_impl as ::stm_runtime::__private::callee::Method>::SOURCE;
            }
        });
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
        let run = syn::parse_quote! {
            #[doc(hidden)]
            #[allow(clippy::all, clippy::pedantic)]
            fn #run<'stm, StmKind: ::stm_runtime::__private::Kind, const STM_CHECKED: bool>(
                #(#params),*
            ) -> impl ::core::ops::FnOnce(u32, &mut ::stm_runtime::Tx<'_, StmKind>) -> #given + 'stm
            where
                Self: ::core::marker::Sized + 'stm,
            {
                move |stm_base: u32, stm_tx: &mut ::stm_runtime::Tx<'_, StmKind>| -> #given {
                    <Self as ::stm_runtime::__private::callee::Runs<#number, _, #result>>::run::<StmKind, STM_CHECKED>(
                        (#(#names,)*), stm_base, stm_tx
                    )
                }
            }
        };
        let constant = syn::parse_quote! {
            #[doc(hidden)]
            #[allow(non_upper_case_globals)]
            const #constant: #marker = <#marker>::VALUE;
        };
        find.into_iter().chain(source).chain([run, constant]).collect()
    }
}

fn contains_self(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == "Self",
        TokenTree::Group(group) => contains_self(group.stream()),
        _ => false,
    })
}
