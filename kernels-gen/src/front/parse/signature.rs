//! The signature: `tx`, arrays, values, result.

use quote::ToTokens;
use syn::{Expr, ExprLit, FnArg, Ident, ItemFn, Lit, Pat, Receiver, ReceiverKind, ReturnType, Type};

use super::text::plain;
use super::text::type_source;
use super::types::{argument, no_result, no_type, partition, parts, refused, uncounted, without_references};
use crate::front::diag::{Diagnostics, Rule};
use crate::ir::open::{Form, ParamRole};

const TYPES: &str =
    "i8 to i128, u8 to u128, isize, usize, f32, f64, bool, tuples, arrays, `Option`, types with `#[derive(GpuData)]`";

/// A signature that a transaction, or a function for transactions, can have.
pub(crate) struct Signature {
    /// The function's name.
    pub(crate) name: Ident,
    /// The name of the handle; a `#[gpu_fn]` can do without.
    pub(crate) tx: Option<Ident>,
    /// The other parameters.
    pub(crate) params: Vec<ParamSyntax>,
    /// The type of the value that it returns.
    pub(crate) result: Type,
    /// Whether it returns a reference to that value, which is the value itself here.
    pub(crate) lends: bool,
    pub(crate) form: Form,
    /// Whether there are variables around it, which it has to declare as captures.
    pub(crate) captures: bool,
    /// The type of the `impl` block that it stands in.
    pub(crate) owner: Option<Type>,
    /// The parameters of a `#[gpu_fn]` for types and lengths.
    pub(crate) generics: syn::Generics,
}

/// One parameter.
pub(crate) struct ParamSyntax {
    pub(crate) ident: Ident,
    pub(crate) mutable: bool,
    pub(crate) role: ParamRole,
    /// The type of the value, of the elements, or of the variable that `&mut` refers to.
    pub(crate) of: Type,
    /// The type as the user wrote it.
    pub(crate) ty: Type,
    /// `N` of a `&Partition<T, N>`.
    pub(crate) part: Option<Expr>,
    /// `self` as the user wrote it.
    pub(crate) receiver: Option<Receiver>,
}

impl ParamSyntax {
    /// Returns whether the name is a reference in the body: the value is `*name`.
    pub(super) fn is_reference(&self) -> bool {
        self.role == ParamRole::Place || self.role == ParamRole::Value && matches!(self.ty, Type::Reference(_))
    }
}

/// The kind of annotated item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Transaction,
    /// A transaction that was written as a closure in an expression.
    Closure,
    Function,
}

impl Kind {
    fn words(self) -> &'static str {
        match self {
            Kind::Transaction | Kind::Closure => "a transaction",
            Kind::Function => "a `#[gpu_fn]`",
        }
    }
}

/// Reads the signature of a free function; returns `None`, with at least one report, if it cannot be used.
pub(crate) fn parse_signature(item: &ItemFn, kind: Kind, diags: &mut Diagnostics) -> Option<Signature> {
    if let Some(receiver) = item.sig.receiver() {
        let message = match kind {
            Kind::Function => "a function with `self` belongs to a type; write `#[gpu_fn]` before the `impl` block",
            _ => "a transaction has no `self` and stands outside of `impl`; pass the value as a parameter",
        };
        diags.report(Rule::Signature, receiver, message);
        return None;
    }
    parse_in(item, kind, None, diags)
}

/// Reads the signature of a function in an `impl` block of this type. `generics`: the parameters of the block.
pub(crate) fn parse_method(
    item: &ItemFn,
    owner: &Type,
    generics: &syn::Generics,
    diags: &mut Diagnostics,
) -> Option<Signature> {
    parse_in(item, Kind::Function, Some(owner), diags)
        .map(|signature| Signature { generics: generics.clone(), ..signature })
}

