//! Records: as elements, by field, nested, as tuple structs, with what an update components alone.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub struct Spot {
    pub floor: i16,
    pub view: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub struct Euro(pub i64);

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub struct Room {
    pub free: u32,
    pub price: Euro,
    pub spot: Spot,
}

/// All components are read, two are changed, all are written.
#[gpu_transaction]
pub fn whole(tx: &mut Tx, rooms: &Shared<Room>, i: u32) -> TxResult<Room> {
    let mut room = tx.read(rooms, i)?;
    room.free -= 1;
    room.spot.floor = 3;
    tx.write(rooms, i, room)?;
    Ok(room)
}

/// Only the fields that are named are touched.
#[gpu_transaction]
pub fn fields(tx: &mut Tx, rooms: &Shared<Room>, i: u32) -> TxResult<Spot> {
    let free = tx.read(&rooms.free, i)?;
    tx.write(&rooms.free, i, free - 1)?;
    tx.write(&rooms.price.0, i, 7)?;
    tx.read(&rooms.spot, i)
}

#[gpu_transaction]
pub fn rebuilt(tx: &mut Tx, rooms: &Shared<Room>, i: u32, spot: Spot, price: Euro) -> TxResult<bool> {
    let old = tx.read(rooms, i)?;
    let new = Room { spot, price: Euro(price.0 + old.price.0), ..old };
    tx.write(rooms, i, new)?;
    Ok(new.free == old.free || new.spot.view)
}
