// The implementation of stm_scheduler.h: one OS thread for each device thread, or all of them as fibers of the calling
// thread under a seeded scheduler.
//
// The only global is the pointer to the running device thread, so launches may run at the same time in one process.
// Every wait ends: when the step limit is reached, each thread throws `stopped` at its next point and ends.
//
// This file is compiled without instrumentation even where the units are instrumented: the sanitizers ignore it, and
// learn of fibers through their own interfaces (STM_TSAN, STM_ASAN).
#include "stm_fiber.h"
#include "stm_scheduler.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#ifdef STM_TSAN
extern "C" {
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned);
void __tsan_destroy_fiber(void*);
void __tsan_switch_to_fiber(void*, unsigned);
void __tsan_acquire(void*);
void __tsan_release(void*);
}
#endif

#ifdef STM_ASAN
extern "C" {
void __sanitizer_start_switch_fiber(void** left, const void* bottom, size_t size);
void __sanitizer_finish_switch_fiber(void* entered, const void** bottom, size_t* size);
}
#endif

namespace stm_emu {
namespace {

// The duration of a step where times must be reproducible.
constexpr word STEP_NANOSECONDS = 100;
// Threads add their steps to the launch's in batches.
constexpr word BATCH = 256;
// The longest pause of a fiber, as a power of two of missed turns. Other fibers make up to as many commits meanwhile.
constexpr unsigned LONGEST_PAUSE_LOG2 = 12;

struct stopped {};

struct launch;

// A meeting of some lanes of a warp.
struct meeting {
  unsigned arrived = 0, leaving = 0, present = 0;
  word round = 0;
  word values[32] = {};
};

struct warp {
  unsigned live = 0; // lanes that have not ended
  std::map<unsigned, meeting> meetings;
};

struct block {
  std::mutex lock;
  std::condition_variable changed;
  std::vector<warp> warps;
  std::map<unsigned, std::vector<word>> shared;
  unsigned live = 0, waiting = 0;
  word round = 0;
};

struct thread {
  place at = {};
  launch* of = nullptr;
  block* in = nullptr;
  word random = 0, unreported = 0;
  bool ended = false;
  unsigned missing = 0; // turns that a fiber has yet to miss
  context own;
  std::unique_ptr<char[]> stack;
  void* tsan = nullptr;
  void* asan = nullptr;
};

struct launch {
  void (*kernel)(const void*) = nullptr;
  const void* parameters = nullptr;
  options how = {};
  std::vector<std::unique_ptr<block>> blocks;
  std::vector<std::unique_ptr<thread>> threads;
  std::atomic<word> steps{0}, finished{0};
  std::atomic<bool> stop{false};
  context scheduler;
  word random = 0;
  void* tsan = nullptr;
  void* asan = nullptr;
  // The scheduler's own stack, as AddressSanitizer reports it.
  const void* bottom = nullptr;
  size_t size = 0;
};

thread_local thread* self = nullptr;

word next_random(word& state) {  // xorshift64*
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1dull >> 11;
}

word seeded(word seed, word stream) {
  word z = seed * 0x9e3779b97f4a7c15ull + stream + 1;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return (z ^ z >> 31) | 1;
}

// Counts steps; past the limit the calling thread ends.
void count(word steps) {
  launch& of = *self->of;
  if (of.steps.fetch_add(steps, std::memory_order_relaxed) + steps > of.how.max_steps)
    of.stop.store(true, std::memory_order_relaxed);
  if (of.stop.load(std::memory_order_relaxed)) throw stopped{};
}

void to_scheduler() {
#ifdef STM_TSAN
  // 1: no ordering between the fibers comes from the switch, so that their races stay visible.
  __tsan_switch_to_fiber(self->of->tsan, 1);
#endif
  thread& me = *self;
#ifdef STM_ASAN
  __sanitizer_start_switch_fiber(me.ended ? nullptr : &me.asan, me.of->bottom, me.of->size);
#endif
  me.own.switch_to(me.of->scheduler);
#ifdef STM_ASAN
  __sanitizer_finish_switch_fiber(me.asan, &me.of->bottom, &me.of->size);
#endif
}

// The block's lock in thread mode; fibers need none, because they switch only at explicit points.
struct guard {
  std::unique_lock<std::mutex> lock;
  bool wakes = false;
  explicit guard(block& in) {
    if (!self->of->how.fibers) lock = std::unique_lock<std::mutex>(in.lock);
  }

