//! `gpu_println!`: texts and scalars. What a compound value looks like depends on its `Option`s and enums, so each way
//! is a branch with a print of its own.

use super::super::shape;
use super::{Expander, Outcome};
use crate::ir::{Atom, Compare, Piece, SiteId, StmtKind};
use crate::spec::{Scalar, Type};

/// A print has at most so many ways to look.
const MOST_WAYS: u32 = 64;

/// What is still to be printed, last first.
#[derive(Debug, Clone)]
enum Todo {
    Text(String),
    Value(Type, Vec<Atom>, bool),
}

impl<'p> Expander<'p> {
    pub(super) fn print(&mut self, pieces: &[Piece], site: SiteId) -> Outcome<()> {
        let mut todo = Vec::new();
        for piece in pieces.iter().rev() {
            todo.push(match piece {
                Piece::Text(text) => Todo::Text(text.clone()),
                Piece::Value(atom, debug) => {
                    let (ty, atoms) = self.value(atom)?;
                    Todo::Value(ty, atoms, *debug)
                }
            });
        }
        let site = self.site(site);
        self.print_rest(todo, Vec::new(), site, &mut 0)
    }

    fn print_rest(&mut self, mut todo: Vec<Todo>, mut done: Vec<Piece>, site: SiteId, ways: &mut u32) -> Outcome<()> {
        while let Some(next) = todo.pop() {
            let (ty, atoms, debug) = match next {
                Todo::Text(text) => {
                    put_text(&mut done, text);
                    continue;
                }
                Todo::Value(ty, atoms, debug) => (ty, atoms, debug),
            };
            match ty {
                Type::Scalar(_) => done.push(Piece::Value(atoms[0].clone(), debug)),
                Type::Unit => put_text(&mut done, "()".to_owned()),
                Type::Tuple(_) | Type::Record(_) => todo.extend(fields(ty, &atoms).into_iter().rev()),
                Type::Array(element, length) => {
                    todo.push(Todo::Text("]".to_owned()));
                    for k in (0..length).rev() {
                        let element_atoms = self.element_at(*element, &atoms, k);
                        todo.push(Todo::Value(*element, element_atoms, true));
                        todo.push(Todo::Text(if k == 0 { "[" } else { ", " }.to_owned()));
                    }
                    if length == 0 {
                        todo.push(Todo::Text("[".to_owned()));
                    }
                }
                Type::Option(inner) => {
                    let some = [
                        Todo::Text(")".to_owned()),
                        Todo::Value(*inner, atoms[1..].to_vec(), true),
                        Todo::Text("Some(".to_owned()),
                    ];
                    let (mut some_todo, mut none_todo) = (todo.clone(), todo);
                    some_todo.extend(some);
                    none_todo.push(Todo::Text("None".to_owned()));
                    return self.print_branch(atoms[0].clone(), (some_todo, none_todo), done, site, ways);
                }
                Type::Enum(of) => {
                    let Some(((name, value), others)) = of.variants.split_last() else { return Ok(()) };
                    // The last variant is what remains.
                    let mut branches = vec![(None, *name)];
                    branches.extend(others.iter().rev().map(|(name, value)| (Some(*value), *name)));
                    _ = value;
                    return self.print_variants(&atoms[0], of.repr, branches, (todo, done), site, ways);
                }
            }
        }
        *ways += 1;
        if *ways > MOST_WAYS {
            return self.fail("this print has too many `Option`s and enums; print their parts, or in several lines");
        }
        self.push(StmtKind::Print { pieces: done, site });
        Ok(())
    }

    fn print_branch(
        &mut self,
        condition: Atom,
        (yes, no): (Vec<Todo>, Vec<Todo>),
        done: Vec<Piece>,
        site: SiteId,
        ways: &mut u32,
    ) -> Outcome<()> {
        let same = done.clone();
        let then = self.nested(|this| this.print_rest(yes, done, site, ways))?;
        let other = self.nested(|this| this.print_rest(no, same, site, ways))?;
        self.push(StmtKind::If { condition, then, other });
        Ok(())
    }

    /// `branches`: the discriminants with their names, in reverse; the first one is for all that remains.
    fn print_variants(
        &mut self,
        value: &Atom,
        repr: Scalar,
        mut branches: Vec<(Option<i128>, &str)>,
        (todo, done): (Vec<Todo>, Vec<Piece>),
        site: SiteId,
        ways: &mut u32,
    ) -> Outcome<()> {
        let Some((discriminant, name)) = branches.pop() else { return Ok(()) };
        let mut this_todo = todo.clone();
        this_todo.push(Todo::Text(name.to_owned()));
        let Some(discriminant) = discriminant else { return self.print_rest(this_todo, done, site, ways) };
        let literal = Atom::Int(discriminant, self.ty(repr, None));
        let condition = self.compare(Compare::Eq, value.clone(), literal);
        let same = done.clone();
        let then = self.nested(|this| this.print_rest(this_todo, done, site, ways))?;
        let other = self.nested(|this| this.print_variants(value, repr, branches, (todo, same), site, ways))?;
        self.push(StmtKind::If { condition, then, other });
        Ok(())
    }
}

/// The parts of a record or tuple as a derived `Debug` shows them, in order.
fn fields(ty: Type, atoms: &[Atom]) -> Vec<Todo> {
    let parts = shape::parts(ty);
    let name = match ty {
        Type::Record(record) => record.name,
        _ => "",
    };
    let positional = parts.iter().all(|(name, _)| name.parse::<usize>().is_ok());
    let (open, close) = match (parts.len(), positional, ty) {
        (0, ..) => (name.to_owned(), ""),
        (1, true, Type::Tuple(_)) => ("(".to_owned(), ",)"),
        (_, true, _) => (format!("{name}("), ")"),
        (_, false, _) => (format!("{name} {{ "), " }"),
    };
    let mut todo = vec![Todo::Text(open)];
    let mut first = 0;
    for (k, (field, part)) in parts.into_iter().enumerate() {
        let comma = if k == 0 { "" } else { ", " };
        let label = if positional { comma.to_owned() } else { format!("{comma}{field}: ") };
        let end = first + shape::width(part);
        todo.extend([Todo::Text(label), Todo::Value(part, atoms[first..end].to_vec(), true)]);
        first = end;
    }
    todo.push(Todo::Text(close.to_owned()));
    todo
}

/// Texts that follow each other are one.
fn put_text(pieces: &mut Vec<Piece>, text: String) {
    match pieces.last_mut() {
        Some(Piece::Text(last)) => last.push_str(&text),
        _ => pieces.push(Piece::Text(text)),
    }
}
