//! What the device runs for methods of arrays and of `Option` that only rustc finds: each by hand, as its compiler takes it.

use stm_macros::gpu_fn;

#[gpu_fn]
pub fn contains<T: PartialEq + Copy, const N: usize>(list: &[T; N], value: &T) -> bool {
    list.iter().any(|one| *one == *value)
}

#[gpu_fn]
pub fn first<T: Copy, const N: usize>(list: &[T; N]) -> Option<T> {
    list.iter().copied().next()
}

#[gpu_fn]
pub fn last<T: Copy, const N: usize>(list: &[T; N]) -> Option<T> {
    list.iter().copied().rev().next()
}

#[gpu_fn]
pub fn get<T: Copy, const N: usize>(list: &[T; N], index: usize) -> Option<T> {
    if index < list.len() { Some(list[index]) } else { None }
}

#[gpu_fn]
pub fn fill<T: Copy, const N: usize>(list: &mut [T; N], value: T) {
    for k in 0..list.len() {
        list[k] = value;
    }
}

#[gpu_fn]
pub fn reverse<T: Copy, const N: usize>(list: &mut [T; N]) {
    for k in 0..list.len() / 2 {
        let other = list.len() - 1 - k;
        (list[k], list[other]) = (list[other], list[k]);
    }
}

#[gpu_fn]
pub fn is_empty<T: Copy, const N: usize>(list: &[T; N]) -> bool {
    list.len() == 0
}

// What may fault comes first, and is a location for each of `refused`.
#[gpu_fn]
pub fn swap<T: Copy, const N: usize>(list: &mut [T; N], a: usize, b: usize) {
    let first = list[a];
    let second = list[b];
    list[a] = second;
    list[b] = first;
}

#[gpu_fn]
pub fn rotate_left<T: Copy, const N: usize>(list: &mut [T; N], by: usize) {
    assert!(by <= N, "mid > len");
    list.rotate_left(by);
}

#[gpu_fn]
pub fn rotate_right<T: Copy, const N: usize>(list: &mut [T; N], by: usize) {
    assert!(by <= N, "k > len");
    list.rotate_right(by);
}

#[gpu_fn]
pub fn take<T: Copy>(option: &mut Option<T>) -> Option<T> {
    let old = *option;
    *option = None;
    old
}

#[gpu_fn]
pub fn replace<T: Copy>(option: &mut Option<T>, value: T) -> Option<T> {
    let old = *option;
    *option = Some(value);
    old
}

#[gpu_fn]
pub fn insert<T: Copy>(option: &mut Option<T>, value: T) -> T {
    *option = Some(value);
    value
}

#[gpu_fn]
pub fn flatten<T: Copy>(option: Option<Option<T>>) -> Option<T> {
    if let Some(inner) = option { inner } else { None }
}

#[gpu_fn]
pub fn unzip<A: Copy, B: Copy>(option: Option<(A, B)>) -> (Option<A>, Option<B>) {
    if let Some((a, b)) = option { (Some(a), Some(b)) } else { (None, None) }
}

#[gpu_fn]
pub fn transpose<T: Copy, E: Copy>(option: Option<Result<T, E>>) -> Result<Option<T>, E> {
    match option {
        Some(Ok(value)) => Ok(Some(value)),
        Some(Err(error)) => Err(error),
        None => Ok(None),
    }
}

#[gpu_fn]
pub fn transpose_back<T: Copy, E: Copy>(result: Result<Option<T>, E>) -> Option<Result<T, E>> {
    match result {
        Ok(Some(value)) => Some(Ok(value)),
        Ok(None) => None,
        Err(error) => Some(Err(error)),
    }
}
