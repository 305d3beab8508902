// Pieces: writes whose new value follows from what the element held and from inputs that are known when they are listed. Needs
// placed_versions.cuh.
//
// They are resolved before the transactions run, element by element, so none waits for another one because of them. All writes to such an
// array are pieces, or their values are known. Until then the state of a version says which piece it is, and its value holds the inputs.

// In place of a transaction, for the function of a piece: what could end its transaction is known not to.
struct stm_piece_tx {
  STM_DEVICE static constexpr bool ends(bool, u32) { return false; }
  STM_DEVICE static stm_status fault(stm_fault, u32) { return STM_FAULTED; }
};

// Returns the new value as a word, for the function of a piece and the old value.
template <class T>
STM_DEVICE u64 stm_piece_of(stm_status (*piece)(stm_piece_tx&, T, u64, T*), u64 old, u64 inputs) {
  stm_piece_tx tx;
  T value = stm_word<T>::to(old);
  piece(tx, value, inputs, &value);
  return stm_to_word(value);
}

// The places of an element that are under way together.
constexpr u32 STM_PIECE_ROUNDS = 8;

// Resolves the versions of an element, whose places are sorted.
template <class T, u32 CELL, bool LATE, class Apply>
STM_DEVICE void stm_resolve_element(const stm_versions<LATE>& versions, const u32* sorted, stm_place_range range, u64 now, Apply apply) {
#pragma unroll 1
  for (u32 at = range.begin; at < range.end; at += STM_PIECE_ROUNDS) {
    u64* own[STM_PIECE_ROUNDS];
    stm_pair found[STM_PIECE_ROUNDS];
#pragma unroll
    for (u32 nth = 0; nth < STM_PIECE_ROUNDS; ++nth) {
      u32 last = range.end - 1;
      own[nth] = versions.cell_of(__ldg(sorted + (at + nth < last ? at + nth : last)), CELL);
    }
#pragma unroll
    for (u32 nth = 0; nth < STM_PIECE_ROUNDS; ++nth) found[nth] = stm_cell_load(own[nth]);
#pragma unroll
    for (u32 nth = 0; nth < STM_PIECE_ROUNDS; ++nth) {
      if (at + nth >= range.end) break;
      if (found[nth].word < STM_PIECES) {
        if (found[nth].word == STM_PUBLISHED) now = found[nth].value;
        continue;
      }
      // mutation "pieces of an element": u64 next = stm_to_word(stm_word<T>::to(apply(found[nth].word - STM_PIECES, at == range.begin ? now : 0, found[nth].value)));
      u64 next = stm_to_word(stm_word<T>::to(apply(found[nth].word - STM_PIECES, now, found[nth].value)));
      // mutation "what a piece leaves": if (nth != 1) now = next;
      now = next;
      stm_cell_store(own[nth], {STM_PUBLISHED, now});
    }
  }
}

// The fewest places of an element that the lanes of a warp resolve together. A shorter one takes a thread less time than a warp needs for all of
// its elements one after the other.
#if STM_EMULATED
constexpr u32 STM_LONG_LIST = 32; // so that tests have long ones, too
#else
constexpr u32 STM_LONG_LIST = 512;
#endif

// The same for one element, by all lanes of a warp: each loads a version, and the next one meanwhile. All compute all values.
template <class T, u32 CELL, bool LATE, class Apply>
STM_DEVICE void stm_resolve_together(const stm_versions<LATE>& versions, const u32* sorted, stm_place_range range, u64 now, Apply apply) {
  u32 lane = threadIdx.x & 31;
  auto cell_at = [&](u32 at) { return versions.cell_of(__ldg(sorted + (at < range.end ? at : range.end - 1)), CELL); };
  u64* own = cell_at(range.begin + lane);
  stm_pair found = stm_cell_load(own);
#pragma unroll 1
  for (u32 first = range.begin; first < range.end; first += 32) {
    u64* next_own = cell_at(first + 32 + lane);
    stm_pair next = stm_cell_load(next_own);
    u32 count = range.end - first < 32 ? range.end - first : 32;
    u64 resolved = 0;
#pragma unroll 1
    for (u32 nth = 0; nth < count; ++nth) {
      u64 state = __shfl_sync(~0u, found.word, nth), value = __shfl_sync(~0u, found.value, nth);
      if (state == STM_PUBLISHED) now = value;
      if (state >= STM_PIECES) now = stm_to_word(stm_word<T>::to(apply(state - STM_PIECES, now, value)));
      // mutation "who keeps a value": if (lane == nth + 1) resolved = now;
      if (lane == nth) resolved = now;
    }
    if (lane < count && found.word >= STM_PIECES) stm_cell_store(own, {STM_PUBLISHED, resolved});
    own = next_own, found = next;
  }
}

// Resolves the pieces of an array. `first` is the first of the arrays that have their places together with it.
template <bool LATE, class T, bool CELLS, u32 CELL, class Apply>
STM_DEVICE void stm_resolve_pieces(const stm_params& p, const stm_address& first, const stm_address& array, Apply apply) {
  if (first.extra == nullptr) return;
  stm_versions<LATE> versions(p);
  const u32* sorted = versions.sorted();
  u32 lane = threadIdx.x & 31;
  u64 threads = (u64)stm_blocks() * blockDim.x;
#pragma unroll 1
  for (u64 of_warp = (u64)stm_block() * blockDim.x + threadIdx.x - lane; of_warp < array.len; of_warp += threads) {
    u64 index = of_warp + lane, now = 0;
    stm_place_range range = {0, 0};
    if (index < array.len) range = stm_range_of(first, index);
    if (range.begin != range.end) {
      u8* value = array.data + (CELLS ? (index << 4) + 8 : index * sizeof(T));
      now = stm_value_load(value, CELLS ? 8 : (u32)sizeof(T));
    }
    bool is_long = range.end - range.begin >= STM_LONG_LIST;
    if (!is_long) stm_resolve_element<T, CELL>(versions, sorted, range, now, apply);
#pragma unroll 1
    for (u32 others = __ballot_sync(~0u, is_long); others != 0; others &= others - 1) {
      u32 of = (u32)__ffs((i32)others) - 1;
      stm_place_range its = {__shfl_sync(~0u, range.begin, of), __shfl_sync(~0u, range.end, of)};
      stm_resolve_together<T, CELL>(versions, sorted, its, __shfl_sync(~0u, now, of), apply);
    }
  }
}
