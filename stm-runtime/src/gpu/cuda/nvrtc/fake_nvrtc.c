/* An NVRTC that compiles nothing and has any version, for tests of which versions are taken. */
#include <stddef.h>

typedef void* program;

int nvrtcVersion(int* major, int* minor) {
  *major = MAJOR;
  *minor = MINOR;
  return 0;
}
int nvrtcGetNumSupportedArchs(int* count) {
  *count = 1;
  return 0;
}
int nvrtcGetSupportedArchs(int* all) {
  all[0] = 90;
  return 0;
}
const char* nvrtcGetErrorString(int code) { return "a fake error"; }

#define FAILS(name) \
  int name(program of, void* out) { return 1; }
int nvrtcCreateProgram(program* out, const char* source, const char* name, int headers, const char* const* texts,
                       const char* const* names) {
  return 1;
}
int nvrtcDestroyProgram(program* of) { return 1; }
int nvrtcCompileProgram(program of, int count, const char* const* options) { return 1; }
FAILS(nvrtcGetProgramLogSize)
FAILS(nvrtcGetProgramLog)
FAILS(nvrtcGetPTXSize)
FAILS(nvrtcGetPTX)
FAILS(nvrtcGetCUBINSize)
FAILS(nvrtcGetCUBIN)
