//! Which writes are pieces: the first stages resolve them before their transactions run.

use std::collections::BTreeSet;

use super::finder::Finder;
use super::{ADDS, Known, grow};

impl Finder<'_> {
    /// Numbers the pieces of the arrays of which every write is known before any transaction runs. Other writes have no
    /// number after that, and their arrays are not `resolved`. Returns the arrays with pieces: what is added to them is a piece, too.
    pub(super) fn pieces(&self, procedures: &mut [Option<Known>], resolved: &mut BTreeSet<usize>) -> BTreeSet<usize> {
        let (mut pieced, mut written) = (BTreeSet::new(), BTreeSet::new());
        for (of, known) in procedures.iter().enumerate() {
            for write in known.iter().flat_map(|known| &known.writes) {
                let arrays = &self.arrays[of][write.param as usize];
                written.extend(arrays.iter().copied());
                if write.piece.is_some() {
                    pieced.extend(arrays.iter().copied());
                }
            }
        }
        self.link(&mut pieced);
        pieced.retain(|array| written.contains(array));
        let mut others: BTreeSet<usize> = pieced.difference(resolved).copied().collect();
        self.link(&mut others);
        pieced.retain(|array| !others.contains(array));
        resolved.retain(|array| !others.contains(array));
        let mut next = ADDS;
        for (of, known) in procedures.iter_mut().enumerate() {
            for write in known.iter_mut().flat_map(|known| &mut known.writes) {
                let is_pieced = self.arrays[of][write.param as usize].iter().any(|array| pieced.contains(array));
                write.piece = match write.piece {
                    _ if !is_pieced || write.is_nothing => None,
                    Some(_) => {
                        next += 1;
                        Some(next)
                    }
                    None => write.adds.then_some(ADDS),
                };
                write.adds &= !is_pieced;
            }
        }
        pieced
    }

    /// Adds the arrays that are the same parameters as these, and so on.
    pub(super) fn link(&self, arrays: &mut BTreeSet<usize>) {
        grow(|| {
            let before = arrays.len();
            let linked = self.arrays.iter().flatten().filter(|own| !own.is_disjoint(arrays));
            let linked: Vec<usize> = linked.flatten().copied().collect();
            arrays.extend(linked);
            arrays.len() > before
        });
    }
}
