//! Methods of arrays and of `Option` that types of the user's program can have, too: rustc decides which one a call means.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

use crate::infer::Class;

/// What the runtime has the methods in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BuiltIn {
    /// A trait of methods with `&self`.
    Looks,
    /// A trait of methods with `&mut self`.
    Changes,
    /// Traits of one method each: `flatten`, `unzip` and `transpose`.
    Opens,
    Parts,
    Turns,
}

impl BuiltIn {
    /// Returns the name of the trait.
    pub(crate) fn name(self) -> &'static str {
        match self {
            BuiltIn::Looks => "Looks",
            BuiltIn::Changes => "Changes",
            BuiltIn::Opens => "Opens",
            BuiltIn::Parts => "Parts",
            BuiltIn::Turns => "Turns",
        }
    }
}

/// What has a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Array,
    Option,
    /// An `Option` of `Option`s.
    Nested,
    /// An `Option` of pairs.
    Pair,
    /// An `Option` of `Result`s, or a `Result` of `Option`s.
    Both,
}

/// The methods, with the number of their arguments.
const METHODS: [(&str, usize, BuiltIn, Of); 16] = [
    ("contains", 1, BuiltIn::Looks, Of::Array),
    ("first", 0, BuiltIn::Looks, Of::Array),
    ("last", 0, BuiltIn::Looks, Of::Array),
    ("get", 1, BuiltIn::Looks, Of::Array),
    ("is_empty", 0, BuiltIn::Looks, Of::Array),
    ("fill", 1, BuiltIn::Changes, Of::Array),
    ("reverse", 0, BuiltIn::Changes, Of::Array),
    ("swap", 2, BuiltIn::Changes, Of::Array),
    ("rotate_left", 1, BuiltIn::Changes, Of::Array),
    ("rotate_right", 1, BuiltIn::Changes, Of::Array),
    ("take", 0, BuiltIn::Changes, Of::Option),
    ("replace", 1, BuiltIn::Changes, Of::Option),
    ("insert", 1, BuiltIn::Changes, Of::Option),
    ("flatten", 0, BuiltIn::Opens, Of::Nested),
    ("unzip", 0, BuiltIn::Parts, Of::Pair),
    ("transpose", 0, BuiltIn::Turns, Of::Both),
];

/// Returns what has a method of this name.
pub(crate) fn of(name: &Ident, arguments: usize) -> Option<BuiltIn> {
    METHODS.iter().find(|known| name == known.0 && arguments == known.1).map(|known| known.2)
}

/// Returns whether slices have a method of the name. In Rust one of a trait for the array would win, and here it would not.
pub(crate) fn is_of_slices(name: &Ident) -> bool {
    METHODS.iter().any(|known| known.3 == Of::Array && name == known.0)
        || super::iterate::is_of_slices(&name.to_string())
}

/// Returns an expression of the type of the method's result. It is never evaluated.
pub(super) fn result((of, name): (&TokenStream, &Ident), import: BuiltIn, args: &[TokenStream]) -> TokenStream {
    let (import, run) = (Ident::new(import.name(), Span::mixed_site()), format_ident!("stm_run_{}", name.unraw()));
    quote! {{
        #[allow(unused_imports)]
        use ::stm_runtime::__private::callee::#import as _;
        ::stm_runtime::__private::callee::ran((#of).#run::<::stm_runtime::__private::OnThreads, true>(#(#args),*))
    }}
}

/// Returns whether a value of that class has it.
pub(super) fn is_of(class: &Class, name: &Ident, arguments: usize) -> bool {
    value(class, name, arguments).is_some()
}

/// Returns a value that has the method, if one of that class has it. The function is the same for all types of elements.
pub(super) fn value(class: &Class, name: &Ident, arguments: usize) -> Option<TokenStream> {
    let known = METHODS.iter().find(|known| name == known.0 && arguments == known.1)?;
    match (class, known.3) {
        (Class::Array(..), Of::Array) => Some(quote!([0; 1])),
        (Class::Option(_), Of::Option) => Some(quote!(Some(0))),
        (Class::Option(_), Of::Nested) => Some(quote!(Some(Some(0)))),
        (Class::Option(_), Of::Pair) => Some(quote!(Some((0, 0)))),
        (Class::Option(_), Of::Both) => Some(quote!(Some(Ok::<i32, i32>(0)))),
        (Class::Result(..), Of::Both) => Some(quote!(Ok::<Option<i32>, i32>(Some(0)))),
        _ => None,
    }
}
