// Versions with a place for each write of a chunk, sorted by element and transaction. Needs radix_sort.cuh.
//
// Arrays that are always written together, one after the other and at one index, have their places together. A place then has a cell for
// each of them. The write to the first one takes the place, and no element of the others is read before all are written.

// The states of a version. A cell holds the state and the value. That of a void one is, with one added, the end of the range in which an
// earlier version is found, if that is known. ON_ELEMENT: what the array holds is to be added. Until the places are
// sorted: ADDS_UP: what lies before is to be added. ADDS_LATE: likewise, unless it is of the same transaction, which may have read before.
// From PIECES on: the piece with the number that is left, and its inputs (placed_pieces.cuh).
constexpr u64 STM_EXPECTED = 0, STM_PUBLISHED = 1, STM_VOID = 2, STM_ON_ELEMENT = 3, STM_ADDS_UP = 4, STM_ADDS_LATE = 5, STM_PIECES = 6;

constexpr u32 STM_NO_PLACE = ~0u;
// The writes after a read among which one to the same element is looked for.
constexpr u32 STM_NEXT_WRITES = 4;

// What the stages keep of a listing for a chunk: `WRITES` places for each transaction, with `CELLS` cells each.
template <bool LATE>
struct stm_versions {
  static constexpr u32 WRITES = LATE ? (u32)STM_LATE_WRITES : (u32)STM_WRITES;
  static constexpr u32 CELLS = LATE ? (u32)STM_LATE_CELLS : (u32)STM_CELLS;
  // Whether the place before each place is kept. With few writes, the range of the element leads there as quickly.
  static constexpr bool KEEPS_BEFORE = STM_AWAITED && WRITES > STM_NEXT_WRITES;
  // The cells to which some write adds something, a bit for each.
  static constexpr u32 ADDS = LATE ? STM_LATE_ADDS : STM_ADDS;

  u64 size;             // places
  u64* arrived;         // blocks at the barrier of the grid that sorts
  u64* arrived_at_sums; // and of the one that adds up
  u64* largest;         // of the keys
  u64* listed;          // the number of keys that are not 0, once they are sorted
  u64* cells;           // the versions by place
  u32* keys[3];         // the number of an element, with one added; 0 for none. The first ones by place, the others while they are sorted
  u32* places[2];
  u32* totals;     // of the digits
  u32* histogram;  // of each block, digit by digit

  STM_DEVICE explicit stm_versions(const stm_params& p) {
    u64 first = p.transactions * STM_WRITES, second = p.transactions * STM_LATE_WRITES;
    size = LATE ? second : first;
    arrived = p.chunk + (LATE ? zeroed(first) : 0);
    arrived_at_sums = arrived + 1, largest = arrived + 2, listed = arrived + 3;
    keys[0] = (u32*)(arrived + 4);
    // The host zeroes the words before the cells.
    cells = p.chunk + zeroed(first) + (STM_LATE_WRITES != 0 ? zeroed(second) : 0) + (LATE ? others(first, STM_CELLS) : 0);
    keys[1] = (u32*)(cells + 2 * CELLS * size);
    keys[2] = keys[1] + size;
    places[0] = keys[2] + size;
    places[1] = places[0] + size;
    totals = places[1] + size;
    histogram = totals + STM_SORT_DIGITS;
  }
  // The words of a listing that the host zeroes, and the others.
  STM_DEVICE static u64 zeroed(u64 size) { return 4 + (size + 3) / 4 * 2; }
  STM_DEVICE static u64 others(u64 size, u64 cells) {
    return (size * (16 + 16 * cells) + 4 * STM_SORT_DIGITS * (2 + size / STM_SORT_SHARE) + 15) / 16 * 2;
  }
  STM_DEVICE u32 bits() const { return 64 - (u32)__clzll((i64)stm_load_relaxed(largest)); }
  // The passes of the sort.
  STM_DEVICE u32 passes() const { return (bits() + 7) / 8; }
  // The places and the keys as they lie after sorting.
  STM_DEVICE const u32* sorted() const { return places[passes() % 2]; }
  STM_DEVICE const u32* sorted_keys() const { return keys[2 - passes() % 2]; }
  // By place: the place before it of the same element, or STM_NO_PLACE at the first one. Written only if KEEPS_BEFORE.
  STM_DEVICE u32* before() const { return places[1 - passes() % 2]; }
  // mutation "cells of a place": STM_DEVICE u64* cell_of(u32 place, u32) const { return cells + 2 * (u64)place * CELLS; }
  STM_DEVICE u64* cell_of(u32 place, u32 cell) const { return cells + 2 * ((u64)place * CELLS + cell); }
  STM_DEVICE stm_pair load(u32 place, u32 cell) const { return stm_cell_load(cell_of(place, cell)); }
  // Brings a cell near, for a load to come.
  STM_DEVICE void prefetch(u32 place, u32 cell) const {
#if !STM_EMULATED
    asm volatile("prefetch.global.L2 [%0];" ::"l"(cell_of(place, cell)));
#endif
  }
  STM_DEVICE void store(u32 place, u32 cell, u64 state, u64 value) const { stm_cell_store(cell_of(place, cell), {state, value}); }
};

// The versions of an element lie in this range of the sorted places.
struct stm_place_range {
  u32 begin, end;
};
static_assert(sizeof(stm_place_range) == STM_SUM_BYTES, "host and device agree");

