// Partitions of arrays in the memory of a block, for engines that keep elements there. A block processes one partition after the
// other: it loads the partition, its threads run the transactions of that partition, and it stores the partition back.
//
// Such an engine needs this header, and defines, in addition to what contract.cuh lists,
//   void stm_end_partition(worker)   each thread, after the transactions of a partition: it then holds nothing
// When the transactions of a partition begin, the memory of a block is zero where no element lies, and `worker.memo` is as the
// engine left it. So the engine's own words in that memory must be zero again when all threads have ended a partition.

// A partition of an array: SIZE elements from VALUES on, and from FIRST and SECOND on the engine's data for each of them.
template <class T, u32 ID, u32 SIZE, u32 VALUES, u32 FIRST, u32 SECOND>
struct stm_partition {
  typedef T value_type;
  static constexpr u32 id = ID;
  static constexpr u32 GROUP = ID;
  stm_address at;

  STM_DEVICE static u64 size() { return SIZE; }
  STM_DEVICE u64 lock_index(u64 index) const { return index; }
  // Returns the place of an element in that partition; SIZE or more if it lies in another.
  STM_DEVICE static u64 within(u64 index, u32 partition) { return index - (u64)partition * SIZE; }
  STM_DEVICE static T* values(u8* memory) { return (T*)(memory + VALUES); }
  STM_DEVICE static u8* first(u8* memory) { return memory + FIRST; }
  STM_DEVICE static u8* second(u8* memory) { return memory + SECOND; }
};

// Moves a partition in or back. Every thread of the block moves elements of its own, the same ones in both directions. No
// transaction runs, so nothing of it is atomic; the barriers around it order it.
template <bool IN, class Part>
STM_DEVICE void stm_move_partition(const Part& array, u8* memory, u32 partition) {
  typedef typename Part::value_type T;
  u64 begin = partition * Part::size();
  // Another array of the batch can have more partitions than this one.
  if (begin + Part::size() > array.at.len) return;
  T* here = Part::values(memory);
  T* there = (T*)array.at.data + begin;
#pragma unroll 1
  for (u32 i = threadIdx.x; i < Part::size(); i += blockDim.x) {
    if constexpr (IN) {
      here[i] = there[i];
    } else {
      // mutation "partition goes back":
      there[i] = here[i];
    }
  }
}
