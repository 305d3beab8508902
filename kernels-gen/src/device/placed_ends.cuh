// What elements hold at the end of a chunk. Needs placed_versions.cuh.

// Whether what transactions add goes to the elements themselves: nothing reads them, and an atomic addition is that of the type. In push
// order the host may begin again after transactions have run, so none may have changed anything.
template <class T>
STM_DEVICE constexpr bool stm_adds_in_place(bool is_cells) {
  return !STM_PUSHED && (sizeof(T) == 8 || (sizeof(T) == 4 && !is_cells));
}

// Stores what a place has for an element of an array.
template <class T, bool CELLS, bool LATE>
STM_DEVICE void stm_install_cell(const stm_versions<LATE>& versions, const stm_address& array, u64 index, u32 place, u32 cell) {
  stm_pair version = versions.load(place, cell);
  u8* value = array.data + (CELLS ? (index << 4) + 8 : index * sizeof(T));
  u64 word = version.value;
  if (version.word == STM_ON_ELEMENT) word += stm_value_load(value, CELLS ? 8 : (u32)sizeof(T));
  // Sums are of 64 bits.
  word = stm_to_word(stm_word<T>::to(word));
  // mutation "install an element":
  stm_value_store(value, CELLS ? 0 : (u32)sizeof(T), word);
}

// Adds to the elements of an array what transactions have added.
template <class T, bool CELLS>
STM_DEVICE void stm_install_summed(const stm_params& p, const stm_address& array) {
  if (stm_adds_in_place<T>(CELLS) || array.extra == nullptr) return;
  u64 threads = (u64)stm_blocks() * blockDim.x;
#pragma unroll 1
  for (u64 index = (u64)stm_block() * blockDim.x + threadIdx.x; index < array.len; index += threads) {
    u64 sum = __ldg((const u64*)array.extra + index);
    if (sum == 0) continue;
    u8* value = array.data + (CELLS ? (index << 4) + 8 : index * sizeof(T));
    sum += stm_value_load(value, CELLS ? 8 : (u32)sizeof(T));
    stm_value_store(value, CELLS ? 0 : (u32)sizeof(T), stm_to_word(stm_word<T>::to(sum)));
  }
}

// Finds the last place of each element of arrays that have their places together, of which this is the first one, and calls
// `install(versions, index, place)`.
template <bool LATE, class Install>
STM_DEVICE void stm_install(const stm_params& p, const stm_address& array, Install install) {
  if (array.extra == nullptr) return;
  stm_versions<LATE> versions(p);
  const u32* sorted = versions.sorted();
  u64 threads = (u64)stm_blocks() * blockDim.x;
#pragma unroll 1
  for (u64 index = (u64)stm_block() * blockDim.x + threadIdx.x; index < array.len; index += threads) {
    stm_place_range range = stm_range_of(array, index);
    u32 at = range.end;
#pragma unroll 1
    while (at > range.begin) {
      u32 place = __ldg(sorted + at - 1);
      stm_pair version = versions.load(place, 0);
      bool is_known = version.word == STM_PUBLISHED || version.word == STM_ON_ELEMENT;
      if (is_known && p.status[place / versions.WRITES] == STM_OK) {
        install(versions, index, place);
        break;
      }
      at = version.word == STM_VOID && version.value != 0 ? (u32)version.value - 1 : at - 1;
    }
  }
}

// Stores the last value of each element of an array that is not read.
template <class T, bool CELLS, u32 CELL>
STM_DEVICE void stm_install_unread(const stm_params& p, const stm_address& array) {
  if (array.extra == nullptr || stm_unread::is_direct(array)) return;
  stm_unread unread(p);
  u64 threads = (u64)stm_blocks() * blockDim.x;
#pragma unroll 1
  for (u64 index = (u64)stm_block() * blockDim.x + threadIdx.x; index < array.len; index += threads) {
    u64 mark = __ldg((const u64*)array.extra + index);
    if (mark <= unread.MARKED) continue;
    u8* value = array.data + (CELLS ? (index << 4) + 8 : index * sizeof(T));
    stm_value_store(value, CELLS ? 0 : (u32)sizeof(T), unread.kept(mark, CELL));
  }
}
