// Where a block is in the grid of a launch. Devices of a cluster run a launch together, and each has a part of the grid. Nothing else asks
// for the built-in variables.

#if STM_CLUSTER && !STM_EMULATED
extern "C" {
STM_PLACE u32 stm_grid_part[2];  // the first block of this device, and the number of all blocks: the host writes them before a launch
}
STM_DEVICE u32 stm_block() { return stm_grid_part[0] + blockIdx.x; }
STM_DEVICE u32 stm_blocks() { return stm_grid_part[1]; }
#else
STM_DEVICE u32 stm_block() { return blockIdx.x; }
STM_DEVICE u32 stm_blocks() { return gridDim.x; }
#endif

// The blocks of this device.
struct stm_own_blocks {
  u32 first, count;
};
#if STM_CLUSTER && STM_EMULATED
STM_DEVICE stm_own_blocks stm_blocks_of_device() { return {stm_emu::here().first, stm_emu::here().own}; }
#elif STM_CLUSTER
STM_DEVICE stm_own_blocks stm_blocks_of_device() { return {stm_grid_part[0], gridDim.x}; }
#endif
