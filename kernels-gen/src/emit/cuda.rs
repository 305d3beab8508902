//! The CUDA text of `announce` and `body`. The prelude's functions carry Rust's meaning; here is only order and form.

use std::collections::BTreeSet;

use super::announce;
use super::names;
use super::writer::Writer;
use crate::analysis::Facts;
use crate::ir::{Atom, Block, LoopId, Rvalue, SiteId, Stmt, StmtKind, Transaction, VarId};
use crate::spec::{Role, Scalar};

/// Before each loop: unrolled, the accesses in it would cost more to compile than they save.
const ROLLED: &str = "#pragma unroll 1";

/// Prints a transaction. The linker adds everything around it.
pub(crate) fn emit_cuda(tx: &Transaction, facts: &Facts) -> String {
    let mut emitter = Emitter { tx, facts, w: Writer::new(&tx.file), jumps: Jumps::find(&tx.body), loops: Vec::new() };
    if facts.orderable {
        emitter.w.line(&templates(tx));
        let head = format!("STM_DEVICE void announce({})", parameters(tx));
        emitter.w.open(&head);
        announce::lines(tx, facts).iter().for_each(|line| emitter.w.line(line));
        emitter.w.close();
    }
    emitter.w.line(&templates(tx));
    let result = tx.result.map_or("stm_unit", Scalar::cuda);
    emitter.w.open(&format!("STM_DEVICE stm_status body({}, {result}* result)", parameters(tx)));
    emitter.block(&tx.body);
    emitter.w.close();
    emitter.w.finish()
}

fn templates(tx: &Transaction) -> String {
    let regions = tx.params.iter().filter(|p| matches!(p.role, Role::Region(_))).count();
    let classes: Vec<String> = (0..regions).map(|k| format!(", class R{k}")).collect();
    format!("template <class Tx{}>", classes.concat())
}

fn parameters(tx: &Transaction) -> String {
    let mut regions = 0;
    let mut list = vec!["Tx& tx".to_owned()];
    for (k, param) in tx.params.iter().enumerate() {
        let name = names::var(tx, VarId(k as u32));
        list.push(match param.role {
            Role::Value(scalar) => format!("{} {name}", scalar.cuda()),
            Role::Region(_) => {
                regions += 1;
                format!("const R{}& {name}", regions - 1)
            }
        });
    }
    list.join(", ")
}

/// The loops that are left or continued from inside an inner loop: C has no labelled `break`.
#[derive(Default)]
struct Jumps {
    breaks: BTreeSet<LoopId>,
    continues: BTreeSet<LoopId>,
}

impl Jumps {
    fn find(body: &Block) -> Jumps {
        let mut jumps = Jumps::default();
        jumps.visit(body, None);
        jumps
    }

    fn visit(&mut self, block: &Block, inner: Option<LoopId>) {
        for stmt in block {
            let inside = match &stmt.what {
                StmtKind::Loop { id, .. } | StmtKind::For { id, .. } => Some(*id),
                _ => inner,
            };
            match &stmt.what {
                StmtKind::Break(id) if Some(*id) != inner => _ = self.breaks.insert(*id),
                StmtKind::Continue(id) if Some(*id) != inner => _ = self.continues.insert(*id),
                _ => {}
            }
            stmt.blocks().into_iter().for_each(|block| self.visit(block, inside));
        }
    }
}

struct Emitter<'a> {
    tx: &'a Transaction,
    facts: &'a Facts,
    w: Writer,
    jumps: Jumps,
    /// The loops around, innermost last.
    loops: Vec<LoopId>,
}

