//! Generic records in values, without their arguments: what their fields and their use say of these.

use std::collections::{HashMap, HashSet};

use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;

use super::{Finder, has, named};
use crate::front::diag::{Diagnostics, Rule};
use crate::front::parse::Signature;
use crate::front::parse::complete::several;
use crate::front::parse::external::{CallSite, Called, Inferred, Witness};
use crate::front::parse::own_operator as operator;
use crate::front::parse::parsed::Parsed;
use crate::infer::{Class, Infer};
use crate::ir::open::{Relation, TyId};

/// Decides for each record without arguments what it is: its use says so, or its fields do, or the function writes it once. Without a
/// signature there is no rustc to ask about fields. Those with literals come later, because other uses say more of these, and those whose
/// fields say nothing last: others may contain them.
pub(crate) fn complete_records(parsed: &mut Parsed, signature: Option<&Signature>, diags: &mut Diagnostics) {
    let Parsed { transaction, infer, external, .. } = parsed;
    let mut inferred = std::mem::take(&mut external.inferred);
    let (mut known, mut changed) = (HashMap::new(), true);
    let arguments = transaction.relations.iter().filter_map(|relation| match relation {
        Relation::Call { args, .. } => Some(args),
        _ => None,
    });
    let arguments: Vec<TyId> = arguments.flatten().map(|ty| infer.root(*ty)).collect();
    for (with_literals, last) in [(false, false), (true, false), (true, true)] {
        if with_literals {
            join_fields(infer, &transaction.relations, &inferred);
        }
        for record in std::mem::take(&mut inferred) {
            let mut finder = Finder { known, ..Finder::new(infer, external, &[]) };
            if std::mem::take(&mut changed) {
                finder.find(&transaction.relations);
            }
            let literal = record.fields.iter().any(|(_, ty)| infer.has_literal(*ty));
            let made = signature.filter(|_| with_literals || !literal).and_then(|_| finder.made(&record));
            let made = made.map(|made| finder.with_uses(&record, made, &transaction.relations));
            known = finder.known;
            // What a function returns is not passed on to find another function.
            let plain = |witness: &Witness| !has(witness.tokens(), &["unknown", "returned", "returned_open"]);
            let (ty, said) = (record.ty, known.get(&infer.root(record.ty)).map(plain));
            // What the function writes says more of the fields of an enum than another value does.
            let named = matches!(known.get(&infer.root(record.ty)), Some(Witness::Named(_)));
            let other = record.is_enum && record.fallback.is_some() && !named;
            if !other && (said == Some(true) || said.is_some() && made.is_none())
                || matches!(infer.class(ty), Class::Dead)
            {
                continue;
            }
            if !last && made.is_none() {
                inferred.push(record);
                continue;
            }
            let number = match (made, record.fallback) {
                (Some(made), _) => {
                    external.dependent |= signature.is_some_and(|signature| signature.depends(&made).is_some());
                    external.number_type(&Type::Verbatim(made))
                }
                (None, Some(fallback)) => {
                    external.completed.insert(record.site);
                    external.number_type(&fallback)
                }
                // The function that it is passed to determines it.
                (None, None) if arguments.contains(&infer.root(ty)) => continue,
                (None, None) => {
                    diags.report(Rule::Mismatch, record.at, several(&record.name.unwrap_or_default()));
                    continue;
                }
            };
            transaction.relations.push(Relation::Names { ty, name: number });
            changed = true;
        }
    }
}

/// Makes the types of a field of these records the same where the function names it as a number: its literals then have the types that
/// other uses say. What has another type, or one that only rustc knows, stays as it was when it was parsed.
fn join_fields(infer: &mut Infer, relations: &[Relation], records: &[Inferred]) {
    let records: HashSet<TyId> = records.iter().map(|record| infer.root(record.ty)).collect();
    let mut joined = true;
    while std::mem::take(&mut joined) {
        let mut fields: HashMap<(TyId, &str), TyId> = HashMap::new();
        for relation in relations {
            let Relation::Field { of, name, ty } = relation else { continue };
            let number = matches!(infer.class(*ty), Class::Int | Class::Float | Class::Known(_));
            if !number || !records.contains(&infer.root(*of)) {
                continue;
            }
            let first = *fields.entry((infer.root(*of), name)).or_insert(*ty);
            // rustc reports what does not agree.
            joined |= infer.root(first) != infer.root(*ty) && infer.unify(first, *ty).is_ok();
        }
    }
}

