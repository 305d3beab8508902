//! The signature: `tx`, regions, values, result.

use quote::ToTokens;
use syn::{FnArg, GenericArgument, Ident, ItemFn, Pat, PathArguments, ReturnType, Type, TypePath};

use super::text::plain;
use crate::diag::{Diagnostics, Rule};
use crate::ir::ParamDecl;
use crate::spec::{Role, Scalar};

const SCALARS: &str = "i8 to i64, u8 to u64, isize, usize, f32, f64, bool";

/// A signature that a transaction can have.
pub(crate) struct Signature {
    /// The function's name.
    pub(crate) name: Ident,
    /// The name of the first parameter.
    pub(crate) tx: Ident,
    /// The others.
    pub(crate) params: Vec<ParamSyntax>,
    /// `None` for `()`.
    pub(crate) result: Option<Scalar>,
}

/// One parameter.
pub(crate) struct ParamSyntax {
    pub(crate) ident: Ident,
    pub(crate) mutable: bool,
    pub(crate) role: Role,
    /// The type as the user wrote it.
    pub(crate) ty: Type,
}

impl ParamSyntax {
    pub(crate) fn declare(&self) -> ParamDecl {
        ParamDecl { name: plain(&self.ident), role: self.role }
    }
}

/// Reads the signature; `None` (and at least one report) where a transaction cannot have it.
pub(crate) fn parse_signature(item: &ItemFn, diags: &mut Diagnostics) -> Option<Signature> {
    let before = diags.iter().count();
    check_qualifiers(item, diags);
    let tx = parse_tx(item, diags);
    let params = item.sig.inputs.iter().skip(1).filter_map(|arg| parse_param(arg, diags)).collect();
    let result = parse_result(item, diags);
    check_name(&item.sig.ident, diags);
    if diags.iter().count() > before {
        return None;
    }
    Some(Signature { name: item.sig.ident.clone(), tx: tx?, params, result: result? })
}

fn check_qualifiers(item: &ItemFn, diags: &mut Diagnostics) {
    let sig = &item.sig;
    let mut refuse = |tokens: &dyn ToTokens, what: &str, instead: &str| {
        let message = format!("a transaction cannot be {what}; {instead}");
        diags.report(Rule::Qualifier, tokens.to_token_stream(), message);
    };
    if let Some(token) = &sig.asyncness {
        refuse(token, "`async`: it runs to its end on the device", "remove `async`");
    }
    if let Some(token) = &sig.constness {
        refuse(token, "`const`: it works on shared data at run time", "remove `const`");
    }
    if !matches!(sig.safety, syn::Safety::Default) {
        refuse(&sig.safety, "`unsafe`: its whole body is checked", "remove `unsafe`");
    }
    if let Some(abi) = &sig.abi {
        refuse(abi, "`extern`: only tables call it", "remove the ABI");
    }
    if let Some(dots) = &sig.variadic {
        refuse(&dots.dots, "variadic", "list the parameters");
    }
    if !sig.generics.params.is_empty() || sig.generics.where_clause.is_some() {
        let message = "a transaction has no generic parameters or lifetimes, because one kernel is made of it; \
                       write one function for each type, as in `fn transfer(tx: &mut Tx, accounts: &Shared<i64>)`";
        let tokens = match &sig.generics.where_clause {
            Some(clause) if sig.generics.params.is_empty() => clause.to_token_stream(),
            _ => sig.generics.to_token_stream(),
        };
        diags.report(Rule::Generics, tokens, message);
    }
}

/// Names that would meet those of the generated code.
pub(super) fn check_name(ident: &Ident, diags: &mut Diagnostics) {
    let name = plain(ident);
    if name.to_ascii_lowercase().starts_with("stm_") {
        let message = format!("`{name}` starts with `stm_`, which belongs to the generated code; choose another name");
        diags.report(Rule::ReservedName, ident, message);
    }
}

fn parse_tx(item: &ItemFn, diags: &mut Diagnostics) -> Option<Ident> {
    let ident = match item.sig.inputs.first() {
        Some(FnArg::Typed(arg)) if is_tx(&arg.ty) => match &*arg.pat {
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none() => {
                Some(pat.ident.clone())
            }
            _ => None,
        },
        _ => None,
    };
    if ident.is_none() {
        let message = "the first parameter of a transaction is its handle; write `tx: &mut Tx`";
        match item.sig.inputs.first() {
            Some(first) => diags.report(Rule::Signature, first, message),
            None => diags.report(Rule::Signature, &item.sig.ident, message),
        }
    }
    ident
}

fn is_tx(ty: &Type) -> bool {
    let Type::Reference(reference) = ty else { return false };
    let Type::Path(path) = &*reference.elem else { return false };
    reference.mutability.is_some() && path.path.segments.last().is_some_and(|s| s.ident == "Tx")
}

