// Parts of arrays in the memory of a block, for engines whose transaction says so. A block takes one part after the other: brings
// it in, lets its threads run the transactions of that part, brings it back.
//
// An engine for this has this header among those that it needs, and defines, beside what contract.cuh lists,
//   void stm_rest(worker)   each thread, when it is through with the transactions of a part: it holds nothing any more
// When the transactions of a part begin, the memory of a block is zero where no element lies, and `worker.memo` as the engine left
// it. So whatever an engine keeps there is to be zero again when all threads rest.

// A part of an array: SIZE elements from VALUES on, and from FIRST and SECOND on what the engine keeps for each of them.
template <class T, u32 ID, u32 SIZE, u32 VALUES, u32 FIRST, u32 SECOND>
struct stm_homed {
  typedef T value_type;
  static constexpr u32 id = ID;
  stm_address at;

  STM_DEVICE static u64 size() { return SIZE; }
  STM_DEVICE u64 lock_index(u64 index) const { return index; }
  // Where an element of the array lies in part number `part`; SIZE or more if it is in another.
  STM_DEVICE static u64 within(u64 index, u32 part) { return index - (u64)part * SIZE; }
  STM_DEVICE static T* values(u8* home) { return (T*)(home + VALUES); }
  STM_DEVICE static u8* first(u8* home) { return home + FIRST; }
  STM_DEVICE static u8* second(u8* home) { return home + SECOND; }
};

// Every thread of the block moves elements of its own, the same ones in both directions. No transaction runs, so nothing of
// it is atomic; the barriers around it order it.
template <bool IN, class Part>
STM_DEVICE void stm_move_part(const Part& array, u8* home, u32 part) {
  typedef typename Part::value_type T;
  u64 begin = part * Part::size();
  // Another array of the batch can have more parts than this one.
  if (begin + Part::size() > array.at.len) return;
  T* here = Part::values(home);
  T* there = (T*)array.at.data + begin;
#pragma unroll 1
  for (u32 i = threadIdx.x; i < Part::size(); i += blockDim.x) {
    if constexpr (IN) {
      here[i] = there[i];
    } else {
      // mutation "part goes back":
      there[i] = here[i];
    }
  }
}
