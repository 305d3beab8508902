//! The items that the attributes generate: the function, and the type of the same name, which rustc resolves wherever the
//! function is named.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, ItemFn, Type};

use super::body::{forward, generic_over_memory};
use super::called;
use super::generic;
use super::instances;
use super::marker::{self, host_params};
pub(super) use super::marker::{cfgs, here};
use super::requires;
use super::transaction::{Bodies, call_param, components, parts, run, split};
use crate::front::lists;
use crate::front::parse::{ExternalSymbols, Instance, Signature};
use crate::ir::open::{ConstId, Form, Function, Generic};
use crate::ir::{Options, Overflow};
use crate::spec;

/// A function that compiled.
pub(crate) struct Item<'a> {
    /// The function as the user wrote it.
    pub(crate) written: &'a ItemFn,
    /// The function with types and locations, for CPU threads.
    pub(crate) rewritten: &'a ItemFn,
    pub(crate) signature: &'a Signature,
    pub(crate) transaction: &'a Function,
    pub(crate) external: &'a ExternalSymbols,
    /// Whether the rewritten body names the overflow mode.
    pub(crate) checked: bool,
    /// What was substituted for the parameters of a generic transaction.
    pub(crate) instance: Option<&'a Instance>,
}

/// The name of the handle of a function without one.
pub(crate) const HANDLE: &str = "stm_tx";

