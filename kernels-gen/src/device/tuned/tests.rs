use super::*;
use crate::device::Listings;
use crate::device::engines::ENGINES;

#[test]
fn every_parameter_sets_a_constant_of_its_engine() {
    for row in ENGINES {
        for (place, parameter) in row.parameters.iter().enumerate() {
            let Parameter { name, constant, default, least, most, .. } = parameter;
            let texts = row.needs.iter().map(|(_, text)| *text).chain([row.text]).collect::<String>();
            assert!(texts.contains(constant), "{}: no text of it has {constant}", row.name);
            assert!(row.constants.iter().all(|(fixed, _)| fixed != constant), "{}: {constant} is fixed", row.name);
            assert!((least..=most).contains(&default), "{}: {name}", row.name);
            assert!(row.parameters[..place].iter().all(|before| before.name != *name), "{}: {name}", row.name);
        }
    }
}

#[test]
fn what_is_set_is_in_the_numbers_and_makes_another_engine() {
    let row = ENGINES.iter().find(|row| row.parameters.len() > 1).expect("a row has parameters");
    let usual = Tuned::new(row);
    let second = &row.parameters[1];
    let other = usual.with(second, second.least);
    assert_ne!(usual, other);
    assert_eq!(usual, other.with(second, second.default));
    assert!(other.numbers(0, Listings::default()).any(|number| number == (second.constant, second.least)));
    assert_eq!(usual.numbers(0, Listings::default()).count(), row.constants.len() + row.parameters.len());
}
