// Stacks that a thread of the host switches between.
//
// `swapcontext` saves the signal mask by a system call at each switch, which takes longer than the work between two switches.
// On known machines, this file saves only the registers of the calling convention. The sanitizers know
// `swapcontext`, so instrumented units use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#if defined(__x86_64__) && defined(__linux__) && !defined(STM_TSAN) && !defined(STM_ASAN)

// Saves the callee-saved registers on the stack and the stack in *left, and enters the other stack.
// The floating-point control words are not saved: nothing here sets them.
extern "C" void stm_switch_stacks(void** left, void* entered);
asm(R"(
  .pushsection .text
  .p2align 4
  .hidden stm_switch_stacks
  .globl stm_switch_stacks
  .type stm_switch_stacks, @function
stm_switch_stacks:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size stm_switch_stacks, .-stm_switch_stacks
  .popsection
)");

namespace stm_emu {

struct context {
  void* stack = nullptr;

  // Makes the first switch enter a function, which must not return.
  void prepare(char* memory, size_t size, void (*entry)()) {
    uintptr_t top = reinterpret_cast<uintptr_t>(memory + size) & ~uintptr_t(15);
    auto words = reinterpret_cast<uintptr_t*>(top);
    // As after a call: the stack is aligned except for the return address, which does not exist.
    words[-1] = 0;
    words[-2] = reinterpret_cast<uintptr_t>(entry);
    for (int saved = 3; saved <= 8; ++saved) words[-saved] = 0;
    stack = words - 8;
  }

  void switch_to(context& entered) { stm_switch_stacks(&stack, entered.stack); }
};

}  // namespace stm_emu

#else

#include <ucontext.h>

namespace stm_emu {

struct context {
  ucontext_t saved = {};

  // Makes the first switch enter a function, which must not return.
  void prepare(char* memory, size_t size, void (*entry)()) {
    getcontext(&saved);
    saved.uc_stack.ss_sp = memory;
    saved.uc_stack.ss_size = size;
    saved.uc_link = nullptr;
    makecontext(&saved, entry, 0);
#ifdef STM_ASAN
    // Otherwise it would treat the stack as new at each switch, and forget its poisoned regions.
    saved.uc_stack = {};
#endif
  }

  void switch_to(context& entered) { swapcontext(&saved, &entered.saved); }
};

}  // namespace stm_emu

#endif

#ifdef STM_ASAN
extern "C" void __asan_unpoison_memory_region(const volatile void* from, size_t size);
#endif

namespace stm_emu {
namespace {

// Transactions with as many local variables, arguments and results as they may have were seen to take 200 KiB: the compiler keeps several
// copies. The system gives only the pages that are used.
constexpr size_t STACK = 512 << 10;

// Stacks of ended fibers for reuse: launches are frequent, and a large allocation is expensive.
thread_local std::vector<std::unique_ptr<char[]>> spare;
constexpr size_t MOST_SPARE = 128;

std::unique_ptr<char[]> take_stack() {
  if (spare.empty()) return std::unique_ptr<char[]>(new char[STACK]);
  std::unique_ptr<char[]> stack = std::move(spare.back());
  spare.pop_back();
#ifdef STM_ASAN
  // A thread that threw `stopped` has left its frames poisoned.
  __asan_unpoison_memory_region(stack.get(), STACK);
#endif
  return stack;
}

void give_back(std::unique_ptr<char[]> stack) {
  if (spare.size() < MOST_SPARE) spare.push_back(std::move(stack));
}

}  // namespace
}  // namespace stm_emu
