/* A CUDA driver without a GPU, for tests of everything that the runtime does before and around a kernel.
 *
 * Memory is host memory. A launch runs nothing and fails as FAKE_LAUNCH says. FAKE_INIT, FAKE_VERSION and FAKE_COUNT are
 * what the calls of those names answer, and FAKE_TOTAL the bytes of memory. With FAKE_COMMITS a launch commits its transactions, and with FAKE_UNPACK it makes cells of packed numbers. The copy and the record whose number FAKE_COPY and FAKE_RECORD are fail. A kernel has FAKE_PARAMETERS parameters of eight bytes each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef unsigned long long address;
typedef void* handle;

static int number(const char* name, int otherwise) {
  const char* value = getenv(name);
  return value ? atoi(value) : otherwise;
}

/* Writes a text into a log, whose rest holds what it likes. */
static void say(char* log, size_t bytes, const char* text) {
  memset(log, '~', bytes);
  strcpy(log, text);
}

/* The names of the calls since the log was last read. */
static char calls[1 << 16];
static size_t called;
static int logging;
static void CALL(const char* name) {
  while (__sync_lock_test_and_set(&logging, 1)) {
  }
  if (called + strlen(name) + 2 < sizeof calls) called += sprintf(calls + called, "%s ", name);
  __sync_lock_release(&logging);
}
const char* fake_calls(void) {
  static char last[sizeof calls];
  while (__sync_lock_test_and_set(&logging, 1)) {
  }
  memcpy(last, calls, sizeof calls);
  called = 0;
  calls[0] = 0;
  __sync_lock_release(&logging);
  return last;
}

static int lost; /* the code of a launch that broke the context; every later call gives it */
static size_t used;
#define TOTAL ((size_t)number("FAKE_TOTAL", 1 << 20))

int cuInit(unsigned flags) { CALL("cuInit"); return number("FAKE_INIT", 0); }
int cuDriverGetVersion(int* version) {
  CALL("cuDriverGetVersion");
  *version = number("FAKE_VERSION", 13000);
  return 0;
}
int cuDeviceGetCount(int* count) {
  CALL("cuDeviceGetCount");
  *count = number("FAKE_COUNT", 1);
  return 0;
}
int cuGetErrorName(int code, const char** name) {
  CALL("cuGetErrorName");
  *name = code == 100 ? "CUDA_ERROR_NO_DEVICE" : code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_FAKE";
  return 0;
}
int cuGetErrorString(int code, const char** text) {
  CALL("cuGetErrorString");
  *text = "a fake error";
  return 0;
}
int cuDeviceGet(int* device, int ordinal) {
  CALL("cuDeviceGet");
  *device = ordinal;
  return 0;
}
int cuDeviceGetName(char* name, int length, int device) {
  CALL("cuDeviceGetName");
  strncpy(name, "Fake", length);
  return 0;
}
int cuDeviceGetAttribute(int* value, int which, int device) {
  CALL("cuDeviceGetAttribute");
  *value = which == 75 ? number("FAKE_MAJOR", 9) : which == 76 ? 0 : which == 16 ? 4 : 0;
  return 0;
}
int cuDevicePrimaryCtxRetain(handle* context, int device) {
  CALL("cuDevicePrimaryCtxRetain");
  *context = &lost;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) { CALL("cuDevicePrimaryCtxRelease_v2"); return 0; }
