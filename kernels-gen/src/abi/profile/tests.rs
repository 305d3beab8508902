use super::*;

#[test]
fn blocks_follow_each_other() {
    let layout = ProfileLayout::of([3, 0].into_iter());
    assert_eq!((layout.waits(0), layout.by_holder(0), layout.locations(0)), (0, 1..4, 4..7));
    assert_eq!((layout.waits(1), layout.by_holder(1), layout.locations(1)), (7, 8..11, 11..11));
    assert_eq!(layout.elements(), 11 + HOLDERS..layout.words());
}
