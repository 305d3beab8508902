// Where clients and server of csmv meet: the clock, and for each 32 threads a desk, their posts and answers, and their mail. It is the
// memory of a run (stm_worker::run). Desks, posts and answers are empty between launches.

constexpr u64 STM_GONE = ~0ull;             // an answer: begin again
constexpr u64 STM_MET = ~0ull - 1;          // the same, for one who met an earlier one of its batch
constexpr u64 STM_LISTED = 1ull << 62;      // no answer yet: on the mask of the batch that the thread is in. Times stay below
constexpr u64 STM_WRITTEN = 1ull << 63;     // on a key: it was written

// Words of a touched element in the mail: its key, which is where its box is, and, where the server puts the versions, what it needs for that.
constexpr u64 STM_MAIL_ENTRY = STM_BATCHES ? 1 : 4;
constexpr u64 STM_MAIL = 3 + STM_MAIL_ENTRY * STM_FOOTPRINT;

// Plain memory: an atomic has told whoever reads it, so that it may come from the multiprocessor's own cache.
struct stm_mail {
  u64* at;
  STM_DEVICE u64* snapshot() const { return at; }
  STM_DEVICE u64* count() const { return at + 1; }
  STM_DEVICE u64* lanes() const { return at + 2; }  // of the 32: those that this one met; of who asks, then those it asks for
  STM_DEVICE u64* entry(u64 k) const { return at + 3 + k * STM_MAIL_ENTRY; }
};

// Where 32 threads come together. Threads are bits, and commits those of the higher half.
struct stm_desk {
  u64* at;
  STM_DEVICE u64* holder() const { return at; }
  STM_DEVICE u64* waiting() const { return at + 1; }
  STM_DEVICE u64* checked() const { return at + 2; }
  STM_DEVICE u64* done() const { return at + 3; }
};

struct stm_office {
  u64* run;
  STM_DEVICE u64* clock() const { return run; }
  STM_DEVICE u64* left() const { return run + 1; }
  // By 32 threads, which the server looks at together. Where they are does not depend on how many threads there are: a launch with
  // more or fewer than the last one finds them empty.
  STM_DEVICE u64* of_32(u64 thread) const { return run + 2 + (thread >> 5) * (4 + 32 * (2 + STM_MAIL)); }
  STM_DEVICE stm_desk desk(u64 thread) const { return {of_32(thread)}; }
  STM_DEVICE u64* post(u64 thread) const { return of_32(thread) + 4 + 2 * (thread & 31); }
  STM_DEVICE u64* answer(u64 thread) const { return post(thread) + 1; }
  STM_DEVICE stm_mail mail(u64 thread) const { return {of_32(thread) + 68 + (thread & 31) * STM_MAIL}; }
};

// Sets the clock from `first - 1` to `last`, when its time has come.
STM_DEVICE void stm_set_clock(const stm_office& office, u64 first, u64 last) {
#pragma unroll 1
  // mutation "wait for earlier commits": for (; false;) {}
  while (stm_load_acquire(office.clock()) != first - 1) __nanosleep(20);
  stm_store_release(office.clock(), last);
}
