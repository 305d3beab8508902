//! `gpu_println!`: the device needs the components of the values; the host formats the line.

use super::expander::{Expanded, Expander};
use crate::ir::LocationId;
use crate::ir::flat::StmtKind;
use crate::ir::open::Piece;
use crate::spec::{How, Line, LinePart};

impl<'p> Expander<'p> {
    pub(super) fn print(&mut self, pieces: &[Piece], location: LocationId) -> Expanded<()> {
        let (mut parts, mut components) = (Vec::new(), Vec::new());
        for piece in pieces {
            match piece {
                Piece::Text(text) => parts.push(LinePart::Text(text.clone())),
                Piece::Value(atom, how) => {
                    let (ty, atoms) = self.value(atom)?;
                    self.limit(components.len() + ty.components(), "what this prints")?;
                    components.extend(self.component_atoms(ty, &atoms));
                    parts.push(LinePart::Value { ty, how: How::parse(how).unwrap_or_default() });
                }
            }
        }
        let location = self.location(location);
        self.add_line(Line { location: location.0, parts });
        self.push(StmtKind::Print { values: components, location });
        Ok(())
    }

    /// Keeps the lines in the order of their locations, each once.
    fn add_line(&mut self, line: Line) {
        let lines = &mut self.flat.lines;
        if let Err(at) = lines.binary_search_by_key(&line.location, |known| known.location) {
            lines.insert(at, line);
        }
    }
}
