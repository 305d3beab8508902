// The seam between the shim of CUDA C (stm_emulator.h) and its machinery (runtime.cpp). No CUDA names in here, because
// some of them are macros that standard headers do not survive.
#pragma once

namespace stm_emu {

typedef unsigned long long word;

struct dim3 {
  unsigned x, y, z;
};

// Where the calling thread is.
struct place {
  dim3 thread, block, block_size, grid_size;
};

const place& here();
// A place where the scheduler may switch.
void point();
// Gives way: in fiber mode always to the scheduler, which may choose the same thread again.
void yield();
// All live lanes of the mask meet; each gets what every lane brought, and which lanes there were. `orders`: the meeting
// orders memory too.
unsigned meet(unsigned mask, word mine, word* all, bool orders);
void block_barrier();
void* shared_memory(unsigned id, word bytes);
// As many bytes as the launch asked for.
void* block_memory();
word nanoseconds();

struct options {
  unsigned grid, block, fibers, shared;
  word seed, max_steps;
  word pauses;  // of so many switches between fibers, one begins a pause; 0 for no pauses
};

struct outcome {
  word steps, live, parameter_bytes;
};

enum result : int { FINISHED = 0, STEP_LIMIT = 1, PARAMETERS = 2, RESOURCES = 3 };

int run(void (*kernel)(const void*), const void* parameters, const options& how, outcome& out);

}  // namespace stm_emu
