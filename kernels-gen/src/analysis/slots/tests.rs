use super::*;

#[test]
fn sets_are_shared_where_one_holds_the_other() {
    let (mut low, high) = (Slots::one(3), Slots::one(130));
    let both = low.or(&high);
    assert_eq!(both.list(), [3, 130]);
    assert!(Rc::ptr_eq(&both.or(&low).0, &both.0) && Rc::ptr_eq(&low.or(&both).0, &both.0));
    assert!(low.grow(&high) && !low.grow(&high) && !low.grow(&Slots::default()));
    assert_eq!((low, Slots::default().list()), (both, vec![]));
}
