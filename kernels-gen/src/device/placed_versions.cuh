// Versions with a place for each write of a chunk, sorted by element and transaction.

// The states of a version. A cell holds the state and the value. That of a void one is, with one added, the end of the range in which an
// earlier version is found, if that is known. ON_ELEMENT: what the array holds is to be added. Until the places are
// sorted: ADDS_UP: what lies before is to be added. ADDS_LATE: likewise, unless it is of the same transaction, which may have read before.
constexpr u64 STM_EXPECTED = 0, STM_PUBLISHED = 1, STM_VOID = 2, STM_ON_ELEMENT = 3, STM_ADDS_UP = 4, STM_ADDS_LATE = 5;

// What the stages keep for a chunk: `STM_WRITES` places for each transaction.
struct stm_versions {
  u64 size;      // places
  u64* arrived;  // blocks at the barrier of the grid
  u64* largest;  // of the keys
  u64* cells;    // the versions by place
  u32* keys[2];  // by place, then sorted: the number of an element, with one added; 0 for none
  u32* places[2];
  u32* totals;     // of the digits
  u32* histogram;  // of each block, digit by digit

  STM_DEVICE explicit stm_versions(const stm_params& p) {
    size = p.transactions * STM_WRITES;
    arrived = p.chunk;
    largest = p.chunk + 1;
    keys[0] = (u32*)(p.chunk + 2);
    // The host zeroes the words before the cells.
    cells = p.chunk + 2 + (size + 3) / 4 * 2;
    keys[1] = (u32*)(cells + 2 * size);
    places[0] = keys[1] + size;
    places[1] = places[0] + size;
    totals = places[1] + size;
    histogram = totals + STM_SORT_DIGITS;
  }
  STM_DEVICE u32 bits() const { return 64 - (u32)__clzll((i64)stm_load_relaxed(largest)); }
  // The places as they lie after sorting.
  STM_DEVICE const u32* sorted() const { return places[(bits() + 7) / 8 % 2]; }
  STM_DEVICE stm_pair load(u32 place) const { return stm_cell_load(cells + 2 * (u64)place); }
  STM_DEVICE void store(u32 place, u64 state, u64 value) const { stm_cell_store(cells + 2 * (u64)place, {state, value}); }
};

// The versions of an element lie in this range of the sorted places.
struct stm_place_range {
  u32 begin, end;
};
static_assert(sizeof(stm_place_range) == STM_SUM_BYTES, "host and device agree");
