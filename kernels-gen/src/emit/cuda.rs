//! Prints the CUDA text of `declare` and `body`. The prelude's functions implement Rust's semantics; this file determines order and
//! form.

use super::declare;
use super::literal;
use super::loops::{self, Jumps};
use super::names;
use super::piece;
use super::print;
use super::writer::Writer;
use crate::analysis::{OwnedFacts, PieceCode};
use crate::fault::FaultCode;
use crate::ir::flat::{Atom, Block, ForStmt, LoopStmt, ParamRole, Rvalue, Stmt, StmtKind, Transaction};
use crate::ir::{ArrayId, LocationId, LoopId, VarId};

/// Precedes each loop: the type of the transaction says how far it is unrolled.
const UNROLLED: &str = "#pragma unroll (Tx::UNROLLED)";

/// Prints a flat transaction. The linker adds everything around it.
pub(crate) fn emit_cuda(tx: &Transaction, facts: &OwnedFacts) -> String {
    let mut emitter = Emitter::new(tx, facts);
    if facts.orderable {
        emitter.w.line(&templates(tx));
        let head = format!("STM_DEVICE void declare({})", parameters(tx));
        emitter.w.open(&head);
        declare::lines(tx, facts).iter().for_each(|line| emitter.w.line(line));
        emitter.w.close();
    }
    emitter.w.line(&templates(tx));
    emitter.w.open(&format!("STM_DEVICE stm_status body({}, u64* result)", parameters(tx)));
    emitter.block(&tx.body);
    if !matches!(tx.body.last(), Some(Stmt { what: StmtKind::Return(_), .. })) {
        // Past a statement that ends an attempt.
        emitter.w.line("return STM_OK;");
    }
    emitter.w.close();
    emitter.w.finish()
}

/// Prints the function that computes the new value from the old one and the word with the inputs.
pub(crate) fn emit_piece(tx: &Transaction, facts: &OwnedFacts, piece: &PieceCode) -> String {
    let ty = tx.var(piece.old).scalar.cuda();
    let mut emitter = Emitter::new(tx, facts);
    let old = names::var(tx, piece.old);
    emitter.w.open(&format!("STM_DEVICE stm_status piece(stm_piece_tx& tx, {ty} {old}, u64 inputs, {ty}* value)"));
    for (var, at) in piece::places(tx, piece) {
        let ty = tx.var(var).scalar.cuda();
        emitter.w.line(&format!("{ty} {} = stm_input<{ty}>(inputs, {at});", names::var(tx, var)));
    }
    emitter.block(&piece.body);
    let value = emitter.atom(&piece.value);
    emitter.w.line(&format!("*value = {value};"));
    emitter.w.line("return STM_OK;");
    emitter.w.close();
    emitter.w.finish()
}

fn templates(tx: &Transaction) -> String {
    let arrays = tx.params.iter().filter(|param| param.is_array()).count();
    let classes: Vec<String> = (0..arrays).map(|k| format!(", class R{k}")).collect();
    format!("template <class Tx{}>", classes.concat())
}

fn parameters(tx: &Transaction) -> String {
    let mut arrays = 0;
    let mut list = vec!["Tx& tx".to_owned()];
    for (k, param) in tx.params.iter().enumerate() {
        let name = names::var(tx, VarId(k as u32));
        list.push(match param.role {
            ParamRole::Array { .. } => {
                arrays += 1;
                format!("const R{}& {name}", arrays - 1)
            }
            ParamRole::Value => format!("{} {name}", param.scalar.cuda()),
        });
    }
    list.join(", ")
}

struct Emitter<'a> {
    tx: &'a Transaction,
    facts: &'a OwnedFacts,
    w: Writer,
    jumps: Jumps,
    /// The enclosing loops, innermost last.
    loops: Vec<LoopId>,
}

