//! The forms in which a transaction can be written. All of them are turned into a function.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprClosure, FnArg, ItemConst, ItemFn, Pat, PatType, ReturnType, Token, Type};

use self::words::captures as captures_word;
use crate::front::diag::Rule;
use crate::front::print::rejected;

/// An error for an item that cannot be made a function: the rule, the tokens, and what to write instead.
pub(crate) type Rejected = (Rule, TokenStream, String);

const INSTEAD: &str = "write `#[gpu_transaction]` before a `fn` with `tx: &mut Tx` as its first parameter";

/// Returns the function that an annotated item stands for: itself, or the closure that is its value.
pub(crate) fn function(item: &TokenStream) -> Result<ItemFn, Rejected> {
    let error = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => return Ok(function),
        Err(error) => error,
    };
    let what = match syn::parse2::<syn::Item>(item.clone()) {
        Ok(syn::Item::Const(node)) => return constant(node),
        Ok(syn::Item::Static(_)) => {
            "a transaction is a constant, not a `static`; write `const name: _ = |tx: &mut Tx, ..| ..`"
        }
        Ok(syn::Item::Struct(_) | syn::Item::Enum(_) | syn::Item::Union(_)) => "types cannot be transactions",
        Ok(syn::Item::Impl(_) | syn::Item::Trait(_) | syn::Item::Mod(_)) => "annotate each function by itself",
        Ok(_) => "only a function can be a transaction",
        // The text is not an item at all: the parser's message fits best.
        Err(_) => return Err((Rule::NotAFunction, error.to_compile_error(), error.to_string())),
    };
    let instead = if what.contains("; ") { String::new() } else { format!("; {INSTEAD}") };
    Err((Rule::NotAFunction, item.clone(), format!("{what}{instead}")))
}

/// Returns whether the item is a constant: rustc would report errors of its own about a value that is not a closure.
pub(crate) fn is_constant(item: &TokenStream) -> bool {
    matches!(syn::parse2::<syn::Item>(item.clone()), Ok(syn::Item::Const(_)))
}