  // Others wake when the lock is free: earlier, each would wait for it at once.
  ~guard() {
    if (!lock.owns_lock()) return;
    lock.unlock();
    if (wakes) self->in->changed.notify_all();
  }

  template <class P>
  void wait_until(P done) {
    block& in = *self->in;
    while (!done()) {
      if (self->of->how.fibers) {
        yield();
      } else if (in.changed.wait_for(lock, std::chrono::milliseconds(20)) == std::cv_status::timeout) {
        // Threads that all wait make no steps: count the time, so that they end too.
        count(1 << 14);
      } else if (self->of->stop.load(std::memory_order_relaxed)) {
        throw stopped{};
      }
    }
  }
};

// Lanes that have ended or do not exist are not waited for. Returns whether the meeting has opened: only then do the others wake, because
// each of them would find nothing and wait again.
bool try_open(warp& of, unsigned mask, meeting& m) {
  if (m.arrived == 0 || (m.arrived | ~of.live | ~mask) != ~0u) return false;
  m.leaving = static_cast<unsigned>(__builtin_popcount(m.arrived));
  m.present = m.arrived;
  m.arrived = 0;
  ++m.round;
  return true;
}

bool try_open(block& of) {
  if (of.waiting == 0 || of.waiting < of.live) return false;
  of.waiting = 0;
  ++of.round;
  return true;
}

void end_thread() {
  block& in = *self->in;
  guard held(in);
  warp& mine = in.warps[self->at.thread.x / 32];
  mine.live &= ~(1u << self->at.thread.x % 32);
  --in.live;
  bool opened = try_open(in);
  for (auto& [mask, m] : mine.meetings) opened |= try_open(mine, mask, m);
  held.wakes = opened;
}

void run_thread() {
  launch& of = *self->of;
  try {
    of.kernel(of.parameters);
    of.finished.fetch_add(1, std::memory_order_relaxed);
  } catch (const stopped&) {
  }
  of.steps.fetch_add(self->unreported, std::memory_order_relaxed);
  end_thread();
}

void run_fiber() {
#ifdef STM_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &self->of->bottom, &self->of->size);
#endif
  run_thread();
  self->ended = true;
  to_scheduler();
}

// The number of turns that a fiber misses: short pauses are as likely as long ones.
unsigned pause(launch& of) { return 1u << next_random(of.random) % (LONGEST_PAUSE_LOG2 + 1); }

void run_fibers(launch& of) {
  std::vector<thread*> live;
#ifdef STM_TSAN
  of.tsan = __tsan_get_current_fiber();
#endif
  for (auto& t : of.threads) {
    t->stack = take_stack();
    t->own.prepare(t->stack.get(), STACK, run_fiber);
#ifdef STM_TSAN
    t->tsan = __tsan_create_fiber(0);
#endif
    live.push_back(t.get());
  }
  thread* outer = self;
  while (!live.empty()) {
    size_t chosen = next_random(of.random) % live.size();
    if (live[chosen]->missing > 0) {
      --live[chosen]->missing;
      continue;
    }
    self = live[chosen];
#ifdef STM_TSAN
    __tsan_switch_to_fiber(self->tsan, 1);
#endif
#ifdef STM_ASAN
    __sanitizer_start_switch_fiber(&of.asan, self->stack.get(), STACK);
#endif
    of.scheduler.switch_to(self->own);
#ifdef STM_ASAN
    __sanitizer_finish_switch_fiber(of.asan, nullptr, nullptr);
#endif
    if (!self->ended) {
      if (of.how.pauses != 0 && next_random(of.random) % of.how.pauses == 0) self->missing = pause(of);
      continue;
    }
#ifdef STM_TSAN
    // Waiting threads must observe the end of a thread: switch once more, with ordering.
    __tsan_switch_to_fiber(self->tsan, 0);
    __tsan_switch_to_fiber(of.tsan, 0);
    __tsan_destroy_fiber(self->tsan);
#endif
    give_back(std::move(self->stack));
    live[chosen] = live.back();
    live.pop_back();
  }
  self = outer;
}

bool run_threads(launch& of) {
  std::vector<std::thread> all;
  bool started = true;
  try {
    all.reserve(of.threads.size());
    for (auto& t : of.threads)
      all.emplace_back([t = t.get()] {
        self = t;
        run_thread();
      });
  } catch (const std::system_error&) {
    // The system provides no more threads. The running ones may wait for those that do not exist.
    of.stop.store(true, std::memory_order_relaxed);
    started = false;
  }
  for (auto& t : all) t.join();
  return started;
}

void set_up(launch& of) {
  const options& how = of.how;
  of.random = seeded(how.seed, 0);
  for (unsigned b = 0; b < how.grid; ++b) {
    auto in = std::make_unique<block>();
    in->warps.resize((how.block + 31) / 32);
    in->live = how.block;
    for (unsigned i = 0; i < how.block; ++i) {
      in->warps[i / 32].live |= 1u << i % 32;
      auto t = std::make_unique<thread>();
      t->at = {{i, 0, 0}, {how.first + b, 0, 0}, {how.block, 1, 1}, {how.all, 1, 1}, how.first, how.grid};
      t->of = &of;
      t->in = in.get();
      t->random = seeded(how.seed, 1 + (word)b * how.block + i);
      of.threads.push_back(std::move(t));
    }
    of.blocks.push_back(std::move(in));
  }
}

}  // namespace

const place& here() { return self->at; }

void point() {
  thread& me = *self;
  if (me.of->how.fibers) {
    count(1);
    if (next_random(me.of->random) % 4 == 0) to_scheduler();
    return;
  }
  if (++me.unreported == BATCH) {
    me.unreported = 0;
    count(BATCH);
  }
  if (next_random(me.random) % 64 == 0) std::this_thread::yield();
}

void yield() {
  count(1);
  if (self->of->how.fibers)
    to_scheduler();
  else
    std::this_thread::yield();
}

unsigned meet(unsigned mask, word mine, word* all, bool orders) {
  unsigned lane = self->at.thread.x % 32;
  warp& of = self->in->warps[self->at.thread.x / 32];
  unsigned present;
#ifdef STM_TSAN
  if (orders) __tsan_release(&of);
#else
  (void)orders;
#endif
  {
    guard held(*self->in);
    meeting& m = of.meetings[mask];
    held.wait_until([&] { return m.leaving == 0; });
    m.values[lane] = mine;
    m.arrived |= 1u << lane;
    word round = m.round;
    if (try_open(of, mask, m)) held.wakes = true;
    held.wait_until([&] { return m.round != round; });
    for (unsigned i = 0; i < 32; ++i) all[i] = m.values[i];
    present = m.present;
    if (--m.leaving == 0) held.wakes = true;
  }
#ifdef STM_TSAN
  if (orders) __tsan_acquire(&of);
#endif
  return present;
}

void block_barrier() {
  block& in = *self->in;
#ifdef STM_TSAN
  __tsan_release(&in);
#endif
  {
    guard held(in);
    word round = in.round;
    ++in.waiting;
    if (try_open(in)) held.wakes = true;
    held.wait_until([&] { return in.round != round; });
  }
#ifdef STM_TSAN
  __tsan_acquire(&in);
#endif
}

void* shared_memory(unsigned id, word bytes) {
  guard held(*self->in);
  std::vector<word>& memory = self->in->shared[id];
  bool is_new = memory.empty();
  if (is_new) memory.resize((bytes + 7) / 8);
#ifdef STM_TSAN
  // A block has its memory before any of its threads: order its creation, by whichever thread, before all others.
  if (is_new) __tsan_release(&memory);
  __tsan_acquire(&memory);
#endif
  return memory.data();
}

// No array has this number.
void* block_memory() { return shared_memory(~0u, self->of->how.shared); }

word nanoseconds() {
  if (self->of->how.fibers) return self->of->steps.load(std::memory_order_relaxed) * STEP_NANOSECONDS;
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<word>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

int run(void (*kernel)(const void*), const void* parameters, const options& how, outcome& out) {
  try {
    launch of;
    of.kernel = kernel;
    of.parameters = parameters;
    of.how = how;
    set_up(of);
    bool started = true;
    if (how.fibers)
      run_fibers(of);
    else
      started = run_threads(of);
    out.steps = of.steps.load();
    out.live = of.threads.size() - of.finished.load();
    if (!started) return RESOURCES;
    return of.stop.load() ? STEP_LIMIT : FINISHED;
  } catch (const std::bad_alloc&) {
    return RESOURCES;
  }
}

}  // namespace stm_emu