impl<'a> Emitter<'a> {
    fn new(tx: &'a Transaction, facts: &'a OwnedFacts) -> Emitter<'a> {
        Emitter { tx, facts, w: Writer::new(&tx.file), jumps: Jumps::find(&tx.body), loops: Vec::new() }
    }

    fn block(&mut self, block: &Block) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.w.at(self.tx.position(stmt.at), self.tx.file_of(stmt.at));
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
            StmtKind::AssignElement { array, index, value, location } => {
                let (name, length) = (self.var(*array), self.tx.var(*array).scalars());
                let (index, value) = (self.atom(index), self.atom(value));
                self.w.line(&format!("STM_SET_ELEMENT({}, {name}, {length}, {index}, {value});", location.0));
            }
            StmtKind::Read { var, array, index, location } => self.read(*var, (*array, index), *location),
            StmtKind::Write { array, index, value, location } => self.write((*array, index), value, *location),
            StmtKind::Guard { condition, location } => {
                let text = format!("STM_GUARD({}, {});", location.0, self.atom(condition));
                self.w.line(&text);
            }
            StmtKind::Reject { code, location } => {
                let text = format!("STM_REJECT({}, {});", location.0, self.atom(code));
                self.w.line(&text);
            }
            StmtKind::Fault { code, location } => {
                // Nothing goes on with an index beyond the end, or the like.
                let text = match code {
                    FaultCode::Panic | FaultCode::Unwrap => format!("STM_PANIC({}, {});", location.0, code.cuda()),
                    _ => format!("return tx.fault({}, {});", code.cuda(), location.0),
                };
                self.w.line(&text);
            }
            StmtKind::FaultIf { function, args, checked, location } => {
                let word = if *checked { "STM_CHECKED_FAULT_IF" } else { "STM_FAULT_IF" };
                let text = format!("{word}({}, {});", location.0, self.device(function, args));
                self.w.line(&text);
            }
            StmtKind::If { condition, then, other } => self.branch(condition, then, other),
            StmtKind::Loop(stmt) => self.loop_stmt(stmt),
            StmtKind::For(stmt) => self.for_stmt(stmt),
            StmtKind::Block { id, body } => {
                self.w.open("");
                self.block(body);
                self.w.close();
                self.label(*id);
            }
            StmtKind::Break(id) => self.jump(*id, "break"),
            StmtKind::Continue(id) => self.jump(*id, "continue"),
            StmtKind::Return(components) => {
                let store = |(k, component)| format!("result[{k}] = stm_to_word({}); ", self.atom(component));
                let stores: Vec<String> = components.iter().enumerate().map(store).collect();
                self.w.line(&format!("{}return STM_OK;", stores.concat()));
            }
            StmtKind::Print { values, location } => self.print(values, *location),
        }
    }

    fn print(&mut self, values: &[Atom], location: LocationId) {
        let print::Printed { head, stores } = print::print(self.tx, values, location);
        if stores.is_empty() {
            return self.w.line(&head);
        }
        self.w.open(&head);
        stores.iter().for_each(|store| self.w.line(store));
        self.w.close();
    }

    fn read(&mut self, var: VarId, (array, index): (ArrayId, &Atom), location: LocationId) {
        let (slot, array, index) = self.element(array, index, location);
        let (declare, name) = (self.declare(var), self.var(var));
        let call = format!("stm_read(tx, {slot}, {}, {array}, rs_index({index}), &{name})", location.0);
        self.w.line(&format!("{declare}; STM_TRY({call});"));
    }

    fn write(&mut self, (to, index): (ArrayId, &Atom), value: &Atom, location: LocationId) {
        let (slot, array, index) = self.element(to, index, location);
        let value = self.atom(value);
        let piece = self.facts.pieces.get(&(location, to)).map(|piece| piece::pack(self.tx, piece));
        let (word, inputs) =
            piece.map_or(("stm_write", String::new()), |inputs| ("stm_write_piece", format!(", {inputs}")));
        let access = format!("{slot}, {}, {array}, rs_index({index}), {value}{inputs}", location.0);
        self.w.line(&format!("STM_TRY({word}(tx, {access}));"));
    }

    fn let_stmt(&mut self, var: VarId, value: &Rvalue) {
        let (declare, name) = (self.declare(var), self.var(var));
        let text = match value {
            Rvalue::Use(a) => format!("{declare} = {};", self.atom(a)),
            Rvalue::Unary(op, a, Some(location)) => {
                format!("{declare}; STM_{}({}, {name}, {});", op.cuda().to_uppercase(), location.0, self.atom(a))
            }
            Rvalue::Unary(op, a, None) => format!("{declare} = rs_{}({});", op.cuda(), self.atom(a)),
            Rvalue::Arith(op, a, b, Some(location)) => {
                let (op, a, b) = (op.cuda().to_uppercase(), self.atom(a), self.atom(b));
                format!("{declare}; STM_{op}({}, {name}, {a}, {b});", location.0)
            }
            Rvalue::Arith(op, a, b, None) => {
                format!("{declare} = rs_{}({}, {});", op.cuda(), self.atom(a), self.atom(b))
            }
            Rvalue::Logic(op, a, b) => format!("{declare} = rs_{}({}, {});", op.cuda(), self.atom(a), self.atom(b)),
            Rvalue::Compare(op, a, b) => format!("{declare} = rs_{}({}, {});", op.cuda(), self.atom(a), self.atom(b)),
            Rvalue::Cast(a, to) => format!("{declare} = rs_cast<{}>({});", to.cuda(), self.atom(a)),
            Rvalue::Length(array) => format!("{declare} = {}.len();", self.var(VarId(array.0))),
            Rvalue::Device(function, args) => format!("{declare} = {};", self.device(function, args)),
            Rvalue::Array(elements) => format!("{declare} = {{{{{}}}}};", self.atoms(elements)),
            Rvalue::Repeat(a) => {
                let array = self.tx.var(var);
                format!("{declare} = rs_repeat<{}, {}>({});", array.scalar.cuda(), array.scalars().max(1), self.atom(a))
            }
            Rvalue::Element(array, index, location) => {
                let length = self.tx.var(*array).scalars();
                let (array, index) = (self.var(*array), self.atom(index));
                format!("{declare}; STM_ELEMENT({}, {name}, {array}, {length}, {index});", location.0)
            }
        };
        self.w.line(&text);
    }

    fn branch(&mut self, condition: &Atom, then: &Block, other: &Block) {
        let condition = self.condition(condition);
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

    /// Returns the condition of a branch. In a loop it may lead out of it: the prelude explains why that is hidden from the
    /// compiler.
    fn condition(&self, condition: &Atom) -> String {
        let text = self.atom(condition);
        if self.loops.is_empty() { text } else { format!("rs_opaque({text})") }
    }

    fn loop_stmt(&mut self, LoopStmt { id, head, condition, body, location }: &LoopStmt) {
        self.open_loop(*id, "for (;;)");
        self.block(head);
        if let Some(condition) = condition {
            let text = format!("if (!{}) break;", self.condition(condition));
            self.w.line(&text);
        }
        self.loop_body((*id, *location), "", None, body);
        self.label(*id);
    }

    fn for_stmt(&mut self, stmt: &ForStmt) {
        let ForStmt { id, var, body, location, .. } = stmt;
        let head = loops::for_head(self.tx, stmt);
        if let Some(before) = &head.before {
            // A separate scope, so that no jump passes the declaration.
            self.w.open("");
            self.w.line(before);
        }
        self.open_loop(*id, &head.head);
        let text = format!("{} = {};", self.declare(*var), head.value);
        let iteration = if head.cut.is_some() { "if constexpr (!Tx::CUTS_RANGES) " } else { "" };
        self.loop_body((*id, *location), iteration, Some(&text), body);
        if let Some(cut) = head.cut {
            self.w.line(&format!("if ({cut}) return tx.fault(STM_FAULT_ITERATIONS, {});", location.0));
        }
        if head.before.is_some() {
            self.w.close();
        }
        self.label(*id);
    }

    fn open_loop(&mut self, id: LoopId, head: &str) {
        self.w.line(UNROLLED);
        self.w.open(head);
        self.w.line("constexpr bool STM_LOOPED = true;");
        self.loops.push(id);
    }

    fn loop_body(&mut self, (id, location): (LoopId, LocationId), iteration: &str, first: Option<&str>, body: &Block) {
        let continued = self.jumps.continues.contains(&id);
        if continued {
            // The label below must not be reached past a declaration of its own scope.
            self.w.open("");
        }
        self.w.line(&format!("{iteration}STM_ITERATION({});", location.0));
        if let Some(first) = first {
            self.w.line(first);
        }
        self.block(body);
        self.loops.pop();
        if continued {
            self.w.close();
            self.w.line(&format!("continue_{}:;", id.0));
        }
        self.w.close();
    }

    /// Prints the target of `break`.
    fn label(&mut self, id: LoopId) {
        if self.jumps.breaks.contains(&id) {
            self.w.line(&format!("break_{}:;", id.0));
        }
    }

    fn jump(&mut self, id: LoopId, word: &str) {
        let text = if self.loops.last() == Some(&id) { format!("{word};") } else { format!("goto {word}_{};", id.0) };
        self.w.line(&text);
    }

    /// Returns the slot, the array and the index of an access.
    fn element(&self, array: ArrayId, index: &Atom, location: LocationId) -> (String, String, String) {
        let slot = self.facts.slot_of.get(&(location, array));
        let slot = slot.map_or_else(|| "STM_INDEXED".to_owned(), ToString::to_string);
        (slot, self.var(VarId(array.0)), self.atom(index))
    }

    fn device(&self, function: &str, args: &[Atom]) -> String {
        format!("{function}({})", self.atoms(args))
    }

    fn declare(&self, var: VarId) -> String {
        let ty = self.tx.var(var).scalar.cuda();
        match self.tx.var(var).length {
            None => format!("{ty} {}", self.var(var)),
            // C++ has no array without elements.
            Some(length) => format!("rs_array<{ty}, {}> {}", length.max(1), self.var(var)),
        }
    }

    fn var(&self, var: VarId) -> String {
        names::var(self.tx, var)
    }

    fn atom(&self, atom: &Atom) -> String {
        literal::atom(self.tx, atom)
    }

    fn atoms(&self, atoms: &[Atom]) -> String {
        atoms.iter().map(|atom| self.atom(atom)).collect::<Vec<_>>().join(", ")
    }
}
