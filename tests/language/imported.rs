//! Variants that a module imports by `use Shape::*`.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
enum Shape {
    Circle { radius: u32 },
    Square(u32),
    Sum(Point, i64),
    Empty,
}

use Shape::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Point {
    x: i32,
    y: i32,
}

#[gpu_fn]
fn area(shape: Shape) -> u32 {
    match shape {
        Circle { radius } => radius.wrapping_mul(3),
        Square(side) if side > 9 => 9,
        Square(side) => side,
        Sum(Point { x, .. }, _) => x as u32,
        Empty => 0,
    }
}

#[gpu_fn]
fn grown(mut shape: Shape, by: u32) -> (Shape, Shape) {
    match &mut shape {
        Circle { radius } => *radius ^= by,
        Square(side) => *side = side.wrapping_add(by),
        Sum(at, _) => at.y = by as i32,
        Empty => {}
    }
    let next = match (shape, by) {
        (Circle { radius: 0..=99 }, 1..) => Square(by),
        (Empty, _) => Circle { radius: by },
        (Sum(point, y), _) if point.x > 3 => Sum(Point { x: point.y, y: 2 }, y ^ 1),
        (other, _) => other,
    };
    (shape, next)
}

#[gpu_fn]
fn one_of_them(shape: Shape, other: Option<Shape>) -> [u32; 4] {
    let first = if let Circle { radius } = shape { radius } else { 1 };
    let second = match shape {
        Square(side) => side,
        _ => 2,
    };
    let third = match other {
        Some(Square(side)) => side,
        Some(Circle { .. }) => 7,
        _ => 8,
    };
    let Sum(point, _) = shape else { return [first, second, third, 5] };
    let Point { x, y } = point;
    [first, second, third, (x ^ y) as u32]
}

same_as_plain! { variants_that_the_module_imports:
    area(shape: Shape) -> u32;
    grown(shape: Shape, by: u32) -> (Shape, Shape);
    one_of_them(shape: Shape, other: Option<Shape>) -> [u32; 4];
}
