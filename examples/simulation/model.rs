//! A town of two kinds of people, after Thomas Schelling: people move if too few of their neighbours are of their own kind. A step is a batch
//! with a transaction for each home, which the device makes from the number of the home.

use std::iter::repeat_n;

use examples::draw;
use gpu_transactions::options::Outcomes;
use gpu_transactions::prelude::*;

/// An empty home; 1 and 2 are the kinds of people.
pub(crate) const EMPTY: u8 = 0;

/// Returns a home some steps to the right of another one and below it. The town has `1 << bits` homes each way, and no border.
#[gpu_fn]
fn beside(home: u32, right: u32, below: u32, bits: u32) -> u32 {
    let last = (1 << bits) - 1;
    let (x, y) = (home.wrapping_add(right) & last, (home >> bits).wrapping_add(below) & last);
    y << bits | x
}

/// Lets who lives in a home move to a random one, if that is empty and less than `wanted` percent of the neighbours are of the own kind.
#[gpu_transaction]
pub(crate) fn live(tx: &mut Tx, homes: &Shared<u8>, home: u32, bits: u32, wanted: u32, step: u64) -> TxResult {
    let kind = tx.read(homes, home)?;
    if kind == EMPTY {
        return Ok(());
    }
    let around = [
        tx.read(homes, beside(home, u32::MAX, u32::MAX, bits))?,
        tx.read(homes, beside(home, 0, u32::MAX, bits))?,
        tx.read(homes, beside(home, 1, u32::MAX, bits))?,
        tx.read(homes, beside(home, u32::MAX, 0, bits))?,
        tx.read(homes, beside(home, 1, 0, bits))?,
        tx.read(homes, beside(home, u32::MAX, 1, bits))?,
        tx.read(homes, beside(home, 0, 1, bits))?,
        tx.read(homes, beside(home, 1, 1, bits))?,
    ];
    let (mut alike, mut all) = (0, 0);
    for other in around {
        alike += (other == kind) as u32;
        all += (other != EMPTY) as u32;
    }
    let to = draw(step, home as u64, 1 << (2 * bits));
    if 100 * alike < wanted * all && tx.read(homes, to)? == EMPTY {
        tx.write(homes, to, kind)?;
        tx.write(homes, home, EMPTY)?;
    }
    Ok(())
}

/// Counts the pairs of neighbours, and those of one kind: to the right of a home and below it.
#[gpu_transaction]
fn count(tx: &mut Tx, homes: &Shared<u8>, sums: &Shared<u64>, home: u32, bits: u32) -> TxResult {
    let kind = tx.read(homes, home)?;
    let right = tx.read(homes, beside(home, 1, 0, bits))?;
    let below = tx.read(homes, beside(home, 0, 1, bits))?;
    if kind == EMPTY {
        return Ok(());
    }
    let all = (right != EMPTY) as u64 + (below != EMPTY) as u64;
    let alike = (right == kind) as u64 + (below == kind) as u64;
    tx.update(sums, 0, |sum| sum.wrapping_add(all))?;
    tx.update(sums, 1, |sum| sum.wrapping_add(alike))
}

/// The town on a device.
pub(crate) struct Town {
    homes: Shared<u8>,
    sums: Shared<u64>,
    bits: u32,
    seed: u64,
    options: RunOptions,
}

impl Town {
    /// Settles people at random: a tenth of the homes stay empty.
    pub(crate) fn new(device: &Device, bits: u32, seed: u64, options: RunOptions) -> Result<Town, Error> {
        let kind = |home| match draw(seed, home, 20) {
            0 | 1 => EMPTY,
            2..11 => 1,
            _ => 2,
        };
        let homes: Vec<u8> = (0..1 << (2 * bits)).map(kind).collect();
        let sums = device.shared(&[0; 2])?;
        let options = options.outcomes(Outcomes::Counted);
        Ok(Town { homes: device.shared(&homes)?, sums, bits, seed, options })
    }

    /// Makes a step. The transactions take no memory, and nothing of them comes back.
    pub(crate) fn step(&self, batch: &mut Batch<'_>, step: u64, wanted: u32) -> Result<Report, Error> {
        let (all, seed) = (self.homes.len(), self.seed.wrapping_add((step + 1) << 32));
        batch.clear();
        batch.push_columns(live::columns(
            &self.homes,
            0..all as u32,
            repeat_n(self.bits, all),
            repeat_n(wanted, all),
            repeat_n(seed, all),
        ))?;
        batch.run_with(&self.options)
    }

    /// Returns the share of neighbours that are of one kind, of which the host reads two numbers.
    pub(crate) fn alike(&self, batch: &mut Batch<'_>) -> Result<(f64, Report), Error> {
        let all = self.homes.len();
        batch.clear();
        self.sums.fill(0)?;
        batch.push_columns(count::columns(&self.homes, &self.sums, 0..all as u32, repeat_n(self.bits, all)))?;
        let report = batch.run_with(&self.options)?;
        let sums = self.sums.to_vec()?;
        Ok((sums[1] as f64 / sums[0].max(1) as f64, report))
    }

    /// Returns who lives where.
    pub(crate) fn people(&self) -> Result<Vec<u8>, Error> {
        self.homes.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_knows_where_people_move_before_they_do() {
        let facts = live::kernel().facts().unwrap();
        assert!(facts.orderable && facts.footprint() <= 16, "in push order it runs in rounds\n{facts}");
    }

    #[test]
    fn people_move_together_and_nobody_is_lost() {
        let counted =
            |town: &Town| [0, 1, 2].map(|kind| town.people().unwrap().iter().filter(|who| **who == kind).count());
        let device = Device::cpu(2);
        let town = Town::new(&device, 6, 3, RunOptions::new().check(true)).unwrap();
        let (mut batch, before) = (device.batch(), counted(&town));
        assert!(before[0] > 300 && before[1] > 1500 && before[2] > 1500, "{before:?}");
        let alike = town.alike(&mut batch).unwrap().0;
        for step in 0..40 {
            assert_eq!(town.step(&mut batch, step, 40).unwrap().serializable(), Some(true));
        }
        assert_eq!(counted(&town), before);
        let later = town.alike(&mut batch).unwrap().0;
        assert!(alike < 0.55 && later > 0.7, "from {alike} to {later}");
    }
}
