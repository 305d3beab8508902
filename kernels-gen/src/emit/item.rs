//! The items that the attributes leave behind: the function, and the type of the same name, which rustc resolves
//! wherever the function is named.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Ident, ItemFn, Type};

use crate::ir::{Form, Options, Overflow, ParamRole, Transaction};
use crate::parse::{Externs, ParamSyntax, Signature};

/// A function that compiled.
pub(crate) struct Item<'a> {
    /// As the user wrote it.
    pub(crate) written: &'a ItemFn,
    /// With types and sites, for CPU threads.
    pub(crate) rewritten: &'a ItemFn,
    pub(crate) signature: &'a Signature,
    pub(crate) transaction: &'a Transaction,
    pub(crate) externs: &'a Externs,
    /// The rewritten body names the overflow mode.
    pub(crate) checked: bool,
    /// The type that stands for the parameter of a generic transaction.
    pub(crate) instance: Option<&'a Type>,
}

/// The name of the handle of a function that has none.
pub(crate) const HANDLE: &str = "stm_tx";

impl Item<'_> {
    /// Everything for a transaction.
    pub(crate) fn transaction(&self) -> TokenStream {
        let mut function = self.rewritten.clone();
        if self.checked {
            let mode = mode(&self.transaction.options);
            function.block.stmts.insert(0, syn::parse_quote!(const STM_CHECKED: bool = #mode;));
        }
        self.put_calls(&mut function);
        let (name, source) = (&self.signature.name, self.source());
        let text = match self.instance {
            Some(ty) => format!("{}::<{}>", self.transaction.name, quote!(#ty)),
            None => self.transaction.name.clone(),
        };
        let this = this(self.signature, self.instance);
        let kind = quote! {
            static KIND: ::stm_runtime::Kind = ::stm_runtime::Kind::new(#text, &#source, <#this>::stm_run);
            &KIND
        };
        let (regions, values) = split(self.signature);
        let (regions, values): (Vec<_>, Vec<_>) = (idents(&regions), idents(&values));
        let call = quote! {
            ::stm_runtime::Call::new(
                Self::kind(),
                ::stm_runtime::__private::regions(|stm_list| { #(stm_list.add(#regions);)* }),
                ::stm_runtime::__private::words(|stm_list| { #(stm_list.add(#values);)* }),
            )
        };
        // `Ok(a + b)` has become `Ok(add(a, b)?)`.
        let allowed = quote!(#[allow(clippy::needless_question_mark)]);
        if self.instance.is_some() {
            let run = run(self.signature, &quote!(Self::stm_body));
            function.sig.ident = Ident::new("stm_body", name.span());
            function.vis = syn::Visibility::Inherited;
            return methods(self.written, self.signature, &this, &kind, &call, &quote!(#run #allowed #function));
        }
        let run = run(self.signature, &quote!(#name));
        let companion = companion(self.written, self.signature, &kind, &call, &run);
        quote!(#allowed #function #companion)
    }

    /// Everything for a function that transactions call: the plain function stays as it is, and gets a twin.
    pub(crate) fn function(&self) -> TokenStream {
        let mut twin = self.rewritten.clone();
        self.put_calls(&mut twin);
        let (source, sites) = (self.source(), self.sites());
        let tries = matches!(self.transaction.form, Form::Function { tries: true });
        let body = &twin.block;
        let result = &self.signature.result;
        let body = match tries {
            true => quote!(#body),
            false => {
                quote!({ let stm_value: #result = #body; #[allow(unreachable_code)] ::core::result::Result::Ok(stm_value) })
            }
        };
        function_companion(self.written, self.signature, &source, &sites, &body)
    }

    /// Where the sites of each call start: behind those of the function itself and of the calls before.
    fn put_calls(&self, function: &mut ItemFn) {
        let calls = &self.externs.calls;
        if calls.is_empty() {
            return;
        }
        let (own, count) = (self.transaction.sites.len() as u32, Literal::usize_unsuffixed(calls.len()));
        let paths = calls.iter().map(|(path, _)| path);
        function.block.stmts.insert(
            0,
            syn::parse_quote! {
                const STM_CALLS: [u32; #count] = {
                    let mut stm_next = #own;
                    [#({ let stm_first = stm_next; stm_next += #paths::SITES; stm_first }),*]
                };
            },
        );
    }

    /// How many sites there are, those of calls included.
    fn sites(&self) -> TokenStream {
        let own = self.transaction.sites.len() as u32;
        let paths = self.externs.calls.iter().map(|(path, _)| path);
        quote!(#own #(+ #paths::SITES)*)
    }

    /// The function as the runtime compiles it, as a constant expression.
    fn source(&self) -> TokenStream {
        let bytes = postcard::to_allocvec(self.transaction).unwrap_or_default();
        let ir = Literal::byte_string(&bytes);
        let checked = mode(&self.transaction.options);
        let Externs { types, constants, calls } = self.externs;
        let paths = calls.iter().map(|(path, _)| path);
        quote! {
            ::stm_runtime::__private::spec::Source {
                ir: #ir,
                module: ::core::module_path!(),
                checked: #checked,
                types: &[#(<#types as ::stm_runtime::GpuData>::TYPE),*],
                constants: &[#(|| ::stm_runtime::__private::constant(&(#constants))),*],
                functions: &[#(#paths::SOURCE),*],
            }
        }
    }
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
            ::core::unreachable!("the function did not compile for the device");
        }
    }
}

/// The companion type of a function that did not compile, so that its uses elsewhere are not errors too.
pub(crate) fn stubs(item: &ItemFn, signature: &Signature) -> TokenStream {
    let stop = quote!(::core::unreachable!("the function did not compile for the device"));
    match signature.form {
        Form::Transaction => companion(item, signature, &stop, &stop, &TokenStream::new()),
        Form::Function { .. } => {
            let source = quote! {
                ::stm_runtime::__private::spec::Source {
                    ir: &[], module: "", checked: false, types: &[], constants: &[], functions: &[],
                }
            };
            let companion = function_parts(item, signature, &source, &quote!(0), &quote!({ #stop }));
            quote!(#companion)
        }
    }
}

/// The companion of a generic transaction; its instances have their own methods.
pub(crate) fn generic_companion(item: &ItemFn, name: &Ident) -> TokenStream {
    let (vis, cfgs, docs) = (&item.vis, cfgs(item), docs(item));
    quote! {
        #(#cfgs)*
        #(#docs)*
        #[allow(non_camel_case_types, dead_code)]
        #vis struct #name<T>(::core::marker::PhantomData<T>);
    }
}

/// The companion type.
fn this(signature: &Signature, instance: Option<&Type>) -> TokenStream {
    let name = &signature.name;
    match instance {
        Some(ty) => quote!(#name<#ty>),
        None => quote!(#name),
    }
}

fn companion(
    item: &ItemFn,
    signature: &Signature,
    kind: &TokenStream,
    call: &TokenStream,
    more: &TokenStream,
) -> TokenStream {
    let (vis, name, cfgs) = (&item.vis, &signature.name, cfgs(item));
    let about =
        format!("The transaction [`{name}`](fn@{name}) as a kind: makes calls for tables, shows the generated code.");
    let methods = methods(item, signature, &this(signature, None), kind, call, more);
    quote! {
        #(#cfgs)*
        #[doc = #about]
        #[allow(non_camel_case_types, dead_code)]
        #vis struct #name {}
        #methods
    }
}

fn methods(
    item: &ItemFn,
    signature: &Signature,
    this: &TokenStream,
    kind: &TokenStream,
    call: &TokenStream,
    more: &TokenStream,
) -> TokenStream {
    let (name, cfgs, result) = (&signature.name, cfgs(item), &signature.result);
    let (regions, values) = split(signature);
    let (regions, values) = (leaves(&regions), leaves(&values));
    let params = signature.params.iter().map(call_param);
    let call_about = format!("A call of `{name}`, to push into a table.");
    quote! {
        #(#cfgs)*
        #[allow(dead_code, unused_variables, private_interfaces, clippy::too_many_arguments)]
        impl #this {
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

/// The plain function and its companion.
fn function_companion(
    item: &ItemFn,
    signature: &Signature,
    source: &TokenStream,
    sites: &TokenStream,
    body: &TokenStream,
) -> TokenStream {
    let parts = function_parts(item, signature, source, sites, body);
    quote!(#[allow(dead_code)] #item #parts)
}

fn function_parts(
    item: &ItemFn,
    signature: &Signature,
    source: &TokenStream,
    sites: &TokenStream,
    body: &TokenStream,
) -> TokenStream {
    let (vis, name, result) = (&item.vis, &signature.name, &signature.result);
    let cfgs = cfgs(item);
    let params = signature.params.iter().map(|param| {
        let (name, ty, mutable) = (&param.ident, &param.ty, param.mutable.then(|| quote!(mut)));
        quote!(#mutable #name: #ty)
    });
    let tx = signature.tx.clone().unwrap_or_else(|| Ident::new(HANDLE, proc_macro2::Span::mixed_site()));
    let twin = match signature.form {
        Form::Function { tries: true } => format_ident!("stm_try"),
        _ => format_ident!("stm_run"),
    };
    let about = format!("What transactions call in place of [`{name}`](fn@{name}).");
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[doc = #about]
        #[allow(non_camel_case_types, dead_code)]
        #vis struct #name {}

        #(#cfgs)*
        #[doc(hidden)]
        #[allow(
            dead_code, unused_variables, unused_mut, unreachable_code, private_interfaces,
            clippy::too_many_arguments, clippy::needless_question_mark, clippy::unused_unit, clippy::let_unit_value
        )]
        impl #name {
            pub const SOURCE: &'static ::stm_runtime::__private::spec::Source = &#source;
            pub const SITES: u32 = #sites;

            pub fn #twin<const STM_CHECKED: bool>(
                #(#params,)* stm_base: u32, #tx: &mut ::stm_runtime::Tx<'_>,
            ) -> ::core::result::Result<#result, ::stm_runtime::Abort> #body
        }
    }
}

/// Where the function is left out, so is its type.
fn cfgs(item: &ItemFn) -> Vec<&syn::Attribute> {
    item.attrs.iter().filter(|a| a.path().is_ident("cfg")).collect()
}

fn docs(item: &ItemFn) -> Vec<&syn::Attribute> {
    item.attrs.iter().filter(|a| a.path().is_ident("doc")).collect()
}

/// Region parameters and value parameters.
fn split(signature: &Signature) -> (Vec<&ParamSyntax>, Vec<&ParamSyntax>) {
    signature.params.iter().partition(|p| p.role == ParamRole::Region)
}

fn idents<'a>(params: &[&'a ParamSyntax]) -> Vec<&'a Ident> {
    params.iter().map(|p| &p.ident).collect()
}

/// How many leaves the parameters have, as a constant expression.
fn leaves(params: &[&ParamSyntax]) -> TokenStream {
    let scalars = params.iter().filter(|p| is_scalar(&p.of)).count();
    let known = Literal::usize_unsuffixed(scalars);
    let others = params.iter().map(|p| &p.of).filter(|of| !is_scalar(of)).collect::<Vec<_>>();
    match others.is_empty() {
        true => quote!(#known),
        false => quote!({ #known #(+ <#others as ::stm_runtime::GpuData>::LEAVES)* }),
    }
}

fn is_scalar(ty: &Type) -> bool {
    crate::parse::scalar(ty).is_some()
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
fn run(signature: &Signature, function: &TokenStream) -> TokenStream {
    let (mut regions, mut values): (Vec<&ParamSyntax>, Vec<&ParamSyntax>) = (Vec::new(), Vec::new());
    let args = signature.params.iter().map(|param| {
        let (ty, before) = (&param.of, if param.role == ParamRole::Region { &mut regions } else { &mut values });
        let at = leaves(before);
        before.push(param);
        match param.role {
            ParamRole::Region => quote!(row.region::<#ty>(#at)),
            _ => quote!(row.value::<#ty>(#at)),
        }
    });
    let args: Vec<TokenStream> = args.collect();
    quote! {
        fn stm_run(
            tx: &mut ::stm_runtime::Tx<'_>,
            row: &::stm_runtime::__private::Row<'_>,
            results: &mut [u64],
        ) -> ::core::result::Result<(), ::stm_runtime::Abort> {
            ::stm_runtime::__private::finish(#function(tx, #(#args),*), results)
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