fn parse_param(arg: &FnArg, diags: &mut Diagnostics) -> Option<ParamSyntax> {
    let FnArg::Typed(arg) = arg else { return None };
    if let Some(attr) = arg.attrs.first() {
        diags.report(Rule::Statement, attr, "attributes on parameters have no meaning here; remove this one");
    }
    let Pat::Ident(pat) = &*arg.pat else {
        diags.report(Rule::Pattern, &arg.pat, "a parameter of a transaction is a plain name, as in `amount: i64`");
        return None;
    };
    if pat.by_ref.is_some() || pat.subpat.is_some() {
        diags.report(Rule::Pattern, pat, format!("write the plain name `{}`", pat.ident));
        return None;
    }
    check_name(&pat.ident, diags);
    let role = parse_role(&arg.ty, &pat.ident, diags)?;
    let mutable = pat.mutability.is_some();
    if let (Some(token), Role::Region(_)) = (&pat.mutability, role) {
        diags.report(Rule::SharedState, token, "a region is changed with `tx.write` alone; remove `mut`");
    }
    Some(ParamSyntax { ident: pat.ident.clone(), mutable, role, ty: (*arg.ty).clone() })
}

fn parse_role(ty: &Type, name: &Ident, diags: &mut Diagnostics) -> Option<Role> {
    match ty {
        Type::Reference(reference) => {
            let Some(element) = shared_element(&reference.elem) else {
                let message = format!(
                    "a transaction gets values and shared regions, no other references; \
                     write `{name}: &Shared<i64>` or pass a scalar ({SCALARS}) by value"
                );
                diags.report(Rule::ParameterType, ty, message);
                return None;
            };
            if let Some(token) = &reference.mutability {
                let message = "shared data changes through `tx.write` alone; write `&Shared<..>`";
                diags.report(Rule::SharedState, token, message);
            }
            let Some(scalar) = scalar(element) else {
                let message = format!("a region holds scalars in this version; use one of {SCALARS}");
                diags.report(Rule::ParameterType, element, message);
                return None;
            };
            Some(Role::Region(scalar))
        }
        _ if shared_element(ty).is_some() => {
            let text = quote::quote!(#ty).to_string().replace(' ', "");
            diags.report(Rule::ParameterType, ty, format!("a region is passed by reference; write `{name}: &{text}`"));
            None
        }
        _ => {
            let found = scalar(ty);
            if found.is_none() {
                let message = format!(
                    "a parameter of this type cannot be passed to the device; use a scalar ({SCALARS}) or `&Shared<scalar>`"
                );
                diags.report(Rule::ParameterType, ty, message);
            }
            found.map(Role::Value)
        }
    }
}

/// `T` of `Shared<T>`.
fn shared_element(ty: &Type) -> Option<&Type> {
    single_argument(ty, "Shared")
}

fn single_argument<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Path(TypePath { qself: None, path, .. }) = ty else { return None };
    let last = path.segments.last().filter(|s| s.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.iter().collect::<Vec<_>>().as_slice() {
        [GenericArgument::Type(element)] => Some(element),
        _ => None,
    }
}

/// The scalar that a type names.
pub(super) fn scalar(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Path(TypePath { qself: None, path, .. }) => Scalar::from_rust(&path.get_ident()?.to_string()),
        Type::Paren(inner) => scalar(&inner.elem),
        Type::Group(inner) => scalar(&inner.elem),
        _ => None,
    }
}

/// `Some(None)` for `TxResult` and `TxResult<()>`.
fn parse_result(item: &ItemFn, diags: &mut Diagnostics) -> Option<Option<Scalar>> {
    let ReturnType::Type(_, ty) = &item.sig.output else {
        let message = "a transaction can conflict, so it returns a `TxResult`; write `-> TxResult`";
        diags.report(Rule::Signature, &item.sig.ident, message);
        return None;
    };
    if let Some(argument) = single_argument(ty, "TxResult") {
        if matches!(argument, Type::Tuple(tuple) if tuple.elems.is_empty()) {
            return Some(None);
        }
        let found = scalar(argument);
        if found.is_none() {
            let message = format!("the result of a transaction is `()` or a scalar ({SCALARS}) in this version");
            diags.report(Rule::Signature, argument, message);
        }
        return found.map(Some);
    }
    if let Type::Path(path) = &**ty
        && path.path.segments.last().is_some_and(|s| s.ident == "TxResult" && s.arguments.is_none())
    {
        return Some(None);
    }
    let message = "a transaction can conflict, so it returns a `TxResult`; write `-> TxResult` or `-> TxResult<i64>`";
    diags.report(Rule::Signature, ty, message);
    None
}
