// Iterator methods that have no meaning here, with what to write instead.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn refused(tx: &mut Tx, data: &Shared<u32>, list: [u32; 4], n: usize) -> TxResult {
    let a = list.iter().map(|x| x + 1).collect();
    let b = list.iter().flat_map(|x| data.iter()).count();
    let c = list.iter().filter(|x| **x > 1).enumerate().rev().count();
    let d = list.iter().zip([list; 2].iter().flatten()).count();
    let e = list.windows(n).count();
    let f = list.iter().map(|x| [*x; 3]).map(|x| x.chunks(2).count()).sum::<usize>();
    let g = list.iter().scan(0, |old, x| Some(*x)).count();
    let h = list.iter().map(|x| *x as f64).max();
    let i: f64 = list.iter().map(|x| *x as f64).fold(0.0);
    let mut j = [1.5, 2.5];
    j.sort_unstable();
    let k = list.iter();
    let k = (k, 1);
    for x in data.iter().skip(1) {}
    let l = u8::try_from(n).map(|x| x);
    let m = list.iter().filter(|x| **x > 1).rposition(|x| *x > 1);
    let n = list.iter().eq(list.split(|x| *x > 1).map(|part| &part[0]));
    for x in list.chunks_mut(2) {}
    let p = list.iter().filter(|x| **x > 1).cycle().take(3).count();
    let q = j.iter_mut().map(|x| x).zip(j.iter_mut().filter(|x| **x > 1.0)).count();
    let r = [[1]; 2].iter_mut().flatten().next();
    Ok(())
}

fn main() {}