impl Emitter<'_> {
    fn block(&mut self, block: &Block) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.w.at(self.tx.place(stmt.at));
        match &stmt.what {
            StmtKind::Declare { var } => {
                let text = format!("{};", self.declare(*var));
                self.w.line(&text);
            }
            StmtKind::Let { var, value } => self.let_stmt(*var, value),
            StmtKind::Assign { var, value } => {
                let text = format!("{} = {};", self.var(*var), self.atom(value));
                self.w.line(&text);
            }
            StmtKind::Read { var, region, index, site } => {
                let (slot, region, index) = (self.slot(*site), self.var(VarId(region.0)), self.atom(index));
                let (declare, name) = (self.declare(*var), self.var(*var));
                self.w.line(&format!(
                    "{declare}; STM_TRY(tx.read({slot}, {}, {region}, rs_index({index}), &{name}));",
                    site.0
                ));
            }
            StmtKind::Write { region, index, value, site } => {
                let (slot, region, index) = (self.slot(*site), self.var(VarId(region.0)), self.atom(index));
                let value = self.atom(value);
                self.w.line(&format!("STM_TRY(tx.write({slot}, {}, {region}, rs_index({index}), {value}));", site.0));
            }
            StmtKind::Guard { condition, site } => {
                let text = format!("STM_GUARD({}, {});", site.0, self.atom(condition));
                self.w.line(&text);
            }
            StmtKind::Reject { code, site } => {
                let text = format!("STM_REJECT({}, {});", site.0, self.atom(code));
                self.w.line(&text);
            }
            StmtKind::If { condition, then, other } => self.branch(condition, then, other),
            StmtKind::Loop { id, head, condition, body, site } => {
                self.w.line(ROLLED);
                self.w.open("for (;;)");
                self.block(head);
                if let Some(condition) = condition {
                    let text = format!("if (!{}) break;", self.atom(condition));
                    self.w.line(&text);
                }
                self.loop_body(*id, *site, None, body);
            }
            StmtKind::For { id, var, body, site, .. } => {
                let head = self.for_head(&stmt.what);
                self.w.line(ROLLED);
                self.w.open(&head);
                self.loop_body(*id, *site, Some(*var).zip(counter(&stmt.what)), body);
            }
            StmtKind::Break(id) => self.jump(*id, "break"),
            StmtKind::Continue(id) => self.jump(*id, "continue"),
            StmtKind::Return(value) => {
                let store = value.as_ref().map(|v| format!("*result = {}; ", self.atom(v))).unwrap_or_default();
                self.w.line(&format!("{store}return STM_OK;"));
            }
        }
    }

    fn let_stmt(&mut self, var: VarId, value: &Rvalue) {
        let (declare, name) = (self.declare(var), self.var(var));
        let text = match value {
            Rvalue::Use(a) => format!("{declare} = {};", self.atom(a)),
            Rvalue::Unary(op, a, Some(site)) => {
                format!("{declare}; STM_{}({}, {name}, {});", op.cuda().to_uppercase(), site.0, self.atom(a))
            }
            Rvalue::Unary(op, a, None) => format!("{declare} = rs_{}({});", op.cuda(), self.atom(a)),
            Rvalue::Arith(op, a, b, Some(site)) => {
                let (op, a, b) = (op.cuda().to_uppercase(), self.atom(a), self.atom(b));
                format!("{declare}; STM_{op}({}, {name}, {a}, {b});", site.0)
            }
            Rvalue::Arith(op, a, b, None) => {
                format!("{declare} = rs_{}({}, {});", op.cuda(), self.atom(a), self.atom(b))
            }
            Rvalue::Logic(op, a, b) => format!("{declare} = rs_{}({}, {});", op.cuda(), self.atom(a), self.atom(b)),
            Rvalue::Compare(op, a, b) => format!("{declare} = rs_{}({}, {});", op.cuda(), self.atom(a), self.atom(b)),
            Rvalue::Cast(a, to) => format!("{declare} = rs_cast<{}>({});", self.tx.scalar(*to).cuda(), self.atom(a)),
        };
        self.w.line(&text);
    }

    fn branch(&mut self, condition: &Atom, then: &Block, other: &Block) {
        let condition = self.atom(condition);
        if then.is_empty() && !other.is_empty() {
            self.w.open(&format!("if (!{condition})"));
            self.block(other);
        } else {
            self.w.open(&format!("if ({condition})"));
            self.block(then);
            if !other.is_empty() {
                self.w.next("else");
                self.block(other);
            }
        }
        self.w.close();
    }

    /// The counter is hidden and never passes the end, so that a range up to the greatest value of its type ends.
    fn for_head(&self, what: &StmtKind) -> String {
        let StmtKind::For { counter, start, end, inclusive, .. } = what else { return String::new() };
        let ty = self.tx.type_of(*counter).cuda();
        let (c, start, end) = (self.var(*counter), self.atom(start), self.atom(end));
        let step = format!("{c} = rs_wrapping_add({c}, ({ty})1)");
        if !inclusive {
            return format!("for ({ty} {c} = {start}; rs_lt({c}, {end}); {step})");
        }
        // One declaration holds one type, so the flag is a number of the counter's type.
        let more = format!("more_{c}");
        format!(
            "for ({ty} {c} = {start}, {more} = ({ty})rs_le({c}, {end}); {more} != ({ty})0; \
             {more} = ({ty})rs_lt({c}, {end}), {step})"
        )
    }

    fn loop_body(&mut self, id: LoopId, site: SiteId, var: Option<(VarId, VarId)>, body: &Block) {
        let continued = self.jumps.continues.contains(&id);
        if continued {
            // The label below must not be reached past a declaration of its own scope.
            self.w.open("");
        }
        self.w.line(&format!("STM_ITERATION({});", site.0));
        if let Some((var, counter)) = var {
            let text = format!("{} = {};", self.declare(var), self.var(counter));
            self.w.line(&text);
        }
        self.loops.push(id);
        self.block(body);
        self.loops.pop();
        if continued {
            self.w.close();
            self.w.line(&format!("continue_{}:;", id.0));
        }
        self.w.close();
        if self.jumps.breaks.contains(&id) {
            self.w.line(&format!("break_{}:;", id.0));
        }
    }

    fn jump(&mut self, id: LoopId, word: &str) {
        let text = if self.loops.last() == Some(&id) { format!("{word};") } else { format!("goto {word}_{};", id.0) };
        self.w.line(&text);
    }

    fn slot(&self, site: SiteId) -> String {
        self.facts.slot_of.get(&site).map_or_else(|| "STM_INDEXED".to_owned(), ToString::to_string)
    }

    fn declare(&self, var: VarId) -> String {
        format!("{} {}", self.tx.type_of(var).cuda(), self.var(var))
    }

    fn var(&self, var: VarId) -> String {
        names::var(self.tx, var)
    }

    fn atom(&self, atom: &Atom) -> String {
        match atom {
            Atom::Var(var) => self.var(*var),
            Atom::Int(value, ty) => int(*value, self.tx.scalar(*ty)),
            Atom::Float(text, ty) => float(text, self.tx.scalar(*ty)),
            Atom::Bool(value) => value.to_string(),
        }
    }
}

