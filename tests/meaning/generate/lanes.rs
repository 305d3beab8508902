//! Lists of shared arrays: in loops, in closures, under further names.

use kernels_gen::spec::Scalar;

use super::expr::{Around, Gen, Var};
use super::types::Ty;

impl Gen<'_> {
    /// Returns two or three arrays of one type, or of fields of it, and the type.
    fn lanes(&mut self) -> Option<(Vec<String>, Ty)> {
        if !self.tries() {
            return None;
        }
        let mut found: Vec<(String, Ty)> = Vec::new();
        for (name, ty) in self.arrays.clone() {
            let fields = self.array_fields(&name, &ty, 3).into_iter().map(|(path, ty)| (format!("&{path}"), ty));
            found.extend(fields);
            found.push((name, ty));
        }
        if found.is_empty() {
            return None;
        }
        let ty = self.dice.pick(&found).1.clone();
        found.retain(|(_, other)| *other == ty);
        let count = 2 + self.dice.below(2);
        Some(((0..count).map(|_| self.dice.pick(&found).0.clone()).collect(), ty))
    }

    /// Returns a loop over a list of arrays.
    pub(super) fn for_lanes(&mut self, depth: usize) -> Option<String> {
        let (arrays, ty) = self.lanes()?;
        let (list, count) = (format!("[{}]", arrays.join(", ")), arrays.len());
        let (lane, k, kept) = (self.fresh(), self.fresh(), self.fresh());
        let usize = Ty::Scalar(Scalar::Usize);
        let mut vars = Vec::new();
        let (before, head, name) = match self.dice.below(6) {
            0 => (String::new(), format!("{lane} in {list}"), lane.clone()),
            1 => (format!("let {kept} = {list};\n"), format!("{lane} in {kept}.iter().rev()"), lane.clone()),
            2 => {
                vars.push(Var::new(&k, usize));
                (String::new(), format!("({k}, {lane}) in {list}.iter().enumerate()"), lane.clone())
            }
            3 => {
                vars.push(Var::new(&k, Ty::Scalar(Scalar::U32)));
                let weights: Vec<String> = (0..count).map(|_| format!("{}_u32", self.dice.below(9))).collect();
                (
                    String::new(),
                    format!("({lane}, {k}) in {list}.into_iter().zip([{}])", weights.join(", ")),
                    lane.clone(),
                )
            }
            4 => {
                vars.push(Var::new(&k, usize));
                (format!("let {kept} = {list};\n"), format!("{k} in 0..{kept}.len()"), format!("{kept}[{k}]"))
            }
            _ => {
                vars.push(Var::new(&k, Ty::Scalar(Scalar::I64)));
                let pairs: Vec<String> =
                    arrays.iter().map(|array| format!("({array}, {}_i64)", self.dice.below(9))).collect();
                (String::new(), format!("({lane}, {k}) in [{}]", pairs.join(", ")), lane.clone())
            }
        };
        let body = self.scoped(|this| {
            this.vars.extend(vars);
            this.loops += 1;
            this.around.push(Around { label: None, is_loop: true, value: None });
            let access = this.access(&name, &ty);
            let rest = this.stmts(1, depth.min(1));
            this.around.pop();
            this.loops -= 1;
            format!("{access}{rest}")
        });
        Some(format!("{{\n{before}for {head} {{\n{body}}}\n}}\n"))
    }

    /// Returns statements that read and write elements of an array.
    pub(super) fn access(&mut self, array: &str, ty: &Ty) -> String {
        let (index, other, w) = (self.dice.below(2), self.dice.below(2), self.fresh());
        let text = self.world.text(ty);
        let read = format!("let {w}: {text} = tx.read({array}, {index})?;\n");
        self.vars.push(Var::new(&w, ty.clone()));
        match self.dice.below(3) {
            0 => read,
            1 => format!("{read}tx.write({array}, {other}, {})?;\n", self.expr(ty, 2)),
            _ => {
                let x = self.fresh();
                let value = self.in_closure(&[Var::new(&x, ty.clone())], |this| this.expr(ty, 1));
                format!("{read}tx.update({array}, {other}, |{x}| {value})?;\n")
            }
        }
    }

    /// Returns an integer from a chain whose closure reads shared arrays.
    pub(super) fn of_reads(&mut self, scalar: Scalar) -> Option<String> {
        let (arrays, ty) = self.lanes()?;
        let (list, first) = (format!("[{}]", arrays.join(", ")), arrays.first()?);
        let (lane, w, k, name) = (self.fresh(), self.fresh(), self.fresh(), scalar.rust());
        let (text, result, at) = (self.world.text(&ty), Ty::Scalar(scalar), self.dice.below(2));
        let value = self.in_closure(&[Var::new(&w, ty)], |this| this.expr(&result, 1));
        let of_one = |array: &str, at: &str| format!("{{ let {w}: {text} = tx.read({array}, {at})?; Ok({value}) }}");
        Some(match self.dice.below(4) {
            0 => format!("{list}.iter().map(|{lane}| {}).sum::<TxResult<{name}>>()?", of_one(&lane, &at.to_string())),
            1 => format!("(0..2_usize).map(|{k}| {}).sum::<TxResult<{name}>>()?", of_one(first, &k)),
            2 => format!(
                "{list}.iter().enumerate().try_fold(0, |old: {name}, ({k}, {lane})| {{ let {w}: {text} = tx.read({lane}, {k} & 1)?; Ok(old ^ {value}) }})?"
            ),
            _ => format!("({list}.iter().map(|{lane}| {lane}.len()).sum::<usize>() as {name})"),
        })
    }
}
