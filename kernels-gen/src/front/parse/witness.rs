//! The types of receivers, as expressions that rustc infers.
//!
//! The macro knows where a type comes from: a name, a field, a constant, a call. For rustc it writes this down as an expression that is
//! never evaluated, so that rustc resolves a method on the type of that expression as it does in the user's function.

use std::collections::HashMap;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::Type;

use super::complete::for_values;
use super::external::{CallSite, Called, ExternalSymbols, Passed, Witness};
use super::own_operator::{self as operator, is_operator};
use super::parsed::Parsed;
use super::{Signature, built_in};
use crate::front::diag::{Diagnostics, Rule, SourceSpan};
use crate::infer::{Class, Infer};
use crate::ir::open::{CallId, Length, Relation, TyId, rest_of_field};
use crate::spec::PERHAPS;

mod by_name;
mod made;
mod of_call;

use by_name::{mark_paths, named};
pub(crate) use made::complete_records;

/// Finds an expression for the type of each receiver, and of the arguments of each function. Reports a receiver whose type nothing
/// determines.
pub(crate) fn find_receivers(parsed: &mut Parsed, signature: &Signature, diags: &mut Diagnostics) {
    mark_paths(&mut parsed.external, signature);
    complete_records(parsed, Some(signature), diags);
    let Parsed { transaction, infer, external, .. } = parsed;
    if external.calls.is_empty() {
        return;
    }
    let mut finder = Finder::new(infer, external, &transaction.relations);
    finder.find(&transaction.relations);
    let witnesses: Vec<_> = (0..).zip(&external.calls).map(|(k, site)| finder.witnesses(CallId(k), site)).collect();
    let receivers: Vec<_> = external.calls.iter().map(|site| finder.receiver(site)).collect();
    let mut operators = false;
    for ((site, witnesses), found) in external.calls.iter_mut().zip(witnesses).zip(receivers) {
        let depends = |tokens: &TokenStream| signature.depends(tokens).is_some();
        external.dependent |= witnesses.iter().any(|found| found.arguments.iter().chain(&found.result).any(depends));
        site.witnesses = witnesses;
        if let Called::Function(path) = &site.called {
            external.dependent |= depends(&quote!(#path));
        }
        if let Called::Associated(of, _) = &site.called {
            let of = quote!(#of);
            site.of_param = depends(&of) && of.into_iter().count() == 1;
        }
        let perhaps = matches!(site.called, Called::Perhaps(..));
        let (Called::Method(receiver, name) | Called::Operator(receiver, name) | Called::Perhaps(receiver, name)) =
            &mut site.called
        else {
            continue;
        };
        let ty = infer.root(receiver.ty);
        receiver.witness = found;
        if let Some(value) = built_in::value(infer.class(ty), name, site.arguments) {
            receiver.witness.get_or_insert(Witness::Value(value));
        }
        if perhaps || is_operator(name) {
            // A function that would be compiled for each type only for that keeps what is built in.
            let any = !perhaps || external.dependent || signature.has_own_bounds();
            let is_own = |witness: &Witness| {
                let tokens = witness.tokens();
                matches!(infer.class(ty), Class::Any) && (any || !depends(tokens)) && !is_unknown(tokens)
            };
            receiver.witness = receiver.witness.take().filter(is_own);
            let of_params = receiver.witness.iter().any(|witness| depends(witness.tokens()));
            *(if perhaps { &mut external.dependent } else { &mut operators }) |= of_params;
            // What is too long for a witness may be of a parameter, too: rustc finds the operator, and the device has that of numbers.
            receiver.of_params = of_params || !perhaps && receiver.witness.is_none() && signature.has_own_bounds();
            continue;
        }
        match &receiver.witness {
            Some(witness) => external.dependent |= depends(witness.tokens()),
            None => report_unknown(infer, ty, (name, receiver.at), diags),
        }
    }
    external.only_operators = operators && !external.dependent;
    external.dependent |= operators;
}

fn report_unknown(infer: &Infer, ty: TyId, (name, at): (&syn::Ident, SourceSpan), diags: &mut Diagnostics) {
    let message = match infer.class(ty) {
        Class::Dead => return,
        Class::Any => format!(
            "the type of what `{name}` is called on is not known here; write it where the value is declared, as in \
             `let value: Order = ..`"
        ),
        other => format!("`{name}` has no meaning on the device for a value of type {}", infer.words(other)),
    };
    diags.report(Rule::Method, at, message);
}

struct Finder<'a> {
    infer: &'a Infer,
    external: &'a ExternalSymbols,
    /// The types of the arguments of each call, and that of its result.
    arguments: HashMap<CallId, (&'a [TyId], TyId)>,
    known: HashMap<TyId, Witness>,
}

impl<'a> Finder<'a> {
    fn new(infer: &'a Infer, external: &'a ExternalSymbols, relations: &'a [Relation]) -> Finder<'a> {
        let arguments = relations.iter().filter_map(|relation| match relation {
            Relation::Call { function, args, result } => Some((*function, (args.as_slice(), *result))),
            _ => None,
        });
        Finder { infer, external, arguments: arguments.collect(), known: HashMap::new() }
    }
}

impl Finder<'_> {
    /// Applies the relations until nothing new is found.
    fn find(&mut self, relations: &[Relation]) {
        let mut waiting: Vec<&Relation> = relations.iter().collect();
        // What the program names is the plainest witness.
        waiting.sort_by_key(|relation| !matches!(relation, Relation::Names { .. }));
        // What literals alone are passed to says least, and a path that may be that of a trait nothing.
        for all in [false, true] {
            loop {
                let before = waiting.len();
                waiting.retain(|relation| !all && self.waits(relation) || !self.apply(relation));
                if waiting.len() == before {
                    break;
                }
            }
        }
    }

    /// Returns whether the relation needs no other look.
    fn apply(&mut self, relation: &Relation) -> bool {
        let (ty, found) = match relation {
            Relation::Names { ty, name } => {
                let witness = match &self.external.types[*name as usize] {
                    Type::Verbatim(value) => Witness::Value(quote!((#value))),
                    written => Witness::Named(quote!(#written)),
                };
                (*ty, witness)
            }
            Relation::Constant { ty, constant } => {
                let constant = &self.external.constants[constant.0 as usize];
                (*ty, Witness::Value(quote!((#constant))))
            }
            Relation::Field { of, name, ty } => return self.field(*of, name, *ty),
            Relation::Element { of, ty } => {
                let Some(of) = self.value(*of) else { return false };
                (*ty, Witness::Value(quote!(::stm_runtime::__private::callee::each(#of))))
            }
            // The pattern or the value of the variant has named the enum.
            Relation::Variant { .. } | Relation::States { .. } | Relation::Same { .. } => return true,
            Relation::Method { receiver, name, args, result } => {
                let Some(of) = self.value(*receiver) else { return false };
                let (name, args) = (super::tokens::name(name), args.iter().map(|arg| self.argument(*arg)));
                (*result, Witness::Value(quote!((#of).#name(#(#args),*))))
            }
            Relation::Call { function, args, result } => {
                let site = &self.external.calls[function.0 as usize];
                // What such a path names may follow from nothing but this type.
                if site.by_path && self.said(*result).is_some() {
                    return true;
                }
                let Some(value) = self.call(site, args) else { return false };
                (*result, Witness::Value(value))
            }
        };
        self.add(ty, found);
        true
    }

    fn field(&mut self, of: TyId, name: &str, ty: TyId) -> bool {
        if let Some((path, field)) = name.split_once(PERHAPS) {
            let Some(of) = self.value(of) else { return false };
            self.field_of((of, super::tokens::name(path)), field.trim_start_matches('.'), ty);
            return true;
        }
        if let Some((variant, field)) = name.split_once('.') {
            let root = self.infer.root(of);
            return match self.known.get(&root) {
                Some(Witness::Named(of)) => self.field_of_variant((of.clone(), variant, field), ty),
                Some(Witness::Value(of)) => {
                    let mut enums = self.external.enums.iter();
                    let Some((_, path)) = enums.find(|(ty, _)| self.infer.root(*ty) == root) else { return false };
                    let variant = super::tokens::name(variant);
                    self.field_of((of.clone(), quote!(#path::#variant)), field, ty);
                    true
                }
                None => false,
            };
        }
        let Some(of) = self.value(of) else { return false };
        if let Some((before, after)) = rest_of_field(name) {
            let [before, after] = [before, after].map(|count| vec![quote!(_,); count]);
            self.add(ty, Witness::Value(quote!({ let [#(#before)* rest @ .., #(#after)*] = #of; rest })));
            return true;
        }
        let (member, dot) = (super::tokens::name(name), (!name.starts_with('[')).then(|| quote!(.)));
        self.add(ty, Witness::Value(quote!((#of) #dot #member)));
        true
    }

    fn field_of_variant(&mut self, (of, variant, field): (TokenStream, &str, &str), ty: TyId) -> bool {
        let variant = super::tokens::name(variant);
        let value = quote!(::stm_runtime::__private::callee::never::<#of>());
        // A pattern is no place for the `Slot<u64>` of a type.
        let path = match syn::parse2::<syn::Path>(of.clone()) {
            Ok(mut path) => {
                for_values(&mut path);
                path.into_token_stream()
            }
            Err(_) => of,
        };
        self.field_of((value, quote!(#path::#variant)), field, ty);
        true
    }

    fn field_of(&mut self, (of, path): (TokenStream, TokenStream), field: &str, ty: TyId) {
        let (field, never) = (super::tokens::name(field), never());
        let found = quote! {
            match #of {
                #path { #field: it, .. } => it,
                #[allow(unreachable_patterns)]
                _ => #never,
            }
        };
        self.add(ty, Witness::Value(quote!((#found))));
    }

    /// Adds a type, and the parts of it that the inference has seen.
    fn add(&mut self, ty: TyId, found: Witness) {
        let root = self.infer.root(ty);
        if self.known.contains_key(&root) {
            return;
        }
        let parts = self.infer.class(root).clone();
        self.known.insert(root, found.clone());
        let whole = value(&found);
        match parts {
            Class::Option(inner) => {
                self.add(inner, Witness::Value(quote!(::stm_runtime::__private::callee::inner(#whole))));
            }
            Class::Result(ok, err) => {
                self.add(ok, Witness::Value(quote!(::stm_runtime::__private::callee::ok(#whole))));
                self.add(err, Witness::Value(quote!(::stm_runtime::__private::callee::err(#whole))));
            }
            Class::Array(element, _) => {
                self.add(element, Witness::Value(quote!(::stm_runtime::__private::callee::element(#whole))));
            }
            Class::Tuple(parts) => {
                for (k, part) in parts.into_iter().enumerate() {
                    let k = syn::Index::from(k);
                    self.add(part, Witness::Value(quote!((#whole).#k)));
                }
            }
            _ => {}
        }
    }

    /// Returns an argument of a free function, whose parameters may depend on it.
    fn passed(&self, passed: Passed) -> TokenStream {
        let unknown = quote!(::stm_runtime::__private::callee::unknown());
        let operand = |ty| self.with_lengths(ty).filter(|operand| operator::size(operand) <= operator::MOST_TOKENS);
        let found = match passed {
            Passed::Value(ty) => operand(ty),
            Passed::Shared(ty) | Passed::Listed(ty) => {
                operand(ty).map(|element| quote!(::stm_runtime::__private::callee::shared(#element)))
            }
            Passed::Reference(ty) => operand(ty).map(|value| quote!(::stm_runtime::__private::callee::lent(#value))),
            Passed::Exclusive(ty) => {
                operand(ty).map(|value| quote!(::stm_runtime::__private::callee::lent_mut(#value)))
            }
            Passed::Call(call) => {
                let types = self.arguments.get(&call).map_or(&[][..], |(types, _)| types);
                self.call(&self.external.calls[call.0 as usize], types)
            }
            Passed::Either(_) | Passed::Other => Some(unknown.clone()),
        };
        found.unwrap_or(unknown)
    }

    /// Returns a value, perhaps a literal or one of a type that the macro knows.
    fn operand(&self, ty: TyId) -> Option<TokenStream> {
        if let Some(scalar) = self.infer.answer(ty) {
            let scalar = quote::format_ident!("{}", scalar.rust());
            return Some(quote!(::stm_runtime::__private::callee::never::<#scalar>()));
        }
        self.value(ty).or_else(|| match self.infer.class(ty) {
            Class::Int => Some(quote!(1)),
            Class::Float => Some(quote!(1.0)),
            _ => self.of_parts(ty, |part| self.operand(part)),
        })
    }

    /// Returns an expression of a type that has parts, from those of its parts.
    fn of_parts(&self, ty: TyId, of: impl Fn(TyId) -> Option<TokenStream>) -> Option<TokenStream> {
        match self.infer.class(ty) {
            Class::Option(inner) => of(*inner).map(|inner| quote!(::core::option::Option::Some(#inner))),
            Class::Array(element, Length::Known(length)) => {
                let length = proc_macro2::Literal::u64_unsuffixed(*length);
                of(*element).map(|element| quote!([#element; #length]))
            }
            Class::Tuple(parts) => {
                let parts = parts.iter().map(|part| of(*part)).collect::<Option<Vec<_>>>()?;
                Some(quote!((#(#parts,)*)))
            }
            Class::Result(ok, err) => {
                let (ok, err) = (of(*ok)?, of(*err)?);
                Some(quote!(if true { ::core::result::Result::Ok(#ok) } else { ::core::result::Result::Err(#err) }))
            }
            _ => None,
        }
    }

    /// Returns how rustc finds the type of a receiver.
    fn receiver(&self, site: &CallSite) -> Option<Witness> {
        let (receiver, own) = match &site.called {
            Called::Method(receiver, _) => (receiver, true),
            Called::Operator(receiver, _) | Called::Perhaps(receiver, _) => (receiver, false),
            Called::Function(_) | Called::Associated(..) | Called::Converts(..) => return None,
        };
        let ty = self.infer.root(receiver.ty);
        // A literal has no methods of its own.
        let literal = matches!(self.infer.class(ty), Class::Int | Class::Float);
        let of_language = || self.operand(ty).filter(|_| own && !literal).map(Witness::Value);
        self.known.get(&ty).cloned().or_else(of_language)
    }

    fn value(&self, ty: TyId) -> Option<TokenStream> {
        self.known.get(&self.infer.root(ty)).map(value)
    }

    fn argument(&self, ty: TyId) -> TokenStream {
        self.value(ty).unwrap_or_else(never)
    }

    /// Returns the value of a call, with arguments of the types that the function takes.
    fn call(&self, site: &CallSite, types: &[TyId]) -> Option<TokenStream> {
        if let Some(name) = site.of_core() {
            let operands = types.iter().map(|ty| self.operand(*ty)).collect::<Option<Vec<_>>>()?;
            return Some(quote!(#name(#(#operands),*)));
        }
        let args = (0..site.arguments + usize::from(site.handle.is_some())).map(|_| never());
        let call = match &site.called {
            Called::Function(path) => {
                let mut passed: Vec<_> = site.passed.iter().map(|passed| self.passed(*passed)).collect();
                let either = self.either(site);
                either.iter().for_each(|(at, value, _)| passed[*at] = value.clone());
                let mark = self.mark(site, &passed);
                either.iter().for_each(|(at, _, name)| passed[*at] = quote!(#name));
                if let Some(handle) = site.handle {
                    passed.insert(handle, never());
                }
                let call = by_name::applied(quote!(#path(#(#passed),*)), &either);
                quote!(::stm_runtime::__private::callee::#mark(#call))
            }
            Called::Associated(of, name) => {
                let mut passed: Vec<_> = site.passed.iter().map(|passed| self.of_argument(*passed)).collect();
                let either = self.either(site);
                either.iter().for_each(|(at, _, name)| passed[*at] = quote!(#name));
                if let Some(handle) = site.handle {
                    passed.insert(handle, never());
                }
                // What may be a trait has no brackets around it.
                let call = match named(of) {
                    Some(path) => quote!(#path::#name(#(#passed),*)),
                    None => quote!(<#of>::#name(#(#passed),*)),
                };
                by_name::applied(call, &either)
            }
            Called::Converts(of, _) => quote!(::stm_runtime::__private::callee::never::<#of>()),
            Called::Method(receiver, name) => {
                let of = self.value(receiver.ty)?;
                match built_in::of(name, site.arguments) {
                    Some(import) => built_in::result((&of, name), import, &args.collect::<Vec<_>>()),
                    // What the method lends has to outlive this expression.
                    None => quote!((*::stm_runtime::__private::callee::lent_mut(#of)).#name(#(#args),*)),
                }
            }
            Called::Perhaps(receiver, name) => {
                let of = self.value(receiver.ty)?;
                let called = quote!((#of).#name(#(#args),*));
                return Some(called).filter(|called| operator::size(called) <= operator::MOST_TOKENS);
            }
            Called::Operator(_, name) => {
                let operands = types.iter().map(|ty| self.operand(*ty)).collect::<Option<Vec<_>>>()?;
                return operator::applied(name, &operands);
            }
        };
        Some(if site.tries { quote!(::stm_runtime::__private::callee::committed(#call)) } else { call })
    }
}

/// Returns whether the type may be that of a function whose parameters are not known.
fn is_unknown(tokens: &TokenStream) -> bool {
    has(tokens, &["unknown"])
}

fn has(tokens: &TokenStream, names: &[&str]) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => names.iter().any(|name| ident == name),
        TokenTree::Group(group) => has(&group.stream(), names),
        _ => false,
    })
}

fn never() -> TokenStream {
    quote!(::stm_runtime::__private::callee::never())
}

impl Witness {
    pub(crate) fn tokens(&self) -> &TokenStream {
        let (Witness::Named(tokens) | Witness::Value(tokens)) = self;
        tokens
    }
}

fn value(witness: &Witness) -> TokenStream {
    match witness {
        Witness::Named(ty) => quote!(::stm_runtime::__private::callee::never::<#ty>()),
        Witness::Value(value) => value.clone(),
    }
}
