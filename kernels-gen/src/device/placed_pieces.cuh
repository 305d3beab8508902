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

// Resolves the pieces of an array. `first` is the first of the arrays that have their places together with it.
template <bool LATE, class T, bool CELLS, u32 CELL, class Apply>
STM_DEVICE void stm_resolve_pieces(const stm_params& p, const stm_address& first, const stm_address& array, Apply apply) {
  if (first.extra == nullptr) return;
  stm_versions<LATE> versions(p);
  const u32* sorted = versions.sorted();
  u64 threads = (u64)stm_blocks() * blockDim.x;
#pragma unroll 1
  for (u64 index = (u64)stm_block() * blockDim.x + threadIdx.x; index < array.len; index += threads) {
    stm_place_range range = stm_range_of(first, index);
    if (range.begin == range.end) continue;
    u8* value = array.data + (CELLS ? (index << 4) + 8 : index * sizeof(T));
    u64 now = stm_value_load(value, CELLS ? 8 : (u32)sizeof(T));
    stm_resolve_element<T, CELL>(versions, sorted, range, now, apply);
  }
}
