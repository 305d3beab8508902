//! The consistency conditions 1 to 4 (clauses 3.3.2.1 to 3.3.2.4), by the columns of the rows alone.

use super::tables::{District, FIRST_ORDER, Rows, district_at};
use crate::ending::expect;

/// The orders of one district.
#[derive(Debug, Clone, Default)]
struct Tally {
    last_order: Option<u32>,
    /// First, last and number of the orders that were not delivered.
    undelivered: Option<(u32, u32, u32)>,
    /// The sum of `O_OL_CNT`, and the number of lines.
    lines: (u64, u64),
}

impl Rows {
    /// Judges the four conditions.
    pub(super) fn judge(&self) -> Result<(), String> {
        for warehouse in &self.warehouses {
            let own = self.districts.iter().filter(|district| district.warehouse == warehouse.id);
            let sum: i64 = own.map(|district| district.ytd).sum();
            expect(warehouse.ytd == sum, || {
                format!("condition 1: warehouse {} has {}, and its districts {sum}", warehouse.id, warehouse.ytd)
            })?;
        }
        for (district, tally) in self.districts.iter().zip(self.tallies()?) {
            tally
                .judge(district)
                .map_err(|why| format!("{why}, in district {} of warehouse {}", district.id, district.warehouse))?;
        }
        Ok(())
    }

    /// Sums up the orders of each district.
    fn tallies(&self) -> Result<Vec<Tally>, String> {
        let mut tallies = vec![Tally::default(); self.districts.len()];
        for order in self.orders.iter().filter(|order| order.id != 0) {
            let tally = find(&mut tallies, order.warehouse, order.district)?;
            tally.last_order = tally.last_order.max(Some(order.id));
            tally.lines.0 += u64::from(order.lines);
        }
        for row in self.new_orders.iter().filter(|row| row.order != 0) {
            let tally = find(&mut tallies, row.warehouse, row.district)?;
            let (first, last, count) = tally.undelivered.unwrap_or((row.order, row.order, 0));
            tally.undelivered = Some((first.min(row.order), last.max(row.order), count + 1));
        }
        for line in self.order_lines.iter().filter(|line| line.order != 0) {
            find(&mut tallies, line.warehouse, line.district)?.lines.1 += 1;
        }
        Ok(tallies)
    }
}

fn find(tallies: &mut [Tally], warehouse: u16, district: u8) -> Result<&mut Tally, String> {
    let tally = tallies.get_mut(district_at(warehouse, district));
    tally.ok_or_else(|| format!("a row belongs to district {district} of warehouse {warehouse}, which does not exist"))
}

impl Tally {
    /// Judges conditions 2 to 4. A district without orders has given no number away.
    fn judge(&self, district: &District) -> Result<(), String> {
        let last = district.next_order - 1;
        let [order, new_order] =
            [self.last_order, self.undelivered.map(|(_, last, _)| last)].map(|found| found.unwrap_or(FIRST_ORDER - 1));
        expect(order == last && new_order == last, || {
            format!("condition 2: the next order is {}, and the last ones {order} and {new_order}", last + 1)
        })?;
        if let Some((first, last, count)) = self.undelivered {
            expect(last - first + 1 == count, || {
                format!("condition 3: the orders from {first} to {last} that were not delivered are {count}")
            })?;
        }
        let (want, found) = self.lines;
        expect(want == found, || format!("condition 4: the orders have {want} lines, and {found} exist"))
    }
}
