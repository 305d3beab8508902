// PR-STM as a library would offer it: functions that do not know the transaction, read and write sets in local memory, the paper's
// 32-bit lock word. Unlike the paper's text it reads the lock word before the value, and validates the read set after the final
// locks, because otherwise updates are lost.
//
// Lock word: version 11 bits | owner 19 | pre-locked 1 | locked 1. A lower owner may take over a pre-lock. The version wraps after
// 2,048 commits: a thread that is delayed that long between read and validation loses an update, which the total shows.

constexpr u32 CAPACITY = 64, OWNERS = 1u << 19, RETRIES = 64;
constexpr u32 PRE = 2, LOCKED = 1;

struct sets {
  u32 reads, writes, owner;
  u32 read_at[CAPACITY], read_version[CAPACITY];
  u32 write_at[CAPACITY], write_version[CAPACITY];
  i64 write_value[CAPACITY];
};

__device__ __forceinline__ u32 version_of(u32 word) { return word >> 21; }
__device__ __forceinline__ u32 owner_of(u32 word) { return word >> 2 & (OWNERS - 1); }
__device__ __forceinline__ u32 word_of(u32 version, u32 owner, u32 flags) { return version << 21 | owner << 2 | flags; }

// Returns false after a conflict: the caller starts again.
__device__ __noinline__ bool tx_read(sets* s, const stm_params& p, u32 at, i64* value) {
  for (u32 i = 0; i < s->writes; ++i) {
    if (s->write_at[i] == at) {
      *value = s->write_value[i];
      return true;
    }
  }
  if (s->reads == CAPACITY) return false;
  u32 before = load(p.locks + at);
  if (before & LOCKED) return false;
  fence();
  *value = load(p.accounts + at);
  fence();
  u32 after = load(p.locks + at);
  if ((after & LOCKED) || version_of(after) != version_of(before)) return false;
  s->read_at[s->reads] = at;
  s->read_version[s->reads] = version_of(before);
  s->reads += 1;
  return true;
}

__device__ __noinline__ bool tx_write(sets* s, const stm_params& p, u32 at, i64 value) {
  for (u32 i = 0; i < s->writes; ++i) {
    if (s->write_at[i] == at) {
      s->write_value[i] = value;
      return true;
    }
  }
  u32 word = load(p.locks + at);
  if ((word & LOCKED) || s->writes == CAPACITY) return false;
  s->write_at[s->writes] = at;
  s->write_value[s->writes] = value;
  s->write_version[s->writes] = version_of(word);
  s->writes += 1;
  return true;
}

// Releases `locked` locks, and the pre-locks after them up to `taken`, which others may have taken over.
__device__ __noinline__ bool tx_release(sets* s, const stm_params& p, u32 locked, u32 taken) {
  for (u32 i = 0; i < taken; ++i) {
    u32* lock = p.locks + s->write_at[i];
    u32 version = s->write_version[i], unlocked = word_of(version, 0, 0);
    if (i < locked) {
      store(lock, unlocked);
    } else {
      swap_if(lock, word_of(version, s->owner, PRE), unlocked);
    }
  }
  return false;
}

__device__ __noinline__ bool tx_prelock(sets* s, const stm_params& p, u32 i) {
  u32* lock = p.locks + s->write_at[i];
  u32 version = s->write_version[i];
  u32 word = load(lock);
  for (u32 retry = 0; retry < RETRIES; ++retry) {
    if (version_of(word) != version || (word & LOCKED)) return false;
    if ((word & PRE) && owner_of(word) < s->owner) return false;
    u32 seen = swap_if(lock, word, word_of(version, s->owner, PRE));
    if (seen == word) return true;
    word = seen;
  }
  return false;
}

// Returns whether the version is unchanged and no other thread holds the lock.
__device__ __noinline__ bool tx_valid(sets* s, const stm_params& p, u32 i) {
  u32 word = load(p.locks + s->read_at[i]);
  return version_of(word) == s->read_version[i] && (!(word & LOCKED) || owner_of(word) == s->owner);
}

__device__ __noinline__ bool tx_commit(sets* s, const stm_params& p) {
  for (u32 i = 0; i < s->writes; ++i) {
    if (!tx_prelock(s, p, i)) return tx_release(s, p, 0, i);
  }
  for (u32 i = 0; i < s->writes; ++i) {
    u32 version = s->write_version[i], mine = word_of(version, s->owner, PRE);
    if (swap_if(p.locks + s->write_at[i], mine, word_of(version, s->owner, PRE | LOCKED)) != mine) {
      return tx_release(s, p, i, s->writes);
    }
  }
  fence();
  for (u32 i = 0; i < s->reads; ++i) {
    if (!tx_valid(s, p, i)) return tx_release(s, p, s->writes, s->writes);
  }
  for (u32 i = 0; i < s->writes; ++i) store(p.accounts + s->write_at[i], s->write_value[i]);
  fence();
  for (u32 i = 0; i < s->writes; ++i) {
    store(p.locks + s->write_at[i], word_of((s->write_version[i] + 1) & 0x7ff, 0, 0));
  }
  return true;
}

__device__ bool transfer(sets* s, const stm_params& p, u32 from, u32 to, i64 amount, bool* funds) {
  s->reads = s->writes = 0;
  i64 balance, target;
  if (!tx_read(s, p, from, &balance)) return false;
  *funds = balance >= amount;
  if (!*funds) return true;
  return tx_write(s, p, from, balance - amount) && tx_read(s, p, to, &target) && tx_write(s, p, to, target + amount) &&
         tx_commit(s, p);
}

extern "C" __global__ void stm_run(const __grid_constant__ stm_params p) {
  sets s;
  transactions at(p);
  s.owner = (u32)at.transaction;  // the host starts at most OWNERS threads
  for (; at.left(); at.next()) {
    do {
      bool funds = false;
      if (!transfer(&s, p, p.from[at.transaction], p.to[at.transaction], p.amount[at.transaction], &funds)) continue;
      if (funds) p.status[at.transaction] = 1;
      break;
    } while (at.again());
  }
  at.count();
}