STM_DEVICE stm_place_range stm_range_at(const u64* range) {
  u64 both = __ldg(range);
  return {(u32)both, (u32)(both >> 32)};
}
STM_DEVICE stm_place_range stm_range_of(const stm_address& array, u64 index) {
  if (array.extra == nullptr) return {0, 0};
  return stm_range_at((const u64*)array.extra + index);
}

// Returns where those of the sorted places of an element end that come before a place.
STM_DEVICE u32 stm_places_before(const u32* sorted, stm_place_range range, u32 place) {
  u32 high = range.end;
  for (u32 low = range.begin; low < high;) {
    u32 middle = (low + high) / 2;
    if (__ldg(sorted + middle) < place) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return high;
}

// An array that is a certain parameter of its function.
template <class Array, u32 NUMBER>
struct stm_param : Array {
  static constexpr u32 PARAM = NUMBER;
};

// The same where there are many: each access loads what it needs of the address. Otherwise the addresses of all arrays would be in registers,
// or rather in memory of each thread, from the beginning of a transaction to its end.
template <class Array>
struct stm_far_param {
  const stm_address &own, &first;  // of the array, and of the first one of its record

  STM_DEVICE Array array() const { return Array{stm_component(own, first)}; }
  STM_DEVICE u64 len() const { return first.len; }
};
template <class Tx, class Array, class T>
STM_DEVICE stm_status stm_read(Tx& tx, u32 slot, u32 location, const stm_far_param<Array>& param, u64 index, T* out) {
  return stm_read(tx, slot, location, param.array(), index, out);
}
template <class Tx, class Array, class T>
STM_DEVICE stm_status stm_write(Tx& tx, u32 slot, u32 location, const stm_far_param<Array>& param, u64 index, T value) {
  return stm_write(tx, slot, location, param.array(), index, value);
}
template <class Tx, class Array>
STM_DEVICE void stm_declare(Tx& tx, u32 slot, stm_intent intent, const stm_far_param<Array>& param, u64 index) {
  stm_declare(tx, slot, intent, param.array(), index);
}

// What is known of a write before its transaction runs, from the bits of a constant. A structure would be no constant for NVRTC, but a variable:
// its name has a number, and the linker takes variables of one name in two parts for one.
struct stm_known_write {
  u32 listing;        // from which one on its value is known; 2 for none
  bool adds;          // what it adds is known at its own listing
  bool is_immediate;  // nothing was written between its read and it
  bool is_nothing;    // it puts back what was read
  bool is_resolved;   // the listing resolves it in any case
  u32 piece;          // its number, with one added; 0 where it has no number

  STM_DEVICE explicit stm_known_write(u32 bits)
      : listing(bits & 3), adds(bits >> 2 & 1), is_immediate(bits >> 3 & 1), is_nothing(bits >> 4 & 1), is_resolved(bits >> 5 & 1), piece(bits >> 6) {}
};

// What is written to arrays that are not read: each element's last one counts. In place of a range, an element has a mark.
//
// In any order, where each element of an array is written once, the transaction that runs stores what it writes. Otherwise it keeps the
// values, and the mark becomes the place of the last one, with two added: of the first array of those that are written together. The word
// before the marks of an array says whether some element is written more often.
struct stm_unread {
  static constexpr u64 MARKED = 1, WRITES = STM_UNREAD_WRITES == 0 ? 1 : STM_UNREAD_WRITES;

  u64* values;  // of all transactions, write by write
  u64 transactions;

  STM_DEVICE explicit stm_unread(const stm_params& p) {
    stm_versions<false> first(p);
    u64 second = p.transactions * STM_LATE_WRITES;
    u64 late = STM_LATE_WRITES == 0 ? 0 : stm_versions<true>::others(second, STM_LATE_CELLS);
    values = first.cells + stm_versions<false>::others(first.size, STM_CELLS) + late;
    transactions = p.transactions;
  }
  // In push order the host may begin again after transactions have run, so none may have stored anything.
  STM_DEVICE static bool is_direct(const stm_address& array) { return !STM_PUSHED && __ldg((const u64*)array.extra - 1) == 0; }
  // Notes a write before transactions run.
  STM_DEVICE static void mark(const stm_address& array, u64 index) {
    u64* marks = (u64*)array.extra;
    // mutation "two writers of an element": stm_swap_relaxed(marks + index, (u64)0, MARKED);
    if (stm_swap_relaxed(marks + index, (u64)0, MARKED) != 0) stm_store_relaxed(marks - 1, MARKED);
  }
  STM_DEVICE void keep(u64* of, u32 cell, u32 transaction, u32 nth, u64 value) const {
    values[nth * transactions + transaction] = value;
    // mutation "last one of those that are not read": if (cell == 0) stm_store_relaxed(of, (u64)transaction * STM_UNREAD_WRITES + nth + 2);
    if (cell == 0) stm_max_relaxed(of, (u64)transaction * STM_UNREAD_WRITES + nth + 2);
  }
  // Returns what was kept for an array with that cell, by the mark of an element.
  STM_DEVICE u64 kept(u64 found, u32 cell) const {
    u64 place = found - 2 + cell;
    return values[place % WRITES * transactions + place / WRITES];
  }
};