static __thread handle current;
/* A call that needs a context. */
#define HERE(name) do { CALL(name); if (!current) return 201; } while (0)
int cuCtxSetCurrent(handle context) { CALL("cuCtxSetCurrent"); current = context; return 0; }
int cuCtxGetCurrent(handle* context) { CALL("cuCtxGetCurrent"); *context = current; return 0; }
/* How much was given to a stream, and how much of it somebody has waited for. Memory must not be freed before. */
typedef struct stream_state {
  int given, done;
  int holds; /* the stream waits for what others had been given then */
  struct {
    struct stream_state* of;
    int given, at;
  } hold[1 << 10];
} stream_state;
static stream_state all_streams[64];
static int streams;
static void give(stream_state* stream) { __sync_fetch_and_add(&stream->given, 1); }
static void end(stream_state* stream, int given) {
  if (stream->done < given) stream->done = given;
  for (int i = 0; i < stream->holds; ++i)
    if (stream->hold[i].of && stream->hold[i].at <= given) {
      stream_state* of = stream->hold[i].of;
      stream->hold[i].of = NULL; /* streams can wait for each other, and for themselves */
      end(of, stream->hold[i].given);
    }
  if (stream->done == stream->given) stream->holds = 0;
}
int cuStreamCreate(handle* stream, unsigned flags) {
  HERE("cuStreamCreate");
  *stream = &all_streams[__sync_fetch_and_add(&streams, 1)];
  return 0;
}
int cuStreamSynchronize(handle stream) {
  HERE("cuStreamSynchronize");
  stream_state* state = stream;
  end(state, state->given);
  return lost;
}
int cuStreamDestroy_v2(handle stream) { CALL("cuStreamDestroy_v2"); return 0; }
int cuCtxSynchronize(void) {
  CALL("cuCtxSynchronize");
  for (int i = 0; i < streams; ++i) end(&all_streams[i], all_streams[i].given);
  return lost;
}
/* The call of that number fails, counted from 1. */
static int fails(const char* name, int* count) { return __sync_add_and_fetch(count, 1) == number(name, 0); }
int cuMemGetInfo_v2(size_t* free, size_t* total) {
  HERE("cuMemGetInfo_v2");
  *free = TOTAL - used;
  *total = TOTAL;
  return lost;
}
/* The memory that is allocated, behind 16 bytes with its size. */
static size_t* blocks[1 << 12];
static void replace_block(size_t* old, size_t* new) {
  for (int i = 0; i < 1 << 12; ++i)
    if (__sync_bool_compare_and_swap(&blocks[i], old, new)) return;
}
int cuPointerGetAttribute(size_t* value, int which, address at) {
  CALL("cuPointerGetAttribute");
  for (int i = 0; i < 1 << 12; ++i) {
    address first = (address)(blocks[i] + 2);
    if (!blocks[i] || at < first || at >= first + blocks[i][0]) continue;
    if (which == 2 || which == 9) *(int*)value = which == 2 ? 2 : number("FAKE_ORDINAL", 0);
    else *value = which == 1 ? (size_t)&lost : which == 11 ? first : blocks[i][0];
    return 0;
  }
  return 1;
}
int cuMemAlloc_v2(address* at, size_t bytes) {
  HERE("cuMemAlloc_v2");
  size_t* memory;
  if (lost) return lost;
  if (bytes > TOTAL - used) return 2;
  memory = malloc(bytes + 16);
  memory[0] = bytes;
  replace_block(NULL, memory);
  used += bytes;
  *at = (address)(memory + 2);
  return 0;
}
int cuMemFree_v2(address at) {
  HERE("cuMemFree_v2");
  size_t* memory = (size_t*)at - 2;
  for (int i = 0; i < streams; ++i)
    if (all_streams[i].given > all_streams[i].done && !lost) {
      fprintf(stderr, "memory is freed while stream %d works on it\n", i);
      abort();
    }
  used -= memory[0];
  replace_block(memory, NULL);
  free(memory);
  return 0;
}
int cuMemHostAlloc(void** at, size_t bytes, unsigned flags) {
  HERE("cuMemHostAlloc");
  if (number("FAKE_PINNED", 0)) return number("FAKE_PINNED", 0);
  *at = malloc(bytes);
  return 0;
}
/* Memory of several devices: a reserved range cannot be used before memory is mapped and access is given. Pages are 4096 bytes. */
#define PAGE 4096
int cuDeviceGetP2PAttribute(int* value, int which, int one, int other) {
  CALL("cuDeviceGetP2PAttribute");
  *value = which == 3 && one != other && number("FAKE_ATOMICS", 1);
  return 0;
}
int cuCtxEnablePeerAccess(handle context, unsigned flags) { HERE("cuCtxEnablePeerAccess"); return 0; }
int cuMemGetAllocationGranularity(size_t* bytes, const int* properties, int which) {
  HERE("cuMemGetAllocationGranularity");
  *bytes = PAGE;
  return properties[0] == 1 && properties[2] == 1 ? 0 : 1;
}
int cuMemAddressReserve(address* at, size_t bytes, size_t alignment, address wanted, address flags) {
  HERE("cuMemAddressReserve");
  void* range = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *at = (address)range;
  return range == MAP_FAILED ? 2 : 0;
}
int cuMemAddressFree(address at, size_t bytes) { HERE("cuMemAddressFree"); return munmap((void*)at, bytes) ? 1 : 0; }
/* A handle is the size. The bytes of the first device count: all devices have equal parts, and say the same of their memory. */
int cuMemCreate(address* made, size_t bytes, const int* properties, address flags) {
  HERE("cuMemCreate");
  if (bytes % PAGE || properties[3] >= number("FAKE_COUNT", 1)) return 1;
  if (bytes > TOTAL - used) return 2;
  if (properties[3] == 0) used += bytes;
  *made = bytes;
  return 0;
}
int cuMemMap(address at, size_t bytes, size_t offset, address made, address flags) { HERE("cuMemMap"); return bytes != made; }
int cuMemRelease(address made) { HERE("cuMemRelease"); return 0; }
int cuMemSetAccess(address at, size_t bytes, const int* access, size_t count) {
  HERE("cuMemSetAccess");
  if (count != (size_t)number("FAKE_COUNT", 1) || access[0] != 1 || access[2] != 3) return 1;
  return mprotect((void*)at, bytes, PROT_READ | PROT_WRITE) ? 1 : 0;
}
int cuMemUnmap(address at, size_t bytes) {
  HERE("cuMemUnmap");
  if (bytes % (number("FAKE_COUNT", 1) * PAGE)) return 1;
  used -= bytes / number("FAKE_COUNT", 1);
  return mprotect((void*)at, bytes, PROT_NONE) ? 1 : 0;
}
static int copies;
int cuMemcpyHtoDAsync_v2(address to, const void* from, size_t bytes, handle stream) {
  HERE("cuMemcpyHtoDAsync_v2");
  if (fails("FAKE_COPY", &copies)) return 1;
  give(stream);
  memcpy((void*)to, from, bytes);
  return lost;
}
int cuMemcpyDtoHAsync_v2(void* to, address from, size_t bytes, handle stream) {
  HERE("cuMemcpyDtoHAsync_v2");
  if (fails("FAKE_COPY", &copies)) return 1;
  give(stream);
  memcpy(to, (void*)from, bytes);
  return lost;
}
int cuMemcpyDtoDAsync_v2(address to, address from, size_t bytes, handle stream) {
  HERE("cuMemcpyDtoDAsync_v2");
  if (fails("FAKE_COPY", &copies)) return 1;
  give(stream);
  memcpy((void*)to, (void*)from, bytes);
  return lost;
}
/* The fields have eight bytes each: seven of the source, seven of the target, and the size. */
int cuMemcpy2DAsync_v2(const size_t* copy, handle stream) {
  HERE("cuMemcpy2DAsync_v2");
  const size_t *from = copy, *to = copy + 7, width = copy[14];
  if (fails("FAKE_COPY", &copies) || (int)from[2] != 2 || (int)to[2] != 2 || width > from[6] || width > to[6]) return 1;
  give(stream);
  for (size_t row = 0; row < copy[15]; ++row) memcpy((char*)to[4] + row * to[6], (char*)from[4] + row * from[6], width);
  return lost;
}
int cuMemsetD8Async(address at, unsigned char value, size_t bytes, handle stream) {
  HERE("cuMemsetD8Async");
  give(stream);
  memset((void*)at, value, bytes);
  return lost;
}
int cuMemsetD32Async(address at, unsigned value, size_t count, handle stream) {
  HERE("cuMemsetD32Async");
  give(stream);
  for (size_t i = 0; i < count; ++i) ((unsigned*)at)[i] = value;
  return lost;
}
static unsigned place[2];
int cuModuleGetGlobal_v2(address* at, size_t* bytes, handle module, const char* name) {
  HERE("cuModuleGetGlobal_v2");
  *at = (address)place;
  *bytes = sizeof place;
  return strcmp(name, "stm_grid_part") ? 500 : 0;
}
int cuModuleLoadData(handle* module, const void* image) {
  HERE("cuModuleLoadData");
  if (memcmp(image, "\177ELF", 4) != 0) return 200;
  *module = &lost;
  return 0;
}
/* Options: a log and its length. */
int cuModuleLoadDataEx(handle* module, const void* image, unsigned count, int* options, void** values) {
  HERE("cuModuleLoadDataEx");
  if (count != 2 || options[0] != 5 || options[1] != 6 || strncmp(image, "//", 2) != 0) return 1;
  *module = &lost;
  if (!number("FAKE_JIT", 0)) return 0;
  say(values[0], (size_t)values[1], "ptxas says no");
  return number("FAKE_JIT", 0);
}
/* What is linked is not looked at, but it has to be machine code, and more than its header. */
static void** link_values;
int cuLinkCreate_v2(unsigned count, int* options, void** values, handle* state) {
  HERE("cuLinkCreate_v2");
  static const int expected[] = {3, 4, 5, 6, 12};
  if (count != 5 || memcmp(options, expected, sizeof expected) != 0) return 1;
  link_values = values;
  *state = link_values;
  return 0;
}
int cuLinkAddData_v2(handle state, int type, void* data, size_t bytes, const char* name, unsigned count, int* options,
                     void** values) {
  CALL("cuLinkAddData_v2");
  return type == 0 && bytes > 64 && memcmp(data, "\177ELF", 4) == 0 && count == 0 ? 0 : 200;
}
int cuLinkComplete(handle state, void** image, size_t* bytes) {
  CALL("cuLinkComplete");
  if (number("FAKE_LINK", 0)) {
    say(link_values[2], (size_t)link_values[3], "nvlink says no");
    return number("FAKE_LINK", 0);
  }
  say(link_values[0], (size_t)link_values[1], "info    : used 92 registers, used 0 barriers");
  static const char linked[64] = "\177ELF\2\1";
  *image = (void*)linked;
  *bytes = sizeof linked;
  return 0;
}
/* Only now it reports the lengths of the logs. */
int cuLinkDestroy(handle state) {
  CALL("cuLinkDestroy");
  link_values[1] = link_values[3] = (void*)14;
  return 0;
}
int cuModuleUnload(handle module) { CALL("cuModuleUnload"); return 0; }
int cuModuleGetFunction(handle* function, handle module, const char* name) {
  CALL("cuModuleGetFunction");
  if (strcmp(name, "stm_run") != 0) return 500;
  *function = &lost;
  return 0;
}
int cuFuncGetParamInfo(handle function, size_t index, size_t* offset, size_t* bytes) {
  CALL("cuFuncGetParamInfo");
  if (index >= (size_t)number("FAKE_PARAMETERS", 1)) return 1;
  *offset = 8 * index;
  *bytes = number("FAKE_PARAMETER_BYTES", 8);
  return 0;
}
int cuFuncSetAttribute(handle function, int which, int value) { CALL("cuFuncSetAttribute"); return which == 8 && value > 0 ? 0 : 1; }
int cuFuncGetAttribute(int* value, int which, handle function) {
  CALL("cuFuncGetAttribute");
  *value = 100;
  return which == 3 || which == 8 ? 0 : 1;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, handle function, int threads, size_t shared) {
  CALL("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  *blocks = 2048 / threads;
  return 0;
}
typedef struct {
  stream_state* stream;
  int given;
} event_state;
int cuEventCreate(handle* event, unsigned flags) {
  HERE("cuEventCreate");
  *event = calloc(1, sizeof(event_state));
  return 0;
}
int cuEventRecord(handle event, handle stream) {
  HERE("cuEventRecord");
  static int records;
  event_state* state = event;
  if (fails("FAKE_RECORD", &records)) return 1;
  state->stream = stream;
  state->given = state->stream->given;
  return 0;
}
int cuEventSynchronize(handle event) {
  CALL("cuEventSynchronize");
  event_state* state = event;
  if (state->stream && state->stream->done < state->given) end(state->stream, state->given);
  return lost;
}
int cuEventQuery(handle event) {
  CALL("cuEventQuery");
  event_state* state = event;
  return state->stream && state->stream->done < state->given ? 600 : lost;
}
int cuStreamWaitEvent(handle stream, handle event, unsigned flags) {
  HERE("cuStreamWaitEvent");
  stream_state* state = stream;
  event_state* until = event;
  if (until->stream && state->holds < 1 << 10) {
    state->hold[state->holds].of = until->stream;
    state->hold[state->holds].given = until->given;
    state->hold[state->holds++].at = state->given;
  }
  return lost;
}
int cuEventElapsedTime_v2(float* milliseconds, handle begin, handle end) {
  CALL("cuEventElapsedTime_v2");
  *milliseconds = 1.5f;
  return lost;
}
int cuEventDestroy_v2(handle event) {
  CALL("cuEventDestroy_v2");
  free(event);
  return 0;
}
/* Commits each transaction of a launch whose first argument is one more than its index, and faults the others. The numbers are those of
 * fields of stm_params. */
static void commit_all(const unsigned long long* p) {
  unsigned long long first = p[1], end = p[2], *counters = (void*)p[14];
  unsigned char* status = (void*)p[10];
  const unsigned* argument = (void*)p[30];
  for (unsigned long long i = first; i < end; ++i) {
    /* A column that is counted begins with a small number. */
    int is_right = (p[30] < 4096 ? p[30] + i : argument[i]) == i + 1;
    status[i] = is_right ? 1 : 3;
    ++counters[is_right ? 0 : 2];
  }
  counters[7] = 1;
}
/* What unpack.cu does. */
static void unpack(const address* parameters, unsigned blocks) {
  const struct { const unsigned char* from; unsigned char* to; address base, cells, wide, narrow; }* piece = (void*)parameters[0];
  const void* end = piece + blocks / parameters[1];
  for (; (void*)piece < end; ++piece)
    for (address at = 0; at < piece->cells; ++at) {
      address cell = 0;
      memcpy(&cell, piece->from + at * piece->narrow, piece->narrow);
      cell += piece->base;
      memcpy(piece->to + at * piece->wide, &cell, piece->wide);
    }
}
int cuLaunchKernel(handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, handle stream, void** parameters, void** extra) {
  HERE("cuLaunchKernel");
  give(stream);
  if (number("FAKE_COMMITS", 0)) commit_all(*parameters);
  if (number("FAKE_UNPACK", 0)) unpack(*parameters, gx);
  lost = number("FAKE_LAUNCH", 0);
  return 0;
}
