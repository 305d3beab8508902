//! The end of a procedure's function.

use crate::data::GpuData;
use crate::tx::Abort;

/// Writes the words of a function's result to `results`; truncates a result that is too long.
#[inline]
pub(super) fn finish<R: GpuData>(ended: Result<R, Abort>, results: &mut [u64]) -> Result<(), Abort> {
    let value = ended?;
    let mut places = results.iter_mut();
    value.stm_put(&mut |word| {
        if let Some(place) = places.next() {
            *place = word;
        }
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_go_where_they_fit() {
        let mut results = [7, 7, 7];
        finish(Ok((1_u8, 2_u8)), &mut results).unwrap();
        assert_eq!(results, [1, 2, 7]);
        finish(Ok((1_u8, 2_u8)), &mut []).unwrap();
        finish(Err::<u8, _>(Abort::CONFLICT), &mut results).unwrap_err();
        assert_eq!(results, [1, 2, 7]);
    }
}
