//! The declarations of a source file, and its programs.

use std::collections::HashMap;
use std::sync::Arc;

use syn::{Item, ItemEnum, ItemFn, ItemImpl, ItemStruct};

use super::error::{ModuleError, wrong};
use super::integer::integer;
use crate::compile::{Program, lower, nothing};
use crate::front::diag::Diagnostics;
use crate::front::implementation;
use crate::front::parse::{self, CallSite, Called, ExternalSymbols, Kind, Signature};
use crate::front::patterns;
use crate::ir::Options;
use crate::ir::open::{ConstId, Form, Function, Generic};
use crate::spec::{Constant, Enum, Record, Scalar, Traits, Type, VARIANT};

/// The greatest depth of nested calls.
const DEEPEST: usize = 64;

/// The declarations of a file.
pub(super) struct Module<'a> {
    pub(super) file: &'a str,
    pub(super) debug: bool,
    pub(super) types: HashMap<String, Type>,
    pub(super) constants: HashMap<String, Constant>,
    pub(super) functions: Vec<(Function, ExternalSymbols)>,
    /// The index of each `#[gpu_fn]` in the list, by its name.
    pub(super) named: HashMap<String, usize>,
}

impl Module<'_> {
    pub(super) fn declare(&mut self, item: &Item) -> Result<(), ModuleError> {
        match item {
            Item::Struct(item) => {
                let ty = self.record(item)?;
                self.types.insert(item.ident.to_string(), ty);
            }
            Item::Enum(item) => {
                let ty = self.enumeration(item)?;
                self.types.insert(item.ident.to_string(), ty);
            }
            Item::Const(item) => {
                let ty = self.ty(&item.ty)?;
                let mut words = Vec::new();
                self.words(&item.expr, ty, &mut words)?;
                self.constants.insert(item.ident.to_string(), Constant { ty, words });
            }
            Item::Fn(item) => {
                for stmt in &item.block.stmts {
                    if let syn::Stmt::Item(inner @ Item::Const(_)) = stmt {
                        self.declare(inner)?;
                    }
                }
                if let Some(function) = self.function(item)? {
                    if function.0.form != Form::Transaction {
                        self.named.insert(function.0.name.clone(), self.functions.len());
                    }
                    self.functions.push(function);
                }
            }
            Item::Impl(block) => self.methods(block)?,
            _ => {}
        }
        Ok(())
    }

    fn record(&self, item: &ItemStruct) -> Result<Type, ModuleError> {
        let mut fields = Vec::new();
        for (k, field) in item.fields.iter().enumerate() {
            let name = field.ident.as_ref().map_or_else(|| k.to_string(), ToString::to_string);
            fields.push((&*name.leak(), self.ty(&field.ty)?));
        }
        let record =
            Record { name: item.ident.to_string().leak(), module: "", fields: fields.leak(), traits: Traits::NONE };
        Ok(Type::Record(Box::leak(Box::new(record))))
    }

    fn enumeration(&self, item: &ItemEnum) -> Result<Type, ModuleError> {
        if item.variants.iter().all(|variant| variant.fields.is_empty()) {
            let repr = item.attrs.iter().find(|attr| attr.path().is_ident("repr"));
            let repr = repr.and_then(|attr| attr.parse_args::<syn::Type>().ok()).and_then(|ty| parse::scalar(&ty));
            return Ok(Type::Enum(Box::leak(Box::new(numbered(item, repr.unwrap_or(Scalar::Isize))?))));
        }
        let numbers = numbered(item, Scalar::U8)?;
        let name = numbers.name;
        let mut fields = vec![(VARIANT, Type::Enum(Box::leak(Box::new(numbers))))];
        for variant in &item.variants {
            for (k, field) in variant.fields.iter().enumerate() {
                let name = field.ident.as_ref().map_or_else(|| k.to_string(), ToString::to_string);
                fields.push((&*format!("{}.{name}", variant.ident).leak(), self.ty(&field.ty)?));
            }
        }
        let record = Record { name, module: "", fields: fields.leak(), traits: Traits::NONE };
        Ok(Type::Record(Box::leak(Box::new(record))))
    }

    /// Adds the functions of an annotated `impl` block. Their names are their own in the file: nothing here knows the type of a
    /// receiver.
    fn methods(&mut self, block: &ItemImpl) -> Result<(), ModuleError> {
        if !block.attrs.iter().any(|attr| attr.path().is_ident("gpu_fn")) {
            return Ok(());
        }
        for item in &block.items {
            let syn::ImplItem::Fn(item) = item else { continue };
            let item = implementation::plain_function(item, block);
            let item = patterns::named(&item).unwrap_or(item);
            let mut diags = Diagnostics::default();
            let signature = parse::parse_method(&item, &block.self_ty, &syn::Generics::default(), &mut diags);
            let function = self.parsed(item, signature, Options::default(), diags)?;
            if self.named.insert(function.0.name.clone(), self.functions.len()).is_some() {
                return wrong(format!("there are several functions `{}`", function.0.name));
            }
            self.functions.push(function);
        }
        Ok(())
    }

    /// Returns an annotated function in the form that the macro produces.
    fn function(&self, item: &ItemFn) -> Result<Option<(Function, ExternalSymbols)>, ModuleError> {
        let mut item = patterns::named(item).unwrap_or_else(|| item.clone());
        let named = |name: &str| item.attrs.iter().position(|attr| attr.path().is_ident(name));
        let (at, kind) = match (named("gpu_transaction"), named("gpu_fn")) {
            (Some(at), _) => (at, Kind::Transaction),
            (None, Some(at)) => (at, Kind::Function),
            (None, None) => return Ok(None),
        };
        let attr = item.attrs.remove(at);
        let mut diags = Diagnostics::default();
        let attribute = match &attr.meta {
            syn::Meta::List(list) => parse::parse_options(list.tokens.clone(), &mut diags),
            _ => parse::Attribute::default(),
        };
        let signature = parse::parse_signature(&item, kind, &mut diags);
        let (mut tx, mut external) = self.parsed(item, signature, attribute.options, diags)?;
        if let Some(stated) = &attribute.stated {
            tx.options.max_accesses_constant = Some(external.number_constant(stated).0);
        }
        Ok(Some((tx, external)))
    }

    fn parsed(
        &self,
        mut item: ItemFn,
        signature: Option<Signature>,
        options: Options,
        mut diags: Diagnostics,
    ) -> Result<(Function, ExternalSymbols), ModuleError> {
        let Some(signature) = signature else { return refused(&diags) };
        parse::desugar(&mut item, &signature, &mut diags);
        let mut parsed = parse::parse(&item, &signature, options, self.file, &mut diags);
        parse::check_types(&mut parsed, &mut diags);
        parse::complete_records(&mut parsed, None, &mut diags);
        if diags.is_empty() { Ok((parsed.transaction, parsed.external)) } else { refused(&diags) }
    }

    /// Builds the program of a function. `made` holds the finished programs, by their indices in the list.
    pub(super) fn program(
        &self,
        tx: &Function,
        external: &ExternalSymbols,
        depth: usize,
        made: &mut HashMap<usize, Arc<Program>>,
    ) -> Result<Program, ModuleError> {
        if depth > DEEPEST {
            return wrong(format!("calls nest more than {DEEPEST} deep"));
        }
        let constant = |expr: &syn::Expr| {
            let ty = self.type_of(expr)?;
            let mut words = Vec::new();
            self.words(expr, ty, &mut words)?;
            Ok(Constant { ty, words })
        };
        let mut call = |site: &CallSite| {
            let name = match &site.called {
                // The types of operands are not known here, and no file of a tool has operators of its own.
                Called::Operator(..) => return Ok(Arc::new(Program::alone(nothing()))),
                Called::Function(path) => path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default(),
                Called::Perhaps(_, name) | Called::Converts(_, name) if !self.named.contains_key(&name.to_string()) => {
                    return Ok(Arc::new(Program::alone(nothing())));
                }
                Called::Associated(_, name)
                | Called::Converts(_, name)
                | Called::Method(_, name)
                | Called::Perhaps(_, name) => name.to_string(),
            };
            if site.of_core().is_some() && !self.named.contains_key(&name) {
                return Ok(Arc::new(Program::alone(nothing())));
            }
            let Some(&at) = self.named.get(&name) else { return wrong(format!("there is no function `{name}`")) };
            if let Some(program) = made.get(&at) {
                return Ok(Arc::clone(program));
            }
            let (tx, external) = &self.functions[at];
            let program = Arc::new(self.program(tx, external, depth + 1, made)?);
            made.insert(at, Arc::clone(&program));
            Ok(program)
        };
        // What a call determines has no meaning here.
        let ty = |(k, ty): (u32, &syn::Type)| match tx.generics.contains(&Generic::Type(k)) {
            true => Ok(Type::Unit),
            false => self.ty(ty),
        };
        let constant = |(k, expr): (u32, &syn::Expr)| match tx.generics.contains(&Generic::Length(ConstId(k))) {
            true => Ok(Constant { ty: Type::Scalar(Scalar::Usize), words: vec![0] }),
            false => constant(expr),
        };
        let mut program = Program {
            tx: tx.clone(),
            types: (0..).zip(&external.types).map(ty).collect::<Result<_, _>>()?,
            constants: (0..).zip(&external.constants).map(constant).collect::<Result<_, _>>()?,
            functions: external.calls.iter().map(&mut call).collect::<Result<_, _>>()?,
        };
        lower(&mut program.tx, &|call| external.calls.get(call.0 as usize).and_then(|site| self.built_in(site)));
        program.state_accesses().map_err(|error| ModuleError(error.message))?;
        Ok(program)
    }

    /// Returns what a call is where the file declares no function of its name.
    fn built_in(&self, site: &CallSite) -> Option<&'static str> {
        let declared = |name: &str| self.named.contains_key(name);
        let of_core = || Some(if site.of_core()? == "max" { "max" } else { "min" });
        let method = || match &site.called {
            Called::Converts(_, name) if !declared(&name.to_string()) => Some(".into"),
            Called::Perhaps(_, name) if !declared(&name.to_string()) => Some(&*format!(".{name}").leak()),
            _ => None,
        };
        parse::operator_name(site).or_else(|| of_core().filter(|name| !declared(name))).or_else(method)
    }

    fn ty(&self, ty: &syn::Type) -> Result<Type, ModuleError> {
        if let Some(scalar) = parse::scalar(ty) {
            return Ok(Type::Scalar(scalar));
        }
        if let Some((ok, err)) = parse::results(ty) {
            return Ok(Type::Result(forever(self.ty(ok)?), forever(self.ty(err)?)));
        }
        if let Some(inner) = parse::argument(ty, "Option") {
            return Ok(Type::Option(forever(self.ty(inner)?)));
        }
        match ty {
            syn::Type::Tuple(tuple) if tuple.elems.is_empty() => Ok(Type::Unit),
            syn::Type::Tuple(tuple) => {
                let parts = tuple.elems.iter().map(|part| self.ty(part)).collect::<Result<Vec<_>, _>>()?;
                Ok(Type::Tuple(parts.leak()))
            }
            syn::Type::Array(array) => {
                let mut length = Vec::new();
                self.words(&array.len, Type::Scalar(Scalar::Usize), &mut length)?;
                Ok(Type::Array(forever(self.ty(&array.elem)?), length.first().copied().unwrap_or(0)))
            }
            syn::Type::Path(path) => {
                let name = path.path.segments.last().map(|part| part.ident.to_string()).unwrap_or_default();
                self.types.get(&name).copied().map_or_else(|| wrong(format!("there is no type `{name}`")), Ok)
            }
            _ => wrong("a type that no transaction has"),
        }
    }
}

fn refused<T>(diags: &Diagnostics) -> Result<T, ModuleError> {
    wrong(diags.to_string())
}

/// Returns an enum without fields, or the numbers of the variants of one with fields.
fn numbered(item: &ItemEnum, repr: Scalar) -> Result<Enum, ModuleError> {
    let (mut variants, mut next): (Vec<(&'static str, i128)>, i128) = (Vec::new(), 0);
    for variant in &item.variants {
        if let Some((_, value)) = &variant.discriminant {
            next = integer(value)?;
        }
        variants.push((variant.ident.to_string().leak(), next));
        next += 1;
    }
    let name = item.ident.to_string().leak();
    Ok(Enum { name, module: "", repr, variants: variants.leak(), traits: Traits::NONE })
}

fn forever(ty: Type) -> &'static Type {
    Box::leak(Box::new(ty))
}
