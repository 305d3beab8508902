//! Alternatives whose names stand for places that change.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Position {
    x: i16,
    y: i16,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
enum Unit {
    Dead,
    Soldier { health: u32, at: Position },
    Tower { at: Position, health: u32 },
    Pair(u32, u32),
    List([u32; 3]),
}

#[gpu_fn]
fn add(x: &mut u32, n: u32) {
    *x = x.wrapping_add(n);
}

#[gpu_fn]
impl Unit {
    fn hit(&mut self, damage: u32) -> bool {
        match self {
            Unit::Soldier { health, .. } | Unit::Tower { health, .. } if *health > damage => {
                *health -= damage;
                true
            }
            Unit::Soldier { health, at } | Unit::Tower { health, at } => {
                *health = 0;
                at.x ^= 1;
                *at = Position { x: at.x ^ at.y, ..*at };
                let left = &mut *health;
                *left += 2;
                false
            }
            Unit::Pair(a, b) | Unit::List([a, _, b]) => {
                std::mem::swap(a, b);
                *a ^= 1;
                add(b, damage);
                false
            }
            Unit::Dead => false,
        }
    }

    fn heal(&mut self) {
        if let Unit::Soldier { health, .. } | Unit::Tower { health, .. } | Unit::Pair(_, health) = self {
            *health = health.wrapping_add(3);
            if *health > 6 {
                *health /= 2;
            }
        }
        let (Unit::Soldier { health: left, .. } | Unit::Tower { health: left, .. }) = self else {
            return;
        };
        *left = left.saturating_sub(1);
        if *left == 0 {
            *self = Unit::Dead;
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Squad {
    units: [Unit; 2],
    result: Result<u32, u32>,
}

#[gpu_fn]
fn of_methods(squad: Squad, damage: u32) -> (Squad, bool, bool) {
    let mut squad = squad;
    let first = squad.units[0].hit(damage);
    let second = squad.units[1].hit(3);
    squad.units[0].heal();
    squad.units[1].heal();
    (squad, first, second)
}

#[gpu_fn]
fn of_parts(squad: Squad, pair: (Option<u8>, u8), n: u8) -> (Squad, (Option<u8>, u8)) {
    let (mut squad, mut pair) = (squad, pair);
    match &mut squad.units[usize::from(n % 2)] {
        Unit::Pair(x, y) | Unit::List([x, y, _]) => {
            *x = x.wrapping_add(*y);
            *y = 7;
        }
        Unit::Soldier { at: Position { x, .. }, .. } | Unit::Tower { at: Position { y: x, .. }, .. } => *x ^= 5,
        _ => {}
    }
    let (Ok(z) | Err(z)) = &mut squad.result;
    *z ^= 9;
    for unit in squad.units.iter_mut() {
        if let Unit::Soldier { health, .. } | Unit::Tower { health, .. } = unit {
            *health = health.rotate_left(1);
        }
    }
    match &mut pair {
        (Some(x), 0..=99) | (None, x) | (_, x) => *x ^= 40,
    }
    (squad, pair)
}

same_as_plain! { alternatives_change_the_place_that_matched:
    of_methods(squad: Squad, damage: u32) -> (Squad, bool, bool);
    of_parts(squad: Squad, pair: (Option<u8>, u8), n: u8) -> (Squad, (Option<u8>, u8));
}
