//! Patterns over references. A name is a reference to a part of the place. Behind `&mut`, an assignment to it changes the place.

use super::expr::{Gen, Var};
use super::types::Ty;

impl Gen<'_> {
    /// Returns a `match` of a place behind `&` or `&mut`, or `None` if no place is in scope.
    pub(super) fn match_reference(&mut self, depth: usize) -> Option<String> {
        let mutable = self.dice.chance(50);
        let (path, ty) = self.lent_place(mutable)?;
        let root: String = path.trim_start_matches(['(', '*']).chars().take_while(|c| c.is_alphanumeric()).collect();
        let vars = self.vars.clone();
        // The arms neither change the place, nor see it while it can change.
        match mutable {
            true => self.vars.retain(|var| var.name != root),
            false => self.vars.iter_mut().filter(|var| var.name == root).for_each(|var| var.mutable = false),
        }
        let and = if mutable { "&mut " } else { "&" };
        let mut text = format!("match {and}{path} {{\n");
        for _ in 0..1 + self.dice.below(3) {
            text += &self.scoped(|this| {
                let (pattern, names) = this.lent_pattern(&ty, mutable);
                let guarded = !mutable && this.dice.chance(30);
                let guard = if guarded { format!(" if {}", this.bool(1)) } else { String::new() };
                let changes: String = match mutable {
                    true => names.iter().map(|var| this.change(var)).collect(),
                    false => String::new(),
                };
                format!("{pattern}{guard} => {{\n{changes}{}}}\n", this.stmts(1, depth))
            });
        }
        self.vars = vars;
        Some(text + "_ => {}\n}\n")
    }

    fn lent_place(&mut self, mutable: bool) -> Option<(String, Ty)> {
        let mut found = Vec::new();
        for var in self.visible().into_iter().filter(|var| var.mutable || !mutable) {
            let whole = if var.place { format!("(*{})", var.name) } else { var.name.clone() };
            found.push((whole, var.ty.clone()));
            found.extend(self.parts_of(&var.name, &var.ty, 2));
        }
        found.retain(|(_, ty)| !matches!(ty, Ty::Scalar(_) | Ty::Unit | Ty::Char | Ty::Enum(_)));
        (!found.is_empty()).then(|| self.dice.pick(&found).clone())
    }

    /// Returns a pattern whose names are references, and the names.
    pub(super) fn lent_pattern(&mut self, ty: &Ty, mutable: bool) -> (String, Vec<Var>) {
        let before = self.vars.len();
        let mut pattern = self.pattern(ty, true, 3);
        // The rest of an array that changes has no name.
        while mutable && pattern.contains("rest") {
            self.vars.truncate(before);
            pattern = self.pattern(ty, true, 3);
        }
        let pattern = pattern.replace("mut ", "");
        for var in &mut self.vars[before..] {
            (var.place, var.mutable) = (true, mutable);
        }
        (pattern, self.vars[before..].to_vec())
    }

    /// Returns an assignment through a name.
    fn change(&mut self, var: &Var) -> String {
        format!("*{} = {};\n", var.name, self.expr(&var.ty, 1))
    }
}