fn parse_in(item: &ItemFn, kind: Kind, owner: Option<&Type>, diags: &mut Diagnostics) -> Option<Signature> {
    // A bad name is an error too, but the body can be read, and shows its own errors.
    let unusable = |diags: &Diagnostics| diags.iter().filter(|d| d.rule != Rule::ReservedName).count();
    let before = unusable(diags);
    check_qualifiers(item, kind, owner, diags);
    let receiver = item.sig.receiver().zip(owner).and_then(|(receiver, owner)| parse_self(receiver, owner, diags));
    let inputs: Vec<&FnArg> = item.sig.inputs.iter().skip(usize::from(item.sig.receiver().is_some())).collect();
    let tx = match kind {
        Kind::Transaction | Kind::Closure => parse_tx(item, diags),
        Kind::Function => inputs.first().copied().and_then(tx_name),
    };
    let skipped = usize::from(kind != Kind::Function || tx.is_some());
    let others = inputs.into_iter().skip(skipped).filter_map(|arg| parse_param(arg, kind, diags));
    let params = receiver.into_iter().chain(others.collect::<Vec<_>>()).collect();
    let (result, tries) = match kind {
        Kind::Transaction | Kind::Closure => (parse_result(item, diags), true),
        Kind::Function => checked_result(item, tx.is_some(), diags),
    };
    check_name(&item.sig.ident, diags);
    let generics = match kind {
        Kind::Function if owner.is_none() => super::instance::parameters(&item.sig.generics, diags),
        _ => syn::Generics::default(),
    };
    if unusable(diags) > before {
        return None;
    }
    let form = match kind {
        Kind::Transaction | Kind::Closure => Form::Transaction,
        Kind::Function => Form::Function { tries },
    };
    let lends = matches!(&item.sig.output, ReturnType::Type(_, ty) if without_references(ty).is_some());
    let (name, captures, owner) = (item.sig.ident.clone(), kind == Kind::Closure, owner.cloned());
    Some(Signature { name, tx, params, result: result?, lends, form, captures, owner, generics })
}