impl Finder<'_> {
    /// Returns a record of these fields, if the types of some are known: not those of literals. Where the function writes the record with
    /// arguments, these say more than a field that is not known.
    fn made(&self, record: &Inferred) -> Option<TokenStream> {
        let known = |ty: TyId| {
            // The record itself may be what says of which type a number is.
            let value = match self.infer.answer(ty).map(|scalar| quote::format_ident!("{}", scalar.rust())) {
                Some(scalar) => Some(quote!(::stm_runtime::__private::callee::never::<#scalar>())),
                None => self.operand(ty),
            };
            value.filter(|value| !self.infer.has_literal(ty) && !has(value, &["unknown", "returned", "returned_open"]))
        };
        let given: Vec<_> = record.fields.iter().map(|(member, ty)| (member, *ty, known(*ty))).collect();
        let all = given.iter().all(|(.., value)| value.is_some());
        if given.iter().all(|(.., value)| value.is_none()) || !all && record.name.is_some() {
            return None;
        }
        let values = given.into_iter().map(|(member, ty, value)| {
            let value = value.unwrap_or_else(|| self.open(ty));
            quote!(#member: #value)
        });
        let path = &record.path;
        let made = quote!(#path { #(#values),* });
        Some(made).filter(|made| operator::size(made) <= operator::MOST_TOKENS)
    }

    /// Adds the calls to which the record is passed, or a field that is a literal: rustc finds there of which type it is.
    fn with_uses(&self, record: &Inferred, made: TokenStream, relations: &[Relation]) -> TokenStream {
        let mut known: HashMap<TyId, Witness> = HashMap::new();
        for (member, ty) in record.fields.iter().filter(|(_, ty)| self.infer.has_literal(*ty)) {
            let field = Witness::Value(quote!(stm_made.#member));
            let named = relations.iter().filter_map(|relation| match relation {
                Relation::Field { of, name, ty } if self.infer.root(*of) == self.infer.root(record.ty) => {
                    Some((name, ty))
                }
                _ => None,
            });
            let member = quote!(#member).to_string();
            known.extend(
                named.filter(|(name, _)| **name == member).map(|(_, ty)| (self.infer.root(*ty), field.clone())),
            );
            known.insert(self.infer.root(*ty), field);
        }
        if known.is_empty() {
            return made;
        }
        known.insert(self.infer.root(record.ty), Witness::Value(quote!(stm_made)));
        let finder = Finder { known, ..Finder::new(self.infer, self.external, &[]) };
        let calls = relations.iter().filter_map(|relation| match relation {
            Relation::Call { function, args, .. } => Some((&self.external.calls[function.0 as usize], args)),
            _ => None,
        });
        let uses = calls.filter(|(site, args)| {
            let is_use = args.iter().any(|ty| finder.known.contains_key(&self.infer.root(*ty)));
            is_use && matches!(site.called, Called::Function(_) | Called::Associated(..))
        });
        // What follows from other calls says nothing here.
        let plain = |call: &TokenStream| !has(call, &["unknown", "returned", "returned_open"]);
        let uses: Vec<_> = uses.map(|(site, _)| finder.used(site)).filter(plain).collect();
        if uses.is_empty() { made } else { quote!({ let stm_made = #made; #(let _ = #uses;)* stm_made }) }
    }

    fn used(&self, site: &CallSite) -> TokenStream {
        let mut passed: Vec<_> = site.passed.iter().map(|passed| self.passed(*passed)).collect();
        if let Some(handle) = site.handle {
            passed.insert(handle, quote!(::stm_runtime::__private::callee::never()));
        }
        match &site.called {
            // What may be a trait has no brackets around it.
            Called::Associated(of, name) => match named(of) {
                Some(path) => quote!(#path::#name(#(#passed),*)),
                None => quote!(<#of>::#name(#(#passed),*)),
            },
            Called::Function(path) => quote!(#path(#(#passed),*)),
            _ => quote!(()),
        }
    }

    /// Returns an expression of a type that the others determine: a literal, or what never ends, which has any type.
    pub(super) fn open(&self, ty: TyId) -> TokenStream {
        let literal = self.operand(ty).filter(|value| !has(value, &["unknown", "returned", "returned_open"]));
        literal.unwrap_or_else(|| quote!(::core::unreachable!()))
    }
}
