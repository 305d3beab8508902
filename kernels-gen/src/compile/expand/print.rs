//! `gpu_println!`: the device needs the leaves of the values; the host puts the line together.

use super::{Expander, Outcome};
use crate::ir::{Piece, SiteId, StmtKind};
use crate::spec::{Line, LinePart};

impl<'p> Expander<'p> {
    pub(super) fn print(&mut self, pieces: &[Piece], site: SiteId) -> Outcome<()> {
        let (mut parts, mut leaves) = (Vec::new(), Vec::new());
        for piece in pieces {
            match piece {
                Piece::Text(text) => parts.push(LinePart::Text(text.clone())),
                Piece::Value(atom, debug) => {
                    let (ty, atoms) = self.value(atom)?;
                    self.limit(leaves.len() + ty.leaves(), "what this prints")?;
                    leaves.extend(self.leaf_atoms(ty, &atoms));
                    parts.push(LinePart::Value { ty, debug: *debug });
                }
            }
        }
        let site = self.site(site);
        self.add_line(Line { site: site.0, parts });
        let pieces = leaves.into_iter().map(|leaf| Piece::Value(leaf, false)).collect();
        self.push(StmtKind::Print { pieces, site });
        Ok(())
    }

    /// Keeps the lines in the order of their sites, each once.
    fn add_line(&mut self, line: Line) {
        let lines = &mut self.flat.lines;
        if let Err(at) = lines.binary_search_by_key(&line.site, |known| known.site) {
            lines.insert(at, line);
        }
    }
}
