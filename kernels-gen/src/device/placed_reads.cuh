// How a transaction finds the version that it reads. Needs placed_versions.cuh.

// Nanoseconds between two looks at a version that is not there yet.
constexpr u32 STM_SHORTEST_PAUSE = 16, STM_LONGEST_PAUSE = 128;

// Returns the version at a place, once it is there. Its transaction is an earlier one, so it runs on a thread of this launch, or has ended.
template <bool OF>
STM_DEVICE stm_pair stm_wait_for(const stm_versions<OF>* versions, u32 place, u32 cell) {
  stm_pair version = versions->load(place, cell);
#pragma unroll 1
  for (u32 pause = STM_SHORTEST_PAUSE; version.word == STM_EXPECTED; pause = pause < STM_LONGEST_PAUSE ? 2 * pause : pause) {
    __nanosleep(pause);
    version = versions->load(place, cell);
  }
  return version;
}

// Returns whether the transaction is about to write the element with that key after `count` writes, and then the place before that of the
// write, which is where a read finds its value. `first` is the first of its own places.
template <bool OF>
STM_DEVICE bool stm_find_before(const stm_versions<OF>* versions, u32 first, u32 count, u32 key, u32* before) {
  constexpr u32 WRITES = stm_versions<OF>::WRITES;
  const u32 *keys = versions->keys[0] + first, *before_each = versions->before() + first;
  bool is_found = false;
  // All loads are under way together.
#pragma unroll
  for (u32 nth = STM_NEXT_WRITES; nth-- > 0;) {
    u32 next = count + nth < WRITES ? count + nth : count - 1;
    // mutation "no place before": u32 found = 0, place = 0;
    u32 found = __ldg(keys + next), place = __ldg(before_each + next);
    if (found != key || count + nth >= WRITES) continue;
    // mutation "place before the next write": *before = STM_NO_PLACE;
    *before = place;
    is_found = true;
  }
  return is_found;
}

// A place, and its version unless the transaction that looks has written it itself.
struct stm_look {
  u32 place;
  stm_pair version;
};

// Returns the place that a transaction reads after it has made `count` writes: its own, or that of the last transaction before it that
// has published one; STM_NO_PLACE where no transaction before it has. `first` is the first of its own places. A transaction makes all
// cells of a place void at once: so one cell tells for the others.
template <bool OF>
STM_DEVICE stm_look stm_look_back(const stm_versions<OF>* versions, const u32* sorted, u32 first, u32 count, stm_place_range range, u32 cell) {
  stm_look found = {STM_NO_PLACE, {STM_ON_ELEMENT, 0}};
  if (range.begin == range.end) return found;
  // mutation "own writes": u32 now = first, first_void = ~0u, steps = 0;
  // mutation "source of a read": u32 now = first + versions->WRITES, first_void = ~0u, steps = 0;
  u32 now = first + count, first_void = ~0u, steps = 0;
  u32 high = stm_places_before(sorted, range, now);
#pragma unroll 1
  while (high > range.begin) {
    u32 place = __ldg(sorted + high - 1);
    if (place >= first) return {place, {STM_ON_ELEMENT, 0}};
    // mutation "wait for a version": stm_pair version = versions->load(place, cell); if (version.word == STM_EXPECTED) version = {STM_VOID, 0};
    stm_pair version = stm_wait_for(versions, place, cell);
    if (version.word != STM_VOID) {
      found = {place, version};
      break;
    }
    if (steps == 0) first_void = place;
    steps += 1;
    high = version.value == 0 ? high - 1 : (u32)version.value - 1;
  }
  // The next transaction need not take the same steps.
  if (steps > 1) versions->store(first_void, cell, STM_VOID, (u64)high + 1);
  return found;
}