/// Reads `self`, `&self` or `&mut self`.
fn parse_self(receiver: &Receiver, owner: &Type, diags: &mut Diagnostics) -> Option<ParamSyntax> {
    let (ty, role) = match &receiver.kind {
        ReceiverKind::Value => (owner.clone(), ParamRole::Value),
        ReceiverKind::Reference(_, _, None) => (syn::parse_quote!(&#owner), ParamRole::Value),
        ReceiverKind::Reference(_, _, Some(_)) => (syn::parse_quote!(&mut #owner), ParamRole::Place),
        _ => {
            diags.report(Rule::Signature, receiver, "write `self`, `&self` or `&mut self`, without a type");
            return None;
        }
    };
    Some(ParamSyntax {
        ident: Ident::new("self", receiver.self_token.span),
        mutable: receiver.mutability.is_some(),
        role,
        of: owner.clone(),
        ty,
        part: None,
        receiver: Some(receiver.clone()),
    })
}

fn check_qualifiers(item: &ItemFn, kind: Kind, owner: Option<&Type>, diags: &mut Diagnostics) {
    let sig = &item.sig;
    let mut refuse = |tokens: &dyn ToTokens, what: &str, instead: &str| {
        let message = format!("{} cannot be {what}; {instead}", kind.words());
        diags.report(Rule::Qualifier, tokens.to_token_stream(), message);
    };
    sig.asyncness.iter().for_each(|token| refuse(token, "`async`: it runs to its end on the device", "remove `async`"));
    // A function without the handle is left as it is.
    let reads = kind != Kind::Function || sig.inputs.iter().any(|arg| tx_name(arg).is_some());
    if let (Some(token), true) = (&sig.constness, reads) {
        refuse(token, "`const`: it works on shared data at run time", "remove `const`");
    }
    if !matches!(sig.safety, syn::Safety::Default) {
        refuse(&sig.safety, "`unsafe`: its whole body is checked", "remove `unsafe`");
    }
    sig.abi.iter().for_each(|abi| refuse(abi, "`extern`: only batches call it", "remove the ABI"));
    sig.variadic.iter().for_each(|dots| refuse(&dots.dots, "variadic", "list the parameters"));
    let own = kind == Kind::Function && owner.is_none();
    let lifetimes = owner.is_some() && sig.generics.params.len() == sig.generics.lifetimes().count();
    if !own && (sig.generics.where_clause.is_some() || !lifetimes && !sig.generics.params.is_empty()) {
        let message = match owner {
            Some(_) => {
                "a method of the device has no parameters for types; write a function with them, outside of the `impl` block"
            }
            None => {
                "a transaction becomes one kernel, so it needs the types and constants for its parameters; list them: \
                 `#[gpu_transaction(instantiate(u32, i64))]`, or `instantiate((u32, 4), (i64, 8))` for several parameters"
            }
        };
        let tokens = match &sig.generics.where_clause {
            Some(clause) if sig.generics.params.is_empty() => clause.to_token_stream(),
            _ => sig.generics.to_token_stream(),
        };
        diags.report(Rule::Generics, tokens, message);
    }
}

/// Reports names that would collide with those of the generated code.
pub(super) fn check_name(ident: &Ident, diags: &mut Diagnostics) {
    let name = plain(ident);
    let ours =
        name == super::tree::INDEX || name.starts_with(super::tree::PART) || name.starts_with(super::tree::GENERATED);
    if name.to_ascii_lowercase().starts_with("stm_") && !ours {
        let message = format!("`{name}` starts with `stm_`, which belongs to the generated code; choose another name");
        diags.report(Rule::ReservedName, ident, message);
    }
}

fn parse_tx(item: &ItemFn, diags: &mut Diagnostics) -> Option<Ident> {
    let ident = item.sig.inputs.first().and_then(tx_name);
    if ident.is_none() {
        let message = "the first parameter of a transaction is its handle; write `tx: &mut Tx`";
        match item.sig.inputs.first() {
            Some(first) => diags.report(Rule::Signature, first, message),
            None => diags.report(Rule::Signature, &item.sig.ident, message),
        }
    }
    ident
}

/// Returns the name of `tx: &mut Tx`.
fn tx_name(arg: &FnArg) -> Option<Ident> {
    match arg {
        FnArg::Typed(arg) if is_tx(&arg.ty) => match &*arg.pat {
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none() => {
                Some(pat.ident.clone())
            }
            _ => None,
        },
        _ => None,
    }
}

/// Returns whether the type is that of the handle.
pub(crate) fn is_tx(ty: &Type) -> bool {
    let Type::Reference(reference) = ty else { return false };
    let Type::Path(path) = &*reference.elem else { return false };
    reference.mutability.is_some() && path.path.segments.last().is_some_and(|s| s.ident == "Tx")
}

fn parse_param(arg: &FnArg, kind: Kind, diags: &mut Diagnostics) -> Option<ParamSyntax> {
    let FnArg::Typed(arg) = arg else { return None };
    if let Some(attr) = arg.attrs.first() {
        diags.report(Rule::Statement, attr, "attributes on parameters have no meaning here; remove this one");
    }
    // Other patterns have become names before.
    let pat = match &*arg.pat {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => pat,
        other => {
            diags.report(Rule::Pattern, other, "an array is a plain name here, as in `cells: &Shared<u32>`");
            return None;
        }
    };
    check_name(&pat.ident, diags);
    if is_tx(&arg.ty) {
        let message = "a function has one handle, and it is the first parameter; write `tx: &mut Tx` before the others";
        diags.report(Rule::Signature, arg, message);
        return None;
    }
    let (role, of, part) = parse_role(&arg.ty, &pat.ident, kind, diags)?;
    let mutable = pat.mutability.is_some();
    if let (Some(token), ParamRole::Array) = (&pat.mutability, role) {
        diags.report(Rule::SharedState, token, "only `tx.write` changes an array; remove `mut`");
    }
    Some(ParamSyntax { ident: pat.ident.clone(), mutable, role, of, ty: (*arg.ty).clone(), part, receiver: None })
}

/// The role of a parameter, its type, and the partition size if it is partitioned.
type ParsedRole = (ParamRole, Type, Option<Expr>);

fn parse_role(ty: &Type, name: &Ident, kind: Kind, diags: &mut Diagnostics) -> Option<ParsedRole> {
    match ty {
        Type::Reference(reference) => {
            let exclusive = |array: &str, diags: &mut Diagnostics| {
                if let Some(token) = &reference.mutability {
                    let message = format!("shared data changes only through `tx.write`; write `&{array}<..>`");
                    diags.report(Rule::SharedState, token, message);
                }
            };
            if let Some(element) = argument(&reference.elem, "Shared") {
                exclusive("Shared", diags);
                return value_type(element, diags).map(|of| (ParamRole::Array, of, None));
            }
            if let Some((element, size)) = partition(&reference.elem) {
                exclusive("Partition", diags);
                return parse_partition(&reference.elem, name, (element, size), diags);
            }
            if parts(&reference.elem, "Partitioned").is_some() {
                let one = type_source(&reference.elem).replacen("Partitioned", "Partition", 1);
                let message = format!(
                    "a transaction works on one partition of such an array; write `{name}: &{one}`, and pass `{name}.part(number)?`"
                );
                diags.report(Rule::ParameterType, ty, message);
                return None;
            }
            if kind == Kind::Function && !is_tx(ty) {
                let role = if reference.mutability.is_some() { ParamRole::Place } else { ParamRole::Value };
                return value_type(&reference.elem, diags).map(|of| (role, of, None));
            }
            let message = match (kind, &*reference.elem) {
                (_, Type::Path(path)) if path.path.is_ident("str") => no_type(&reference.elem),
                (Kind::Transaction | Kind::Closure, Type::Slice(_)) => format!(
                    "a call has a fixed size, so it has no slices; write `{name}: [u32; 8]`, an array of a length that you choose, or \
                     `{name}: &Shared<u32>` for data that stays on the device"
                ),
                (Kind::Transaction | Kind::Closure, _) => format!(
                    "a transaction takes values and shared arrays, but no other references; \
                     write `{name}: &Shared<i64>` or pass a value ({TYPES})"
                ),
                (Kind::Function, _) => format!(
                    "a `#[gpu_fn]` takes values, `&` and `&mut` variables, and `&Shared<..>` arrays; pass a value ({TYPES})"
                ),
            };
            diags.report(Rule::ParameterType, ty, message);
            None
        }
        _ if argument(ty, "Shared").is_some() || partition(ty).is_some() => {
            let text = type_source(ty);
            diags.report(Rule::ParameterType, ty, format!("an array is passed by reference; write `{name}: &{text}`"));
            None
        }
        _ => value_type(ty, diags).map(|of| (ParamRole::Value, of, None)),
    }
}

/// Parses `&Partition<T, N>`.
fn parse_partition(
    ty: &Type,
    name: &Ident,
    (element, size): (Option<&Type>, Option<Expr>),
    diags: &mut Diagnostics,
) -> Option<ParsedRole> {
    let (Some(element), Some(size)) = (element, size) else {
        let element = element.map_or_else(|| "u32".to_owned(), type_source);
        let message = format!(
            "a `Partition` needs its number of elements, as a number or the name of a constant; \
             write `{name}: &Partition<{element}, 1024>`"
        );
        diags.report(Rule::ParameterType, ty, message);
        return None;
    };
    if matches!(&size, Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) if int.base10_parse::<u64>().is_ok_and(|n| n == 0))
    {
        diags.report(
            Rule::ParameterType,
            &size,
            format!("a partition of `{name}` has no elements; it needs at least one"),
        );
        return None;
    }
    value_type(element, diags).map(|of| (ParamRole::Array, of, Some(size)))
}

/// Returns the type, unless it certainly does not exist on the device.
fn value_type(ty: &Type, diags: &mut Diagnostics) -> Option<Type> {
    match ty {
        Type::Paren(inner) => return value_type(&inner.elem, diags),
        Type::Group(inner) => return value_type(&inner.elem, diags),
        _ => {}
    }
    if let Some(part) = refused(ty) {
        diags.report(Rule::ParameterType, part, uncounted(ty).unwrap_or_else(|| no_type(part)));
        return None;
    }
    Some(ty.clone())
}

/// Returns whether the parameter is the handle.
pub(crate) fn is_handle(arg: &FnArg) -> bool {
    tx_name(arg).is_some()
}

/// Returns the type of a parameter, unless it has an error.
pub(crate) fn usable_type(arg: &FnArg, kind: Kind) -> Option<Type> {
    parse_param(arg, kind, &mut Diagnostics::default()).map(|param| param.ty)
}

/// Returns whether the type may exist on the device.
pub(crate) fn is_usable(ty: &Type, diags: &mut Diagnostics) -> bool {
    value_type(ty, diags).is_some()
}

/// Returns the type in `TxResult<..>`.
fn parse_result(item: &ItemFn, diags: &mut Diagnostics) -> Option<Type> {
    let ReturnType::Type(_, ty) = &item.sig.output else {
        let message = "a transaction can conflict, so it returns a `TxResult`; write `-> TxResult`";
        diags.report(Rule::Signature, &item.sig.ident, message);
        return None;
    };
    match tried(ty) {
        Some(result) if refused(&result).is_some() => {
            let part = refused(&result).unwrap_or(&result);
            diags.report(Rule::Signature, part, no_type(part));
            None
        }
        None => {
            let message =
                "a transaction can conflict, so it returns a `TxResult`; write `-> TxResult` or `-> TxResult<i64>`";
            diags.report(Rule::Signature, ty, message);
            None
        }
        found => found,
    }
}

/// Returns the type of the value that a transaction returns, if its signature states one.
pub(crate) fn result_of(item: &ItemFn) -> Option<Type> {
    match &item.sig.output {
        ReturnType::Type(_, ty) => tried(ty),
        ReturnType::Default => None,
    }
}

/// Returns the result of a `#[gpu_fn]`, if it is valid.
fn checked_result(item: &ItemFn, handle: bool, diags: &mut Diagnostics) -> (Option<Type>, bool) {
    let (ty, tries) = function_result(item);
    if handle && !tries {
        let message = "a function with the handle can conflict, so it returns a `TxResult`; write `-> TxResult<..>`";
        match &item.sig.output {
            ReturnType::Type(_, ty) => diags.report(Rule::Signature, ty, message),
            ReturnType::Default => diags.report(Rule::Signature, &item.sig.ident, message),
        }
        return (None, tries);
    }
    if let Some(part) = ty.as_ref().and_then(refused) {
        diags.report(Rule::Signature, part, no_result(part));
        return (None, tries);
    }
    (ty, tries)
}

/// Returns the type of the value of a `#[gpu_fn]`, and whether it is inside a `TxResult`.
pub(crate) fn function_result(item: &ItemFn) -> (Option<Type>, bool) {
    match &item.sig.output {
        ReturnType::Default => (Some(syn::parse_quote!(())), false),
        ReturnType::Type(_, ty) => match tried(ty) {
            Some(inner) => (Some(inner), true),
            None => (Some(without_references(ty).unwrap_or_else(|| (**ty).clone())), false),
        },
    }
}

/// Returns the type in `TxResult` or `TxResult<T>`.
fn tried(ty: &Type) -> Option<Type> {
    if let Some(inner) = argument(ty, "TxResult") {
        return Some(inner.clone());
    }
    let Type::Path(path) = ty else { return None };
    path.path
        .segments
        .last()
        .is_some_and(|s| s.ident == "TxResult" && s.arguments.is_none())
        .then(|| syn::parse_quote!(()))
}