/// Returns the function of `const name: _ = |tx: &mut Tx, ..| { .. };`.
fn constant(item: ItemConst) -> Result<ItemFn, Rejected> {
    let Expr::Closure(closure) = &*item.expr else {
        let message =
            format!("the value of this constant is not a closure; write `|tx: &mut Tx, ..| ..`, or {INSTEAD}");
        return Err((Rule::NotAFunction, item.expr.to_token_stream(), message));
    };
    let signature = closure_signature(closure)?;
    let (attrs, vis, name) = (&item.attrs, &item.vis, &item.ident);
    let (inputs, output, body) = (signature.inputs, signature.output, block(&closure.body));
    let keyword = syn::token::Fn(item.const_token.span);
    let function = quote!(#(#attrs)* #vis #keyword #name(#(#inputs),*) #output #body);
    syn::parse2(function).map_err(|error| (Rule::NotAFunction, item.to_token_stream(), error.to_string()))
}

/// The parameters and the result that a closure states.
pub(crate) struct ClosureSignature {
    pub(crate) inputs: Vec<FnArg>,
    pub(crate) output: TokenStream,
}

pub(crate) fn closure_signature(closure: &ExprClosure) -> Result<ClosureSignature, Rejected> {
    for (token, what) in [
        (closure.asyncness.as_ref().map(ToTokens::to_token_stream), "`async`"),
        (closure.capture.as_ref().map(ToTokens::to_token_stream), "`move`"),
        (closure.constness.as_ref().map(ToTokens::to_token_stream), "`const`"),
    ] {
        if let Some(token) = token {
            return Err((Rule::Qualifier, token, format!("the closure of a transaction is plain; remove {what}")));
        }
    }
    let mut inputs = Vec::new();
    for pat in &closure.inputs {
        match pat {
            Pat::Type(typed) => inputs.push(FnArg::Typed(typed.clone())),
            other => {
                let message = "each parameter of the closure needs its type, as in `|tx: &mut Tx, from: u32|`";
                return Err((Rule::ParameterType, other.to_token_stream(), message.to_owned()));
            }
        }
    }
    let output = match &closure.output {
        ReturnType::Default => quote!(-> ::stm_runtime::TxResult),
        written => written.to_token_stream(),
    };
    Ok(ClosureSignature { inputs, output })
}

/// Returns a body as a block.
pub(crate) fn block(body: &Expr) -> TokenStream {
    match body {
        Expr::Block(node) if node.label.is_none() && node.attrs.is_empty() => node.block.to_token_stream(),
        other => quote!({ #other }),
    }
}

/// `gpu_transaction!(options, captures(a: T), |tx: &mut Tx, ..| ..)`
pub(crate) struct Closure {
    /// The closure as a function; its captures are the last parameters.
    pub(crate) function: ItemFn,
    /// The options, as those of the attribute.
    pub(crate) attribute: TokenStream,
    /// Parameters and captures.
    params: Vec<PatType>,
    captures: Vec<PatType>,
    written: TokenStream,
}

/// Reads the input of the macro.
pub(crate) fn closure(input: &TokenStream) -> Result<Closure, Rejected> {
    const FORM: &str = "write `gpu_transaction!(|tx: &mut Tx, accounts: &Shared<i64>, from: u32| { .. })`, with \
                        `captures(fee: i64)` before the closure for the variables that it captures";
    let bad = |error: syn::Error| (Rule::NotAFunction, error.to_compile_error(), format!("{error}; {FORM}"));
    let parts = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(input.clone());
    let mut options = Vec::new();
    let mut captures = Vec::new();
    // `captures(fee: i64)` is not an expression, so the input is split by hand where it does not parse.
    let closure = match parts {
        Ok(parts) if parts.len() == 1 => parts.into_iter().next(),
        _ => {
            let parsed = (|input: ParseStream<'_>| {
                while !input.peek(Token![|]) {
                    if input.peek(captures_word) {
                        input.parse::<captures_word>()?;
                        let inside;
                        syn::parenthesized!(inside in input);
                        let args = Punctuated::<FnArg, Token![,]>::parse_terminated(&inside)?;
                        captures.extend(args.into_iter().filter_map(|arg| match arg {
                            FnArg::Typed(typed) => Some(typed),
                            FnArg::Receiver(_) => None,
                        }));
                    } else {
                        options.push(input.parse::<syn::Meta>()?);
                    }
                    input.parse::<Token![,]>()?;
                }
                input.parse::<Expr>()
            })
            .parse2(input.clone());
            Some(parsed.map_err(bad)?)
        }
    };
    let Some(Expr::Closure(closure)) = closure else {
        return Err((Rule::NotAFunction, input.clone(), format!("a closure is missing; {FORM}")));
    };
    let signature = closure_signature(&closure)?;
    let typed = |arg: &FnArg| match arg {
        FnArg::Typed(typed) => Some(typed.clone()),
        FnArg::Receiver(_) => None,
    };
    let params: Vec<PatType> = signature.inputs.iter().skip(1).filter_map(typed).collect();
    let (inputs, output, body) = (&signature.inputs, &signature.output, block(&closure.body));
    // The closure begins on the line of its first `|`.
    let keyword = syn::token::Fn(closure.inputs_begin.span);
    let function = quote!(#keyword closure(#(#inputs,)* #(#captures),*) #output #body);
    let function = syn::parse2(function).map_err(bad)?;
    Ok(Closure { function, attribute: quote!(#(#options),*), params, captures, written: quote!(#closure) })
}

impl Closure {
    /// Returns a stub for a closure whose signature cannot be used.
    pub(crate) fn rejected(&self) -> TokenStream {
        rejected::closure(&self.function, self.params.len(), &self.written)
    }

    /// Returns the value that stands for the closure and holds its captures.
    pub(crate) fn expression(&self, items: &TokenStream) -> TokenStream {
        let names = |list: &[PatType]| list.iter().map(|p| p.pat.to_token_stream()).collect::<Vec<_>>();
        let types = |list: &[PatType]| list.iter().map(|p| p.ty.to_token_stream()).collect::<Vec<_>>();
        let (names_in, captured) = (names(&self.params), names(&self.captures));
        let captured_types = types(&self.captures);
        let params = self.params.iter().map(|param| {
            let name = &param.pat;
            match &*param.ty {
                Type::Reference(reference) => {
                    let element = &reference.elem;
                    quote!(#name: &'stm #element)
                }
                ty => quote!(#name: #ty),
            }
        });
        let args = names_in.iter().cloned().chain(captured.iter().map(|name| quote!(self.#name)));
        let (arrays, values): (Vec<&PatType>, Vec<&PatType>) =
            self.params.iter().chain(&self.captures).partition(|p| matches!(*p.ty, Type::Reference(_)));
        let parts = arrays
            .iter()
            .any(|p| matches!(&*p.ty, Type::Reference(r) if crate::front::parse::partition(&r.elem).is_some()));
        let (arrays, values) = (components(&arrays), components(&values));
        let values = if parts { quote!({ 1 + #values }) } else { values };
        let result = crate::front::parse::result_of(&self.function).unwrap_or_else(|| syn::parse_quote!(()));
        quote! {{
            #items

            /// A transaction with what it captured.
            #[derive(Clone, Copy)]
            #[allow(non_camel_case_types)]
            struct Closure { #(#captured: #captured_types),* }

            #[allow(dead_code)]
            impl Closure {
                /// A call, to push into a table.
                pub fn call<'stm>(&self, #(#params),*) -> ::stm_runtime::Call<'stm, #result, #arrays, #values> {
                    closure::call(#(#args),*)
                }

                /// The generated code, and what the compiler knows of it.
                pub fn kernel(&self) -> ::stm_runtime::Kernel {
                    closure::kernel()
                }
            }

            Closure { #(#captured),* }
        }}
    }
}

/// Returns the number of components of the parameters, as a constant expression.
fn components(params: &[&PatType]) -> TokenStream {
    let types = params.iter().map(|param| match &*param.ty {
        Type::Reference(reference) => {
            let element = crate::front::parse::argument(&reference.elem, "Shared");
            let element = element.or_else(|| crate::front::parse::partition(&reference.elem)?.0);
            element.unwrap_or(&reference.elem).clone()
        }
        ty => ty.clone(),
    });
    quote!({ 0 #(+ <#types as ::stm_runtime::GpuData>::COMPONENTS)* })
}

mod words {
    syn::custom_keyword!(captures);
}
