//! Reads and writes: one for each leaf of the element, all at the one site.

use super::super::shape;
use super::{Binding, Expander, Outcome, RegionParam};
use crate::ir::{Atom, RegionId, Rvalue, SiteId, StmtKind, VarId};
use crate::spec::{Scalar, SiteKind};

impl<'p> Expander<'p> {
    /// The region, or the part of it that holds a field of its records.
    pub(super) fn region(&self, region: u32, fields: &[String]) -> Outcome<RegionParam> {
        let Some(mut found) = self.frame().regions.get(&region).copied() else {
            return self.fail("a region is expected here");
        };
        for name in fields {
            let Some(part) = shape::field(found.ty, name) else {
                return self.fail(format!("`{}` has no field `{name}`", found.ty));
            };
            found = RegionParam { ty: part.ty, first: found.first + part.leaf as u32, ..found };
        }
        if found.ty.leaves() == 0 {
            return self.fail(format!("nothing is stored of a `{}`, so there is no region of it", found.ty));
        }
        Ok(found)
    }

    pub(super) fn read(
        &mut self,
        var: VarId,
        (region, fields): (u32, &[String]),
        index: &Atom,
        site: SiteId,
    ) -> Outcome<()> {
        let region = self.region(region, fields)?;
        let (index, site) = (self.place_in(region, index)?, self.access_site(site));
        let Binding::Value(own) = self.frame().vars[var.0 as usize].clone() else { return self.unknown(var) };
        let components = shape::components(region.ty);
        if own.len() != components.len() {
            return self.fail("two types do not agree in this line");
        }
        let mut columns: Vec<Vec<Atom>> = vec![Vec::new(); own.len()];
        for (leaf, (component, _)) in shape::leaves(region.ty).into_iter().enumerate() {
            let var = match &own[component] {
                Atom::Var(own) if components[component].dims.is_empty() => *own,
                _ => self.var(None, components[component].scalar, None, true),
            };
            let region = RegionId(region.first + leaf as u32);
            self.push(StmtKind::Read { var, region, fields: Vec::new(), index: index.clone(), site });
            columns[component].push(Atom::Var(var));
        }
        for ((own, component), column) in own.into_iter().zip(components).zip(columns) {
            if let (Atom::Var(own), false) = (own, component.dims.is_empty()) {
                self.let_array(own, column);
            }
        }
        Ok(())
    }

    pub(super) fn write(
        &mut self,
        (region, fields): (u32, &[String]),
        index: &Atom,
        value: &Atom,
        site: SiteId,
    ) -> Outcome<()> {
        let region = self.region(region, fields)?;
        let (index, site) = (self.place_in(region, index)?, self.access_site(site));
        let (ty, atoms) = self.value(value)?;
        if shape::width(ty) != shape::width(region.ty) {
            return self.fail(format!("the elements are `{}`, but this value is `{ty}`", region.ty));
        }
        for (leaf, value) in self.leaf_atoms(region.ty, &atoms).into_iter().enumerate() {
            let region = RegionId(region.first + leaf as u32);
            self.push(StmtKind::Write { region, fields: Vec::new(), index: index.clone(), value, site });
        }
        Ok(())
    }

    /// The index of an element in the whole region. What is not in the part is in no region.
    fn place_in(&mut self, region: RegionParam, index: &Atom) -> Outcome<Atom> {
        let (index, scalar) = self.scalar(index)?;
        let (Some(size), Some(part)) = (region.part, self.part) else { return Ok(index) };
        let index = match scalar {
            Scalar::U64 => index,
            _ => self.temp(Rvalue::Device("rs_index".to_owned(), vec![index]), Scalar::U64),
        };
        let args = vec![Atom::Var(part), self.int(size, Scalar::U64), index];
        Ok(self.temp(Rvalue::Device("rs_part_index".to_owned(), args), Scalar::U64))
    }

    /// The leaves of a value, in order.
    pub(super) fn leaf_atoms(&mut self, ty: crate::spec::Type, atoms: &[Atom]) -> Vec<Atom> {
        let columns: Vec<Vec<Atom>> = atoms
            .iter()
            .map(|atom| if self.is_array(atom) { self.elements(atom) } else { vec![atom.clone()] })
            .collect();
        let leaf = |(component, index): (usize, u64)| columns.get(component)?.get(index as usize).cloned();
        shape::leaves(ty).into_iter().filter_map(leaf).collect()
    }

    /// The site of a read or write. A call can have brought it into a loop.
    fn access_site(&mut self, site: SiteId) -> SiteId {
        let site = self.site(site);
        if let SiteKind::Read { in_loop } | SiteKind::Write { in_loop } = &mut self.flat.sites[site.0 as usize].what {
            *in_loop = self.looping > 0;
        }
        site
    }
}
