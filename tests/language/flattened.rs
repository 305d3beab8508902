//! `iter_mut().flatten()`: the values of `Option`s and the elements of rows are changed where they stand.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Task {
    id: u8,
    left: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Slots {
    tasks: [Option<Task>; 4],
    grid: [[u16; 3]; 2],
    deep: [[Option<u8>; 2]; 2],
}

#[gpu_fn]
impl Slots {
    fn age(&mut self) {
        for task in self.tasks.iter_mut().flatten() {
            task.left = task.left.wrapping_add(task.id.into());
        }
    }

    fn halve(&mut self, least: u32) -> usize {
        self.tasks.iter_mut().flatten().filter(|task| task.left > least).for_each(|task| task.left /= 2);
        self.tasks.iter().flatten().count()
    }

    fn number(&mut self) {
        for (k, x) in self.grid.iter_mut().rev().flatten().enumerate() {
            *x = x.wrapping_mul(3) ^ k as u16;
        }
        for x in self.deep.iter_mut().flatten().flatten() {
            *x ^= 1;
        }
    }

    fn take_apart(&mut self) {
        for Task { id, left } in self.tasks.iter_mut().skip(1).flatten() {
            *left ^= u32::from(*id);
            *id = 0;
        }
    }
}

#[gpu_fn]
fn of_fields(slots: Slots, least: u32) -> (Slots, usize) {
    let mut slots = slots;
    slots.age();
    let count = slots.halve(least);
    slots.number();
    slots.take_apart();
    (slots, count)
}

#[gpu_fn]
fn of_variables(list: [Option<i16>; 5], rows: [[i16; 2]; 3]) -> ([Option<i16>; 5], [[i16; 2]; 3], i16) {
    let (mut list, mut rows, mut sum) = (list, rows, 0_i16);
    for x in list.iter_mut().flatten() {
        if *x < 0 {
            continue;
        }
        *x = !*x;
    }
    for x in rows.iter_mut().flatten() {
        sum = sum.wrapping_add(*x);
        *x = sum;
        if sum % 4 == 0 {
            break;
        }
    }
    list.iter_mut().flatten().take(2).for_each(|x| *x ^= 3);
    (list, rows, sum)
}

same_as_plain! { elements_of_elements_change_where_they_stand:
    of_fields(slots: Slots, least: u32) -> (Slots, usize);
    of_variables(list: [Option<i16>; 5], rows: [[i16; 2]; 3]) -> ([Option<i16>; 5], [[i16; 2]; 3], i16);
}
