//! Parameters, the result, and the variables of a function.

use super::super::error::{Blame, ProcedureError};
use super::super::shape;
use super::binding::{ArrayParam, Binding};
use super::expander::{Expanded, Expander};
use crate::ir::flat::{Atom, FlatParam, ParamRole, Rvalue, StmtKind};
use crate::ir::{VarId, open};
use crate::spec::{Scalar, Type};

/// The name of the hidden parameter with the index of the partition that a call works on.
const PART: &str = "part";

impl<'p> Expander<'p> {
    /// Makes the parameters of the flat form.
    pub(super) fn parameters(&mut self) -> Expanded<()> {
        let open = &self.frame().resolved.program.tx;
        let mut firsts = Vec::new();
        for (k, param) in open.params.iter().enumerate() {
            let blamed = |error: ProcedureError| ProcedureError {
                line: open.at.line,
                at: Some(Blame::Param(k as u32)),
                ..error
            };
            let ty = self.type_of_param(param).map_err(blamed)?;
            let part = self.part_of_param(param).map_err(blamed)?;
            firsts.push((ty, part, self.flat.params.len() as u32));
            let mutable = param.role == open::ParamRole::Value && open.vars[k].mutable;
            let role = match param.role {
                open::ParamRole::Array => ParamRole::Array { part },
                open::ParamRole::Value | open::ParamRole::Place => ParamRole::Value,
            };
            self.components_of_param(&param.name, ty, role, mutable);
        }
        let has_parts = |param: &FlatParam| matches!(param.role, ParamRole::Array { part: Some(_) });
        if self.flat.params.iter().any(has_parts) {
            let var = self.var(Some(PART.to_owned()), Scalar::U32, None, true);
            self.flat.params.push(FlatParam { name: PART.to_owned(), role: ParamRole::Value, scalar: Scalar::U32 });
            self.part = Some(var);
        }
        self.allocate(open.params.len());
        for (k, (ty, part, first)) in firsts.into_iter().enumerate() {
            match open.params[k].role {
                open::ParamRole::Array => {
                    _ = self
                        .frame_mut()
                        .arrays
                        .insert(k as u32, ArrayParam { ty, first, named: None, part, chosen: Vec::new() })
                }
                _ => self.value_param(k, ty, first),
            }
        }
        Ok(())
    }

    /// Adds a parameter, and its variable, for each component of one in the open stage.
    fn components_of_param(&mut self, name: &str, ty: Type, role: ParamRole, mutable: bool) {
        let mut components = Vec::new();
        ty.each_component("", &mut |path, scalar| components.push((path, scalar)));
        for (path, scalar) in components {
            self.var(Some(joined(name, &path)), scalar, None, !mutable);
            self.flat.params.push(FlatParam { name: format!("{name}{path}"), role, scalar });
        }
    }

    fn type_of_param(&self, param: &open::ParamDecl) -> Expanded<Type> {
        let Some(ty) = self.frame().resolved.ty(param.ty) else {
            return self.fail(format!("the type of `{}` is not known", param.name));
        };
        let components = ty.components();
        if components == 0 && param.role == open::ParamRole::Array {
            return self.fail(format!("`{}` is an array of `{ty}`, which has no data to store", param.name));
        }
        self.limit(components, &format!("`{}`", param.name))?;
        Ok(ty)
    }

    /// Returns the number of elements of one partition.
    fn part_of_param(&self, param: &open::ParamDecl) -> Expanded<Option<u64>> {
        let Some(length) = param.part else { return Ok(None) };
        let program = self.frame().resolved.program;
        match length.known(&program.constants) {
            Some(0) => self.fail(format!("a partition of `{}` has no elements; it needs at least one", param.name)),
            Some(part) => Ok(Some(part)),
            None => self.fail(format!("the number of elements in a partition of `{}` is not known", param.name)),
        }
    }

    /// Returns the groups of a value parameter: an array is assembled from its elements.
    fn value_param(&mut self, param: usize, ty: Type, first: u32) {
        let name = self.frame().resolved.program.tx.vars[param].name.clone();
        let mutable = self.frame().resolved.program.tx.vars[param].mutable;
        let mut elements: Vec<Vec<Atom>> = vec![Vec::new(); shape::width(ty)];
        for (component, (group, _)) in shape::components(ty).into_iter().enumerate() {
            elements[group].push(Atom::Var(VarId(first + component as u32)));
        }
        let mut atoms = Vec::new();
        for (group, elements) in shape::groups(ty).into_iter().zip(elements) {
            let elements = self.of_words(group.scalar, elements);
            if group.length().is_none() && !group.scalar.is_wide() {
                atoms.extend(elements);
                continue;
            }
            let name = name.as_deref().map(|name| joined(name, &group.path));
            let var = self.var(name, group.scalar, group.length(), !mutable);
            match (group.length(), elements.as_slice()) {
                (None, [one]) => self.push(StmtKind::Let { var, value: Rvalue::Use(one.clone()) }),
                _ => self.let_array(var, elements),
            }
            atoms.push(Atom::Var(var));
        }
        self.frame_mut().vars[param] = Binding::Value(atoms);
    }

    pub(super) fn result_type(&mut self) -> Expanded<()> {
        let line = self.flat.at.line;
        let blamed = |error: ProcedureError| ProcedureError { line, at: Some(Blame::Result), ..error };
        let ty = self.result_of_frame().map_err(blamed)?;
        self.limit(ty.components(), "the result").map_err(blamed)?;
        self.flat.results = ty.scalars();
        Ok(())
    }

    pub(super) fn result_of_frame(&self) -> Expanded<Type> {
        let resolved = self.frame().resolved;
        resolved.ty(resolved.program.tx.result).ok_or_else(|| self.error("the type of the result is not known"))
    }

    /// Makes the variables of the innermost function, starting at this number.
    pub(super) fn allocate(&mut self, from: usize) {
        let resolved = self.frame().resolved;
        for (k, var) in resolved.program.tx.vars.iter().enumerate().skip(from) {
            // A variable that is never reached has no type; it keeps its number.
            let ty = resolved.ty(var.ty);
            let mut atoms = Vec::new();
            for group in shape::groups(ty.unwrap_or(Type::Scalar(Scalar::I32))) {
                let name = var.name.as_deref().map(|name| joined(name, &group.path));
                atoms.push(Atom::Var(self.var(name, group.scalar, group.length(), !var.mutable)));
            }
            if ty.is_some() {
                self.frame_mut().vars[k] = Binding::Value(atoms);
            }
        }
    }
}

/// Returns the name of a part of a variable: `room_price`.
pub(super) fn joined(name: &str, path: &str) -> String {
    let path: String = path.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    format!("{name}{}", path.trim_end_matches('_'))
}
