// The interface between the shim of CUDA C (stm_emulator.h) and its implementation (runtime.cpp). It has no CUDA names, because
// some of them are macros that break standard headers.
#pragma once

// The units are other libraries.
#pragma GCC visibility push(default)

namespace stm_emu {

typedef unsigned long long word;

struct dim3 {
  unsigned x, y, z;
};

// The position of the calling thread.
struct place {
  dim3 thread, block, block_size, grid_size;
  unsigned first, own; // the blocks of the device among those of the grid
};

const place& here();
// A point where the scheduler may switch.
void point();
// Yields: in fiber mode always to the scheduler, which may choose the same thread again.
void yield();
// A barrier of all live lanes of the mask. Each lane gets every lane's value, and the mask of the lanes. `orders`: the barrier
// orders memory too.
unsigned meet(unsigned mask, word mine, word* all, bool orders);
void block_barrier();
void* shared_memory(unsigned id, word bytes);
// The block memory of the launch.
void* block_memory();
word nanoseconds();

struct options {
  unsigned grid, block, fibers, shared;
  unsigned first, all; // the first block in the grid of all devices of a cluster, and the blocks of that grid
  word seed, max_steps;
  word pauses; // one in this number of switches between fibers begins a pause; 0 for no pauses
};

struct outcome {
  word steps, live, parameter_bytes;
};

enum result : int { FINISHED = 0, STEP_LIMIT = 1, PARAMETERS = 2, RESOURCES = 3 };

int run(void (*kernel)(const void*), const void* parameters, const options& how, outcome& out);

}  // namespace stm_emu

#pragma GCC visibility pop
