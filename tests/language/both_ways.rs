//! A generic enum or record beside another instance of itself.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
enum Either<L, R> {
    Left(L),
    Right(R),
    Both { left: L, right: R },
}

#[gpu_fn]
impl<L: Copy, R: Copy> Either<L, R> {
    fn left(self) -> Option<L> {
        if let Self::Left(value) | Self::Both { left: value, .. } = self { Some(value) } else { None }
    }

    fn flip(self) -> Either<R, L> {
        match self {
            Either::Left(value) => Either::Right(value),
            Either::Right(value) => Either::Left(value),
            Either::Both { left, right } => Either::Both { left: right, right: left },
        }
    }

    fn twice(self) -> Pair<Either<L, R>, Either<R, L>> {
        Pair { a: self, b: self.flip() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Pair<A, B> {
    a: A,
    b: B,
}

#[gpu_fn]
impl<A: Copy, B: Copy> Pair<A, B> {
    fn swapped(&self) -> Pair<B, A> {
        Pair { a: self.b, b: self.a }
    }

    fn around(self) -> Pair<Pair<A, B>, Pair<B, A>> {
        let Pair { a, b } = self;
        Pair { a: Pair { a, b }, b: Pair { a: b, b: a } }
    }
}

#[gpu_fn]
fn either(a: u32, b: u8) -> Either<u32, (u8, bool)> {
    match a % 3 {
        0 => Either::Left(a),
        1 => Either::Right((b, a % 2 == 0)),
        _ => Either::Both { left: a, right: (b, true) },
    }
}

#[gpu_fn]
fn flipped(a: u32, b: u8) -> (Either<(u8, bool), u32>, Either<u32, i32>, Option<(u8, bool)>, bool) {
    let value = either(a, b);
    let small: Either<u32, i32> = match value {
        Either::Left(x) => Either::Left(x),
        Either::Right((x, _)) => Either::Right(i32::from(x)),
        Either::Both { left, .. } => Either::Both { left, right: -1 },
    };
    let back = value.flip().flip();
    (value.flip(), small, value.flip().left(), back == value)
}

#[gpu_fn]
fn doubled(a: u32, b: u8) -> Pair<Either<u32, (u8, bool)>, Either<(u8, bool), u32>> {
    either(a, b).twice()
}

#[gpu_fn]
fn pairs(a: u32, b: u8) -> (Pair<u8, u32>, Pair<Pair<u32, u8>, Pair<u8, u32>>) {
    let pair: Pair<u32, u8> = Pair { a, b };
    (pair.swapped(), pair.around())
}

same_as_plain! { instances_of_one_type_stand_beside_each_other:
    flipped(a: u32, b: u8) -> (Either<(u8, bool), u32>, Either<u32, i32>, Option<(u8, bool)>, bool);
    doubled(a: u32, b: u8) -> Pair<Either<u32, (u8, bool)>, Either<(u8, bool), u32>>;
    pairs(a: u32, b: u8) -> (Pair<u8, u32>, Pair<Pair<u32, u8>, Pair<u8, u32>>);
}
