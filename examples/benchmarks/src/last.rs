//! Checks whether some serial order explains the final values, where each value names its writer.

/// Checks that the last writer of each element can have come after all its other writers, for all elements at once. `written` are
/// pairs of an element and one of its `writers`; `writer` returns the writer of a value. 0 marks an element that was never written.
pub(super) fn there_is_an_order(
    writers: usize,
    values: &[u64],
    written: impl Iterator<Item = (usize, usize)>,
    writer: impl Fn(u64) -> Option<usize>,
) -> Result<(), String> {
    let mut all: Vec<u64> = written.map(|(at, who)| pair(at, who)).collect();
    all.sort_unstable();
    all.dedup();
    for (at, &value) in values.iter().enumerate().filter(|(_, value)| **value != 0) {
        let is_known = writer(value).is_some_and(|who| all.binary_search(&pair(at, who)).is_ok());
        super::ending::expect(is_known, || format!("element {at} is {value}, and nobody who committed wrote that"))?;
    }
    let mut before: Vec<u64> = Vec::with_capacity(all.len());
    for (at, who) in all.into_iter().map(both) {
        let Some(last) = writer(values[at]) else {
            return Err(format!("element {at} was written, and has its first value"));
        };
        if last != who {
            before.push(pair(who, last));
        }
    }
    before.sort_unstable();
    sort(writers, &before)
}

/// Returns two numbers of elements or transactions as one, which is faster to sort: there are fewer than 2^32 of either.
fn pair(one: usize, other: usize) -> u64 {
    (one as u64) << 32 | other as u64
}

fn both(pair: u64) -> (usize, usize) {
    ((pair >> 32) as usize, pair as u32 as usize)
}

/// Sorts topologically by Kahn's algorithm: removes nodes without predecessors until none is left.
fn sort(nodes: usize, before: &[u64]) -> Result<(), String> {
    let mut waits_for = vec![0_u32; nodes];
    before.iter().for_each(|two| waits_for[both(*two).1] += 1);
    let mut free: Vec<usize> = (0..nodes).filter(|node| waits_for[*node] == 0).collect();
    let mut sorted = 0;
    while let Some(node) = free.pop() {
        sorted += 1;
        let from = before.partition_point(|two| both(*two).0 < node);
        for (_, later) in before[from..].iter().map(|two| both(*two)).take_while(|(earlier, _)| *earlier == node) {
            waits_for[later] -= 1;
            if waits_for[later] == 0 {
                free.push(later);
            }
        }
    }
    super::ending::expect(sorted == nodes, || {
        format!("{} transactions each come after another of them, by the values that they left", nodes - sorted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks writers 0 and 1, which write elements 0 and 1, and leave their number from 1.
    fn two_writers(values: [u64; 2]) -> Result<(), String> {
        let written = [(0, 0), (0, 1), (1, 0), (1, 1)];
        there_is_an_order(2, &values, written.into_iter(), |value| {
            (value as usize).checked_sub(1).filter(|who| *who < 2)
        })
    }

    #[test]
    fn one_of_two_is_the_last_on_both() {
        assert_eq!([two_writers([1, 1]), two_writers([2, 2])], [Ok(()), Ok(())]);
        assert!(two_writers([1, 2]).unwrap_err().contains("2 transactions each come after another"));
        assert!(two_writers([0, 1]).unwrap_err().contains("has its first value"));
        assert!(two_writers([1, 3]).unwrap_err().contains("nobody who committed wrote that"));
    }
}