fn counter(what: &StmtKind) -> Option<VarId> {
    match what {
        StmtKind::For { counter, .. } => Some(*counter),
        _ => None,
    }
}

/// An integer literal of a type. C has no negative literals, hence the form of the least 64-bit value.
pub(super) fn int(value: i128, scalar: Scalar) -> String {
    let ty = scalar.cuda();
    if value == i128::from(i64::MIN) {
        return format!("({ty})(-9223372036854775807ll - 1)");
    }
    let suffix = if value > i128::from(i64::MAX) { "ull" } else { "" };
    format!("({ty}){value}{suffix}")
}

/// A float literal that reads back as the same bits: Rust prints the shortest decimal that does.
pub(super) fn float(text: &str, scalar: Scalar) -> String {
    match scalar {
        Scalar::F32 => format!("(f32){:?}f", text.parse::<f32>().unwrap_or_default()),
        _ => format!("(f64){:?}", text.parse::<f64>().unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_typed_and_exact() {
        for (value, scalar, expect) in [
            (7, Scalar::I64, "(i64)7"),
            (-128, Scalar::I8, "(i8)-128"),
            (i128::from(u64::MAX), Scalar::Usize, "(u64)18446744073709551615ull"),
            (i128::from(i64::MIN), Scalar::I64, "(i64)(-9223372036854775807ll - 1)"),
        ] {
            assert_eq!(int(value, scalar), expect);
        }
        for (text, scalar, expect) in [
            ("0.1", Scalar::F32, "(f32)0.1f"),
            ("-0.0", Scalar::F64, "(f64)-0.0"),
            ("1e300", Scalar::F64, "(f64)1e300"),
            ("3", Scalar::F64, "(f64)3.0"),
            ("16777217.0", Scalar::F32, "(f32)16777216.0f"),
        ] {
            assert_eq!(float(text, scalar), expect);
        }
    }
}
