//! Attempts at records, and at elements that share a lock word.

use super::*;
use crate::tx::CpuArray;
use crate::tx::access::Memory;
use crate::tx::lock::Seen;

hunted! {
    what_shares_a_lock_word_gets_its_next_version
    a_record_is_read_at_once_with_own_writes_in_it
}

/// The first element is locked by a read and is not written; the second one has the same lock word.
#[cfg_attr(test, test)]
fn what_shares_a_lock_word_gets_its_next_version() {
    let array = CpuArray::of_scalars([5, 6], 1);
    let mut attempt = Attempt::new(vec![View::written(&array)], 0);
    for (written, version) in [(true, 1), (false, 1)] {
        attempt.begin_with(1);
        assert_eq!(attempt.read(0, 0, 0, true), Ok(5));
        if written {
            attempt.write(0, 1, 7, 1, true).unwrap();
        }
        attempt.commit_slowly().unwrap();
        let row = array.table().row(1).unwrap();
        let seen = lock::read(row.lock, 9, || row.values[0].load(Ordering::Acquire));
        assert_eq!(seen, Seen::Free { values: 7, version });
    }
}

/// A record has one entry in each set, whichever of its components are read and written, and in whatever order.
#[cfg_attr(test, test)]
fn a_record_is_read_at_once_with_own_writes_in_it() {
    for for_update in [0, 1] {
        let arrays = CpuArray::of_record(&[vec![1], vec![2], vec![3]], 0).unwrap();
        let mut attempt = Attempt::new(arrays.iter().map(View::written).collect(), 0);
        attempt.begin_with(for_update);
        attempt.write(1, 0, 20, 1, true).unwrap();
        assert!(attempt.reads().is_empty(), "a write of one field reads none");
        let mut words = [0; 3];
        attempt.read_row(0, 0, 0, &mut words).unwrap();
        assert_eq!((words, attempt.read(2, 0, 0, true), attempt.read(1, 0, 0, true)), ([1, 20, 3], Ok(3), Ok(20)));
        assert_eq!((attempt.reads().len(), attempt.writes.entries().len()), (1 - for_update as usize, 1));
        attempt.write_row(1, 0, 1, &[21, 31]).unwrap();
        attempt.commit_slowly().unwrap();
        assert_eq!([0, 1, 2].map(|at| arrays[at].words().unwrap()[0]), [1, 21, 31]);
        assert_eq!(arrays[0].table().row(0).unwrap().lock.load(Ordering::Relaxed), 1 << 1);
    }
}
