//! Type inference by unification. The world is closed: all types are scalars, all signatures are known.

use crate::ir::TyId;
use crate::spec::Scalar;

/// What is known of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Nothing yet.
    Any,
    /// The type of code that is never reached, or that was rejected already: agrees with everything, needs no answer.
    Dead,
    /// Some integer: `i32` where nothing else is said, as in rustc.
    Int,
    /// Some float: `f64` where nothing else is said.
    Float,
    /// This one.
    Known(Scalar),
}

impl Class {
    /// What both say together; `None` where they contradict.
    fn meet(self, other: Class) -> Option<Class> {
        use Class::{Any, Dead, Float, Int, Known};
        match (self, other) {
            (a, b) if a == b => Some(a),
            (Any, x) | (x, Any) | (Dead, x) | (x, Dead) => Some(x),
            (Int, Known(s)) | (Known(s), Int) if s.is_int() => Some(Known(s)),
            (Float, Known(s)) | (Known(s), Float) if s.is_float() => Some(Known(s)),
            _ => None,
        }
    }

    /// The name for messages.
    pub(crate) fn words(self) -> String {
        match self {
            Class::Any | Class::Dead => "of unknown type".to_owned(),
            Class::Int => "an integer".to_owned(),
            Class::Float => "a float".to_owned(),
            Class::Known(scalar) => format!("`{}`", scalar.rust()),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Node {
    Same(TyId),
    Root(Class),
}

/// Two types that cannot be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Clash(pub(crate) Class, pub(crate) Class);

/// The type variables and what is known of them.
#[derive(Debug, Default)]
pub(crate) struct Infer {
    nodes: Vec<Node>,
}

impl Infer {
    /// A new type variable.
    pub(crate) fn fresh(&mut self, class: Class) -> TyId {
        self.nodes.push(Node::Root(class));
        TyId(self.nodes.len() as u32 - 1)
    }

    fn root(&self, mut ty: TyId) -> (TyId, Class) {
        loop {
            match self.nodes[ty.0 as usize] {
                Node::Same(next) => ty = next,
                Node::Root(class) => return (ty, class),
            }
        }
    }

    /// What is known so far.
    pub(crate) fn class(&self, ty: TyId) -> Class {
        self.root(ty).1
    }

    /// Makes the two the same type.
    pub(crate) fn unify(&mut self, a: TyId, b: TyId) -> Result<(), Clash> {
        let ((root_a, class_a), (root_b, class_b)) = (self.root(a), self.root(b));
        let class = class_a.meet(class_b).ok_or(Clash(class_a, class_b))?;
        self.nodes[root_b.0 as usize] = Node::Root(class);
        if root_a != root_b {
            self.nodes[root_a.0 as usize] = Node::Same(root_b);
        }
        Ok(())
    }

    /// The answer, with rustc's defaults for literals; `None` where nothing decides.
    pub(crate) fn answer(&self, ty: TyId) -> Option<Scalar> {
        match self.class(ty) {
            Class::Known(scalar) => Some(scalar),
            Class::Int => Some(Scalar::I32),
            Class::Float => Some(Scalar::F64),
            Class::Any | Class::Dead => None,
        }
    }

    /// One answer for every type variable. Types of dead code do not matter, and get any.
    pub(crate) fn answers(&self) -> Vec<Scalar> {
        (0..self.nodes.len() as u32).map(|n| self.answer(TyId(n)).unwrap_or(Scalar::I32)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_take_the_type_of_their_neighbours() {
        let mut infer = Infer::default();
        let (a, b, c) = (infer.fresh(Class::Int), infer.fresh(Class::Any), infer.fresh(Class::Known(Scalar::U8)));
        assert_eq!(infer.answer(a), Some(Scalar::I32));
        infer.unify(a, b).unwrap();
        infer.unify(b, c).unwrap();
        assert_eq!([a, b, c].map(|t| infer.answer(t)), [Some(Scalar::U8); 3]);
    }

    #[test]
    fn contradictions_are_found() {
        use Class::{Any, Dead, Float, Int, Known};
        for (a, b, agree) in [
            (Int, Float, false),
            (Int, Known(Scalar::F32), false),
            (Float, Known(Scalar::F32), true),
            (Known(Scalar::Bool), Int, false),
            (Known(Scalar::Usize), Known(Scalar::U64), false),
            (Any, Int, true),
            (Dead, Known(Scalar::Bool), true),
        ] {
            let mut infer = Infer::default();
            let (x, y) = (infer.fresh(a), infer.fresh(b));
            assert_eq!(infer.unify(x, y).is_ok(), agree, "{a:?} {b:?}");
        }
    }
}
