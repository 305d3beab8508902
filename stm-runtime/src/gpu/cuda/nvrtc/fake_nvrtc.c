/* An NVRTC that compiles nothing and has any version, for tests of which versions are taken. With COMPILES, it makes an empty image of each
 * text. */
#include <stddef.h>
#include <string.h>
#ifndef COMPILES
#define COMPILES 0
#endif

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

#define ENDS return !COMPILES
int nvrtcCreateProgram(program* out, const char* source, const char* name, int headers, const char* const* texts,
                       const char* const* names) {
  ENDS;
}
int nvrtcDestroyProgram(program* of) { ENDS; }
int nvrtcCompileProgram(program of, int count, const char* const* options) { ENDS; }

static const char image[64] = "\177ELF\2\1";
#define GIVES(what, bytes, from)                    \
  int nvrtcGet##what##Size(program of, size_t* out) { \
    *out = bytes;                                   \
    ENDS;                                           \
  }                                                 \
  int nvrtcGet##what(program of, char* out) {       \
    if (COMPILES) memcpy(out, from, bytes);         \
    ENDS;                                           \
  }
GIVES(ProgramLog, 1, "")
GIVES(PTX, 3, "//")
GIVES(CUBIN, sizeof image, image)
