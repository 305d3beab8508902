//! Unification.

use std::collections::HashSet;

use super::class::{Clash, Class, DEEPEST_TYPE, parts};
#[cfg(feature = "front")]
use crate::ir::open::OpenTy;
use crate::ir::open::{Length, Ty, TyId};
#[cfg(any(feature = "front", test))]
use crate::spec::Scalar;

#[derive(Debug, Clone)]
enum TypeNode {
    Same(TyId),
    /// A root. At most two to the power of `ranked` variables are the same type; `number` stands for all of them in the
    /// intermediate form.
    Root {
        class: Class,
        later: bool,
        ranked: u32,
        number: TyId,
    },
}

/// The type variables, and what is known about them.
#[derive(Debug, Default)]
pub(crate) struct Infer {
    nodes: Vec<TypeNode>,
}

impl Infer {
    /// Continues with what the macro knew.
    pub(crate) fn resume(types: &[Ty]) -> Infer {
        let node = |(number, ty): (u32, &Ty)| match ty {
            Ty::Same(other) => TypeNode::Same(*other),
            known => TypeNode::Root { class: Class::of(known), later: false, ranked: 0, number: TyId(number) },
        };
        Infer { nodes: (0..).zip(types).map(node).collect() }
    }

    /// Returns how many type variables there are.
    pub(super) fn count(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Returns a new type variable.
    pub(crate) fn fresh(&mut self, class: Class) -> TyId {
        self.add(class, false)
    }

    /// Returns a new type variable that something later decides.
    #[cfg(feature = "front")]
    pub(crate) fn later(&mut self) -> TyId {
        self.add(Class::Any, true)
    }

    fn add(&mut self, class: Class, later: bool) -> TyId {
        let number = TyId(self.nodes.len() as u32);
        self.nodes.push(TypeNode::Root { class, later, ranked: 0, number });
        number
    }

    /// Marks a type and its parts as later: something that the macro cannot see may decide them.
    pub(crate) fn mark_later(&mut self, ty: TyId) {
        let mut left = vec![ty];
        while let Some(ty) = left.pop() {
            let root = self.root(ty);
            let TypeNode::Root { later, class, .. } = &mut self.nodes[root.0 as usize] else { continue };
            if !std::mem::replace(later, true) {
                left.extend(parts(class));
            }
        }
    }

    /// Returns whether something that the macro cannot see may decide this type.
    pub(crate) fn is_later(&self, ty: TyId) -> bool {
        matches!(&self.nodes[self.root(ty).0 as usize], TypeNode::Root { later: true, .. })
    }

    pub(crate) fn root(&self, mut ty: TyId) -> TyId {
        while let TypeNode::Same(next) = &self.nodes[ty.0 as usize] {
            ty = *next;
        }
        ty
    }

    /// Returns what is known so far.
    pub(crate) fn class(&self, ty: TyId) -> &Class {
        match &self.nodes[self.root(ty).0 as usize] {
            TypeNode::Root { class, .. } => class,
            TypeNode::Same(_) => &Class::Any,
        }
    }

    /// Makes the two the same type.
    pub(crate) fn unify(&mut self, a: TyId, b: TyId) -> Result<(), Clash> {
        self.unify_within(a, b, 0)
    }

    /// Unifies parts of types that nest `depth` deep. No type of the device nests deep enough to reach the limit.
    fn unify_within(&mut self, a: TyId, b: TyId, depth: u32) -> Result<(), Clash> {
        let (mut root_a, mut root_b) = (self.root(a), self.root(b));
        if root_a == root_b {
            return Ok(());
        }
        let (class_a, class_b) = (self.class(root_a).clone(), self.class(root_b).clone());
        let later = self.is_later(root_a) || self.is_later(root_b);
        if depth > 2 * DEEPEST_TYPE || self.holds(&class_a, root_b) || self.holds(&class_b, root_a) {
            return Err(Clash(class_a, class_b));
        }
        let class = self.meet(&class_a, &class_b, depth).ok_or(Clash(class_a, class_b))?;
        // The smaller set becomes a part of the larger one, so paths to a root stay short.
        let ((rank_a, _), (rank_b, number)) = (self.rank(root_a), self.rank(root_b));
        if rank_a > rank_b {
            std::mem::swap(&mut root_a, &mut root_b);
        }
        let ranked = rank_a.max(rank_b) + u32::from(rank_a == rank_b);
        self.nodes[root_a.0 as usize] = TypeNode::Same(root_b);
        self.nodes[root_b.0 as usize] = TypeNode::Root { class, later: false, ranked, number };
        if later {
            self.mark_later(root_b);
        }
        Ok(())
    }

    /// Returns the rank of a root, and the number that stands for its type.
    fn rank(&self, root: TyId) -> (u32, TyId) {
        match self.nodes[root.0 as usize] {
            TypeNode::Root { ranked, number, .. } => (ranked, number),
            TypeNode::Same(_) => (0, root),
        }
    }

    /// Returns what both classes say together; `None` where they contradict.
    fn meet(&mut self, a: &Class, b: &Class, depth: u32) -> Option<Class> {
        use Class::{Any, Array, Dead, Float, Int, Known, Option, Tuple};
        let class = match (a, b) {
            (a, b) if a == b => a.clone(),
            (Any, x) | (x, Any) | (Dead, x) | (x, Dead) => x.clone(),
            (Int, Known(s)) | (Known(s), Int) if s.is_int() => Known(*s),
            (Float, Known(s)) | (Known(s), Float) if s.is_float() => Known(*s),
            (Tuple(a), Tuple(b)) if a.len() == b.len() => {
                a.iter().zip(b).try_for_each(|(a, b)| self.unify_within(*a, *b, depth + 1)).ok()?;
                Tuple(a.clone())
            }
            (Option(a), Option(b)) => {
                self.unify_within(*a, *b, depth + 1).ok()?;
                Option(*a)
            }
            (Class::Shared(a), Class::Shared(b)) => {
                self.unify_within(*a, *b, depth + 1).ok()?;
                Class::Shared(*a)
            }
            (Class::Result(a, e), Class::Result(b, f)) => {
                self.unify_within(*a, *b, depth + 1).ok()?;
                self.unify_within(*e, *f, depth + 1).ok()?;
                Class::Result(*a, *e)
            }
            (Array(a, n), Array(b, m)) => {
                self.unify_within(*a, *b, depth + 1).ok()?;
                Array(*a, meet_length(*n, *m)?)
            }
            _ => return None,
        };
        Some(class)
    }

    /// Returns whether the type is a part of the class: no type can be a part of itself.
    pub(super) fn holds(&self, class: &Class, ty: TyId) -> bool {
        let (mut left, mut seen) = (parts(class), HashSet::new());
        while let Some(part) = left.pop() {
            let root = self.root(part);
            if root == ty {
                return true;
            }
            if seen.insert(root) {
                left.extend(parts(self.class(root)));
            }
        }
        false
    }

    /// Returns the scalar, with rustc's defaults for literals; `None` if the type is undecided, later, or not a scalar.
    #[cfg(any(feature = "front", test))]
    pub(crate) fn answer(&self, ty: TyId) -> Option<Scalar> {
        match self.class(ty) {
            Class::Known(scalar) => Some(*scalar),
            Class::Int if !self.is_later(ty) => Some(Scalar::I32),
            Class::Float if !self.is_later(ty) => Some(Scalar::F64),
            _ => None,
        }
    }

    /// Returns whether nothing determines the type, now or later.
    #[cfg(feature = "front")]
    pub(crate) fn is_open(&self, ty: TyId) -> bool {
        self.has_part(ty, |root| *self.class(root) == Class::Any && !self.is_later(root))
    }

    /// Returns whether the type or a part of it is one that only rustc knows.
    #[cfg(feature = "front")]
    pub(crate) fn has_unknown(&self, ty: TyId) -> bool {
        self.has_part(ty, |root| matches!(self.class(root), Class::Any | Class::Named(_)))
    }

    /// Returns whether the type is, or has a part, a name for a shared array.
    #[cfg(feature = "front")]
    pub(crate) fn has_shared(&self, ty: TyId) -> bool {
        self.has_part(ty, |root| matches!(self.class(root), Class::Shared(_)))
    }

    /// Returns whether the type is, or has a part, that of a literal.
    #[cfg(feature = "front")]
    pub(crate) fn has_literal(&self, ty: TyId) -> bool {
        self.has_part(ty, |root| matches!(self.class(root), Class::Int | Class::Float))
    }

    #[cfg(feature = "front")]
    fn has_part(&self, ty: TyId, is: impl Fn(TyId) -> bool) -> bool {
        let (mut left, mut seen) = (vec![ty], HashSet::new());
        while let Some(ty) = left.pop() {
            let root = self.root(ty);
            if is(root) {
                return true;
            }
            if seen.insert(root) {
                left.extend(parts(self.class(root)));
            }
        }
        false
    }

    /// Returns every type variable as the intermediate form keeps it, with defaults where nothing later decides.
    #[cfg(feature = "front")]
    pub(crate) fn types(&self) -> Vec<Ty> {
        (0..self.nodes.len() as u32).map(|n| self.kept(TyId(n))).collect()
    }

    #[cfg(feature = "front")]
    fn kept(&self, ty: TyId) -> Ty {
        let (_, number) = self.rank(self.root(ty));
        if number != ty {
            return Ty::Same(number);
        }
        if let Some(scalar) = self.answer(ty) {
            return Ty::Scalar(scalar);
        }
        match self.class(ty) {
            Class::Any => Ty::Open(OpenTy::Any),
            Class::Dead => Ty::Open(OpenTy::Dead),
            Class::Int => Ty::Open(OpenTy::Int),
            Class::Float => Ty::Open(OpenTy::Float),
            Class::Known(scalar) => Ty::Scalar(*scalar),
            Class::Unit => Ty::Unit,
            Class::Tuple(parts) => Ty::Tuple(parts.clone()),
            Class::Array(element, length) => Ty::Array(*element, *length),
            Class::Option(inner) => Ty::Option(*inner),
            Class::Result(ok, err) => Ty::Result(*ok, *err),
            Class::Shared(element) => Ty::Shared(*element),
            Class::Named(number) => Ty::Named(*number),
        }
    }

    /// Returns the type for messages.
    #[cfg(feature = "front")]
    pub(crate) fn words(&self, class: &Class) -> String {
        match class {
            Class::Any | Class::Dead | Class::Named(_) => "of unknown type".to_owned(),
            Class::Int => "an integer".to_owned(),
            Class::Float => "a float".to_owned(),
            _ => format!("`{}`", self.show(class, 0)),
        }
    }

    /// Writes the type up to a depth, because a shared part shows at each use.
    #[cfg(feature = "front")]
    fn show(&self, class: &Class, depth: u32) -> String {
        const SHOWN: u32 = 4;
        let part = |ty: &TyId| self.show(self.class(*ty), depth + 1);
        match class {
            Class::Tuple(_) | Class::Array(..) | Class::Option(_) | Class::Result(..) | Class::Shared(_)
                if depth > SHOWN =>
            {
                "…".to_owned()
            }
            Class::Any | Class::Dead | Class::Named(_) => "_".to_owned(),
            Class::Int => "{integer}".to_owned(),
            Class::Float => "{float}".to_owned(),
            Class::Known(scalar) => scalar.rust().to_owned(),
            Class::Unit => "()".to_owned(),
            Class::Tuple(parts) if parts.len() == 1 => format!("({},)", part(&parts[0])),
            Class::Tuple(parts) => format!("({})", parts.iter().map(part).collect::<Vec<_>>().join(", ")),
            Class::Array(element, Length::Known(length)) => format!("[{}; {length}]", part(element)),
            Class::Array(element, _) => format!("[{}; _]", part(element)),
            Class::Option(inner) => format!("Option<{}>", part(inner)),
            Class::Shared(element) => format!("&Shared<{}>", part(element)),
            Class::Result(ok, err) => format!("Result<{}, {}>", part(ok), part(err)),
        }
    }
}

fn meet_length(a: Length, b: Length) -> Option<Length> {
    match (a, b) {
        (Length::Open, other) | (other, Length::Open) => Some(other),
        (Length::Known(a), Length::Known(b)) => (a == b).then_some(Length::Known(a)),
        // rustc compares lengths that only rustc knows.
        (Length::Constant(_), known) | (known, Length::Constant(_)) => Some(known),
    }
}

#[cfg(test)]
mod tests;
