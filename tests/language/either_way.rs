//! Functions of types and of traits, called with names of which only rustc knows whether they are values or references.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Celsius {
    tenths: i32,
}

#[gpu_fn]
impl From<u16> for Celsius {
    fn from(raw: u16) -> Self {
        Celsius { tenths: i32::from(raw) - 2_731 }
    }
}

#[gpu_fn]
impl Celsius {
    fn of_lent(raw: &u16) -> Self {
        Celsius { tenths: i32::from(*raw) % 7 }
    }

    fn warmer(&self, other: &Self) -> bool {
        self.tenths > other.tenths
    }

    fn checked(self) -> Result<Self, u32> {
        if self.tenths < -400 { Err(self.tenths.unsigned_abs()) } else { Ok(self) }
    }
}

#[gpu_fn]
fn convert(raw: u32) -> Result<Celsius, u32> {
    let Ok(short) = u16::try_from(raw) else { return Err(raw >> 16) };
    let celsius = Celsius::from(short).checked()?;
    let larger = short.max(17);
    let other = Celsius::from(larger).checked()?;
    let pair = (larger, raw % 2 == 0);
    let third = if let (number, true) = pair { Celsius::from(number).checked()? } else { other };
    Ok(Celsius { tenths: celsius.tenths / 5 * 5 + other.tenths + third.tenths })
}

#[gpu_fn]
fn lent(a: u16, b: u16) -> (bool, bool) {
    let list = [a, b, 3];
    let [x, y, _] = &list;
    let most = list.iter().max().unwrap();
    (Celsius::of_lent(x).warmer(&Celsius::of_lent(y)), Celsius::of_lent(most).warmer(&Celsius::of_lent(x)))
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Span<T> {
    least: T,
    most: T,
}

#[gpu_fn]
impl<T: Copy + PartialOrd> Span<T> {
    fn of(value: T) -> Self {
        Self { least: value, most: value }
    }

    fn of_lent(value: &T) -> Self {
        Self { least: *value, most: *value }
    }

    fn wider(self, other: Span<T>) -> Self {
        Self {
            least: if other.least < self.least { other.least } else { self.least },
            most: if other.most > self.most { other.most } else { self.most },
        }
    }
}

#[gpu_fn]
fn spans(values: [i32; 4], limit: i32) -> Option<(i32, i32)> {
    let span = values.iter().copied().filter(|value| *value <= limit).map(Span::of).reduce(|a, b| a.wider(b))?;
    let all = values.iter().map(Span::of_lent).reduce(|a, b| a.wider(b))?;
    let both = values.iter().fold(Span::of(limit), |span, value| span.wider(Span::of(*value)));
    Some((span.most.wrapping_sub(span.least), all.wider(both).most ^ both.least))
}

#[gpu_fn]
fn span_of<T: Copy>(value: T) -> Span<T> {
    Span { least: value, most: value }
}

#[gpu_fn]
impl<T: Copy + PartialOrd> Span<T> {
    fn between(least: T, most: T) -> Self {
        Self { least, most }
    }
}

#[gpu_fn]
fn between(a: i16, b: i16) -> (i16, i16) {
    let (low, high) = (a.min(b), a.max(b));
    let (least, most) = (low.max(-9), high.min(7));
    let wide = Span::between(least, most).wider(span_of(least));
    (span_of(least).wider(wide).most, Span::between(least, most).least)
}

#[gpu_fn]
fn narrow(values: [u8; 3]) -> (u8, u8) {
    let span = values.into_iter().map(Span::of).reduce(|a, b| a.wider(b)).unwrap();
    let most = values[0].max(values[1]);
    (span.most - span.least, Span::of(most).wider(span).least)
}

same_as_plain! { names_of_values_or_of_references_are_passed:
    convert(raw: u32) -> Result<Celsius, u32>;
    lent(a: u16, b: u16) -> (bool, bool);
    spans(values: [i32; 4], limit: i32) -> Option<(i32, i32)>;
    between(a: i16, b: i16) -> (i16, i16);
    narrow(values: [u8; 3]) -> (u8, u8);
}
