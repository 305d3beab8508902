//! The macros that remain after desugaring: panics, `cfg!` and `gpu_println!`.

use syn::{Expr, ExprCall, LitStr};

use super::checks::TypeCheck;
use super::format;
use super::lower::{Lowered, Lowering};
use super::notes::Note;
use super::source_span::At;
use super::tree::{FAILED, FAULT};
use crate::fault::FaultCode;
use crate::front::diag::Rule;
use crate::ir::open::{Atom, Piece, StmtKind};
use crate::spec::{LocationKind, Scalar};

impl Lowering<'_> {
    pub(super) fn macro_call(&mut self, whole: &Expr, mac: &syn::Macro) -> Lowered {
        let name = mac.path.get_ident().map(ToString::to_string).unwrap_or_default();
        match name.as_str() {
            FAULT => {
                let text = mac.parse_body::<LitStr>().map(|text| text.value()).unwrap_or_default();
                let location = self.location(LocationKind::Panic, text, whole);
                self.notes.expr(whole, Note::Fault { code: FaultCode::Panic, location });
                self.push(StmtKind::Fault { code: FaultCode::Panic, location }, whole);
                Lowered::Never(None)
            }
            FAILED => Lowered::Failed,
            "cfg" => {
                let value = self.constant(whole);
                self.expect(Scalar::Bool, &value, whole, "`cfg!`");
                Lowered::Atom(value)
            }
            _ => self.unknown_macro(mac),
        }
    }

    /// Parses `gpu_println!` in its desugared form: a call with the format and the values.
    pub(super) fn print(&mut self, whole: &Expr, node: &ExprCall) -> Lowered {
        let mut args = node.args.iter();
        let Some(Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(format), .. })) = args.next() else {
            return Lowered::Failed;
        };
        let exprs: Vec<&Expr> = args.collect();
        let atoms = self.values(exprs.iter().copied());
        for (atom, expr) in atoms.iter().zip(&exprs) {
            let ty = self.type_of(atom);
            self.checks.operators.push((TypeCheck::Printed(ty), expr.source_span()));
        }
        let mut atoms = atoms.into_iter();
        let mut pieces = Vec::new();
        // Desugaring has checked the format.
        for part in format::parts(&format.value()).unwrap_or_default() {
            match part {
                format::FormatPart::Text(text) if text.is_empty() => {}
                format::FormatPart::Text(text) => pieces.push(Piece::Text(text)),
                format::FormatPart::Value(_, how) => match atoms.next() {
                    Some(atom) => pieces.push(Piece::Value(atom, how)),
                    None => self.diags.report(Rule::Macro, format, "there are more `{}` than values"),
                },
            }
        }
        if atoms.next().is_some() {
            self.diags.report(Rule::Macro, format, "there are more values than `{}`");
        }
        let location = self.location(LocationKind::Print, format.value(), whole);
        self.notes.expr(whole, Note::Print);
        self.push(StmtKind::Print { pieces, location }, whole);
        Lowered::Unit
    }

    /// Returns an atom of `()`, for callers that need an atom.
    pub(super) fn unit_or(&mut self, value: Lowered, at: &Expr) -> Atom {
        match value {
            Lowered::Unit => Atom::Unit,
            value => self.need(value, at),
        }
    }
}
