use super::*;

#[test]
fn the_words_follow_the_fields() {
    let launch = Launch {
        transactions: 7,
        specializations: 8,
        log_stride: 9,
        run: 10,
        columns: vec![11, 12],
        arrays: vec![ArrayAddress { data: 21, locks: 22, len: 23, extra: 24 }],
        ..Launch::default()
    };
    let words = launch.words();
    assert_eq!((words[0], words[17], words[18]), (7, 9, 10));
    assert_eq!(words[FIELDS.len()..], [11, 21, 22, 23, 24, 12, 0, 0, 0, 0]);
    assert_eq!([0, 1].map(|at| words[Launch::column_word(at).unwrap()]), [11, 12]);
    assert_eq!((words[Launch::SPECIALIZATIONS_WORD], Launch::column_word(NEAR_PLACES)), (8, None));
    assert_eq!((launch.far_words().len(), far_bytes(2, 1)), (0, 0));
}

#[test]
fn further_places_lie_in_device_memory() {
    let launch = Launch { columns: (0..NEAR_PLACES as u64 + 2).collect(), far: 77, ..Launch::default() };
    let words = launch.words();
    assert_eq!(words.len(), FIELDS.len() + NEAR_PLACES * PLACE_WORDS + 1);
    assert_eq!(words.last(), Some(&77));
    assert_eq!(launch.far_words(), [NEAR_PLACES as u64, 0, 0, 0, 0, NEAR_PLACES as u64 + 1, 0, 0, 0, 0]);
    assert_eq!(far_bytes(NEAR_PLACES + 2, 1), 8 * launch.far_words().len());
    assert_eq!([place(NEAR_PLACES - 1), place(NEAR_PLACES + 1)], ["p.at[95]", "p.far[1]"]);
    assert_eq!([place_of("n", NEAR_PLACES), place_of("n", NEAR_PLACES + 1)], ["p.at[n]", "stm_parameter_at(p, n)"]);
    let mut text = String::new();
    put_params(&mut text, NEAR_PLACES);
    assert!(!text.contains("far"), "{text}");
}
