//! The attributes, the derive and the macro of GPU transactions: their declarations and their documentation. The compiler is
//! `kernels-gen`.
//!
//! Each of them is here twice, because generated code must name the crate that the user's program depends on: once for programs
//! with `gpu-transactions`, which re-exports it under its plain name, and once for programs with `stm-runtime` alone.

use proc_macro::TokenStream;
use quote::quote;

#[doc = include_str!("gpu_transaction.md")]
#[proc_macro_attribute]
pub fn gpu_transaction(attr: TokenStream, item: TokenStream) -> TokenStream {
    let file = proc_macro::Span::call_site().file();
    kernels_gen::pipeline::expand(attr.into(), item.into(), &file).into()
}

#[doc = include_str!("gpu_transaction.md")]
#[proc_macro_attribute]
pub fn gpu_transactions_transaction(attr: TokenStream, item: TokenStream) -> TokenStream {
    in_gpu_transactions(gpu_transaction(attr, item))
}

#[doc = include_str!("gpu_fn.md")]
#[proc_macro_attribute]
pub fn gpu_fn(attr: TokenStream, item: TokenStream) -> TokenStream {
    let file = proc_macro::Span::call_site().file();
    kernels_gen::pipeline::expand_helper(attr.into(), item.into(), &file).into()
}

#[doc = include_str!("gpu_fn.md")]
#[proc_macro_attribute]
pub fn gpu_transactions_fn(attr: TokenStream, item: TokenStream) -> TokenStream {
    in_gpu_transactions(gpu_fn(attr, item))
}

#[doc = include_str!("gpu_data.md")]
#[proc_macro_derive(GpuData, attributes(gpu_data))]
pub fn gpu_data(item: TokenStream) -> TokenStream {
    kernels_gen::derive::derive(item.into()).into()
}

#[doc = include_str!("gpu_data.md")]
#[proc_macro_derive(GpuTransactionsData, attributes(gpu_data))]
pub fn gpu_transactions_data(item: TokenStream) -> TokenStream {
    in_gpu_transactions(gpu_data(item))
}

/// Implements `gpu_transaction!`, which begins the input with the path of the crate that declares it.
#[doc(hidden)]
#[proc_macro]
pub fn stm_closure(input: TokenStream) -> TokenStream {
    // The call site is in the macro that passes the input on, and so is the path. The body of the closure is the user's.
    let written = input.clone().into_iter().last().map_or_else(proc_macro::Span::call_site, |token| token.span());
    let file = written.file();
    kernels_gen::pipeline::expand_closure(input.into(), &file).into()
}

/// Returns the items for a program that depends on `gpu-transactions`.
fn in_gpu_transactions(items: TokenStream) -> TokenStream {
    kernels_gen::root::move_to(&quote!(::gpu_transactions), items.into()).into()
}
