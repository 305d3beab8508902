//! The functions of a long transaction: repeated calls of `step`, as a generator of programs writes them.

use stm_runtime::prelude::*;

/// Mixes two numbers.
#[gpu_fn]
pub(crate) fn mix(a: u32, b: u32) -> u32 {
    a.wrapping_mul(31).wrapping_add(b ^ a >> 3)
}

/// Calls the steps one after the other.
#[rustfmt::skip]
#[gpu_fn]
pub(crate) fn compute(start: (u32, u32)) -> ((u32, u32), [u32; 4]) {
    let mut state = start;
    let mut list = [1_u32, 2, 3, 4];
    if state.0 % 7 == 0 {
        list[0] = mix(state.0, 0);
        let step0 = state.1 / 1;
        state.1 = step0 ^ 0;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 0) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 1 {
        list[1] = mix(state.0, 1);
        let step1 = state.1 / 2;
        state.1 = step1 ^ 1;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 1) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 2 {
        list[2] = mix(state.0, 2);
        let step2 = state.1 / 3;
        state.1 = step2 ^ 4;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 2) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 3 {
        list[3] = mix(state.0, 3);
        let step3 = state.1 / 4;
        state.1 = step3 ^ 9;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 3) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 4 {
        list[0] = mix(state.0, 4);
        let step4 = state.1 / 5;
        state.1 = step4 ^ 16;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 4) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 5 {
        list[1] = mix(state.0, 5);
        let step5 = state.1 / 6;
        state.1 = step5 ^ 25;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 5) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 6 {
        list[2] = mix(state.0, 6);
        let step6 = state.1 / 7;
        state.1 = step6 ^ 36;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 6) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 0 {
        list[3] = mix(state.0, 7);
        let step7 = state.1 / 8;
        state.1 = step7 ^ 49;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 7) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 1 {
        list[0] = mix(state.0, 8);
        let step8 = state.1 / 9;
        state.1 = step8 ^ 64;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 8) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 2 {
        list[1] = mix(state.0, 9);
        let step9 = state.1 / 10;
        state.1 = step9 ^ 81;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 9) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 3 {
        list[2] = mix(state.0, 10);
        let step10 = state.1 / 11;
        state.1 = step10 ^ 100;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 10) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 4 {
        list[3] = mix(state.0, 11);
        let step11 = state.1 / 12;
        state.1 = step11 ^ 121;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 11) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 5 {
        list[0] = mix(state.0, 12);
        let step12 = state.1 / 13;
        state.1 = step12 ^ 144;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 12) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 6 {
        list[1] = mix(state.0, 13);
        let step13 = state.1 / 14;
        state.1 = step13 ^ 169;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 13) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 0 {
        list[2] = mix(state.0, 14);
        let step14 = state.1 / 15;
        state.1 = step14 ^ 196;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 14) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 1 {
        list[3] = mix(state.0, 15);
        let step15 = state.1 / 16;
        state.1 = step15 ^ 225;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 15) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 2 {
        list[0] = mix(state.0, 16);
        let step16 = state.1 / 17;
        state.1 = step16 ^ 256;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 16) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 3 {
        list[1] = mix(state.0, 17);
        let step17 = state.1 / 18;
        state.1 = step17 ^ 289;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 17) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 4 {
        list[2] = mix(state.0, 18);
        let step18 = state.1 / 19;
        state.1 = step18 ^ 324;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 18) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 5 {
        list[3] = mix(state.0, 19);
        let step19 = state.1 / 20;
        state.1 = step19 ^ 361;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 19) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 6 {
        list[0] = mix(state.0, 20);
        let step20 = state.1 / 21;
        state.1 = step20 ^ 400;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 20) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 0 {
        list[1] = mix(state.0, 21);
        let step21 = state.1 / 22;
        state.1 = step21 ^ 441;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 21) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 1 {
        list[2] = mix(state.0, 22);
        let step22 = state.1 / 23;
        state.1 = step22 ^ 484;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 22) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    if state.0 % 7 == 2 {
        list[3] = mix(state.0, 23);
        let step23 = state.1 / 24;
        state.1 = step23 ^ 529;
    } else {
        for k in 0..2_usize {
            state.1 = mix(list[(k + 23) % 4], state.1);
        }
    }
    state.0 = mix(state.1, state.0);
    (state, list)
}
