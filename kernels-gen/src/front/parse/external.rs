//! The names in the source that only rustc can resolve: types, constants, functions. Each is a number here, and an
//! expression in the generated item.

use std::collections::{HashMap, HashSet};

use proc_macro2::TokenStream;
use quote::ToTokens;

use crate::front::diag::SourceSpan;
use crate::ir::open::{CallId, ConstId, TyId};

/// A call of a function of the user's program.
#[derive(Debug, Clone)]
pub(crate) struct CallSite {
    pub(crate) called: Called,
    /// Whether `?` follows the call.
    pub(crate) tries: bool,
    /// Whether it is a function of a parameter for types: `T::empty()`.
    pub(crate) of_param: bool,
    /// In `Name::function(..)`, whether the name may be that of a trait, or of a type whose arguments rustc finds.
    pub(crate) by_path: bool,
    /// The trait of the program in `<Type as Trait>::function(..)`.
    pub(crate) of_trait: Option<syn::Path>,
    /// The position of `tx` among the arguments. It comes first, or after the receiver in `Order::pay(order, tx)`.
    pub(crate) handle: Option<usize>,
    /// The number of the other arguments, without the receiver of a method call.
    pub(crate) arguments: usize,
    /// How these are passed, to a free function.
    pub(crate) passed: Vec<Passed>,
    /// Expressions of their types, if these say for which types a free function is called: what it names may depend on that.
    pub(crate) witnesses: Option<Witnesses>,
}

/// The types of the arguments of a call, as expressions for rustc, and that of its result, where something other than the call says it.
#[derive(Debug, Clone)]
pub(crate) struct Witnesses {
    pub(crate) arguments: Vec<TokenStream>,
    pub(crate) result: Option<TokenStream>,
}

/// How a call passes an argument.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Passed {
    Value(TyId),
    Reference(TyId),
    Exclusive(TyId),
    /// The result of another call.
    Call(CallId),
    /// A shared array of such elements.
    Shared(TyId),
    /// Another array of the list whose first one is before it.
    Listed(TyId),
    /// What can be a value or a reference.
    Either(TyId),
    /// A partition.
    Other,
}

impl CallSite {
    /// Returns the name, if it can be that of a function of `core::cmp`, imported.
    pub(crate) fn of_core(&self) -> Option<&syn::Ident> {
        let Called::Function(path) = &self.called else { return None };
        path.get_ident().filter(|name| (*name == "max" || *name == "min") && (self.arguments, self.handle) == (2, None))
    }
}

/// What a call names.
#[derive(Debug, Clone)]
pub(crate) enum Called {
    /// A free function: `fee(..)`, `rules::tax(..)`.
    Function(syn::Path),
    /// A function of a type: `Order::new(..)`.
    Associated(Box<syn::Type>, syn::Ident),
    /// `value.into()`, where such a type is needed: its `from`, or a cast of numbers.
    Converts(Box<syn::Type>, syn::Ident),
    /// A method of a value: `order.price(..)`.
    Method(Box<Receiver>, syn::Ident),
    /// An operator of a value, by the name of its function. Without a witness it is one of numbers.
    Operator(Box<Receiver>, syn::Ident),
    /// A method that has the name of a built-in one. Without a witness it is that one.
    Perhaps(Box<Receiver>, syn::Ident),
}

/// The receiver of a method call.
#[derive(Debug, Clone)]
pub(crate) struct Receiver {
    /// Its type, for the inference.
    pub(crate) ty: TyId,
    /// An expression of its type, for rustc, once the inference has ended.
    pub(crate) witness: Option<Witness>,
    /// Whether the type depends on the parameters of the function, or may do so.
    pub(crate) of_params: bool,
    /// The tokens to blame.
    pub(crate) at: SourceSpan,
}

/// How rustc finds the type of a receiver.
#[derive(Debug, Clone)]
pub(crate) enum Witness {
    /// The program names the type.
    Named(TokenStream),
    /// An expression of that type, which is never evaluated.
    Value(TokenStream),
}

/// A generic record in a value or in a pattern, without its arguments.
#[derive(Debug)]
pub(crate) struct Inferred {
    pub(crate) ty: TyId,
    /// The name, if arguments were added to it.
    pub(crate) name: Option<String>,
    /// The type that it is otherwise: with the arguments that the function writes elsewhere, or without any.
    pub(crate) fallback: Option<syn::Type>,
    pub(crate) at: SourceSpan,
    /// The address of its path in the tree.
    pub(crate) site: usize,
    /// Its path, without arguments.
    pub(crate) path: syn::Path,
    /// Whether the path is that of an enum, of which a variant is written.
    pub(crate) is_enum: bool,
    /// The fields of a value, with their types, if all of them are given.
    pub(crate) fields: Vec<(syn::Member, TyId)>,
}

/// The external symbols that a function names.
#[derive(Debug, Default)]
pub(crate) struct ExternalSymbols {
    /// Types, each once.
    pub(crate) types: Vec<syn::Type>,
    /// Constant expressions, each once.
    pub(crate) constants: Vec<syn::Expr>,
    /// The calls, in source order.
    pub(crate) calls: Vec<CallSite>,
    /// The constants and `use` declarations inside of the function.
    pub(crate) items: Vec<syn::Item>,
    /// The generic records whose use says of which types they are.
    pub(crate) inferred: Vec<Inferred>,
    /// The paths of the enums among them, by their types.
    pub(crate) enums: Vec<(TyId, syn::Path)>,
    /// Those for which it does not: the function writes one for all of them.
    pub(crate) completed: HashSet<usize>,
    /// Whether some of them depend on the function's parameters for types and lengths.
    pub(crate) dependent: bool,
    /// Whether only operators do: where a call does not say what the parameters are, they are those of numbers.
    pub(crate) only_operators: bool,
    /// The numbers of types and of constants, by their text.
    written: (HashMap<String, u32>, HashMap<String, u32>),
}

impl ExternalSymbols {
    /// Returns whether the function names nothing of the user's program.
    pub(crate) fn is_empty(&self) -> bool {
        self.types.is_empty() && self.constants.is_empty() && self.calls.is_empty()
    }

    /// Returns the number of a type.
    pub(super) fn number_type(&mut self, written: &syn::Type) -> u32 {
        number(&mut self.types, &mut self.written.0, written)
    }

    /// Returns the number of a constant expression.
    pub(crate) fn number_constant(&mut self, expr: &syn::Expr) -> ConstId {
        ConstId(number(&mut self.constants, &mut self.written.1, expr))
    }

    /// Returns the number of a call, which is always a new one.
    pub(super) fn number_call(&mut self, site: CallSite) -> CallId {
        self.calls.push(site);
        CallId(self.calls.len() as u32 - 1)
    }
}

/// Returns the index of an entry, new or not: entries with the same text are the same.
fn number<T: ToTokens + Clone>(list: &mut Vec<T>, written: &mut HashMap<String, u32>, entry: &T) -> u32 {
    *written.entry(entry.to_token_stream().to_string()).or_insert_with(|| {
        list.push(entry.clone());
        list.len() as u32 - 1
    })
}