impl Item<'_> {
    /// Returns all items of a transaction.
    pub(crate) fn transaction(&self) -> TokenStream {
        let mut function = self.rewritten.clone();
        if self.checked {
            let mode = mode(&self.transaction.options);
            function.block.stmts.insert(0, syn::parse_quote!(const STM_CHECKED: bool = #mode;));
        }
        let text = match self.instance {
            Some(instance) => format!("{}::<{}>", self.transaction.name, instance.arguments()),
            None => self.transaction.name.clone(),
        };
        let this = this(self.signature, self.instance);
        let source = source_method_with(&self.source(), &self.external.items);
        let value = quote! {
            ::stm_runtime::Procedure::new(#text, <#this>::stm_source(), ::stm_runtime::__private::HostFunctions::new(
                <#this>::stm_execute, <#this>::stm_execute, <#this>::stm_execute
            ))
        };
        // A static cannot depend on the bounds of its function, and each `push` looks at it.
        let procedure = match requires::bounds(self.signature).is_empty() {
            true => quote!(static PROCEDURE: ::stm_runtime::Procedure = #value; &PROCEDURE),
            false => quote! {
                static PROCEDURE: ::std::sync::OnceLock<::stm_runtime::Procedure> = ::std::sync::OnceLock::new();
                PROCEDURE.get_or_init(|| #value)
            },
        };
        let bodies = Bodies::of(self.signature, procedure);
        // `Ok(a + b)` has become `Ok(add(a, b)?)`, and literals have a type now. Lints about groups of digits take the end of
        // that type for the last digits in the user's text.
        let allowed = quote! {
            #[allow(
                unused_braces, clippy::needless_question_mark, clippy::unusual_byte_groupings,
                clippy::inconsistent_digit_grouping
            )]
        };
        let run = run(self.signature);
        let (checks, cfgs) = (self.checks(&this), cfgs(self.written));
        let forward = forward(&function, self.signature);
        generic_over_memory(&mut function, self.signature);
        // Not with the other methods: the lints that are allowed there concern the user's text.
        let body = quote!(#(#cfgs)* #[allow(trivial_bounds, unused_lifetimes)] impl #this { #allowed #function });
        if self.instance.is_some() {
            let more = quote!(#source #run);
            let methods = methods(self.written, self.signature, self.instance, &bodies, &more);
            return quote!(#methods #body #checks);
        }
        let companion = companion(self.written, self.signature, &bodies, &quote!(#source #run));
        quote!(#forward #companion #body #checks)
    }

    /// Returns the checks that only rustc can make, when it evaluates constants: functions that call each other in a cycle, and
    /// values that are too large for a call. Only the transaction looks for cycles, so the cost grows with the program and not
    /// with its square.
    fn checks(&self, this: &TokenStream) -> TokenStream {
        let recursion = (!self.external.calls.is_empty()).then(|| {
            quote_spanned!(here(&self.signature.name)=> ::stm_runtime::__private::callee::refuse_recursion(<#this>::stm_source()))
        });
        let types = self.signature.params.iter().map(|param| &param.of).chain([&self.signature.result]);
        let sizes = types.filter(|ty| crate::front::parse::scalar(ty).is_none() && !is_unit(ty)).map(|ty| {
            let span = Span::call_site().located_at(ty.span());
            quote_spanned!(span=> ::stm_runtime::__private::callee::refuse_large(<#ty as ::stm_runtime::GpuData>::COMPONENTS))
        });
        let cfgs = cfgs(self.written);
        recursion.into_iter().chain(sizes).map(|check| quote!(#(#cfgs)* const _: () = #check;)).collect()
    }

    /// Returns the function that the user can call anywhere. `written`: as it stands in the source.
    pub(super) fn callable(&self, written: &impl ToTokens) -> TokenStream {
        match self.signature.tx {
            // A test or a build script can call it, so it is left unchanged.
            None => quote!(#[allow(dead_code, unused_braces)] #written),
            Some(_) => {
                let item = self.with_handle();
                quote! {
                    #[allow(
                        dead_code, unused_braces, clippy::needless_question_mark, clippy::unusual_byte_groupings,
                        clippy::inconsistent_digit_grouping
                    )]
                    #item
                }
            }
        }
    }

    /// Returns the body of the host version, which gives a result.
    pub(super) fn host_body(&self) -> TokenStream {
        let (body, result) = (&self.rewritten.block, &self.signature.result);
        let lent = self.signature.params.iter().filter_map(|param| {
            let (name, element) = (&param.ident, param.lent(&self.signature.generics)?);
            Some(quote!(let #name: &#element = ::stm_runtime::__private::local::Lent::lend(&#name);))
        });
        match self.transaction.form {
            Form::Function { tries: false } => {
                quote!({ #(#lent)* let stm_value: #result = #body; #[allow(unreachable_code)] ::core::result::Result::Ok(stm_value) })
            }
            _ => quote!({ #(#lent)* #body }),
        }
    }

    /// Returns a function with the handle. Only transactions have a handle, so only their host versions call it: it is there for
    /// rustc and editors. Its body is the one with types and locations, because the user's body may use `tx` in arguments of
    /// a method of `tx`, which rustc rejects.
    pub(super) fn with_handle(&self) -> ItemFn {
        let mut function = self.rewritten.clone();
        if self.checked {
            let mode = mode(&self.transaction.options);
            function.block.stmts.insert(0, syn::parse_quote!(const STM_CHECKED: bool = #mode;));
        }
        generic::bound(&mut function.sig.generics);
        if let (Some(_), Some(bounds)) =
            (&self.signature.owner, generic::bounded(&self.signature.generics).where_clause)
        {
            function.sig.generics.make_where_clause().predicates.extend(bounds.predicates);
        }
        let base = syn::parse_quote!(#[allow(unused_variables)] let stm_base: u32 = 0;);
        function.block.stmts.insert(0, base);
        function
    }

    /// Returns the function as the runtime compiles it, as a constant expression.
    pub(super) fn source(&self) -> TokenStream {
        self.source_for(self.external.dependent)
    }

    /// Returns the same: `dependent`, for what the parameters are at one use of the function, or for all of them.
    pub(super) fn source_for(&self, dependent: bool) -> TokenStream {
        let bytes = match dependent {
            // For rustc, a parameter is then a type as others are.
            true => postcard::to_allocvec(&Function { generics: Vec::new(), ..self.transaction.clone() }),
            false => postcard::to_allocvec(self.transaction),
        };
        let bytes = bytes.unwrap_or_default();
        let ir = Literal::byte_string(&bytes);
        let checked = mode(&self.transaction.options);
        let ExternalSymbols { types, constants, calls, .. } = self.external;
        let functions: Vec<_> = calls.iter().map(|site| called::source(site, dependent)).collect();
        let count = Literal::usize_unsuffixed(calls.len());
        let own = Literal::u32_unsuffixed(self.transaction.locations.len() as u32);
        let (first_locations, placed) = match dependent {
            true => (quote!(&[]), quote!(&::stm_runtime::__private::spec::Source::place(#own, [#(#functions),*]))),
            false => {
                let places = quote! {{
                    static FIRST_LOCATIONS: [::core::sync::atomic::AtomicU32; #count] =
                        [const { ::core::sync::atomic::AtomicU32::new(0) }; #count];
                    &FIRST_LOCATIONS
                }};
                (places, quote!(&[]))
            }
        };
        let (name, start) = (&self.transaction.name, self.signature.name.span().start());
        let instance = self.instance.map(|ty| quote!(#ty).to_string()).unwrap_or_default();
        // A macro can generate several functions with the same name at one position of one module; their bodies differ.
        let form = spec::identity(&bytes);
        let place = format!("::{name}<{instance}>:{}:{}:{form:x}", start.line, start.column + 1);
        let recursion = format!(
            "STM0040: `{name}` calls itself, directly or through other functions, and the device has no stack for that; write a loop"
        );
        let generics: &[Generic] = if dependent { &[] } else { &self.transaction.generics };
        let types = (0..).zip(types).map(|(k, ty)| type_of(ty, generics.contains(&Generic::Type(k))));
        let constants = (0..).zip(constants).map(|(k, constant)| {
            if generics.contains(&Generic::Length(ConstId(k))) {
                return quote!(|| ::stm_runtime::__private::constant(&0_usize));
            }
            let span = Span::mixed_site().located_at(constant.span());
            quote_spanned! {span=> || {
                const { ::stm_runtime::__private::callee::refuse_large_constant(::core::mem::size_of_val(&(#constant))) };
                ::stm_runtime::__private::constant(&(#constant))
            }}
        });
        quote! {
            ::stm_runtime::__private::spec::Source {
                ir: #ir,
                module: ::core::module_path!(),
                checked: #checked,
                types: &[#(#types),*],
                constants: &[#(#constants),*],
                functions: &[#(#functions),*],
                first_locations: #first_locations,
                placed: #placed,
                locations: #own,
                identity: ::stm_runtime::__private::spec::identity(
                    ::core::concat!(::core::module_path!(), #place).as_bytes()
                ),
                recursion: #recursion,
            }
        }
    }
}

/// Returns the type that a function names, as a constant expression. `any`: a parameter, which has no meaning there.
fn type_of(ty: &Type, any: bool) -> TokenStream {
    match ty {
        _ if any => quote!(<() as ::stm_runtime::GpuData>::TYPE),
        // A value of the type, which is never evaluated.
        Type::Verbatim(value) => {
            let span = Span::mixed_site().located_at(value.span());
            quote_spanned!(span=> ::stm_runtime::__private::callee::type_of(&|| #value))
        }
        ty => quote!(<#ty as ::stm_runtime::GpuData>::TYPE),
    }
}

fn is_unit(ty: &Type) -> bool {
    matches!(ty, Type::Tuple(tuple) if tuple.elems.is_empty())
}

/// Returns the method by which others find the source of a function. It has one address, which identifies the function.
pub(super) fn source_method(source: &TokenStream) -> TokenStream {
    source_method_with(source, &[])
}

/// Returns the same for a function with items inside of it.
pub(super) fn source_method_with(source: &TokenStream, items: &[syn::Item]) -> TokenStream {
    quote! {
        #[doc(hidden)]
        #[allow(clippy::all, clippy::pedantic, deprecated, unused)]
        pub const fn stm_source() -> &'static ::stm_runtime::__private::spec::Source {
            #(#items)*
            static SOURCE: ::stm_runtime::__private::spec::Source = #source;
            &SOURCE
        }
    }
}

/// Returns the same method for a function that did not compile.
pub(super) fn no_source() -> TokenStream {
    source_method(&quote!(::stm_runtime::__private::spec::Source::EMPTY))
}

/// Returns the same for a function that names what depends on its parameters: rustc makes a source for each use.
pub(super) fn source_of_each(name: &str, source: &TokenStream, items: &[syn::Item]) -> TokenStream {
    let name = Ident::new(name, Span::call_site());
    quote! {
        #[doc(hidden)]
        #[allow(clippy::all, clippy::pedantic, deprecated, unused)]
        pub const fn #name() -> &'static ::stm_runtime::__private::spec::Source {
            #(#items)*
            const { &#source }
        }
    }
}

/// Returns the companion type.
pub(crate) fn this(signature: &Signature, instance: Option<&Instance>) -> TokenStream {
    let name = &signature.name;
    match (instance, &signature.owner) {
        (Some(instance), _) => {
            let arguments = instance.arguments();
            quote!(#name<#arguments>)
        }
        (None, Some(_)) => marker::marker(name, &signature.generics),
        (None, None) => quote!(#name),
    }
}

/// Returns the source of a function as an expression inside of it.
pub(crate) fn own_source(signature: &Signature, instance: Option<&Instance>, dependent: bool) -> TokenStream {
    if dependent && signature.owner.is_none() {
        let (name, (_, args)) = (&signature.name, generic::of_host(&signature.generics));
        return quote!(<#name #args>::stm_stated());
    }
    let this = this(signature, instance);
    quote!(<#this>::stm_source())
}

pub(super) fn companion(item: &ItemFn, signature: &Signature, bodies: &Bodies, more: &TokenStream) -> TokenStream {
    let (vis, name, cfgs) = (&item.vis, &signature.name, cfgs(item));
    let about = format!(
        "The transaction [`{name}`](fn@{name}) as a procedure: makes calls for batches, shows the generated code."
    );
    let (host_version, asked) = (not_called(signature), asked_as(item, name, true, true));
    let methods = methods(item, signature, None, bodies, &quote!(#more #host_version));
    quote_spanned! {here(name)=>
        #(#cfgs)*
        #[doc = #about]
        #[allow(non_camel_case_types, dead_code)]
        #vis struct #name {}
        #methods
        #asked

        #(#cfgs)*
        #[diagnostic::do_not_recommend]
        impl ::stm_runtime::__private::callee::Determined for #name {}
    }
}

/// Returns a host version for transactions that wrongly call this one, so that rustc reports only the error about the call.
fn not_called(signature: &Signature) -> TokenStream {
    let (params, result, clause) = (host_params(signature), &signature.result, requires::clause(signature));
    quote! {
        #[doc(hidden)]
        pub fn stm_run<'stm, StmKind: ::stm_runtime::__private::Kind, const STM_CHECKED: bool>(
            #(#params),*
        ) -> impl ::core::ops::FnOnce(u32, &mut ::stm_runtime::Tx<'_, StmKind>) -> ::core::result::Result<#result, ::stm_runtime::Abort> + 'stm #clause {
            |_, _| ::core::unreachable!("a transaction is not called")
        }

        #[doc(hidden)]
        pub const fn stm_at<StmArgs>(_: &impl ::core::ops::FnOnce() -> StmArgs) -> &'static ::stm_runtime::__private::spec::Source {
            Self::stm_source()
        }

        #[doc(hidden)]
        pub const fn stm_given<StmArgs, StmResult>(
            _: &impl ::core::ops::FnOnce() -> StmArgs, _: &impl ::core::ops::FnOnce() -> StmResult
        ) -> &'static ::stm_runtime::__private::spec::Source {
            Self::stm_source()
        }
    }
}

pub(super) fn methods(
    item: &ItemFn,
    signature: &Signature,
    instance: Option<&Instance>,
    bodies: &Bodies,
    more: &TokenStream,
) -> TokenStream {
    let (name, cfgs, result, this) = (&signature.name, cfgs(item), &signature.result, this(signature, instance));
    let (arrays, values) = split(signature);
    let (arrays, values) = (components(&arrays), components(&values));
    let values = if parts(signature).is_empty() { values } else { quote!({ 1 + #values }) };
    let (params, lets) = lists::written(signature, Some(quote!('stm)), call_param);
    let (procedure, call, columns) = (&bodies.procedure, &bodies.call, bodies.columns_method(signature, &arrays));
    let clause = requires::clause(signature);
    let call_about = format!("A call of `{name}`, to push into a batch.");
    let made = quote!(::stm_runtime::Call<'stm, #result, #arrays, #values>);
    // rustc finds the instance by the arguments, so all of them have one `call`.
    let instance = instance.map(|_| instances::called(item, (&this, &made), &quote!(#lets #call)));
    let call = instance.is_none().then(|| {
        quote! {
            #[doc = #call_about]
            #[inline]
            pub fn call<'stm>(#(#params),*) -> #made #clause { #lets #call }
        }
    });
    quote! {
        #instance
        #(#cfgs)*
        #[allow(dead_code, unused_variables, private_interfaces, trivial_bounds, unused_lifetimes, clippy::too_many_arguments)]
        impl #this {
            #[doc(hidden)]
            pub fn procedure() -> &'static ::stm_runtime::Procedure #clause { #procedure }

            #call

            #columns

            /// The generated code, and what the compiler knows of it.
            pub fn kernel() -> ::stm_runtime::Kernel #clause { ::stm_runtime::Kernel::of(Self::procedure()) }

            #more
        }
    }
}

pub(super) fn asked_as(item: &ItemFn, name: &Ident, tries: bool, handle: bool) -> TokenStream {
    marker::asked_of(&cfgs(item), (&quote!(#name), &syn::Generics::default()), tries, handle)
}

/// Returns whether overflow faults, as an expression in the user's crate: only there `cfg!` means the user's build.
fn mode(options: &Options) -> TokenStream {
    match options.overflow {
        Overflow::AsBuilt => quote!(::core::cfg!(debug_assertions)),
        Overflow::Check => quote!(true),
        Overflow::Wrap => quote!(false),
    }
}
