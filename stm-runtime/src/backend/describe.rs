//! Descriptions of a job's transactions for messages: procedure, arguments and faults.

use kernels_gen::abi::detail;
use kernels_gen::fault::FaultCode;
use kernels_gen::spec::{Location, LocationKind};

use super::function::CompiledProcedure;
use super::job::Job;
use crate::columns::Column;
use crate::element::show;
use crate::outcome::Fault;

impl Job<'_> {
    fn procedure_of(&self, transaction: usize) -> CompiledProcedure {
        self.procedures[self.procedure_index(transaction)]
    }

    /// Returns the name of a transaction's function.
    pub(crate) fn procedure_name(&self, transaction: usize) -> &'static str {
        self.procedure_of(transaction).spec.name
    }

    /// Returns the values of a transaction component by component, with their names.
    pub(crate) fn arguments(&self, transaction: usize) -> Vec<(&'static str, String)> {
        let specialization = &self.specializations[self.specialization_of(transaction)];
        let row = self.row_of(transaction);
        let values =
            self.procedures[specialization.procedure].values().zip(&self.columns[specialization.columns.clone()]);
        let shown = |scalar, column: &Column<'_>| match column.on_device() {
            // It may have failed by now.
            Some(cells) if row < cells.rows() => cells.word(row).map_or_else(|| "?".into(), |word| show(scalar, word)),
            _ => show(scalar, column.get(row)),
        };
        values.map(|((name, scalar), column)| (name, shown(scalar, column))).collect()
    }

    /// Decodes the fault in a transaction's detail.
    pub(crate) fn fault(&self, transaction: usize, detail: u32) -> Fault {
        describe_fault(transaction, self.procedure_of(transaction), detail, self.arguments(transaction))
    }
}

/// Decodes a fault without a job.
pub(crate) fn describe_fault(
    transaction: usize,
    procedure: CompiledProcedure,
    detail: u32,
    arguments: Vec<(&'static str, String)>,
) -> Fault {
    let spec = procedure.spec;
    let (code, location) = detail::unpack(detail);
    // Only a hand-written procedure has a location outside of the list; report the line of the function instead.
    let nowhere = Location { file: spec.file, line: spec.line, column: 0, what: LocationKind::Arithmetic, text: "" };
    let location = spec.locations.get(location as usize).copied().unwrap_or(nowhere);
    Fault {
        transaction,
        procedure: spec.name,
        arguments,
        code: code.unwrap_or(FaultCode::Overflow),
        file: location.file,
        line: location.line,
        column: location.column,
        text: location.text,
    }
}
