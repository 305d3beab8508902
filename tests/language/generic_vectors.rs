//! Records of a parameter for types, with operators and methods that need those of the parameter; functions that call each other.

use std::ops::{Add, AddAssign, Mul, Sub};

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, GpuData)]
struct Vector<T> {
    x: T,
    y: T,
}

#[gpu_fn]
impl<T: Copy + Add<Output = T>> Add for Vector<T> {
    type Output = Vector<T>;
    fn add(self, o: Vector<T>) -> Vector<T> {
        Vector { x: self.x + o.x, y: self.y + o.y }
    }
}

#[gpu_fn]
impl<T: Copy + Mul<Output = T>> Mul<T> for Vector<T> {
    type Output = Vector<T>;
    fn mul(self, k: T) -> Vector<T> {
        Vector { x: self.x * k, y: self.y * k }
    }
}

#[gpu_fn]
impl<T: Copy + Mul<Output = T> + Add<Output = T>> Vector<T> {
    fn new(x: T, y: T) -> Self {
        Vector { x, y }
    }
    fn dot(self, o: Self) -> T {
        self.x * o.x + self.y * o.y
    }
    fn square(self) -> T {
        self.dot(self)
    }
    fn splat(v: T) -> Self {
        Self::new(v, v)
    }
}

#[gpu_fn]
fn lerp<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>>(a: T, b: T, t: T) -> T {
    a + (b - a) * t
}

#[gpu_fn]
fn sum3<T: Copy + Add<Output = T>>(a: T, b: T, c: T) -> T {
    a + b + c
}

#[gpu_fn]
fn poly<T: Copy + Add<Output = T> + Mul<Output = T>>(x: T, c: [T; 4]) -> T {
    c[0] + c[1] * x + c[2] * x * x + c[3] * x * x * x + c[0] * c[1] * c[2] * c[3] + x + x + x
}

#[gpu_fn]
fn scale<T, U>(a: T, k: U) -> T
where
    T: Mul<U, Output = T>,
{
    a * k
}

#[gpu_fn]
fn total<T: Copy + AddAssign + Default, const N: usize>(list: [T; N]) -> T {
    let mut t = T::default();
    for x in list {
        t += x;
    }
    t
}

#[gpu_fn]
fn total2<T: Copy + AddAssign + Default, const N: usize>(list: &[T; N]) -> T {
    let mut t = T::default();
    for x in list.iter() {
        t += *x;
    }
    t
}

#[gpu_fn]
fn grid<T: Copy + AddAssign, const N: usize>(list: [T; N], by: T) -> [T; N] {
    let mut l = list;
    for k in 0..N {
        l[k] += by;
    }
    l
}

#[gpu_fn]
fn max_of<T: Copy + PartialOrd, const N: usize>(list: [T; N]) -> T {
    let mut m = list[0];
    for x in list {
        if x > m {
            m = x;
        }
    }
    m
}

#[gpu_fn]
fn of_floats(a: f64, b: f64) -> (f64, f64, f64) {
    (lerp(a, b, 0.5), sum3(1.0, 2.0, a), poly(a, [1.0, 2.0, b, 3.0]))
}

#[gpu_fn]
fn of_integers(a: i32, b: i32) -> (i32, i32, i32) {
    let (a, b) = (a % 20, b % 20);
    (lerp(a, b, 2), sum3(1, 2, a), poly(a % 3, [1, 2, b, 3]))
}

#[gpu_fn]
fn of_vectors(a: i32, b: i32) -> (i32, i32, i32) {
    let (a, b) = (a % 50, b % 50);
    let u = Vector::new(a, b);
    let w = sum3(u, Vector { x: 1_i32, y: 2 }, Vector::splat(b)) * 3;
    let z = scale(w, 2);
    (w.dot(u), z.square(), (u + w).x)
}

#[gpu_fn]
fn of_lists(a: i32, b: i64) -> (i32, i64, i32, i64) {
    let (a, b) = (a % 50, b % 50);
    (total([a, 2, 3]), total([b; 4]), total2(&[a, a]), grid([b, 1], 4)[1])
}

#[gpu_fn]
fn of_both(a: i32, b: f32) -> (i32, f32, f32) {
    (max_of([a, 3, 4]), max_of([b, 1.5]), total([b, 0.5]))
}

#[gpu_fn]
fn of_nested(a: u32, b: u32) -> u32 {
    let n = sum3(a % 9, 1, 2);
    let k = sum3(1, 2, 3);
    let m = sum3(n, k, sum3(1, 1, 1));
    m + sum3(4, 5, b % 8)
}

/// A sum that is too long for rustc to be asked for the type of each part.
#[gpu_fn]
trait Number: Copy + Add<Output = Self> + Mul<Output = Self> + AddAssign {}

#[gpu_fn]
impl Number for u32 {}

#[gpu_fn]
impl Number for f64 {}

#[gpu_fn]
fn long_sum<T: Number>(a: T, b: T) -> T {
    a + b + a + b + a + b + a + b + a + b + a + b + a + b + a * b + a * b * a * b * a * b
}

#[gpu_fn]
fn lists<T: Number>(a: [T; 3], k: u32) -> [T; 3] {
    let mut l = a;
    for i in 0..3 {
        l[i] += a[2 - i];
        l[(k % 3) as usize] += a[0];
    }
    l
}

#[gpu_fn]
fn long_of_integers(a: u32, b: u32) -> (u32, [u32; 3]) {
    let (a, b) = (a % 16, b % 16);
    (long_sum(a, b), lists([a, b, 1], b))
}

#[gpu_fn]
fn long_of_floats(a: f64, b: f64) -> (f64, [f64; 3]) {
    (long_sum(a, b), lists([a, b, 1.0], 2))
}

same_as_plain! { vectors_of_parameters_have_operators:
    of_floats(a: f64, b: f64) -> (f64, f64, f64);
    of_integers(a: i32, b: i32) -> (i32, i32, i32);
    of_vectors(a: i32, b: i32) -> (i32, i32, i32);
    of_lists(a: i32, b: i64) -> (i32, i64, i32, i64);
    of_both(a: i32, b: f32) -> (i32, f32, f32);
    of_nested(a: u32, b: u32) -> u32;
    long_of_integers(a: u32, b: u32) -> (u32, [u32; 3]);
    long_of_floats(a: f64, b: f64) -> (f64, [f64; 3]);
}
