//! Keys that `Reverse` turns.

use std::cmp::Reverse;

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, GpuData)]
struct Score {
    points: u8,
    player: u32,
}

#[gpu_fn]
fn scores(a: u32, b: u8) -> [Score; 5] {
    let of = |k: u32| Score { points: ((a >> k) % 4) as u8 ^ b % 2, player: a.rotate_left(k) % 5 };
    [of(0), of(2), of(4), of(6), of(8)]
}

#[gpu_fn]
fn sorted(a: u32, b: u8) -> [[Score; 5]; 4] {
    let mut all = [scores(a, b); 4];
    let mut list = all[0];
    list.sort_by_key(|score| Reverse(score.points));
    all[0] = list;
    list = all[1];
    list.sort_by_key(|score| (Reverse(score.points), score.player));
    all[1] = list;
    list = all[2];
    list[1..].sort_by_key(|score| {
        let half = score.player / 2;
        (half, std::cmp::Reverse(score.points))
    });
    all[2] = list;
    list = all[3];
    list.sort_unstable_by_key(|score| Reverse(*score));
    all[3] = list;
    all
}

#[gpu_fn]
fn extremes(a: u32, b: u8) -> [Option<(usize, Score)>; 4] {
    let all = scores(a, b);
    let list = all;
    [
        list.iter().copied().enumerate().min_by_key(|(_, score)| Reverse(score.points)),
        list.iter().copied().enumerate().max_by_key(|(_, score)| Reverse(score.points)),
        list.iter().copied().enumerate().min_by_key(|(k, score)| (score.points, Reverse(*k))),
        list.iter().copied().enumerate().max_by_key(|(k, score)| (score.points, Reverse(*k), score.player)),
    ]
}

same_as_plain! { keys_are_turned:
    sorted(a: u32, b: u8) -> [[Score; 5]; 4];
    extremes(a: u32, b: u8) -> [Option<(usize, Score)>; 4];
}
